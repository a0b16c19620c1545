"""Saved replies: texts with fields of the contact and the member, filled in where one is used."""

import re
from collections.abc import Callable, Collection
from typing import Final

import msgspec

from svc.domain.errors import Fault, InvalidInput
from svc.domain.input.near_names import hint, shown

MEMBER_NAME: Final = "member.name"
_CONTACT: Final = "contact."
_FIELD: Final = re.compile(r"\{\{\s*([^{}\s][^{}]*?)?\s*\}\}")


class ReplyTemplate(msgspec.Struct, frozen=True, kw_only=True):
    """A saved reply. Times are ms since the epoch."""

    id: str
    organization_id: str
    person_id: str
    """Who made it."""
    name: str
    text: str
    shared: bool
    """Whether every member sees it who answers conversations."""
    version: int
    created_at: int
    updated_at: int


def check_fields(text: str, slugs: Collection[str]) -> None:
    """Raises `InvalidInput` for fields of *text* that are none; a contact has the properties *slugs*."""
    known = [MEMBER_NAME, *(f"{_CONTACT}{slug}" for slug in slugs)]
    unknown = dict.fromkeys(name or "" for name in _FIELD.findall(text) if name not in known)
    if unknown:
        details = [f"{shown('{{' + name + '}}')} is no field{hint(name, known)}" for name in unknown]
        raise InvalidInput([Fault("/text", "invalid_value", detail) for detail in details])


def fill(text: str, value_of: Callable[[str], str]) -> str:
    """*text* with its fields filled in; *value_of* is empty for a field without a value."""
    return _FIELD.sub(lambda found: value_of(found[1] or ""), text)


def slug_of(field: str) -> str | None:
    """The slug of the contact's property that a field stands for; None for another field."""
    return field.removeprefix(_CONTACT) if field.startswith(_CONTACT) else None


def fields_of(text: str) -> set[str]:
    """The fields of *text*."""
    return set(_FIELD.findall(text))
