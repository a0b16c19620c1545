"""Steps of an import: a few lines are read, written, and counted as read, in one unit of work.

So wherever a process ends, each line has its effect once.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from svc.domain.errors import NotFound
from svc.domain.identity.organizations import Organization
from svc.domain.imports import faults
from svc.domain.imports.csv_records import TextRecord
from svc.domain.imports.faults import FaultEffect, Occurrence
from svc.domain.imports.imports import ReadingSettings, Refusal
from svc.domain.imports.limits import IMPORT_CHUNK_BYTES, IMPORT_REASON_CHARS_MAX, IMPORT_REFUSALS_SHOWN
from svc.domain.imports.lines import Line, LineReader
from svc.domain.limits import FAULTS_IN_DETAIL_MAX
from svc.storage.identity import organizations
from svc.storage.imports import dry_keys, outputs, references, starters, uploads
from svc.storage.imports import rows as import_rows
from svc.storage.imports.announcing import announce_progress
from svc.storage.imports.outputs import LineOutcome
from svc.storage.imports.readers import line_reader_of
from svc.storage.imports.references import References
from svc.storage.imports.rows import IMPORTS, Import
from svc.storage.imports.slices import NextLines, next_lines
from svc.storage.imports.starters import ImportEnded
from svc.storage.imports.undo import steps as undo_steps
from svc.storage.imports.undo import written as written_records
from svc.storage.imports.writing import LineWrites
from svc.storage.records import objects
from svc.storage.records.objects import StoredObject
from svc.storage.records.writes.items import Outcome
from svc.storage.store import Tx


class StepDone(NamedTuple):
    """What a step leaves."""

    more: bool
    """Whether there is more to read."""
    lines: int = 0
    """How many lines were read."""
    waits: bool = False
    """Whether it waits for an index, by which records are found by name."""


def step(tx: Tx, organization_id: str, lines_max: int) -> StepDone:
    """Read at most *lines_max* lines of the organization's import that is running, if there is one.

    If there is none, take back what an import has written that is being undone.
    """
    import_ = import_rows.open_one(tx.conn, organization_id)
    if import_ is None or import_.state != "running" or import_.starter is None:
        return StepDone(more=undo_steps.step(tx, organization_id, lines_max))
    try:
        organization = organizations.get(tx.conn, organization_id)
        starters.check(tx, organization, import_.starter)
        done = _read(tx, organization, _object_of(tx, import_), import_, lines_max)
    except ImportEnded as error:
        _fail(tx, import_, str(error))
        done = StepDone(more=False)
    _store(tx, import_)
    if not done.more and import_rows.undone_one(tx.conn, organization_id) is not None:
        return done._replace(more=True)
    return done


def fail(tx: Tx, organization_id: str, reason: str) -> None:
    """End the organization's import that is running, or else the undo, for *reason*."""
    import_ = import_rows.open_one(tx.conn, organization_id)
    if import_ is not None and import_.state == "running":
        _fail(tx, import_, reason)
        _store(tx, import_)
    else:
        undo_steps.fail(tx, organization_id, reason)


def _store(tx: Tx, import_: Import) -> None:
    import_.updated_at = tx.now
    IMPORTS.replace(tx.conn, import_)
    announce_progress(tx, import_)


def _fail(tx: Tx, import_: Import, reason: str) -> None:
    import_.state, import_.failure, import_.ended_at = "failed", reason, tx.now


def _object_of(tx: Tx, import_: Import) -> StoredObject:
    try:
        return objects.get(tx.conn, import_.organization_id, import_.object_type)
    except NotFound as error:
        raise ImportEnded(str(error)) from None


