"""Every limit, with its unit. Docs and contract show these.

Sources: the contract's table of limits; where it is silent, the choice is ours and the
line says why.
"""

from typing import Final

from svc.domain.times import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, YEAR_MS

# Time.
CLOCK_SLEW: Final = 0.1
"""The part by which time runs slower while the machine's clock, which was set back, catches up. Ours: a
minute of a limit lasts 67 seconds at most, and an hour set back is caught up in ten."""
CLOCK_SET_BACK_MAX_MS: Final = DAY_MS
"""How far ahead of the machine's clock a start goes on from what is stored. Ours: an error of an hour, of a
time zone or of a day is bridged; beyond it the stored times were wrong, and count as now."""

# The form endpoint.
FORM_BODY_BYTES_MAX: Final = 64_000
FORM_FIELD_NAME_CHARS_MAX: Final = 64
FORM_VALUE_CHARS_MAX: Final = 2_000
FORM_FIELDS_MAX: Final = 200
"""Fields of one submission. Ours: a longer form is no form, and a note must stay readable."""
FORM_KEY_CHARS_MAX: Final = 128
SENDER_WINDOW_MS: Final = MINUTE_MS
SENDER_SUBMISSIONS_MAX: Final = 20
"""Submissions of one sender at one form within `SENDER_WINDOW_MS`."""
PACE_WINDOW_MS: Final = MINUTE_MS
PACE_FILINGS_MAX: Final = 60
"""Filings of one form within `PACE_WINDOW_MS`; the excess is queued."""
QUEUE_WINDOW_MS: Final = HOUR_MS
QUEUE_SUBMISSIONS_MAX: Final = 1_200
"""Submissions that one form may queue within `QUEUE_WINDOW_MS`."""
QUEUE_PASS_MS: Final = 5 * MINUTE_MS
RECENT_SUBMISSIONS: Final = 20
DEAL_TITLE_CHARS_MAX: Final = 200
DEAL_TEMPLATE_CHARS_MAX: Final = 500
"""The template of a deal's title. Ours: placeholders may be longer than what they become."""
FORMS_MAX: Final = 100
"""Forms of one organization that are not removed. Ours: a list of them is answered whole."""
SERVER_KEY_LIFE_MS: Final = YEAR_MS
FORM_PARTS_MAX: Final = 1_000
"""Name and value pairs of one url-encoded or multipart body, repeated names and all. Ours."""
JSON_NESTING_MAX: Final = 32
"""Arrays and objects inside one another. Ours: a submission needs two, and no parser should recurse far."""
EMAIL_CHARS_MAX: Final = 254
"""RFC 5321 §4.5.3.1.3: a path is at most 256 octets, and two of them are its angle brackets."""
PHONE_CHARS_MAX: Final = 64
"""A phone number as people write it. Ours: 15 digits, their punctuation and an extension fit well."""
PROXY_HOPS_MAX: Final = 32
"""Hops of `X-Forwarded-For` or `Forwarded` that are looked at. Ours: no real chain is longer."""

# Filing.
FILING_BATCH_MAX: Final = 200
"""Submissions filed in one transaction. Ours: keeps a filing within some tens of milliseconds."""
CANDIDATES_MAX: Final = 20
"""Similar contacts kept with a held submission. Ours: more than a person can choose from."""

# Objects, properties and records. All ours: what a screen and a person can still make sense of.
OBJECTS_MAX: Final = 100
"""Objects of one organization, the built-in ones included."""
PROPERTIES_MAX: Final = 250
"""Properties of one object, the deleted ones included."""
OPTIONS_MAX: Final = 250
"""Choices of one select."""
OPTION_CHARS_MAX: Final = 100
SLUG_CHARS_MAX: Final = 50
LABEL_CHARS_MAX: Final = 100
TEXT_CHARS_MAX: Final = 2_000
LONG_TEXT_CHARS_MAX: Final = 64_000
URL_CHARS_MAX: Final = 2_000
NUMBER_MAX: Final = 1e15
"""Largest number of a property, either way from zero; whole numbers up to it are exact as doubles."""
RECORD_BYTES_MAX: Final = 256 * 1024
"""The properties of one record, as JSON."""
VERSION_CHANGES_MAX: Final = 1_000
"""Changes of a record that `ifVersion` looks back over; what lies behind them counts as changed. Ours."""
VERSION_CHANGES_BYTES_MAX: Final = 4 * 1024 * 1024
"""What these changes may have in all, as JSON: some are as large as two records. Ours: keeps a comparison
within some milliseconds of the writer's time."""
VERSION_COMPARISONS_BYTES_MAX: Final = 2 * VERSION_CHANGES_BYTES_MAX
"""What all comparisons of one call of many records may read. Ours: within 0.1 s of the writer's time."""
RECORDS_WRITTEN_MAX: Final = 100
"""Records written by one call (decisions, the tools of records)."""
NOTE_CHARS_MAX: Final = 64_000
NOTE_TITLE_CHARS_MAX: Final = 200

