"""What a form's fields mean: the names that are recognised, and the form's own mapping."""

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
"""The names that are recognised in every form, in the order in which they win."""


class Meaning(NamedTuple):
    """That a field is a contact's *kind*; of several, the one with the lowest *rank* wins."""

    rank: int
    kind: Kind


def plain_name(name: str) -> str:
    """*name* as names are compared: without the spaces around it, upper and lower case alike."""
    return name.strip().casefold()


def field_map(mapping: Mapping[str, str]) -> FieldMap:
    """*mapping* (a customer's field names to slugs), ready to look plain names up in."""
    return FieldMap({plain_name(name): slug for name, slug in mapping.items()})


def meaning_of(plain: str, mapping: FieldMap) -> Meaning | None:
    """What the field with the plain name *plain* is to a contact; None for any other field.

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