def _read(
    tx: Tx, organization: Organization, object_: StoredObject, import_: Import, lines_max: int
) -> StepDone:
    layout, settings = import_.layout, import_.settings
    if layout is None or settings is None:
        raise ImportEnded("its upload is not complete")
    if not references.are_ready(tx, object_, settings.columns.values()):
        return StepDone(more=True, waits=True)
    reader = line_reader_of(import_, organization, object_)
    found = next_lines(tx.conn, import_, layout, lines_max)
    lines = [reader.read(record) for record in found.records]
    named = References(tx.conn, organization, object_, settings)
    for line in lines:
        named.resolve(line)
    source = {**(import_.source or {}), "importId": import_.id}
    writes = LineWrites(tx, organization, object_, settings, source)
    refused = writes.first_refused(lines) if settings.on_error == "stop" else None
    if refused is not None:
        lines = lines[: refused + 1]
    written = writes.write(lines)
    if not settings.dry_run:
        written_records.note(tx, import_, written, writes.made.values())
    outcomes = _outcomes(tx, import_, object_, settings, zip(found.records, lines, written, strict=False))
    made = writes.made
    import_.counts.made += dry_keys.count_new(tx, import_, [*made]) if settings.dry_run else len(made)
    outputs.add(tx, import_, reader, outcomes)
    _count(import_, reader, outcomes)
    if refused is not None:
        why = "; ".join(map(str, lines[refused].reasons))
        raise ImportEnded(f"line {lines[refused].number} was refused: {why}")
    _go_on(tx, import_, settings, found)
    return StepDone(more=not found.is_end, lines=len(lines))


def _outcomes(
    tx: Tx,
    import_: Import,
    object_: StoredObject,
    settings: ReadingSettings,
    written: Iterable[tuple[TextRecord, Line, Outcome | None]],
) -> list[LineOutcome]:
    outcomes = []
    for record, line, outcome in written:
        if outcome is None or outcome.record is None:
            outcomes.append(LineOutcome(record, line, "refused", None))
            continue
        is_imagined = settings.dry_run and outcome.record.created_at == tx.now
        one = LineOutcome(record, line, outcome.kind, None if is_imagined else outcome.record.id)
        if settings.dry_run and outcome.kind == "created":
            one = dry_keys.judge(tx, import_, object_, one, outcome.record.properties)
        outcomes.append(one)
    return outcomes


def _count(import_: Import, reader: LineReader, outcomes: Sequence[LineOutcome]) -> None:
    counts = import_.counts
    for one in outcomes:
        setattr(counts, one.outcome, getattr(counts, one.outcome) + 1)
        if one.outcome != "refused":
            counts.left_out += len(one.line.left_out)
        elif len(import_.refusals) < IMPORT_REFUSALS_SHOWN:
            reasons = tuple(
                str(reason)[:IMPORT_REASON_CHARS_MAX] for reason in one.line.reasons[:FAULTS_IN_DETAIL_MAX]
            )
            import_.refusals.append(Refusal(line=one.line.number, reasons=reasons))
    if occurrences := [found for one in outcomes for found in _faults_of(reader, one)]:
        import_.faults = faults.added(import_.faults, occurrences)


def _faults_of(reader: LineReader, one: LineOutcome) -> Iterator[Occurrence]:
    """Why a line was refused, or else why cells of it were left out."""
    effect: FaultEffect = "refused" if one.outcome == "refused" else "left_out"
    for reason in one.line.reasons if effect == "refused" else one.line.left_out:
        column, value = reader.cell(one.record, reason.about) if reason.about else ("", None)
        yield Occurrence(effect, one.line.number, column, reason, value)


def _go_on(tx: Tx, import_: Import, settings: ReadingSettings, found: NextLines) -> None:
    """Move the position behind the lines that were read; what a dry run reads is read again."""
    before, import_.at_byte = import_.at_byte, found.at_byte
    import_.at_line, import_.in_long_line = found.at_line, found.in_long_line
    if not settings.dry_run:
        uploads.forget(tx, import_.id, before, import_.at_byte + (IMPORT_CHUNK_BYTES if found.is_end else 0))
    if found.is_end:
        import_.state = "checked" if settings.dry_run else "done"
        import_.ended_at = None if settings.dry_run else tx.now
