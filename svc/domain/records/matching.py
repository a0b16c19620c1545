"""Matching a sender to the known contacts: one rule for forms and messengers.

A match is clear, or there is none, or a person has to decide. Guessing would file one customer's words under
another.
"""

from collections.abc import Set as AbstractSet
from typing import Literal

import msgspec

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