# Imports. All ours.
IMPORT_BYTES_MAX: Final = 2 * 1024 * 1024 * 1024
"""One upload: some twenty million lines of contacts."""
IMPORT_PART_BYTES: Final = 1024 * 1024
"""Each part of an upload but the last, which may be shorter: a few milliseconds of the writer's time."""
IMPORT_CHUNK_BYTES: Final = 64 * 1024
"""A row of an upload: what a batch reads of it is one or two of these."""
IMPORT_NAME_CHARS_MAX: Final = 200
"""The name of a file, as its import shows it."""
IMPORT_FINGERPRINT_CHARS_MAX: Final = 200
"""What tells a file from others: a digest in any form."""
IMPORT_COLUMNS_MAX: Final = 500
"""Columns of a file: twice as many as an object has properties."""
IMPORT_CELL_CHARS_MAX: Final = 128 * 1024
"""One cell: twice what the longest text may have."""
IMPORT_LINE_BYTES_MAX: Final = 1024 * 1024
"""One line, or one record whose cells have several: four times what a record may have."""
IMPORT_BATCH_LINES: Final = 200
"""Lines of one transaction while nothing else is written: some tens of milliseconds."""
IMPORT_BATCH_LINES_SHARED: Final = 10
"""Lines of one transaction while others write: a millisecond or two that each of them may wait."""
IMPORT_SAMPLE_LINES: Final = 5
"""Lines of a file that are shown beside its headings."""
IMPORT_REFUSALS_SHOWN: Final = 50
"""Refused lines that `import.get` shows; the file of refused lines has all of them."""
IMPORT_REASON_CHARS_MAX: Final = 500
"""Of one of their reasons; the file has all of it."""
IMPORT_WAIT_MS: Final = DAY_MS
"""How long an import waits for the next part of its upload, or to be started, before it is cancelled."""
IMPORT_LIFE_MS: Final = 30 * DAY_MS
"""How long an import is kept after its end, with the lines that it refused."""
IMPORTS_PRUNED_MAX: Final = 64
"""Rows of ended imports that are deleted in one unit: some of them are as large as a chunk."""

# Errors. Ours: what a person or a model can take in at once.
FAULTS_MAX: Final = 50
"""Faults of one input that are reported."""
FAULTS_IN_DETAIL_MAX: Final = 5
"""Faults that the one sentence of an error repeats; its list has all of them."""
NEAR_NAMES_MAX: Final = 3
"""Names that are suggested for an unknown one."""
NEAR_NAMES_LISTED_MAX: Final = 12
"""Known names that are all listed where none of them is close."""
SHOWN_NAME_CHARS_MAX: Final = 100
"""Characters of an unknown name that an error repeats."""

# Lists.
LIST_ROWS: Final = 50
LIST_ROWS_MAX: Final = 200
FILTERS_MAX: Final = 20
FILTER_VALUES_MAX: Final = 100
"""Values of one `in` or `not_in`."""
SORTS_MAX: Final = 3
SORT_KEY_BYTES_MAX: Final = 96
"""Bytes of a folded text that are sorted by: keeps an index narrow, and few texts agree that far."""
FILTERED_FIRST_MAX: Final = 2_000
"""Records that a filter may leave for them to be fetched and sorted; else the order is walked."""
EXAMINED_MAX: Final = 50_000
"""Records that one page of a list looks at: it may be shorter than asked for, and have a next cursor."""
QUICK_RECORDS_MAX: Final = 4_000
"""Records that a list looks at in the way of other reads, which takes some tens of milliseconds; a list that
needs more goes on beside them."""
TOTAL_MAX: Final = 10_000
"""Rows that the total of a list counts (decisions §4); of more, it says that there are more."""
TOTAL_EXAMINED_MAX: Final = 100_000
"""Records that a total looks at, where an index does not say it. Ours: a few tenths of a second."""
EXPANDED_MAX: Final = 5
"""Relations that one call expands (decisions §4)."""
RELATED_BYTES_MAX: Final = 16 * 1024 * 1024
"""Values of the records that relations of one page lead to, as JSON, where they are shown. Ours: a page may
lead to a thousand records, each as large as a record may be."""
GROUPED_BY_MAX: Final = 2
"""Properties that an aggregate groups by (decisions §4)."""
GROUPS_MAX: Final = 1_000
"""Groups of an aggregate's answer (decisions §4)."""
MEASURES_MAX: Final = 10
"""Measures of an aggregate. Ours: more than one chart shows."""
AGGREGATED_RECORDS_MAX: Final = 2_000_000
"""Records that an aggregate reads. Ours: two seconds of the reader for long reads."""
INDEX_BATCH: Final = 1_000
"""Records whose values one unit of work adds to an index that is being made."""

# Search.
SEARCH_CHARS_MAX: Final = 200
SEARCH_WORDS_MAX: Final = 8
"""Words of a query that are looked for; the others are ignored."""
SEARCH_ROWS: Final = 20
SEARCH_ROWS_MAX: Final = 50
SEARCH_CANDIDATES_MAX: Final = 100
"""Newest matching records of an object that are ranked."""
SEARCH_PREFIX_CHARS_MIN: Final = 3
"""Characters from which on the last word also finds longer ones."""
SEARCHED_WORDS_MAX: Final = 500
"""Different words of one record that it is found by."""
SEARCHED_WORD_CHARS_MAX: Final = 40

