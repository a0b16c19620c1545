"""One of a property's choices."""

from collections.abc import Collection
from typing import Any, Final

from svc.domain.errors import InvalidValue
from svc.domain.input.faults import json_type
from svc.domain.input.near_names import hint
from svc.domain.records.cells.formats import CellFormats, CellReader
from svc.domain.records.cells.guards import unguarded
from svc.domain.records.kinds.kind import FormInput, Kind, as_it_is, plain_text
from svc.domain.records.kinds.text import write_text_cell
from svc.domain.records.operators import COUNTED, LISTED
from svc.domain.records.properties import Property, Value


def option_of(options: Collection[str], value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidValue(f"must be one of the choices, not {json_type(value)}")
    if value not in options:
        raise InvalidValue(f"is not one of the choices{hint(value, options)}")
    return value


def _read(prop: Property, value: str, _country: str) -> Value:
    return option_of(prop.options, value)


def choice_of(options: tuple[str, ...], text: str) -> str:
    for option in options:
        if option.casefold() == text.casefold():
            return option
    raise InvalidValue("not one of the choices")


def _read_form(prop: Property, text: str, _country: str) -> Value:
    return choice_of(prop.options, text)


def _read_cell(prop: Property, _formats: CellFormats) -> CellReader:
    choices = {option.casefold(): option for option in prop.options}
    return lambda cell: choices.get(unguarded(cell).casefold(), unguarded(cell))


KIND: Final = Kind(
    name="select",
    json_type=str,
    json_name="a string",
    read=_read,
    refers_to=None,
    form=FormInput("select", _read_form),
    order="text",
    text=plain_text,
    compared="as_it_is",
    compared_with="select",
    fits_key=False,
    conditions=LISTED,
    aggregates=COUNTED,
    measured=as_it_is,
    is_searchable=True,
    is_unique=False,
    is_grouped=True,
    is_free_text=False,
    is_personal=False,
    is_public=True,
    read_cell=_read_cell,
    has_one=False,
    write_cell=write_text_cell,
)
