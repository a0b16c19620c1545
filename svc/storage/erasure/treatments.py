"""What an erasure does with the rows of each table, by what its columns say about themselves.

A row is the person's *own* by a column that has one of their ids, and is deleted, or emptied where deleting
it would make the database look through whole tables for rows that refer to it. A row that *leads* to the
person by an id in its texts keeps them without the marks, or loses what is in `blanked` altogether. In any
other row the marks are taken out of its texts.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
import sqlalchemy as sa

from svc.storage.channels import tables as channels_tables
from svc.storage.forms import tables as forms_tables
from svc.storage.identity import tables as identity_tables
from svc.storage.metadata import metadata
from svc.storage.records import tables as records_tables
from svc.storage.schema import Ids, facts_of, table_facts


class Treatment(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of the rows of a table."""

    table: sa.Table
    own: Mapping[str, Ids]
    """Columns by which a row is the person's own."""
    texts: tuple[str, ...]
    """Columns that marks are taken out of; those of `stored_json` are JSON."""
    codes: tuple[str, ...]
    """Columns with what programs of others make up, of which a mark may be a part."""
    blanked: Mapping[str, Any]
    """What columns of a row become that leads to the person, unless they are null."""
    kept: Mapping[str, str]
    """Columns in which marks are only counted, and why they stay."""
    of: Literal["organization", "itself", "member"]
    """How a row is of an organization."""
    through: "sa.Column[str] | None"
    """Of a table without a column for the organization: the column that leads to a table with one."""


_OWNED: Final[Mapping[sa.Table, Literal["itself", "member"]]] = {
    identity_tables.organizations: "itself",
    identity_tables.people: "member",
}


def _treatment(table: sa.Table) -> Treatment:
    facts = {column.name: facts_of(column) for column in table.columns}
    through = table_facts(table).through
    return Treatment(
        table=table,
        own={name: one.own for name, one in facts.items() if one.own is not None},
        texts=tuple(name for name, one in facts.items() if one.person.said == "text"),
        codes=tuple(name for name, one in facts.items() if one.person.said == "code"),
        blanked={name: one.blank for name, one in facts.items() if one.blank is not None},
        kept={name: one.person.why for name, one in facts.items() if one.person.said == "kept"},
        of=_OWNED.get(table, "organization"),
        through=None if through is None else table.c[through],
    )


BY_TABLE: Final[Mapping[str, Treatment]] = {
    str(table.name): _treatment(table)
    for table in metadata.sorted_tables
    if table_facts(table).erasure is None
}

_SOURCES: Final = (
    records_tables.record_changes,
    forms_tables.submissions,
    # A submission that is filed has its note, at any moment.
    records_tables.notes,
    channels_tables.conversations,
    records_tables.records,
)
"""Tables that marks are learned from. They come last, so that an erasure that was broken off can go on."""


def in_order() -> list[Treatment]:
    """All treatments, each table after those whose rows refer to its own, and the sources of marks last."""
    # Records refer to records, and suggestions and notes to submissions that are below them.
    children_first = [table for table in reversed(metadata.sorted_tables) if table not in _SOURCES]
    return [
        BY_TABLE[str(table.name)] for table in (*children_first, *_SOURCES) if str(table.name) in BY_TABLE
    ]
