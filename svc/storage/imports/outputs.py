"""The files that an import leaves: its refused lines, to be mended and read again, and a report by line."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import sqlalchemy as sa

from svc.domain.errors import NotFound
from svc.domain.imports.csv_records import TextRecord
from svc.domain.imports.exported import csv_line
from svc.domain.imports.imports import Outcome
from svc.domain.imports.lines import REFUSED, Line, LineReader
from svc.domain.input.near_names import shown
from svc.storage.imports import rows as import_rows
from svc.storage.imports.rows import Import
from svc.storage.imports.tables import import_outputs
from svc.storage.statements import Statement
from svc.storage.store import Tx

OutputKind = Literal["refused", "report"]

REPORT_HEADINGS: Final = ("line", "outcome", "id", "reasons")


class LineOutcome(NamedTuple):
    """What became of a line."""

    record: TextRecord
    line: Line
    outcome: Outcome
    record_id: str | None


class OutputRow(NamedTuple):
    """A piece of an output."""

    at_byte: int
    text: str


_INSERT: Final = Statement(sa.insert(import_outputs))
_AFTER: Final = Statement(
    sa.select(import_outputs.c.at_byte, import_outputs.c.text)
    .where(
        import_outputs.c.import_id == sa.bindparam("import_id"),
        import_outputs.c.run == sa.bindparam("run"),
        import_outputs.c.kind == sa.bindparam("kind"),
        import_outputs.c.at_byte > sa.bindparam("after"),
    )
    .order_by(import_outputs.c.at_byte)
    .limit(sa.bindparam("limit", type_=sa.Integer)),
    OutputRow,
)


def add(tx: Tx, import_: Import, reader: LineReader, outcomes: Sequence[LineOutcome]) -> None:
    """Add the refused lines of a batch, at the position before it; of a dry run, what becomes of each."""
    refused = [reader.refused(one.record, one.line) for one in outcomes if one.outcome == "refused"]
    if refused:
        _add(tx, import_, "refused", "".join(refused))
    if outcomes and import_.settings is not None and import_.settings.dry_run:
        lines = [
            csv_line(
                (
                    str(one.line.number),
                    one.outcome,
                    one.record_id or "",
                    "; ".join(map(str, [*one.line.reasons, *_left_out(one), *one.line.notes])),
                )
            )
            for one in outcomes
        ]
        _add(tx, import_, "report", "".join(lines))


def _left_out(one: LineOutcome) -> list[str]:
    """What the report says of cells that were left out, though their line is taken."""
    return [] if one.outcome == "refused" else [f"left out: {reason}" for reason in one.line.left_out]


def begin(conn: sa.Connection, organization_id: str, import_id: str, kind: OutputKind) -> tuple[Import, str]:
    """The import, and the first line of an output; lines of JSON have none. Raises `NotFound`."""
    import_ = import_rows.find(conn, organization_id, import_id)
    settings, layout = import_.settings, import_.layout
    if settings is None or layout is None or (kind == "report" and not settings.dry_run):
        raise NotFound(f"the import {shown(import_id)} has no such file")
    if kind == "report":
        return import_, csv_line(REPORT_HEADINGS)
    if import_.format == "ndjson":
        return import_, ""
    return import_, csv_line([*layout.headings, REFUSED], layout.separator)


def page(
    conn: sa.Connection, import_: Import, kind: OutputKind, *, after: int, limit: int
) -> list[OutputRow]:
    """Pieces of an output in their order, behind the one at *after*."""
    return _AFTER.all(conn, import_id=import_.id, run=import_.run, kind=kind, after=after, limit=limit)


def _add(tx: Tx, import_: Import, kind: OutputKind, text: str) -> None:
    _INSERT.run(tx.conn, import_id=import_.id, run=import_.run, kind=kind, at_byte=import_.at_byte, text=text)