# Embeds.
EMBEDS_MAX: Final = 500
"""Embeds of one organization that are not removed. Ours: more than there are pages to put them on."""
EMBED_BLOCKS_MAX: Final = 30
EMBED_BLOCKS_ON_SCREEN_MAX: Final = 20
EMBED_FIELDS_MAX: Final = 12
"""Fields of one block of records."""
EMBED_ROWS: Final = 12
"""Rows of one block of records that does not say how many. Ours: what a page shows well."""
EMBED_ROWS_MAX: Final = 48
EMBED_TITLE_CHARS_MAX: Final = 200
"""Titles, headings and labels of blocks. Ours."""
EMBED_SUBTITLE_CHARS_MAX: Final = 500
EMBED_BODY_CHARS_MAX: Final = 20_000
"""Markdown of one block of text. Ours: a long page."""
EMBED_FRESH_MS: Final = MINUTE_MS
"""How long a snapshot of an embed is fresh."""
EMBED_STALE_MS: Final = 5 * MINUTE_MS
"""How much longer it is served stale while it is rendered again."""
EMBED_RECORDS_BYTES_MAX: Final = 1024 * 1024
"""What the records of one embed may take in an answer; rows that do not fit are left out. Ours."""
EMBED_SNAPSHOTS_BYTES_MAX: Final = 128 * 1024 * 1024
"""Cached snapshots of all embeds together. Ours: some thousands of large ones."""
EMBED_CACHES_MAX: Final = 20_000
"""Active embed caches at once. Ours."""

# Tracked sites and visits.
SITES_MAX: Final = 100
"""Sites that one organization tracks. Ours: a list of them is answered whole."""
SITE_LABELS_MAX: Final = 10
"""Labels of a site's domain. Ours: a page view is looked up under so many domains, however long its host."""
VISITS_SHOWN_MAX: Final = 50
"""Latest page views before a submission that are shown with it. Ours."""
VISIT_BODY_BYTES_MAX: Final = 4_096
VISIT_URL_CHARS_MAX: Final = 2_000
VISIT_TITLE_CHARS_MAX: Final = 300
VISITOR_KEY_DAYS: Final = 30
"""Days that a visitor's key is kept; what is older can no longer be linked to a browser."""
VISIT_WINDOW_MS: Final = MINUTE_MS
VISITOR_VISITS_MAX: Final = 60
"""Page views of one visitor at one site within `VISIT_WINDOW_MS`. Ours: faster than a person reads."""
SITE_VISITS_MAX: Final = 6_000
"""Page views of one site within `VISIT_WINDOW_MS`. Ours: 100 a second, then views are not counted."""

# What is requested without authentication.
UNKNOWN_KEYS_MAX: Final = 4_096
"""Unknown form keys, embed keys and hosts that are cached as unknown, of each as many. Ours: about 2 MB."""
UNKNOWN_KEYS_MS: Final = MINUTE_MS
"""For how long. Ours: a new key is announced and evicted here at once, so this only bounds a mistake."""

# Plans.
TRIAL_MS: Final = 14 * DAY_MS

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
"""How long an event is kept once it was dispatched (decisions §10)."""
EVENT_WAIT_SECONDS_MAX: Final = 20
"""How long a call may wait for events (decisions §10)."""
EVENTS_EXAMINED_MAX: Final = 2_000
"""Events that one page of a list looks at. Ours: a few milliseconds of the reader's time."""
EVENTS_PAGE_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes of data of a page's events, and of those dispatched at once, but for the last one. Ours: an update's
data may be three large records."""

# Retention.
PRUNED_MAX: Final = 500
"""Rows of one kind that one unit of work deletes: a few milliseconds of the writer's time."""

