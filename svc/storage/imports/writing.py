"""Writing the lines of one batch, by the one function that writes many records."""

from collections.abc import Sequence
from itertools import groupby

from svc.domain.errors import Fault
from svc.domain.events import Source
from svc.domain.identity.organizations import Organization
from svc.domain.imports.imports import ReadingSettings
from svc.domain.imports.lines import Line
from svc.storage.records.objects import StoredObject
from svc.storage.records.writes.items import Outcome, write_many
from svc.storage.records.writes.ways import Item, WayName
from svc.storage.store import Tx


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

    def first_refused(self, lines: Sequence[Line]) -> int | None:
        """The place of the first line that is, or would be, refused; its reasons are added to it."""
        first = next((place for place, line in enumerate(lines) if line.reasons), len(lines))
        for place, outcome in enumerate(self._write(lines[:first], dry_run=True)):
            if outcome.kind == "refused":
                lines[place].reasons += reasons_of(outcome)
                return place
        return first if first < len(lines) else None

    def write(self, lines: Sequence[Line]) -> list[Outcome | None]:
        """What became of each; None of one that was left out. What refuses one is added to its reasons."""
        good = [line for line in lines if not line.reasons]
        outcomes = iter(self._write(good, dry_run=self._settings.dry_run))
        written = [None if line.reasons else next(outcomes) for line in lines]
        for line, outcome in zip(lines, written, strict=True):
            if outcome is not None and outcome.kind == "refused":
                line.reasons += reasons_of(outcome)
        return written

    def _write(self, lines: Sequence[Line], *, dry_run: bool) -> list[Outcome]:
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


def reasons_of(outcome: Outcome) -> list[str]:
    """Why an item was refused, each reason after the property that it is about."""
    return [_reason(fault) for fault in outcome.faults]


def _reason(fault: Fault) -> str:
    about = fault.pointer.removeprefix("/properties").removeprefix("/")
    return f"{about}: {fault.detail}" if about else fault.detail
