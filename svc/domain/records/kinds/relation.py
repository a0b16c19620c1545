"""References to a record of another object."""

import re
from collections.abc import Callable
from typing import Final

from svc.domain.errors import InvalidValue
from svc.domain.records.cells.formats import CellFormats, CellReader, NameReference
from svc.domain.records.cells.guards import unguarded
from svc.domain.records.kinds.kind import Kind, as_it_is, plain_text
from svc.domain.records.kinds.text import write_text_cell
from svc.domain.records.operators import COUNTED, LISTED
from svc.domain.records.properties import Property, Value

_CELL_ID: Final = re.compile("rec_[0-9A-Z]{26}")
ULID: Final = "[0-7][0-9A-HJKMNP-TV-Z]{25}"
_RECORD_ID: Final = re.compile(f"rec_{ULID}")


def identified(pattern: re.Pattern[str], what: str) -> Callable[[Property, str, str], Value]:
    def reference(_prop: Property, value: str, _country: str) -> Value:
        if not pattern.fullmatch(value):
            raise InvalidValue(f"must be the id of a {what}")
        return value

    return reference


def read_reference_cell(pattern: re.Pattern[str]) -> Callable[[Property, CellFormats], CellReader]:
    def make(_prop: Property, _formats: CellFormats) -> CellReader:
        def read(cell: str) -> str | NameReference:
            return cell if pattern.fullmatch(cell) else NameReference(unguarded(cell))

        return read

    return make


KIND: Final = Kind(
    name="relation",
    json_type=str,
    json_name="a string",
    read=identified(_RECORD_ID, "record"),
    refers_to="record",
    form=None,
    order="code",
    text=plain_text,
    compared="as_it_is",
    compared_with="relation",
    fits_key=False,
    conditions=LISTED,
    aggregates=COUNTED,
    measured=as_it_is,
    is_searchable=False,
    is_unique=False,
    is_grouped=True,
    is_free_text=False,
    is_personal=False,
    is_public=True,
    read_cell=read_reference_cell(_CELL_ID),
    has_one=False,
    write_cell=write_text_cell,
)
