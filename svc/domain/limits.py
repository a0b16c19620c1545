"""Limits that are of no noun, with their units. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import DAY_MS, MINUTE_MS, SECOND_MS

# Time.
CLOCK_SLEW: Final = 0.1
"""The part by which time runs slower while the machine's clock, which was set back, catches up. Ours: a
minute of a limit lasts 67 seconds at most, and an hour set back is caught up in ten."""
CLOCK_SET_BACK_MAX_MS: Final = DAY_MS
"""How far ahead of the machine's clock a start goes on from what is stored. Ours: an error of an hour, of a
time zone or of a day is bridged; beyond it the stored times were wrong, and count as now."""

# Answers that their clients do not take. All ours.
UNSENT_CONNECTION_BYTES_MAX: Final = 16 * 1024 * 1024
"""What the answers of one connection of HTTP/2 keep in memory while their client does not read."""
UNSENT_ADDRESS_BYTES_MAX: Final = 32 * 1024 * 1024
"""What those of one address keep, over all its connections."""
UNSENT_BYTES_MAX: Final = 256 * 1024 * 1024
"""What those of all connections keep."""
UNSENT_STREAM_BYTES: Final = 32 * 1024
"""What a stream of HTTP/2 counts there beside its answer: its request, its task, what the protocol keeps."""

# The form endpoint.
JSON_NESTING_MAX: Final = 32
"""Arrays and objects inside one another. Ours: a submission needs two, and no parser should recurse far."""
PROXY_HOPS_MAX: Final = 32
"""Hops of `X-Forwarded-For` or `Forwarded` that are looked at. Ours: no real chain is longer."""

# Errors. Ours: what a person or a model can take in at once.
FAULTS_MAX: Final = 50
"""Faults of one input that are reported."""
FAULTS_IN_DETAIL_MAX: Final = 5
"""Faults that the one sentence of an error repeats; its list has all of them."""
NEAR_NAMES_MAX: Final = 3
"""Names that are suggested for an unknown one."""
CHOICES_TOLD_MAX: Final = 20
"""Choices that are told where another one was given."""
NEAR_NAMES_LISTED_MAX: Final = 12
"""Known names that are all listed where none of them is close."""
SHOWN_NAME_CHARS_MAX: Final = 100
"""Characters of an unknown name that an error repeats."""

# Lists.
LIST_ROWS: Final = 50
LIST_ROWS_MAX: Final = 200
EXAMINED_MAX: Final = 50_000
"""Records that one page of a list looks at: it may be shorter than asked for, and have a next cursor."""
TOTAL_MAX: Final = 10_000
"""Rows that the total of a list counts; of more, it says that there are more."""
TOTAL_EXAMINED_MAX: Final = 100_000
"""Records that a total looks at, where an index does not say it. Ours: a few tenths of a second."""

# What is requested without authentication.
UNKNOWN_KEYS_MAX: Final = 4_096
"""Unknown form keys, embed keys and hosts that are cached as unknown, of each as many. Ours: about 2 MB."""
UNKNOWN_KEYS_MS: Final = MINUTE_MS
"""For how long. Ours: a new key is announced and evicted here at once, so this only bounds a mistake."""

# Tools.
TOOL_BODY_BYTES_MAX: Final = 1_000_000
CALL_WINDOW_MS: Final = MINUTE_MS
CALLS_MAX: Final = 600
"""Calls of one key within `CALL_WINDOW_MS`, unless the configuration says otherwise."""
ADMISSIONS_AT_ONCE: Final = 8
"""Requests of one organization, form or channel key that are let in, or refused, at once, while there are
others. Ours: of hundreds that come together a few are done at a time, and those of others in between."""
WRITES_AT_ONCE: Final = 8
"""Calls of one organization that wait for the store's writer at once, while there are others. Ours: enough to
share a commit, few enough that their answers do not keep the others waiting."""
READS_AT_ONCE: Final = 8
"""Calls of one organization that wait for the store's reader at once, while there are others. Ours."""
CALLS_WAITING_MAX: Final = 1_024
"""Requests that wait for one of those places; more are answered 503. Ours: more than have connections."""
POLLS_WAITING_MAX: Final = 10
"""Calls of one organization that wait at once for something to answer; a further one is answered without
waiting. Ours: a program needs one, and two while it is replaced."""
TOOL_QUERY_CHARS_MAX: Final = 500
"""Ours: a plain sentence is shorter."""
TOOLS_FOUND: Final = 5
TOOLS_FOUND_MAX: Final = 10
TOOLS_DESCRIBED_MAX: Final = 20
"""Ours: more schemas than that are no answer but a context full of them."""
IDEMPOTENCY_KEY_CHARS_MAX: Final = 255
IDEMPOTENCY_LIFE_MS: Final = DAY_MS
"""How long the first answer is replayed to calls with its key."""

# Events.
EVENT_LIFE_MS: Final = 30 * DAY_MS
"""How long an event is kept once it was dispatched."""
EVENT_WAIT_SECONDS_MAX: Final = 20
"""How long a call may wait for events."""
EVENTS_EXAMINED_MAX: Final = 2_000
"""Events that one page of a list looks at. Ours: a few milliseconds of the reader's time."""
EVENTS_PAGE_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes of data of a page's events, and of those dispatched at once, but for the last one. Ours: an update's
data may be three large records."""

# Retention.
PRUNED_MAX: Final = 50
"""Rows that are deleted in one step, of which a unit of work takes as many as it has time for."""

# People and keys.
SCREEN_STREAMS_MAX: Final = 20
"""Streams of live events that one person may have open."""
SCREEN_HINTS_MAX: Final = 256
"""Changed things of one organization that are remembered for its streams. Ours: a page that misses more asks
for everything again, which is cheaper than so many hints."""
SCREEN_COMMENT_MS: Final = 15 * SECOND_MS
"""A stream of live events that has nothing to send sends a comment after this long."""
SCREEN_RETRY_SECONDS: Final = 15
"""`Retry-After` where a stream of live events finds no place: meanwhile the page asks every 15 seconds."""

# Channels.
SIGNING_OVERLAP_MS: Final = DAY_MS
"""How long the signing secret that was replaced signs beside the new one."""
