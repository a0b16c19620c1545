"""Validation of a form's settings, so that no mistake in them loses enquiries."""

from collections.abc import Iterator, Mapping

import msgspec

from svc.domain.errors import Fault, InvalidInput, InvalidValue, pointer_to
from svc.domain.forms.fields import field_map, meaning_of, plain_name
from svc.domain.forms.forms import NewForm
from svc.domain.forms.limits import DEAL_TEMPLATE_CHARS_MAX, FORM_FIELD_NAME_CHARS_MAX, FORM_FIELDS_MAX
from svc.domain.identity.people import clean_name
from svc.domain.input.near_names import hint, shown
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.properties import Property


def checked(
    form: NewForm, contact_properties: Mapping[str, Property], before: NewForm | None = None
) -> NewForm:
    """*form*, validated and trimmed; *before* are its settings until now, where it is changed.

    A mapping that stays is not validated again: a change of something else should not fail because a property
    was deleted since.

    Raises `InvalidInput` with every fault, such as a field mapped to a property that no form can set, or a
    honeypot that people see.
    """
    faults = [*_deal_faults(form.deal_title), *_honeypot_faults(form)]
    name = form.name
    try:
        name = clean_name(name)
    except InvalidValue as error:
        faults.append(Fault("/name", "invalid_value", str(error)))
    if before is None or form.field_map != before.field_map:
        faults += _mapping_faults(form.field_map, contact_properties)
    if faults:
        raise InvalidInput(faults)
    return msgspec.structs.replace(form, name=name)


def _deal_faults(template: str | None) -> Iterator[Fault]:
    if template is None:
        return
    if not (len(template) <= DEAL_TEMPLATE_CHARS_MAX and template.isprintable() and template.strip()):
        detail = f"a title is one line of 1 to {DEAL_TEMPLATE_CHARS_MAX} visible characters"
        yield Fault("/dealTitle", "invalid_value", detail)


def _mapping_faults(mapping: Mapping[str, str], properties: Mapping[str, Property]) -> Iterator[Fault]:
    if len(mapping) > FORM_FIELDS_MAX:
        yield Fault("/fieldMap", "too_many", f"at most {FORM_FIELDS_MAX}, as no submission has more fields")
        return
    seen: dict[str, str] = {}
    for field, slug in mapping.items():
        if not _is_field(field):
            detail = f"a field's name has 1 to {FORM_FIELD_NAME_CHARS_MAX} visible characters"
            yield Fault("/fieldMap", "invalid_value", detail)
            continue
        at, plain = pointer_to("fieldMap", field), plain_name(field)
        if plain in seen:
            yield Fault(at, "invalid_value", f"{field!r} and {seen[plain]!r} are the same field")
        seen[plain] = field
        prop = properties.get(slug)
        if prop is None:
            detail = f"a contact has no property {shown(slug)}{hint(slug, properties)}"
            yield Fault(at, "unknown_property", detail)
        elif KINDS[prop.type].form is None:
            yield Fault(at, "invalid_value", f"{slug!r} is a {prop.type}, which no form can set")


def _honeypot_faults(form: NewForm) -> Iterator[Fault]:
    if form.honeypot is None:
        return
    plain, known = plain_name(form.honeypot), field_map(form.field_map)
    if not _is_field(form.honeypot):
        detail = f"a field's name has 1 to {FORM_FIELD_NAME_CHARS_MAX} visible characters"
        yield Fault("/honeypot", "invalid_value", detail)
    elif plain in known or meaning_of(plain, known) is not None:
        detail = f"{form.honeypot!r} is a field that people fill in, and no honeypot"
        yield Fault("/honeypot", "invalid_value", detail)


def _is_field(name: str) -> bool:
    return 0 < len(name) <= FORM_FIELD_NAME_CHARS_MAX and name.isprintable() and not name.isspace()
