"""A view: a call of a tool that lists, which a person saved under a name."""

from typing import Any

import msgspec


class SavedView(msgspec.Struct, frozen=True, kw_only=True):
    """One view, as stored. Times are ms since the epoch."""

    id: str
    organization_id: str
    person_id: str
    """Who made it."""
    name: str
    tool: str
    """The tool that lists, such as `record.list`."""
    input: dict[str, Any]
    """What the tool is asked, without a cursor."""
    board_by: str | None
    """The slug of the property whose choices are the columns of a board; None for a table."""
    shared: bool
    """Whether every member sees it who may run the tool."""
    version: int
    created_at: int
    updated_at: int
