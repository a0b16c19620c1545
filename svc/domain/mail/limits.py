"""Limits of mail. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS

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
"""How long the link of a password reset works."""
PROOF_LIFE_MS: Final = DAY_MS
"""How long the link that proves an address works. Ours."""
RESETS_WAITING_MAX: Final = 1_000
"""Asked resets that wait to be looked up, of all addresses; the next are dropped. Ours."""
RESET_ACCOUNTS_MAX: Final = 20
"""Accounts of one address that a reset is mailed for, the oldest ones. Ours: each is of another home."""
KEY_ENDS_SOON_MS: Final = 7 * DAY_MS
"""How long before a key expires its organization is told."""
CREDITS_LOW_PART: Final = 5
"""Credits are low below one part of so many of what there was after the last grant: a fifth."""
