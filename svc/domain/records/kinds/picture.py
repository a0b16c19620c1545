"""Pictures: web addresses, or ids of uploaded files."""

from typing import Final

from svc.domain.files.files import is_file_id
from svc.domain.records.kinds.kind import Kind, as_it_is, plain_text
from svc.domain.records.kinds.text import read_text_cell, write_text_cell
from svc.domain.records.kinds.url import read_url
from svc.domain.records.operators import COUNTED, EQUAL
from svc.domain.records.properties import Property, Value


def _read(prop: Property, value: str, country: str) -> Value:
    return value if is_file_id(value) else read_url(prop, value, country)


KIND: Final = Kind(
    name="picture",
    json_type=str,
    json_name="a string",
    read=_read,
    refers_to="file",
    form=None,
    order="text",
    text=plain_text,
    compared="as_it_is",
    compared_with="picture",
    fits_key=False,
    conditions=EQUAL,
    aggregates=COUNTED,
    measured=as_it_is,
    is_searchable=False,
    is_unique=False,
    is_grouped=False,
    is_free_text=False,
    is_personal=False,
    is_public=True,
    read_cell=read_text_cell,
    has_one=False,
    write_cell=write_text_cell,
)
