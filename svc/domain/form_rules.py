"""What a form may be set up to do, so that no mistake in it swallows enquiries."""

from collections.abc import Mapping

from svc.domain.errors import InvalidValue
from svc.domain.fields import field_map, meaning_of, plain_name
from svc.domain.properties import SET_BY_FORMS, Property


def check_form(
    mapping: Mapping[str, str], honeypot: str | None, contact_properties: Mapping[str, Property]
) -> None:
    """Check a form's field *mapping* and *honeypot* against the properties of a contact.

    Raises:
        InvalidValue: a field is mapped to what no form can set, or people do see the honeypot.
    """
    for field, slug in mapping.items():
        prop = contact_properties.get(slug)
        if prop is None:
            raise InvalidValue(f"{field!r} is mapped to {slug!r}, which a contact does not have")
        if prop.type not in SET_BY_FORMS:
            raise InvalidValue(f"{field!r} is mapped to {slug!r}, a {prop.type}, which no form can set")
    if honeypot is not None:
        plain, known = plain_name(honeypot), field_map(mapping)
        if not plain or plain in known or meaning_of(plain, known) is not None:
            raise InvalidValue(f"{honeypot!r} is a field that people fill in, and no honeypot")
