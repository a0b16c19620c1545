"""What records may have in common: an e-mail, a phone, or a name of the same words."""

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, Final, Literal, get_args

from svc.domain.records.limits import DUPLICATE_VALUE_CHARS_MAX
from svc.domain.records.objects import FIRST_PROPERTY
from svc.domain.records.properties import Property
from svc.domain.records.text_search import words

DuplicateKind = Literal["email", "phone", "name"]
DUPLICATE_KINDS: Final[tuple[DuplicateKind, ...]] = get_args(DuplicateKind)
"""The surest first."""

DuplicateKey = tuple[DuplicateKind, str]
"""A kind, and a value in the form in which it is compared."""


def kind_of(prop: Property) -> DuplicateKind | None:
    """What records with one value of *prop* have in common; None if they need have nothing."""
    if prop.type == "email":
        return "email"
    if prop.type == "phone":
        return "phone"
    return "name" if prop.slug == FIRST_PROPERTY.slug and prop.type == "text" else None


def duplicate_keys(properties: Iterable[Property], values: Mapping[str, Any]) -> set[DuplicateKey]:
    """What a record with *values* may have in common with others.

    E-mails and phones are stored in one form already. Names are compared by their words, in any order,
    without case and accents.
    """
    keys: set[DuplicateKey] = set()
    for prop in properties:
        kind, value = kind_of(prop), values.get(prop.slug)
        if kind is not None and isinstance(value, str):
            compared = " ".join(sorted(words(value))) if kind == "name" else value
            if compared:
                keys.add((kind, _cut(compared)))
    return keys


def _cut(compared: str) -> str:
    """*compared*, or a digest in the place of one that is too long for an index."""
    if len(compared) <= DUPLICATE_VALUE_CHARS_MAX:
        return compared
    return "#" + blake2b(compared.encode(), digest_size=16).hexdigest()
