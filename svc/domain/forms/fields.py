"""The meaning of a form's fields: recognised names, and the form's own mapping."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, NewType, TypeAlias, cast, get_args

Kind: TypeAlias = Literal["email", "phone", "name"]

FieldMap = NewType("FieldMap", dict[str, str])
"""A form's own mapping: a field's `plain_name` → the slug of a contact's property."""

RECOGNISED: Final[dict[Kind, tuple[str, ...]]] = {
    "email": ("email", "e-mail", "mail", "clientEmail", "customerEmail"),
    "phone": ("phone", "tel", "telephone", "clientPhone", "customerPhone"),
    "name": ("name", "fullName", "clientName", "customerName", "first_name", "firstName"),
}
"""The names recognised in every form, in order of precedence."""
FIRST_NAMES: Final = frozenset({"first_name", "firstname"})
"""Of these, by plain name, those that are no whole name where a surname stands beside them."""
SURNAMES: Final = ("last_name", "lastname", "surname", "family_name", "familyname")
"""The plain names of fields for a surname, in order of precedence."""


class Meaning(NamedTuple):
    """That a field is a contact's *kind*; of several, the one with the lowest *rank* wins."""

    rank: int
    kind: Kind


def plain_name(name: str) -> str:
    """*name* as names are compared: trimmed and case-folded."""
    return name.strip().casefold()


def field_map(mapping: Mapping[str, str]) -> FieldMap:
    """*mapping* (a customer's field names to slugs), by plain name."""
    return FieldMap({plain_name(name): slug for name, slug in mapping.items()})


def meaning_of(plain: str, mapping: FieldMap) -> Meaning | None:
    """The meaning of the field with the plain name *plain*; None if it is no value of a contact.

    The form's own mapping comes before the recognised names, and it also takes a recognised
    name away by mapping it to another property.
    """
    slug = mapping.get(plain)
    if slug is None:
        return _RECOGNISED.get(plain)
    return _MAPPED.get(slug)


_RECOGNISED: Final = {
    plain_name(name): Meaning(rank, kind)
    for kind, names in RECOGNISED.items()
    for rank, name in enumerate(names)
}
_MAPPED: Final[dict[str, Meaning]] = {kind: Meaning(-1, cast("Kind", kind)) for kind in get_args(Kind)}