# People and keys.
LIVE_KEYS_MAX: Final = 20
"""API and gateway keys of one organization together that are neither revoked nor expired."""
API_KEY_LIVES_MS: Final = {"30d": 30 * DAY_MS, "90d": 90 * DAY_MS, "1y": YEAR_MS}
GATEWAY_KEY_LIFE_MS: Final = YEAR_MS
CONFIRMATION_MS: Final = 2 * HOUR_MS
"""How long a sign-in counts as fresh, for issuing keys."""
KEY_USE_NOTED_MS: Final = MINUTE_MS
"""Last used is written at most once in this time for a key."""
LIVE_SERVER_KEYS_MAX: Final = 100
"""Server keys of one organization that are neither revoked nor expired. Ours: one for each of its servers."""
EXPIRED_KEY_LISTED_MS: Final = 90 * DAY_MS
"""How long an expired key is still listed. Ours: long enough to see why something stopped."""
KEY_TOOLS_MAX: Final = 200
"""Names that a key may be narrowed to. Ours: there are fewer tools."""
NAME_CHARS_MAX: Final = 200
PASSWORD_CHARS_MIN: Final = 10
"""Ours; NIST SP 800-63B §5.1.1.2 asks for 8 at least, and for nothing about which characters."""
PASSWORD_CHARS_MAX: Final = 1_000
SESSION_IDLE_MS: Final = 12 * HOUR_MS
"""A session ends after this long without a request. Ours: a working day."""
SESSION_LIFE_MS: Final = 14 * DAY_MS
"""A session ends after this long in any case. Ours."""
SESSION_SEEN_NOTED_MS: Final = MINUTE_MS
NEXT_PATH_CHARS_MAX: Final = 2_000
"""The path that a sign-in may lead to. Ours: longer than the address of any screen."""
VIEWS_MAX: Final = 1_000
"""Saved views of one organization. Ours: some for each person."""
VIEW_INPUT_BYTES_MAX: Final = 8_192
"""What the list of a view is asked, as JSON. Ours: many filters."""
SUBMISSION_SEARCH_CHARS_MAX: Final = 200
"""What `submission.list` looks for. Ours: as long as a name."""
SUBMISSION_COUNT_DAYS_MAX: Final = 90
"""Days that `submission.counts` tells of."""
SCREEN_STREAMS_MAX: Final = 20
"""Streams of live events that one person may have open."""
SCREEN_HINTS_MAX: Final = 256
"""Changed things of one organization that are remembered for its streams. Ours: a page that misses more asks
for everything again, which is cheaper than so many hints."""
SCREEN_COMMENT_MS: Final = 15 * SECOND_MS
"""A stream of live events that has nothing to send sends a comment after this long."""
SCREEN_RETRY_SECONDS: Final = 15
"""`Retry-After` where a stream of live events finds no place: meanwhile the page asks every 15 seconds."""
SIGN_IN_LINK_LIFE_MS: Final = DAY_MS
"""Ours: it is printed while the service is stopped, and used once it runs."""
INVITATIONS_MAX: Final = 200
"""Invitations of one organization that wait. Ours."""
ROLES_MAX: Final = 100
"""Custom roles of one organization. Ours: more than a person can tell apart."""
TEAMS_MAX: Final = 200
"""Teams of one organization. Ours."""
INVITATION_LIFE_MS: Final = 7 * DAY_MS
"""Ours: over a weekend and a little more."""
SIGN_IN_WINDOW_MS: Final = 15 * MINUTE_MS
PAIR_FAILURES_MAX: Final = 10
"""Sign-ins to one account from one address that may fail within `SIGN_IN_WINDOW_MS`; then none is let in.
Also those of one known browser, and confirmations of one session. Ours: 960 guesses a day lead nowhere."""
ACCOUNT_FAILURES_MAX: Final = 50
"""Sign-ins to one account, from wherever, that may fail within `SIGN_IN_WINDOW_MS` before they are spaced.
Ours: its person fails less often than that, and a few addresses are stopped as pairs before."""
ACCOUNT_SPACING_MS: Final = 30 * SECOND_MS
"""Ours: from however many addresses, at most 7,680 guesses a day at one account."""
ADDRESS_FAILURES_MAX: Final = 200
"""Sign-ins from one address, to whichever account, that may fail within `SIGN_IN_WINDOW_MS` before they are
spaced. Ours: an office shares an address, and so does everybody behind a proxy that is not trusted."""
ADDRESS_SPACING_MS: Final = 5 * SECOND_MS
"""Ours: one address tries at most 380 accounts in a quarter of an hour."""
KNOWN_PEOPLE_MAX: Final = 5
"""People in the mark of one browser. Ours: a cookie stays small."""
KNOWN_BROWSER_LIFE_MS: Final = 400 * DAY_MS
"""How long a browser keeps its mark after its latest sign-in: as long as browsers let a cookie live."""
PASSWORD_CHECKS_AT_ONCE: Final = 2
"""Ours: each takes 64 MiB and some tens of milliseconds of every core."""
PASSWORD_CHECKS_WAITING_MAX: Final = 64

# Channels.
CHANNEL_BODY_BYTES_MAX: Final = 256 * 1024
"""A reply has at most as many: of the largest a bridge can take as many at once as a pull may bring."""
CHANNEL_WINDOW_MS: Final = MINUTE_MS
CHANNEL_CALLS_MAX: Final = 600
"""Calls with one channel key within `CHANNEL_WINDOW_MS`."""
PULLED_REPLIES_MAX: Final = 50
PULL_WAIT_SECONDS_MAX: Final = 20
PULLS_WAITING_MAX: Final = 10
"""Pulls of one connection that wait at once; a further one is answered without waiting. Ours: a bridge
needs one, and two while it is replaced."""
LEASE_MS: Final = MINUTE_MS
"""How long a reply is held for the bridge that pulled it."""
LAPSES_MAX: Final = 5
"""Leases of one reply that may end without a report; with the last of them it has failed."""
REPLY_LIFE_MS: Final = HOUR_MS
"""How long a reply may wait for the bridge."""
REPLIES_OPEN_MAX: Final = 5_000
"""Replies of one connection that wait, are leased or are being pushed. Ours: more than people write within
`REPLY_LIFE_MS`."""
PUSHES_AT_ONCE_MAX: Final = 8
PUSH_ANSWER_SECONDS: Final = 10
PUSH_HOLD_MS: Final = MINUTE_MS
"""How long a push counts as under way. What is older was cut off, by a crash, and is pushed again. Ours: the
wait for a turn, the answer, and keeping what it was fit well."""
PUSH_RETRIES_MS: Final = (5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS)
"""Waits after failed pushes of one reply; the last one is repeated."""
SIGNING_OVERLAP_MS: Final = DAY_MS
"""How long the signing secret that was replaced signs beside the new one."""
CONNECTIONS_MAX: Final = 1_000
"""Connections of one organization that are not removed. Ours: every member may have their own."""
CHANNEL_KEYS_MAX: Final = 10
"""Live channel keys of one connection. Ours: some for its instances, and one to change to."""
EXTERNAL_ID_CHARS_MAX: Final = 255
"""A conversation's or message's id in the messenger."""
MESSAGE_CHARS_MAX: Final = 64_000
"""The text of one message. Ours: fits into the body however it is escaped, up to four bytes a character."""
ATTACHMENTS_MAX: Final = 30
"""Attachments of one message. Ours: the largest album of the known messengers has 30."""
ATTACHMENT_NAME_CHARS_MAX: Final = 255
MEDIA_TYPE_CHARS_MAX: Final = 127
"""RFC 6838 section 4.2: each of the two parts has at most 127, and in use both together do."""
ATTACHMENT_BYTES_MAX: Final = 2**53 - 1
"""What an attachment may say that its size is: the largest whole number of every JSON parser."""
ATTACHMENT_DATA_LEVELS_MAX: Final = 20
"""Objects and lists within each other in the `data` of an attachment. Ours: parsers give up at some depth."""
EVIDENCE_MAX: Final = 20
"""Pieces of evidence in one call. Ours."""
EVIDENCE_CHARS_MAX: Final = 255
DETAIL_CHARS_MAX: Final = 1_000
"""What a bridge may write about an error or its health. Ours."""
ERROR_CODE_CHARS_MAX: Final = 100

