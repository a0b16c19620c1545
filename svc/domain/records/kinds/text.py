"""Texts of one line."""

from collections.abc import Callable
from typing import Final

from svc.domain.errors import InvalidValue
from svc.domain.records.cells.formats import CellFormats, CellReader, CellWriter
from svc.domain.records.cells.guards import guarded, unguarded
from svc.domain.records.kinds.kind import FormInput, Kind, as_it_is, plain_text
from svc.domain.records.limits import TEXT_CHARS_MAX
from svc.domain.records.operators import COUNTED, SEARCHED
from svc.domain.records.properties import Property, Value


def limited(characters_max: int) -> Callable[[Property, str, str], Value]:
    """Reads a text of so many characters."""

    def text(_prop: Property, value: str, _country: str) -> Value:
        if len(value) > characters_max:
            raise InvalidValue(f"must have at most {characters_max:,} characters, not {len(value):,}")
        return value

    return text


def limited_form_text(characters_max: int) -> Callable[[Property, str, str], Value]:
    """Reads a form's text of so many characters."""

    def text(_prop: Property, value: str, _country: str) -> Value:
        if len(value) > characters_max:
            raise InvalidValue(f"longer than {characters_max} characters")
        return value

    return text


def read_text_cell(_prop: Property, _formats: CellFormats) -> CellReader:
    return unguarded


def write_text_cell(_prop: Property) -> CellWriter:
    return guarded


KIND: Final = Kind(
    name="text",
    json_type=str,
    json_name="a string",
    read=limited(TEXT_CHARS_MAX),
    refers_to=None,
    form=FormInput("text", limited_form_text(TEXT_CHARS_MAX)),
    order="text",
    text=plain_text,
    compared="folded",
    compared_with="long_text",
    fits_key=True,
    conditions=SEARCHED,
    aggregates=COUNTED,
    measured=as_it_is,
    is_searchable=True,
    is_unique=True,
    is_grouped=True,
    is_free_text=True,
    is_personal=False,
    is_public=True,
    read_cell=read_text_cell,
    has_one=False,
    write_cell=write_text_cell,
)
