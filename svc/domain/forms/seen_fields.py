"""The fields that a form was last sent: where each goes, and where it might."""

from collections.abc import Collection, Iterable, Mapping

import msgspec

from svc.domain.forms.fields import field_map, meaning_of, plain_name
from svc.domain.forms.limits import FORM_FIELDS_MAX
from svc.domain.input.near_names import nearest
from svc.domain.scalars import Scalar


class RecentField(msgspec.Struct, frozen=True, kw_only=True):
    """A field of recent submissions."""

    name: str
    """As it was sent last."""
    example: Scalar
    """Its last value that is not empty; None if all are."""
    property: str | None
    """The slug of the contact's property that its values go to; None for the note alone."""
    proposed: str | None
    """The property that it might be mapped to, by its name; None where it goes to one, or none is alike."""


def seen_fields(
    submissions: Iterable[Mapping[str, Scalar]], mapping: Mapping[str, str], slugs: Collection[str]
) -> list[RecentField]:
    """The fields of *submissions*, which are given newest first, under a form's *mapping* to *slugs*."""
    names: dict[str, str] = {}
    examples: dict[str, Scalar] = {}
    for fields in submissions:
        for name, value in fields.items():
            plain = plain_name(name)
            if plain not in names and len(names) < FORM_FIELDS_MAX:
                names[plain] = name
            if plain not in examples and value not in {None, ""}:
                examples[plain] = value
    by_plain = field_map(mapping)
    seen = []
    for plain, name in names.items():
        meaning = meaning_of(plain, by_plain)
        property_ = by_plain.get(plain) or (meaning.kind if meaning else None)
        free = [slug for slug in slugs if slug not in by_plain.values()]
        alike = nearest(name, free) if property_ is None else []
        seen.append(
            RecentField(
                name=name,
                example=examples.get(plain),
                property=property_,
                proposed=alike[0] if alike else None,
            )
        )
    return seen
