"""Limits of channels. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS

CHANNEL_BODY_BYTES_MAX: Final = 256 * 1024
"""A reply is no larger than this either, so that a bridge can hold a full pull of the largest ones."""
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
REPLIES_COUNTED_MAX: Final = 1_000
"""Replies of one connection that wait, as far as they are counted where it is shown. Ours: a list has many
connections, and nobody acts otherwise on more."""
CHANNEL_KEY_USE_NOTED_MS: Final = MINUTE_MS
"""How exactly the last use of a channel key is noted. Ours: a bridge may call ten times a second."""
PUSHES_AT_ONCE_MAX: Final = 8
PUSH_ANSWER_SECONDS: Final = 10
PUSH_HOLD_MS: Final = MINUTE_MS
"""How long a push counts as under way. What is older was cut off, by a crash, and is pushed again. Ours: the
wait for a turn, the answer, and keeping what it was fit well."""
PUSH_RETRIES_MS: Final = (5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS)
"""Waits after failed pushes of one reply; the last one is repeated."""
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
SNOOZE_MS_MAX: Final = 366 * DAY_MS
"""How long a conversation may be snoozed: a year, whichever it is."""
