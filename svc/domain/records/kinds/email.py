"""E-mail addresses, in lower case."""

from typing import Final

from svc.domain.records.contact_points import normalise_email
from svc.domain.records.kinds.kind import FormInput, Kind, as_it_is, plain_text
from svc.domain.records.kinds.text import read_text_cell, write_text_cell
from svc.domain.records.operators import COUNTED, SEARCHED
from svc.domain.records.properties import Property, Value


def _read(_prop: Property, value: str, _country: str) -> Value:
    return normalise_email(value)


KIND: Final = Kind(
    name="email",
    json_type=str,
    json_name="a string",
    read=_read,
    refers_to=None,
    form=FormInput("email", _read),
    order="text",
    text=plain_text,
    compared="folded",
    compared_with="email",
    fits_key=True,
    conditions=SEARCHED,
    aggregates=COUNTED,
    measured=as_it_is,
    is_searchable=True,
    is_unique=True,
    is_grouped=True,
    is_free_text=False,
    is_personal=True,
    is_public=False,
    read_cell=read_text_cell,
    has_one=True,
    write_cell=write_text_cell,
)