# Mail.
MAIL_RETRIES_MS: Final = (
    MINUTE_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    14 * HOUR_MS,
    20 * HOUR_MS,
)
"""Waits after the refusals for now (4xx) of one mail; after one more it is given up. Ours: greylisting lets
the second or third in, and RFC 5321 §4.5.4.1 asks for days."""
MAIL_RETRY_SPREAD: Final = 0.1
"""The part by which such a wait is longer or shorter, at random."""
MAIL_REST_MS: Final = 5 * SECOND_MS
MAIL_REST_MS_MAX: Final = 5 * MINUTE_MS
"""How long nothing is sent after the mail server itself failed: the first, doubled each time, up to the
second."""
MAIL_LIFE_MS: Final = 3 * DAY_MS
"""A notice that could not be sent for so long is given up. Ours: later it tells nothing new."""
MAIL_KEPT_MS: Final = 30 * DAY_MS
"""How long the row of a mail that has ended is kept, without its content. Ours."""
MAIL_NOTICES_A_DAY_MAX: Final = 2_000
"""Notices of one organization that are sent within 24 hours; the others wait. Ours."""
MAIL_LETTERS_A_DAY_MAX: Final = 500
"""Invitations, resets and proofs of one organization that are sent within 24 hours. Ours: they have a limit
of their own, so that a flood of notices keeps nobody out."""
MAIL_WAITING_MAX: Final = 2_000
"""Notices of one organization that wait; the next ones are dropped, and that is logged. Ours."""
MAIL_LETTERS_WAITING_MAX: Final = 1_000
"""The same of its invitations, resets and proofs."""
MAIL_CONNECTIONS_MAX: Final = 4
"""Connections to the mail server at once; an organization has one at most. Ours: what a small relay takes."""
MAIL_BATCH_MAX: Final = 20
"""Mails that an organization sends over one connection before another has its turn. Ours."""
MAIL_CONNECT_SECONDS: Final = 20.0
"""From the look-up of the mail server to the end of the sign-in. Ours."""
MAIL_SEND_SECONDS: Final = 60.0
"""For one mail. Ours: RFC 5321 §4.5.3.2 allows minutes for each command, which would hold up the others."""
MAIL_REPLY_LINE_BYTES_MAX: Final = 2_048
MAIL_REPLY_BYTES_MAX: Final = 65_536
"""One line of the mail server's answer, and all of one answer. RFC 5321 §4.5.3.1.5 has 512 for a line."""
MAIL_SUBJECT_CHARS_MAX: Final = 150
MAIL_VALUE_CHARS_MAX: Final = 2_000
"""A value in a notice, such as a field of a form; the rest is cut off."""
MAIL_FIELDS_MAX: Final = 50
"""Fields of a submission that a notice shows; the screen has all."""
MAIL_RECIPIENTS_MAX: Final = 20
"""Members of an organization who may ask for notices of one kind. Ours: one cause makes as many mails."""
MAIL_ANSWER_CHARS_KEPT: Final = 200
"""What is kept of the mail server's answer. Ours."""
RESET_LIFE_MS: Final = 30 * MINUTE_MS
"""How long the link of a password reset works (decisions §16)."""
PROOF_LIFE_MS: Final = DAY_MS
"""How long the link that proves an address works. Ours."""
RESET_WINDOW_MS: Final = HOUR_MS
RESETS_OF_ACCOUNT_MAX: Final = 3
"""Resets and proofs that are mailed to one address within `RESET_WINDOW_MS`. Ours: nobody is flooded."""
RESETS_FROM_ADDRESS_MAX: Final = 20
"""Resets that one IP address asks for within that time. Ours: an office shares one."""
RESETS_WAITING_MAX: Final = 1_000
"""Asked resets that wait to be looked up, of all addresses; the next are dropped. Ours."""
RESET_ACCOUNTS_MAX: Final = 20
"""Accounts of one address that a reset is mailed for, the oldest ones. Ours: each is of another home."""
KEY_ENDS_SOON_MS: Final = 7 * DAY_MS
"""How long before a key expires its organization is told."""
CREDITS_LOW_PART: Final = 5
"""Credits are low below one part of so many of what there was after the last grant: a fifth."""

