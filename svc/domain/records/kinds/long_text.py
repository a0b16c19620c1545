"""Texts of many lines."""

from typing import Final

from svc.domain.records.kinds.kind import FormInput, Kind, as_it_is, plain_text
from svc.domain.records.kinds.text import limited, limited_form_text, read_text_cell, write_text_cell
from svc.domain.records.limits import LONG_TEXT_CHARS_MAX
from svc.domain.records.operators import COUNTED, SEARCHED

KIND: Final = Kind(
    name="long_text",
    json_type=str,
    json_name="a string",
    read=limited(LONG_TEXT_CHARS_MAX),
    refers_to=None,
    form=FormInput("area", limited_form_text(LONG_TEXT_CHARS_MAX)),
    order="text",
    text=plain_text,
    compared="folded",
    compared_with="long_text",
    fits_key=False,
    conditions=SEARCHED,
    aggregates=COUNTED,
    measured=as_it_is,
    is_searchable=True,
    is_unique=False,
    is_grouped=False,
    is_free_text=True,
    is_personal=False,
    is_public=True,
    read_cell=read_text_cell,
    has_one=False,
    write_cell=write_text_cell,
)
