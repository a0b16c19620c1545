"""The tables of mail: the outbox, what members want to be told, links that are mailed, and asked resets."""

from typing import Final

import sqlalchemy as sa

from svc.domain.mail.letters import MailData
from svc.domain.mail.limits import MAIL_LIFE_MS, PROOF_LIFE_MS
from svc.storage import schema

WAITING: Final = "state = 'waiting'"

mails: Final = schema.table(
    "mails",
    schema.id_(),
    schema.of_organization(),
    schema.word("kind"),
    # What it is sent for, with its recipient: a cause makes one mail for each.
    schema.word("cause"),
    # Letters go out before notices, and have limits of their own.
    schema.flag("is_notice"),
    # Of an account; or the address itself, of an invitation.
    schema.ref("person_id", "people.id", null=True),
    schema.word("address", null=True, own="emails"),
    # `MailData` as JSON, and the sealed token of the link: NULL once the mail has ended.
    schema.json("data", MailData, schema.SCRUBBED, null=True, blank=schema.ERASED_JSON),
    schema.blob("token", stays=schema.INTERNAL, null=True),
    schema.word("state"),
    schema.number("failures"),
    schema.time("next_attempt_at", schema.Ahead(MAIL_LIFE_MS, due=True), null=True),
    schema.past("created_at"),
    schema.time("expires_at", schema.Ahead(MAIL_LIFE_MS)),
    schema.past("done_at", null=True),
    # What the mail server said last, or why nothing was sent.
    schema.text("reason", schema.SCRUBBED, null=True),
    sa.Index("ix_mails_cause", "cause", unique=True),
    schema.PartialIndex(
        "ix_mails_waiting",
        "organization_id",
        "is_notice",
        "next_attempt_at",
        "id",
        where=WAITING,
    ),
    schema.PartialIndex("ix_mails_due", "next_attempt_at", "organization_id", where=WAITING),
    schema.PartialIndex("ix_mails_sent", "organization_id", "is_notice", "done_at", where="state = 'sent'"),
    schema.PartialIndex("ix_mails_done_at", "done_at", where="done_at IS NOT NULL"),
    leaves=schema.Stays("mails that wait to be sent, and that some were, without their content"),
    life=schema.PRUNED,
)

IS_WAITING: Final = sa.text("mails.state = 'waiting'")
"""As literal SQL, so that the partial indexes are used."""
IS_SENT: Final = sa.text("mails.state = 'sent'")

notice_choices: Final = schema.table(
    "notice_choices",
    schema.of_organization(primary=True),
    schema.word("kind", primary=True),
    schema.ref("person_id", "people.id", primary=True, note="the member"),
    leaves=schema.ExportFile("notice_choices", "A kind of notices that a member is told by mail."),
    life=schema.KEPT,
)
"""The kinds of notices that members want."""

mailed_links: Final = schema.table(
    "mailed_links",
    schema.secret_digest(primary=True),
    schema.ref("person_id", "people.id"),
    schema.word("purpose"),
    schema.past("created_at"),
    schema.time("expires_at", schema.Ahead(PROOF_LIFE_MS)),
    # The address that the account gets by the link; NULL of the others.
    schema.word("email", null=True),
    sa.Index("ix_mailed_links_person_id", "person_id"),
    leaves=schema.Stays("digests of links that are mailed to people of this installation"),
    erasure=schema.Exempt(
        "of accounts, which are members' and no customers'; a link ends by itself, with all that it has"
    ),
    life=schema.PRUNED,
    rows_of="people",
)
"""Links to reset a password, and to prove an address; they are deleted when they are used."""

asked_resets: Final = schema.table(
    "asked_resets",
    schema.id_(),
    schema.word("email"),
    schema.past("at"),
    leaves=schema.Stays("resets that wait a moment to be looked up, for all organizations"),
    erasure=schema.Exempt("addresses that wait a moment to be looked up"),
    life=schema.PRUNED,
    rows_of="people",
)
"""Resets that were asked for, of any address, whether or not it has an account: that is looked up later."""