# Webhooks.
WEBHOOKS_MAX: Final = 100
"""Subscriptions of one organization."""
WEBHOOK_RETRIES_MS: Final = (
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    14 * HOUR_MS,
    20 * HOUR_MS,
    24 * HOUR_MS,
)
"""Waits after the failed attempts of one delivery; after one attempt more it is dead."""
WEBHOOK_RETRY_SPREAD: Final = 0.1
"""The part by which such a wait is longer or shorter, at random."""
WEBHOOK_RETRY_AFTER_MS_MAX: Final = DAY_MS
"""How much of a receiver's `Retry-After` is honoured for the delivery."""
WEBHOOK_HOLD_MS: Final = MINUTE_MS
"""How long a subscription is held after a 429 that does not say."""
WEBHOOK_HOLD_MS_MAX: Final = HOUR_MS
"""How long a receiver may hold its subscription with one 429 or 503."""
WEBHOOK_FAILING_MS: Final = 5 * DAY_MS
"""After so long with nothing but failures a subscription is disabled."""
WEBHOOK_ATTEMPTS_AT_ONCE: Final = 8
"""Attempts of one subscription under way at once."""
WEBHOOK_LAST_ATTEMPTS: Final = 10
"""While as many last attempts of a subscription have all failed, only one is under way at once."""
WEBHOOK_FAILING_AT_ONCE_MAX: Final = 250
"""Attempts under way at once of all subscriptions whose last attempts all failed. Ours: a part of
`OUTGOING_CONNECTIONS_MAX`, so that they leave the rest to others."""
WEBHOOK_PER_SECOND_MAX: Final = 100
"""The largest `maxPerSecond` of a subscription."""
WEBHOOK_REDELIVERED_MAX: Final = 10_000
"""Deliveries that one call redelivers."""
WEBHOOK_REPLAY_EXAMINED_MAX: Final = 20_000
"""Events that one call looks at for that. Ours: some tens of milliseconds of the writer's time."""
WEBHOOK_ENDED_AT_ONCE: Final = 1_000
"""Waiting deliveries that one unit of work ends, of a subscription that was disabled or deleted. Ours."""
WEBHOOK_ATTEMPTS_KEPT: Final = 50
"""Attempts of one delivery that are kept, the latest ones. Ours: the plan has ten, each redelivery again."""
WEBHOOK_ANSWER_SECONDS: Final = 10
"""How long an attempt may take."""
DISPATCH_EVENTS_MAX: Final = 200
"""Events that one unit of work dispatches."""
DISPATCH_DELIVERIES_MAX: Final = 1_000
"""Deliveries that one unit of work queues for them. Ours: some ten milliseconds of the writer's time."""
DISPATCH_JUDGED_MAX: Final = 1_000
"""Runs that are judged in one unit of work, of those that wait for an event without a key."""

# Approvals.
APPROVAL_SECONDS: Final = 7 * 24 * 60 * 60
"""How long a card waits for a decision, unless a workflow's step says another time."""
APPROVALS_OF_RUN_MAX: Final = 3
"""Cards that one run of an agent makes."""
APPROVALS_OF_CONVERSATION_MAX: Final = 10
"""Cards of agents that wait in one conversation, so that one stranger does not take all there may be."""
APPROVALS_WAITING_MAX: Final = 200
"""Cards of one organization that wait, of agents and of workflows as many each."""
APPROVAL_INPUT_BYTES_MAX: Final = 64 * 1024
"""The input on a card. Ours: more than a person reads before a decision."""
APPROVAL_REASON_CHARS_MAX: Final = 1_000
"""Why something is asked for, or rejected. Ours."""
APPROVALS_COLLECTED_MAX: Final = 100
"""Decided cards that one unit of work hands back to what asked. Ours."""

# Workflows.
WORKFLOWS_MAX: Final = 200
"""Workflows of one organization."""
WORKFLOW_BYTES_MAX: Final = 64 * 1024
"""One document, as JSON."""
WORKFLOW_STEPS_MAX: Final = 50
"""Steps of one document, those in branches included."""
WORKFLOW_BRANCHES_MAX: Final = 5
"""Branches inside one another."""
STEP_KEY_CHARS_MAX: Final = 50
PATH_CHARS_MAX: Final = 200
"""A path into what a run knows. Ours: the longest slug, key or field's name fits twice."""
CRON_CHARS_MAX: Final = 100
"""Ours: a longer one can be written shorter."""
CALL_WAIT_SECONDS_MAX: Final = 3_600
"""How long a run waits for the outcome of a call, unless its step says less."""
WAIT_SECONDS_MAX: Final = 31_536_000
DEBOUNCE_SECONDS_MAX: Final = 86_400
"""How long a burst of events may be held together. Ours: what is to wait longer is a step `wait`."""
STEP_INPUT_BYTES_MAX: Final = 256 * 1024
"""What one step's templates may fill in to. Ours: as much as a record may be."""
RUN_DEPTH_MAX: Final = 8
"""Runs that may begin one another; the next one is cut as a loop."""
RUNS_OPEN_MAX: Final = 100_000
"""Runs of one organization that have not ended."""
RUNS_WITHOUT_KEY_MAX: Final = 1_000
"""Runs of one organization that wait for events of one type without a filter `eq` by which they are found.

Each event of the type is judged for all of them: some forty milliseconds of the writer's time.
"""
RUN_STARTS_WINDOW_MS: Final = MINUTE_MS
RUN_STARTS_MAX: Final = 1_000
"""Runs of one workflow that start within `RUN_STARTS_WINDOW_MS`; the others wait."""
STEPS_BATCH_MAX: Final = 10
"""Steps of an organization's runs in one unit of work: other units wait for them."""
RUNS_PRUNED_MAX: Final = 100
"""Ended runs that are deleted in one unit of work, with their steps."""
STEP_RETRY_MS: Final = 5 * SECOND_MS
"""When a step is begun again that could not be done for now."""
UNKNOWN_STEP_RETRY_MS: Final = HOUR_MS
"""How often a run is looked at whose document only a later version of the program knows."""
SCHEDULE_MISSED_MS: Final = DAY_MS
"""How far back an occurrence that was missed is still made up for: the latest one alone."""
SCHEDULE_LATE_MS: Final = MINUTE_MS
"""After so long a scheduled run is marked late. Ours: the finest schedule has one a minute."""

