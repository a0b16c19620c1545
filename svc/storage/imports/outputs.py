"""The files that an import leaves: its refused lines, to be mended and imported again, and a report by line."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import sqlalchemy as sa

from svc.domain.imports.exported import csv_line
from svc.domain.imports.imports import Outcome
from svc.domain.imports.lines import CsvLineReader, Line, LineReader
from svc.domain.imports.csv_records import TextRecord
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
    """Add the lines of a batch, at the position before it: a dry run reports each, and others what they refuse."""
    refused = [reader.refused(one.record, one.line) for one in outcomes if one.outcome == "refused"]
    if refused:
        _add(tx, import_, "refused", "".join(refused))
    if outcomes and import_.settings is not None and import_.settings.dry_run:
        lines = [
            csv_line((str(one.line.number), one.outcome, one.record_id or "", "; ".join(one.line.reasons)))
            for one in outcomes
        ]
        _add(tx, import_, "report", "".join(lines))


def page(
    conn: sa.Connection, import_: Import, kind: OutputKind, *, after: int, limit: int
) -> list[OutputRow]:
    """Pieces of an output in their order, behind the one at *after*."""
    return _AFTER.all(conn, import_id=import_.id, run=import_.run, kind=kind, after=after, limit=limit)


def head_of(reader: LineReader, kind: OutputKind) -> str:
    """The first line of an output; lines of JSON have none."""
    if kind == "report":
        return csv_line(REPORT_HEADINGS)
    return reader.head() if isinstance(reader, CsvLineReader) else ""


def _add(tx: Tx, import_: Import, kind: OutputKind, text: str) -> None:
    _INSERT.run(
        tx.conn, import_id=import_.id, run=import_.run, kind=kind, at_byte=import_.at_byte, text=text
    )
