"""The table of views."""

from typing import Any, Final

import sqlalchemy as sa

from svc.storage import schema

views: Final = schema.table(
    "views",
    schema.id_(),
    schema.of_organization(),
    schema.ref("person_id", "people.id", note="the member that made it"),
    schema.text("name", schema.SCRUBBED),
    schema.word("tool"),
    schema.json("input", dict[str, Any], schema.SCRUBBED),
    schema.word("board_by", null=True, note="the property whose choices are the columns of a board"),
    schema.flag("shared"),
    schema.number("version"),
    schema.past("created_at"),
    schema.past("updated_at"),
    sa.Index("ix_views_organization_id", "organization_id"),
    leaves=schema.ExportFile("views", "A saved view: a tool that lists, and its input."),
    life=schema.KEPT,
)