# The AI gateway.
AI_BODY_BYTES_MAX: Final = 10_000_000
AI_BODIES_BYTES_MAX: Final = 256 * 1024 * 1024
"""Bodies of calls under way, and whole answers as they come, together; one organization has half."""
AI_ERROR_BYTES_MAX: Final = 64 * 1024
"""A provider's error that passes as it is. Ours: a larger one is no error that a client expects."""
AI_KEPT_CONNECTIONS_MAX: Final = 100
"""Idle connections to providers. Ours."""
AI_KEPT_CONNECTIONS_PER_ORIGIN_MAX: Final = 20
"""Idle connections to one provider. Ours."""
AI_CHOICES_MAX: Final = 128
"""Answers that one request may ask for, `n`, and that a provider may give."""
AI_MODEL_ID_CHARS_MAX: Final = 200
AI_ATTACHMENT_TOKENS: Final = 4_096
"""Tokens that the upper bound takes for each attachment, instead of the bytes of its data."""
AI_OUTPUT_TOKENS_ASSUMED: Final = 16_384
"""Tokens of a completion that the upper bound takes where the request names no limit and only an own provider
knows the model. Ours: most models stop before."""
AI_TOKENS_MAX: Final = 1_000_000_000
"""Tokens of one side of a call; a usage of more counts as that. Ours: absurd ones must not overflow sums."""
AI_PRICE_CREDITS_MAX: Final = 10_000
"""The largest price, in credits per million tokens. Ours."""
AI_BALANCE_CREDITS_MAX: Final = 1_000_000_000
"""Credits of one organization. Ours: in micro-credits still exact as a double, as clients may parse it."""
AI_EVENT_BYTES_MAX: Final = 1024 * 1024
"""One event of a streamed answer."""
AI_ANSWER_BYTES_MAX: Final = 64 * 1024 * 1024
AI_SILENCE_MS: Final = 15 * SECOND_MS
"""After so long without an event, a comment is sent into a stream."""
AI_REST_MS: Final = 5 * SECOND_MS
"""How long a provider that cannot take more is asked last, unless it says how long itself."""
AI_REST_MS_MAX: Final = MINUTE_MS
"""How much of a provider's `Retry-After` it rests."""
AI_PROVIDERS_MAX: Final = 20
"""Own providers of one organization. Ours."""
AI_PROVIDER_MODELS_MAX: Final = 500
"""Models of one own provider. Ours: the largest have some hundreds."""
AI_PROVIDER_KEY_CHARS_MAX: Final = 1_000
AI_MODELS_NAMED_MAX: Final = 500
"""Models that a key, or an organization, may be restricted to. Ours."""
AI_NOTE_CHARS_MAX: Final = 500
"""The note of an entry in the ledger. Ours."""
AI_USAGE_ROWS_MAX: Final = 1_000
"""Rows of one report of usage. Ours."""
AI_USAGE_DAYS_MAX: Final = 366
"""Days that one report of usage goes back. Ours."""
AI_SETTLEMENTS_KEPT_MAX: Final = 10_000
"""Settlements of calls that reserved nothing that are kept while the store refuses them. Ours: of the others
there are never more than calls under way."""

# Requests to other servers.
OUTGOING_CONNECTIONS_MAX: Final = 1_000
"""Requests under way at once, in the whole installation."""
OUTGOING_CONNECTIONS_PER_ORIGIN_MAX: Final = 250
"""Of these, to one scheme, host and port. Ours: one that never answers leaves the rest to others."""
OUTGOING_WAITING_MAX: Final = 10_000
"""Requests that wait for their turn; the next is refused at once. Ours."""
OUTGOING_WAIT_SECONDS: Final = 20
"""How long one waits for its turn among them. Ours: with its own time it stays well within
`PUSH_HOLD_MS`."""
OUTGOING_LOOKUPS_AT_ONCE: Final = 100
"""Host names that are resolved at once, each in a thread. Ours."""
OUTGOING_KEPT_MAX: Final = 250
"""Idle connections that are kept for the next request."""
OUTGOING_KEPT_PER_ORIGIN_MAX: Final = 25
"""Of these, to one scheme, host and port. Ours."""
OUTGOING_KEPT_SECONDS: Final = 30
OUTGOING_HEAD_BYTES_MAX: Final = 64 * 1024
"""Of an answer's head, with the responses 1xx before it. Ours."""
OUTGOING_ANSWER_BYTES_MAX: Final = 64 * 1024
"""Of an answer's body; the rest is not read, and the connection closed. Ours: only the status counts."""
OUTGOING_ANSWER_NOTED_BYTES: Final = 1_000
"""What is told of an answer's body to the person who entered the address. Ours."""
OUTGOING_REST_SECONDS: Final = 1
"""How long the body of an answer may take after its status, for its connection to be kept. Ours."""

