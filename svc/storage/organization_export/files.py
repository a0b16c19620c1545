"""What an export of an organization has: a file for each table that leaves with it, by what the tables say.

Each row is one line of JSON. A member is called as its column, in camelCase; times are RFC 3339, and what is
stored as JSON is JSON. A column that is not exported has its reason in `left_out`.
"""

from collections.abc import Mapping
from typing import Final

import msgspec
import sqlalchemy as sa

from svc.storage.metadata import metadata
from svc.storage.schema import ExportFile, Stays, facts_of, table_facts


class ExportedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the export, with the rows of one table."""

    name: str
    """Without its ending."""
    table: sa.Table
    about: str
    """What a line is."""
    left_out: Mapping[str, str]
    """Why a column is not exported, by its name."""
    notes: Mapping[str, str]
    """What a member means that does not say so by itself."""
    through: "sa.Column[str] | None"
    """Of a table without a column for the organization: the column that leads to a table with one."""


def member_name(column: str) -> str:
    """What the member of a line is called that has a column's values."""
    first, *others = column.split("_")
    return first + "".join(map(str.title, others))


def _file(table: sa.Table, leaves: ExportFile) -> ExportedFile:
    facts = {column.name: facts_of(column) for column in table.columns}
    through = table_facts(table).through
    notes = {member_name(name): one.note for name, one in facts.items() if one.note}
    return ExportedFile(
        name=leaves.name,
        table=table,
        about=leaves.about,
        left_out={name: one.stays for name, one in facts.items() if one.stays},
        notes={**notes, **leaves.notes},
        through=None if through is None else table.c[through],
    )


FILES: Final = tuple(
    _file(table, leaves)
    for table in metadata.sorted_tables
    if isinstance(leaves := table_facts(table).leaves, ExportFile)
)
"""Every file, in the order in which they are written: a line refers to earlier files, and to its own."""

LEFT_OUT: Final[Mapping[str, str]] = {
    str(table.name): leaves.why
    for table in metadata.sorted_tables
    if isinstance(leaves := table_facts(table).leaves, Stays)
}
"""Why the rows of a table are not exported."""
