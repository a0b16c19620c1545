"""References to a member of the organization."""

import re
from typing import Final

from svc.domain.records.kinds.kind import Kind, as_it_is, plain_text
from svc.domain.records.kinds.relation import ULID, identified, read_reference_cell
from svc.domain.records.kinds.text import write_text_cell
from svc.domain.records.operators import COUNTED, LISTED

_CELL_ID: Final = re.compile("usr_[0-9A-Z]{26}")
_MEMBER_ID: Final = re.compile(f"usr_{ULID}")

KIND: Final = Kind(
    name="member",
    json_type=str,
    json_name="a string",
    read=identified(_MEMBER_ID, "member"),
    refers_to="member",
    form=None,
    order="code",
    text=plain_text,
    compared="as_it_is",
    compared_with="member",
    fits_key=False,
    conditions=LISTED,
    aggregates=COUNTED,
    measured=as_it_is,
    is_searchable=False,
    is_unique=False,
    is_grouped=True,
    is_free_text=False,
    is_personal=False,
    is_public=False,
    read_cell=read_reference_cell(_CELL_ID),
    has_one=False,
    write_cell=write_text_cell,
)
