"""What each kind of mail says: a subject, sentences, a table of facts, and one link."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

import msgspec
from babel.dates import format_datetime
from babel.numbers import format_decimal

from svc.domain.limits import MAIL_FIELDS_MAX
from svc.domain.locales import locale_of, time_zone_of
from svc.domain.mail.kinds import NOTICE_KINDS, MailKind
from svc.domain.scalars import Scalar
from svc.domain.times import SECOND_MS

RESET_PATH: Final = "/app/reset"
"""The screen of a password reset, whose token stands after `#`, so no log and no `Referer` has it."""
PROOF_PATH: Final = "/app/prove"
"""The screen that proves an address, whose token stands after `#`."""
NOTICES_PATH: Final = "/app/account/notices"
_INVITATION_PATH: Final = "/app/invitation"

_HELD_FOR: Final[Mapping[str, str]] = {
    "several": "several contacts have this e-mail address or phone number",
    "conflict": "its e-mail address and its phone number are those of different contacts",
    "similar": "a contact is similar, and nothing shows that it is the same person",
    "spam": "it filled in the field that people never see",
    "unreadable": "a part of it cannot be read",
    "error": "it could not be filed",
}
_DISABLED_FOR: Final[Mapping[str, str]] = {
    "gone": "its receiver answered 410, which says that it is gone",
    "failing": "for five days, nothing could be delivered to it",
}


class MailData(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """What a mail is about, as it is stored with it; which of these there are depends on its kind."""

    erased: bool = False
    """Whether all else was erased, with the person whom it was about."""

    id: str = ""
    """The submission, connection, webhook or key."""
    name: str = ""
    """The name of the form, connection, webhook or key; of an invitation, the role."""
    form_id: str = ""
    reason: str = ""
    person: str = ""
    """The name of the visitor, or of the member who invites."""
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
        footer = f"You have asked for these notices. Choose which ones: {reader.link(NOTICES_PATH)}"
        written = msgspec.structs.replace(written, footer=footer)
    return written


def _invitation(data: MailData, reader: Reader, token: str) -> Letter:
    by = f"{data.person} has invited you" if data.person else "You are invited"
    return Letter(
        subject=f"Invitation to {reader.organization}",
        sentences=(
            f"{by} to join {reader.organization} as {data.name}.",
            (
                "With the link you make an account, or join with the one that you have."
                f" It works once, until {reader.moment(data.at)}."
                " Keep it to yourself: the link alone lets people in."
            ),
        ),
        link_label="Accept the invitation",
        link=reader.link(_INVITATION_PATH, token),
        footer="If you do not know what this is about, you need do nothing.",
    )


def _reset(data: MailData, reader: Reader, token: str) -> Letter:
    return Letter(
        subject=f"A new password for {reader.organization}",
        sentences=(
            f"A new password was asked for, for your account at {reader.organization} ({data.email}).",
            (
                f"With the link you choose one. It works once, until {reader.moment(data.at)};"
                " the account's sessions end with it."
            ),
        ),
        link_label="Choose a new password",
        link=reader.link(RESET_PATH, token),
        footer="If it was not you who asked, you need do nothing: the password stays as it is.",
    )


def _proof(data: MailData, reader: Reader, token: str) -> Letter:
    return Letter(
        subject="Is this your e-mail address?",
        sentences=(
            f"An account at {reader.organization} has the address {data.email}.",
            f"If it is yours, show that with the link. It works once, until {reader.moment(data.at)}.",
        ),
        link_label="This is my address",
        link=reader.link(PROOF_PATH, token),
        footer="If the account is not yours, do not open the link.",
    )


def _filed(data: MailData, reader: Reader, _token: str) -> Letter:
    sent_by = data.person or data.email or "a visitor"
    answer = (f"A reply to this mail goes to {data.email}.",) if data.email else ()
    return Letter(
        subject=f"{data.name}: {sent_by}",
        sentences=(f"{sent_by} has sent the form {data.name}. The submission was filed.", *answer),
        facts=_facts(data, reader),
        link_label="Open the submission",
        link=reader.link(f"/app/forms/{data.form_id}/{data.id}"),
        reply_to=data.email,
    )


def _held(data: MailData, reader: Reader, _token: str) -> Letter:
    why = _HELD_FOR.get(data.reason, data.reason)
    return Letter(
        subject=f"Held: a submission of {data.name}",
        sentences=(
            f"A submission of the form {data.name} is held: {why}.",
            "It is filed once a member says who sent it.",
        ),
        facts=_facts(data, reader),
        link_label="Open the submission",
        link=reader.link(f"/app/forms/{data.form_id}/{data.id}"),
    )


def _offline(data: MailData, reader: Reader, _token: str) -> Letter:
    because = f" It gives the reason {data.reason}." if data.reason else ""
    return Letter(
        subject=f"Offline: the bridge of {data.name}",
        sentences=(
            (
                f"The bridge of the connection {data.name} reports that it is offline, since"
                f" {reader.moment(data.at)}.{because}"
            ),
            "Replies wait until it is online again. You are told at most once an hour.",
        ),
        link_label="Open the messengers",
        link=reader.link("/app/settings/messengers"),
    )


def _disabled(data: MailData, reader: Reader, _token: str) -> Letter:
    why = _DISABLED_FOR.get(data.reason, data.reason)
    return Letter(
        subject=f"Disabled: the webhook {data.name}",
        sentences=(
            f"The webhook {data.name} was disabled at {reader.moment(data.at)}: {why}.",
            "Events make no deliveries for it until it is active again.",
        ),
        link_label="Open the webhooks",
        link=reader.link("/app/settings/webhooks"),
    )


def _credits(data: MailData, reader: Reader, _token: str) -> Letter:
    left = format_decimal(Decimal(data.micro_credits) / 1_000_000, locale=locale_of(reader.locale))
    return Letter(
        subject=f"Few credits are left: {left}",
        sentences=(
            (
                f"{reader.organization} has {left} credits left for the AI gateway, less than a fifth of what"
                " there was after the last grant."
            ),
            "Without credits, calls of models that the service pays for are refused.",
        ),
        link_label="Open the usage",
        link=reader.link("/app/settings/ai"),
    )


def _key(data: MailData, reader: Reader, _token: str) -> Letter:
    return Letter(
        subject=f"The key {data.name} ends soon",
        sentences=(
            f"The key {data.name} expires at {reader.moment(data.at)}.",
            "Programs that use it are refused from then on: make another one, and put it in its place.",
        ),
        link_label="Open the keys",
        link=reader.link("/app/settings/api-keys"),
    )


def _backup(data: MailData, reader: Reader, _token: str) -> Letter:
    return Letter(
        subject="A backup has failed",
        sentences=(
            f"A backup has failed at {reader.moment(data.at)}: {data.reason}",
            "Backups are made on the machine that the service runs on. Ask the people who operate it.",
        ),
    )


def _facts(data: MailData, reader: Reader) -> tuple[tuple[str, str], ...]:
    facts = [(name, _value(value)) for name, value in data.fields[:MAIL_FIELDS_MAX]]
    if len(data.fields) > MAIL_FIELDS_MAX:
        facts.append(("…", f"{len(data.fields) - MAIL_FIELDS_MAX} more fields"))
    return (*facts, ("Received", reader.moment(data.at)))


def _value(value: Scalar) -> str:
    return {True: "✓", False: "–"}[value] if isinstance(value, bool) else str(value)


_LETTERS: Final[Mapping[MailKind, Callable[[MailData, Reader, str], Letter]]] = {
    "invitation": _invitation,
    "password.reset": _reset,
    "address.proof": _proof,
    "submission.filed": _filed,
    "submission.held": _held,
    "connection.offline": _offline,
    "webhook.disabled": _disabled,
    "credits.low": _credits,
    "apikey.ending": _key,
    "backup.failed": _backup,
}
