"""Writing the lines of one batch, by the one function that writes many records."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby

from svc.domain.errors import Fault, InvalidInput
from svc.domain.events import Source
from svc.domain.identity.organizations import Organization
from svc.domain.imports.faults import Reason
from svc.domain.imports.imports import ReadingSettings
from svc.domain.imports.lines import Line, MissingRecord
from svc.storage.imports import missing
from svc.storage.records.objects import StoredObject
from svc.storage.records.writes.items import Outcome, write_many
from svc.storage.records.writes.ways import Item, WayName
from svc.storage.store import Tx


class _Undone(Exception):
    """Raised to take back a part of the unit."""


class LineWrites:
    """Writes lines as the settings of their import say; a line that has reasons already is left out."""

    def __init__(
        self,
        tx: Tx,
        organization: Organization,
        object_: StoredObject,
        settings: ReadingSettings,
        source: Source,
    ) -> None:
        self._tx = tx
        self._organization = organization
        self._object = object_
        self._settings = settings
        self._source = source
        self.made: dict[MissingRecord, str] = {}
        """What was made, or would be, since lines that were written name it; and its ids."""

    def first_refused(self, lines: Sequence[Line]) -> int | None:
        """The place of the first line that is, or would be, refused; its reasons are added to it."""
        _refuse_empty(lines)
        first = next((place for place, line in enumerate(lines) if line.reasons), len(lines))
        for place, outcome in enumerate(self._fitted(lines[:first], dry_run=True)):
            if outcome.kind == "refused":
                lines[place].reasons += reasons_of(outcome)
                return place
        return first if first < len(lines) else None

    def write(self, lines: Sequence[Line]) -> list[Outcome | None]:
        """What became of each; None of one that was left out. What refuses one is added to its reasons."""
        self.made = {}
        _refuse_empty(lines)
        good = [line for line in lines if not line.reasons]
        outcomes = iter(self._fitted(good, dry_run=self._settings.dry_run))
        written = [None if line.reasons else next(outcomes) for line in lines]
        for line, outcome in zip(lines, written, strict=True):
            if outcome is not None and outcome.kind == "refused":
                line.reasons += reasons_of(outcome)
        return written

    def _fitted(self, lines: Sequence[Line], *, dry_run: bool) -> list[Outcome]:
        """Write *lines*; where cells that do not fit are left out, again without what refuses its line.

        Each time fewer values are left, so that it ends.
        """
        if self._settings.on_bad_cell == "refuse":
            return self._write(lines, dry_run=dry_run)
        while True:
            with suppress(_Undone), self._tx.savepoint():
                outcomes = self._write(lines, dry_run=dry_run)
                left_out = [self._leave_out(*pair) for pair in zip(lines, outcomes, strict=True)]
                if not any(left_out):
                    return outcomes
                raise _Undone
            self.made = {}

    def _leave_out(self, line: Line, outcome: Outcome) -> bool:
        """Leave out what *line* is refused for; whether there is any, and something is left of it."""
        if not isinstance(outcome.error, InvalidInput):
            return False
        faults = {slug: fault for fault in outcome.faults if (slug := _slug_of(fault)) in line.values}
        bad = {slug for slug in faults if self._settings.leaves_out(slug)}
        if not bad or not any(line.values[slug] is not None for slug in line.values.keys() - bad):
            return False
        for slug in bad:
            line.refuse(Reason(slug, faults[slug].detail), slug, self._settings)
        return True

    def _write(self, lines: Sequence[Line], *, dry_run: bool) -> list[Outcome]:
        """Write *lines*, and make what they miss: what refused lines alone do leaves no trace."""
        if not any(line.missing for line in lines):
            return self._write_lines(lines, dry_run=dry_run)
        outcomes: list[Outcome] = []
        with suppress(_Undone), self._tx.savepoint():
            self.made = missing.make(self._tx, self._organization, lines, self._source)
            outcomes = self._write_lines(lines, dry_run=dry_run)
            if not dry_run and not _misses_in_vain(lines, outcomes):
                return outcomes
            raise _Undone
        if dry_run and not _misses_in_vain(lines, outcomes):
            return outcomes
        self.made = {}
        rest = iter(self._write(_taken(lines, outcomes), dry_run=dry_run))
        return [outcome if outcome.kind == "refused" else next(rest) for outcome in outcomes]

    def _write_lines(self, lines: Sequence[Line], *, dry_run: bool) -> list[Outcome]:
        settings = self._settings
        outcomes: list[Outcome] = []
        for way, some in groupby(lines, self._way):
            if some_lines := list(some):
                outcomes += write_many(
                    self._tx,
                    self._organization,
                    self._object,
                    way,
                    [self._item(way, line) for line in some_lines],
                    by=settings.by if way == "upsert" else None,
                    source=self._source,
                    skip=True,
                    dry_run=dry_run,
                )
        return outcomes

    def _way(self, line: Line) -> WayName:
        match self._settings.by:
            case None:
                return "create"
            case "match":
                return "match"
            case "id":
                return "create" if line.record_id is None else "update"
            case _:
                return "upsert"

    def _item(self, way: WayName, line: Line) -> Item:
        if way == "create":
            return Item(line.values)
        return Item(line.values, line.record_id or "" if way == "update" else "", line.if_version)


def _refuse_empty(lines: Sequence[Line]) -> None:
    """Refuse the lines of which nothing is left but what was left out."""
    for line in lines:
        if line.left_out and not line.has_values:
            line.reasons += line.left_out
            line.left_out = []


def _misses_in_vain(lines: Sequence[Line], outcomes: Sequence[Outcome]) -> bool:
    """Whether a line that misses something was refused."""
    return any(
        line.missing and outcome.kind == "refused" for line, outcome in zip(lines, outcomes, strict=True)
    )


def _taken(lines: Sequence[Line], outcomes: Sequence[Outcome]) -> list[Line]:
    return [line for line, outcome in zip(lines, outcomes, strict=True) if outcome.kind != "refused"]


def reasons_of(outcome: Outcome) -> list[Reason]:
    """Why an item was refused, each reason after the property that it is about."""
    return [Reason(_slug_of(fault), fault.detail) for fault in outcome.faults]


def _slug_of(fault: Fault) -> str:
    return fault.pointer.removeprefix("/properties").removeprefix("/")
