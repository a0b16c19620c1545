"""The tables of mail: the outbox, what members want to be told, links that are mailed, and asked resets."""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata, of_organization, only_where

WAITING: Final = "state = 'waiting'"

mails: Final = sa.Table(
    "mails",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("kind", sa.Text, nullable=False),
    # What it is sent for, with its recipient: a cause makes one mail for each.
    sa.Column("cause", sa.Text, nullable=False),
    # Letters go out before notices, and have limits of their own.
    sa.Column("is_notice", sa.Boolean, nullable=False),
    # Of an account; or the address itself, of an invitation.
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id")),
    sa.Column("address", sa.Text),
    # `MailData` as JSON, and the sealed token of the link: NULL once the mail has ended.
    sa.Column("data", sa.Text),
    sa.Column("token", sa.LargeBinary),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("next_attempt_at", sa.BigInteger),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    sa.Column("done_at", sa.BigInteger),
    # What the mail server said last, or why nothing was sent.
    sa.Column("reason", sa.Text),
    sa.Index("ix_mails_cause", "cause", unique=True),
    sa.Index(
        "ix_mails_waiting",
        "organization_id",
        "is_notice",
        "next_attempt_at",
        "id",
        **only_where(WAITING),
    ),
    sa.Index("ix_mails_due", "next_attempt_at", "organization_id", **only_where(WAITING)),
    sa.Index("ix_mails_sent", "organization_id", "is_notice", "done_at", **only_where("state = 'sent'")),
    sa.Index("ix_mails_done_at", "done_at", **only_where("done_at IS NOT NULL")),
)

IS_WAITING: Final = sa.text("mails.state = 'waiting'")
"""As literal SQL, so that the partial indexes are used."""
IS_SENT: Final = sa.text("mails.state = 'sent'")

notice_choices: Final = sa.Table(
    "notice_choices",
    metadata,
    sa.Column("organization_id", sa.Text, sa.ForeignKey("organizations.id"), primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), primary_key=True),
)
"""The kinds of notices that members want."""

mailed_links: Final = sa.Table(
    "mailed_links",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
    sa.Column("purpose", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    sa.Index("ix_mailed_links_person_id", "person_id"),
)
"""Links to reset a password, and to prove an address; they are deleted when they are used."""

asked_resets: Final = sa.Table(
    "asked_resets",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("email", sa.Text, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
)
"""Resets that were asked for, of any address, whether or not it has an account: that is looked up later."""
