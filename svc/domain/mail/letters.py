"""What each kind of mail has: subject, sentences, a table of facts, and one link, in the words of `words`."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

import msgspec
from babel.dates import format_datetime
from babel.numbers import format_decimal

from svc.domain.locale.locales import locale_of, time_zone_of
from svc.domain.locale.times import SECOND_MS
from svc.domain.mail.kinds import NOTICE_KINDS, MailKind
from svc.domain.mail.limits import MAIL_FIELDS_MAX
from svc.domain.mail.words import has, say
from svc.domain.scalars import Scalar

RESET_PATH: Final = "/app/reset"
"""The screen of a password reset, whose token stands after `#`, so no log and no `Referer` has it."""
PROOF_PATH: Final = "/app/prove"
"""The screen that proves an address, whose token stands after `#`."""
SECURITY_PATH: Final = "/app/account/security"
NOTICES_PATH: Final = "/app/account/notices"
_INVITATION_PATH: Final = "/app/invitation"


class MailData(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """What a mail is about, as it is stored with it; which of these there are depends on its kind."""

    erased: bool = False
    """Whether all else was erased, with the person whom it was about."""

    id: str = ""
    """The submission, conversation, connection, webhook or key."""
    name: str = ""
    """The name of the form, connection, webhook or key; of an invitation, the role."""
    form_id: str = ""
    reason: str = ""
    person: str = ""
    """The name of the visitor, or of the member who invites or mentions."""
    email: str | None = None
    """The visitor's address."""
    fields: tuple[tuple[str, Scalar], ...] = ()
    micro_credits: int = 0
    at: int = 0
    """A time of its own, ms since the epoch: when a link or a key expires, when a backup failed."""


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """Whom a mail is for, and in which organization."""

    organization_id: str
    organization: str
    """Its name."""
    locale: str
    time_zone: str
    base_url: str
    is_guest: bool = False
    """Whether the home of the reader's account is another organization."""

    def moment(self, at: int) -> str:
        """*at* as the organization reads it."""
        moment = datetime.fromtimestamp(at // SECOND_MS, UTC)
        zone, locale = time_zone_of(self.time_zone), locale_of(self.locale)
        return f"{format_datetime(moment, 'medium', tzinfo=zone, locale=locale)} ({self.time_zone})"

    def say(self, key: str, /, n: int = 0, **values: str) -> str:
        """The message *key*, in the organization's language."""
        return say(self.locale, key, n, **values)

    def guide(self, name: str) -> str:
        """The address of a guide, for what has no screen."""
        return f"{self.base_url}/docs/{name}"

    def link(self, path: str, token: str = "") -> str:
        """The address of a screen, in this organization."""
        query = f"?org={self.organization_id}" if self.is_guest and not token else ""
        return f"{self.base_url}{path}{query}{'#' if token else ''}{token}"


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a mail, before it is laid out."""

    subject: str
    sentences: tuple[str, ...]
    facts: tuple[tuple[str, str], ...] = ()
    link_label: str = ""
    link: str = ""
    reply_to: str | None = None
    footer: str = ""


def letter(kind: MailKind, data: MailData, reader: Reader, token: str = "") -> Letter:
    """What a mail of *kind* says. *token* is the secret of its link, where it has one."""
    written = _LETTERS[kind](data, reader, token)
    if kind in NOTICE_KINDS:
        footer = reader.say("notices", link=reader.link(NOTICES_PATH))
        written = msgspec.structs.replace(written, footer=footer)
    return written


def _invitation(data: MailData, reader: Reader, token: str) -> Letter:
    by = "invitation.by" if data.person else "invitation.by_nobody"
    return Letter(
        subject=reader.say("invitation.subject", organization=reader.organization),
        sentences=(
            reader.say(by, person=data.person, organization=reader.organization, role=data.name),
            reader.say("invitation.how", until=reader.moment(data.at)),
        ),
        link_label=reader.say("invitation.link"),
        link=reader.link(_INVITATION_PATH, token),
        footer=reader.say("invitation.footer"),
    )


def _reset(data: MailData, reader: Reader, token: str) -> Letter:
    return Letter(
        subject=reader.say("reset.subject", organization=reader.organization),
        sentences=(
            reader.say("reset.what", organization=reader.organization, email=data.email or ""),
            reader.say("reset.how", until=reader.moment(data.at)),
        ),
        link_label=reader.say("reset.link"),
        link=reader.link(RESET_PATH, token),
        footer=reader.say("reset.footer"),
    )


def _proof(data: MailData, reader: Reader, token: str) -> Letter:
    return Letter(
        subject=reader.say("proof.subject"),
        sentences=(
            reader.say("proof.what", organization=reader.organization, email=data.email or ""),
            reader.say("proof.how", until=reader.moment(data.at)),
        ),
        link_label=reader.say("proof.link"),
        link=reader.link(PROOF_PATH, token),
        footer=reader.say("proof.footer"),
    )


def _address_change(data: MailData, reader: Reader, token: str) -> Letter:
    """To the new address: the link that makes it the account's."""
    return Letter(
        subject=reader.say("address.subject"),
        sentences=(
            reader.say("address.what", organization=reader.organization, email=data.email or ""),
            reader.say("address.how", until=reader.moment(data.at)),
        ),
        link_label=reader.say("address.link"),
        link=reader.link(PROOF_PATH, token),
        footer=reader.say("address.footer"),
    )


def _address_asked(data: MailData, reader: Reader, _token: str) -> Letter:
    """To the present address: that another one was asked for."""
    return Letter(
        subject=reader.say("asked.subject"),
        sentences=(
            reader.say("asked.what", organization=reader.organization, email=data.email or ""),
            reader.say("asked.how"),
        ),
        link_label=reader.say("asked.link"),
        link=reader.link(SECURITY_PATH),
    )


def _address_changed(data: MailData, reader: Reader, _token: str) -> Letter:
    """To the address that was the account's: that it is so no more."""
    return Letter(
        subject=reader.say("changed.subject"),
        sentences=(
            reader.say("changed.what", organization=reader.organization, email=data.email or ""),
            reader.say("changed.how"),
        ),
    )


def _filed(data: MailData, reader: Reader, _token: str) -> Letter:
    sender = data.person or data.email or reader.say("submission.somebody")
    answer = (reader.say("filed.reply", email=data.email),) if data.email else ()
    return Letter(
        subject=reader.say("filed.subject", form=data.name, sender=sender),
        sentences=(reader.say("filed.what", form=data.name, sender=sender), *answer),
        facts=_facts(data, reader),
        link_label=reader.say("submission.link"),
        link=reader.link(f"/app/forms/{data.form_id}/{data.id}"),
        reply_to=data.email,
    )


def _held(data: MailData, reader: Reader, _token: str) -> Letter:
    return Letter(
        subject=reader.say("held.subject", form=data.name),
        sentences=(
            reader.say("held.what", form=data.name, why=_why("held", data.reason, reader)),
            reader.say("held.how"),
        ),
        facts=_facts(data, reader),
        link_label=reader.say("submission.link"),
        link=reader.link(f"/app/forms/{data.form_id}/{data.id}"),
    )


def _mentioned(data: MailData, reader: Reader, _token: str) -> Letter:
    return Letter(
        subject=reader.say("mentioned.subject", person=data.person),
        sentences=(
            reader.say("mentioned.what", person=data.person),
            reader.say("mentioned.note", text=data.reason),
        ),
        link_label=reader.say("mentioned.link"),
        link=reader.link(f"/app/inbox/{data.id}"),
    )


def _offline(data: MailData, reader: Reader, _token: str) -> Letter:
    what = "offline.what_and_why" if data.reason else "offline.what"
    return Letter(
        subject=reader.say("offline.subject", connection=data.name),
        sentences=(
            reader.say(what, connection=data.name, since=reader.moment(data.at), why=data.reason),
            reader.say("offline.how"),
        ),
        link_label=reader.say("offline.link"),
        link=reader.guide("bridges"),
    )


def _disabled(data: MailData, reader: Reader, _token: str) -> Letter:
    why = _why("disabled", data.reason, reader)
    return Letter(
        subject=reader.say("disabled.subject", webhook=data.name),
        sentences=(
            reader.say("disabled.what", webhook=data.name, at=reader.moment(data.at), why=why),
            reader.say("disabled.how"),
        ),
        link_label=reader.say("disabled.link"),
        link=reader.guide("webhooks"),
    )


def _credits(data: MailData, reader: Reader, _token: str) -> Letter:
    left = format_decimal(Decimal(data.micro_credits) / 1_000_000, locale=locale_of(reader.locale))
    return Letter(
        subject=reader.say("credits.subject", left=left),
        sentences=(
            reader.say("credits.what", organization=reader.organization, left=left),
            reader.say("credits.how"),
        ),
        link_label=reader.say("credits.link"),
        link=reader.guide("gateway"),
    )


def _key(data: MailData, reader: Reader, _token: str) -> Letter:
    return Letter(
        subject=reader.say("key.subject", key=data.name),
        sentences=(
            reader.say("key.what", key=data.name, until=reader.moment(data.at)),
            reader.say("key.how"),
        ),
        link_label=reader.say("key.link"),
        link=reader.link("/app/settings/api-keys"),
    )


def _backup(data: MailData, reader: Reader, _token: str) -> Letter:
    return Letter(
        subject=reader.say("backup.subject"),
        sentences=(
            reader.say("backup.what", at=reader.moment(data.at), why=data.reason),
            reader.say("backup.how"),
        ),
    )


def _why(about: str, reason: str, reader: Reader) -> str:
    """What *reason* means; a reason without words, as of a later version, is shown as it is."""
    key = f"{about}.for.{reason}"
    return reader.say(key) if has(key) else reason


def _facts(data: MailData, reader: Reader) -> tuple[tuple[str, str], ...]:
    facts = [(name, _value(value)) for name, value in data.fields[:MAIL_FIELDS_MAX]]
    more = len(data.fields) - MAIL_FIELDS_MAX
    if more > 0:
        facts.append(("…", reader.say("submission.more", more)))
    return (*facts, (reader.say("submission.received"), reader.moment(data.at)))


def _value(value: Scalar) -> str:
    return {True: "✓", False: "–"}[value] if isinstance(value, bool) else str(value)


_LETTERS: Final[Mapping[MailKind, Callable[[MailData, Reader, str], Letter]]] = {
    "invitation": _invitation,
    "password.reset": _reset,
    "address.proof": _proof,
    "address.change": _address_change,
    "address.asked": _address_asked,
    "address.changed": _address_changed,
    "submission.filed": _filed,
    "submission.held": _held,
    "conversation.mentioned": _mentioned,
    "connection.offline": _offline,
    "webhook.disabled": _disabled,
    "credits.low": _credits,
    "apikey.ending": _key,
    "backup.failed": _backup,
}
