"""People: their accounts, and what they are called."""

from collections.abc import Iterable
from typing import Final

import msgspec

from svc.domain.errors import Conflict, InvalidValue, at
from svc.domain.identity.limits import NAME_CHARS_MAX

WELCOME_PATH: Final = "/app/welcome"
"""The screen of a one-time link. Its token stands after `#`, so no log and no `Referer` has it."""
INVITATION_PATH: Final = "/app/invitation"
"""The screen of an invitation, whose token stands after `#`."""


class Person(msgspec.Struct, frozen=True):
    """An account. It belongs to its home organization, in which no other has its e-mail address."""

    id: str
    email: str
    name: str
    home_organization_id: str
    email_proven_at: int | None = None
    """When the person showed that they receive mail at the address, ms since the epoch."""


def clean_name(text: str) -> str:
    """*text* as a name: one line of visible characters, trimmed. Raises `InvalidValue`."""
    name = text.strip()
    if not (0 < len(name) <= NAME_CHARS_MAX and name.isprintable()):
        raise InvalidValue(f"a name is one line of 1 to {NAME_CHARS_MAX} visible characters")
    return name


def unique_name(text: str, what: str, others: Iterable[str]) -> str:
    """*text* as the name of a *what*, which none of the *others* has, in whatever case.

    Raises `InvalidInput` at `/name`, and `Conflict`.
    """
    with at("/name"):
        name = clean_name(text)
    for other in others:
        if other.casefold() == name.casefold():
            raise Conflict(f"there is a {what} called {other!r} already")
    return name
