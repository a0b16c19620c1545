"""Matching a sender to the known contacts: one rule for forms and messengers.

A match is clear, or there is none, or a person has to decide. Guessing would file one customer's words under
another.
"""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final, Literal, NamedTuple

import msgspec

from svc.domain.errors import Conflict

HeldReason = Literal["several", "conflict", "similar", "spam", "error", "unreadable"]
"""Why a submission waits for a person.

`several` contacts have the e-mail or the phone; e-mail and phone belong to two contacts, a `conflict`;
the phone's contact has another e-mail, so is `similar`; the honeypot was filled in: `spam`; it
could not be filed: `error`; or its stored row cannot be decoded: `unreadable`.
"""


class Clear(msgspec.Struct, frozen=True):
    """The sender is this contact."""

    contact_id: str


class NoMatch(msgspec.Struct, frozen=True):
    """No known contact has the e-mail or the phone."""


class Unclear(msgspec.Struct, frozen=True):
    """A person has to decide among *candidates*, in the order of their ids."""

    reason: HeldReason
    candidates: tuple[str, ...]


Match = Clear | NoMatch | Unclear

IDENTITY_KINDS: Final = ("email", "phone")
"""The properties that identify a contact."""


class UnclearMatch(Conflict):
    """Raised where values may be of several contacts, so that a person has to decide."""

    def __init__(self, reason: HeldReason, candidates: int) -> None:
        super().__init__(f"{_REASONS[reason]}: a person has to decide among {candidates}")
        self.reason = reason
        self.candidates = candidates


_REASONS: Final[Mapping[HeldReason, str]] = {
    "several": "several contacts have this e-mail or phone",
    "conflict": "one contact has this e-mail, and another one this phone",
    "similar": "a contact has this phone, and another e-mail",
}


def match(
    email: str | None,
    with_email: AbstractSet[str],
    with_phone: AbstractSet[str],
    with_other_email: AbstractSet[str],
) -> Match:
    """Decide from the ids of contacts that have the e-mail, that have the phone, and of those with
    the phone that have an e-mail which is not *email*.

    Without an e-mail of its own, a person has none that could differ from the contact's.
    """
    known = tuple(sorted(with_email | with_phone))
    if not known:
        return NoMatch()
    if with_email:
        if len(with_email) > 1:
            return Unclear("several", known)
        if with_phone - with_email:
            return Unclear("conflict", known)
        return Clear(known[0])
    if len(with_phone) > 1:
        return Unclear("several", known)
    if email is not None and with_other_email:
        return Unclear("similar", known)
    return Clear(known[0])


class Gain(NamedTuple):
    """What a contact gains from values that were matched to it."""

    filled: dict[str, Any]
    """Values of properties that were empty."""
    suggested: dict[str, Any]
    """Values that differ from the contact's, or are the e-mail or phone of another contact."""


def gain(
    contact_id: str | None,
    stored: Mapping[str, Any],
    wanted: Mapping[str, Any],
    having: Callable[[str, str], AbstractSet[str]],
) -> Gain:
    """What the contact with the values *stored* gains from those *wanted*; None is a new contact.

    *having* returns the ids of the contacts that are known by an `email` or a `phone`.
    """
    gained = Gain({}, {})
    for slug, value in wanted.items():
        owners = having(slug, str(value)) if slug in IDENTITY_KINDS else frozenset[str]()
        if contact_id and owners - {contact_id}:
            gained.suggested[slug] = value
        elif stored.get(slug) is None:
            gained.filled[slug] = value
        elif not _same(stored[slug], value) and contact_id not in owners:
            gained.suggested[slug] = value
    return gained


def _same(stored: object, value: object) -> bool:
    if isinstance(stored, str) and isinstance(value, str):
        return " ".join(stored.split()).casefold() == " ".join(value.split()).casefold()
    return stored == value