# Agents.
AGENT_INSTRUCTIONS_CHARS_MAX: Final = 16_000
AGENT_TOOLS_MAX: Final = 30
AGENT_DAILY_MICRO_CREDITS: Final = 10_000_000
"""What the runs of one connection's agent may take of the credits in a day (UTC), unless it is set."""
AGENT_BEGINS_MS: Final = 2 * SECOND_MS
"""After how long without another message a run begins."""
AGENT_BEGINS_MS_MAX: Final = 10 * SECOND_MS
"""After how long it begins however many messages come."""
AGENT_MODEL_CALLS_MAX: Final = 8
AGENT_TOOL_CALLS_MAX: Final = 16
AGENT_SAME_CALLS_MAX: Final = 2
"""Calls of one tool with the same input, of one run."""
AGENT_WORK_MS_MAX: Final = 120 * SECOND_MS
AGENT_RUN_MICRO_CREDITS_MAX: Final = 1_000_000
AGENT_REPLIES_WINDOW_MS: Final = HOUR_MS
AGENT_REPLIES_MAX: Final = 20
"""Replies of the agent in one conversation within `AGENT_REPLIES_WINDOW_MS`: two programs that answer each
other come to an end."""
AGENT_REPLY_CHARS_MAX: Final = 4_000
AGENT_MESSAGES_READ_MAX: Final = 40
AGENT_MESSAGES_BYTES_MAX: Final = 32 * 1024
"""Of the texts of these messages, together."""
AGENT_TOOL_ANSWER_BYTES_MAX: Final = 8 * 1024
"""What a model is shown of a tool's answer; the run's step keeps as much."""
AGENT_CALL_INPUT_BYTES_MAX: Final = 64 * 1024
"""The arguments of one tool call of a model. Ours: as much as an approval's input."""
AGENT_CALLS_OF_ANSWER_MAX: Final = 16
"""Tool calls of one answer of a model that are read; more are left out. Ours: as many as of a run."""
AGENT_ANSWER_BYTES_MAX: Final = 256 * 1024
"""Of one answer of the model, all of which is decoded."""
AGENT_COMPLETION_TOKENS_MAX: Final = 4_096
"""What one answer of the model may be. Ours: several times a reply."""
AGENT_REASON_CHARS_MAX: Final = 500
"""What is kept of the reason of a hand-over, and of what a model says as it asks for an approval. Ours."""
AGENT_RUNS_AT_ONCE: Final = 32
"""Runs of one organization's agents under way; the others wait for their turn. Ours."""
AGENT_RUNS_SPACING_MS: Final = 25
"""The least time between the beginnings of two runs of one organization. Ours: a thousand that are due at
once are answered within half a minute, and leave the processor to others meanwhile."""
AGENT_RUNS_WAITING_MAX: Final = 100_000
"""Runs of one organization that wait for their turn in memory. Ours: beyond, they are tried again later."""

# Files.
FILE_BYTES_MAX: Final = 25 * 1024 * 1024
FILES_MAX: Final = 100_000
"""Files of one organization. Ours: a picture for each of as many records; unused ones are removed."""
FILES_BYTES_MAX: Final = 10 * 1024**3
"""These files together; the same bytes count with each file that has them. Ours: 10 GiB hold 400 of the
largest, or 50,000 photographs, and ten organizations fit on a small disk."""
UPLOADS_AT_ONCE: Final = 4
"""Uploads of one organization under way. Ours: beyond, the disk is no faster, and slow senders pile up."""
UPLOADS_AT_ONCE_OF_SENDER: Final = 2
"""Of these, those of one key or person, so that one program does not keep the others out."""
FILE_NAME_CHARS_MAX: Final = 255
"""Ours: what file systems take."""
FILE_UNUSED_LIFE_MS: Final = 7 * DAY_MS
"""A file is kept for so long after its upload, or after the last use of it ended. Ours: a form that was left
open over a weekend can still be saved, and a value that was replaced can be put back."""
FILE_ADDRESS_LIFE_MS: Final = HOUR_MS
"""A signed address of a file opens it for so long: as long as a reply waits."""
FILE_USES_SHOWN_MAX: Final = 50
"""Uses of a file that are named. Ours: more are no list that a person reads."""
FILES_SWEPT_MAX: Final = 200
"""Files that are looked at in one unit of work when unused ones are removed. Ours: some milliseconds."""

# Erasing a person.
ERASED_ROWS_MAX: Final = 100
"""Rows of one unit of an erasure. Ours: some milliseconds, so that nothing waits for it."""
ERASURE_PASSES_MAX: Final = 4
"""How often all rows are looked through, until nothing more is found. Ours: a service that is running may
have copied something meanwhile."""
MARK_CHARS_MIN: Final = 5
"""Of a name that is looked for everywhere. Ours: shorter ones are too often part of something else."""
PHONE_DIGITS_MIN: Final = 6
"""Of a phone number that is found however it is written. Ours: shorter ones are found as they are stored."""
SEARCH_MERGED_PAGES: Final = 256
"""Pages of the index of words that one unit merges, after an erasure. Ours: some milliseconds."""
