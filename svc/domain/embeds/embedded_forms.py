"""A website form as an embed shows it: its known fields, each with its kind of control."""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from svc.domain.forms.fields import RECOGNISED, Kind, field_map, meaning_of, plain_name
from svc.domain.forms.forms import Form
from svc.domain.forms.limits import FORM_VALUE_CHARS_MAX
from svc.domain.identity.limits import EMAIL_CHARS_MAX, NAME_CHARS_MAX
from svc.domain.records.kinds.kind import Control
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.limits import PHONE_CHARS_MAX
from svc.domain.records.properties import Property


class EmbeddedField(msgspec.Struct, frozen=True, kw_only=True):
    """One field of a form."""

    name: str
    label: str
    control: Control = "text"
    options: tuple[str, ...] = ()
    """Of a select, and of choices, of which there may be several."""
    autocomplete: str | None = None
    """The token for HTML's autofill."""
    characters_max: int = FORM_VALUE_CHARS_MAX


class EmbeddedForm(msgspec.Struct, frozen=True, kw_only=True):
    """A form that takes submissions."""

    form_key: str
    submit_path: str
    """The path to post it to, on the service's own origin."""
    fields: tuple[EmbeddedField, ...]
    honeypot: str | None


_USUAL: Final[Mapping[Kind, EmbeddedField]] = {
    "name": EmbeddedField(name="", label="Name", autocomplete="name", characters_max=NAME_CHARS_MAX),
    "email": EmbeddedField(
        name="", label="E-mail", control="email", autocomplete="email", characters_max=EMAIL_CHARS_MAX
    ),
    "phone": EmbeddedField(
        name="", label="Phone", control="tel", autocomplete="tel", characters_max=PHONE_CHARS_MAX
    ),
}
"""The fields of every form, in this order."""
_MESSAGE: Final = "message"


def embedded(form: Form, properties: Mapping[str, Property]) -> EmbeddedForm:
    """*form* with name, e-mail and phone, what it maps to *properties* of a contact, and a message."""
    return EmbeddedForm(
        form_key=form.form_key,
        submit_path=form.submit_path,
        fields=tuple(_fields(form, properties)),
        honeypot=form.honeypot,
    )


def _fields(form: Form, properties: Mapping[str, Property]) -> Iterator[EmbeddedField]:
    mapping = field_map(form.field_map)
    for kind, usual in _USUAL.items():
        name = _name_of(kind, form)
        if name is not None:
            yield msgspec.structs.replace(usual, name=name)
    for name, slug in form.field_map.items():
        prop = properties.get(slug)
        form_input = None if prop is None else KINDS[prop.type].form
        if prop is not None and form_input is not None and slug not in _USUAL:
            yield EmbeddedField(name=name, label=prop.label, control=form_input.control, options=prop.options)
    if meaning_of(_MESSAGE, mapping) is None and _MESSAGE not in mapping:
        yield EmbeddedField(name=_MESSAGE, label="Message", control="area")


def _name_of(kind: Kind, form: Form) -> str | None:
    """The field of *form* that is a contact's *kind*: one that it maps to that, or else a recognised name."""
    mapped = next((name for name, slug in form.field_map.items() if slug == kind), None)
    if mapped is not None:
        return mapped
    taken = {plain_name(name) for name in form.field_map}
    return next((name for name in RECOGNISED[kind] if plain_name(name) not in taken), None)
