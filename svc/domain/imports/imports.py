"""An import: a file that is uploaded in parts, mapped to an object's properties, and read line by line."""

from typing import Final, Literal

import msgspec

from svc.domain.imports.encodings import Encoding
from svc.domain.records.cells.formats import DateOrder, Decimal

ImportState = Literal["uploading", "uploaded", "running", "checked", "done", "failed", "cancelled"]
"""`checked` once a dry run has ended: the import may be started again."""

Outcome = Literal["created", "updated", "unchanged", "suggested", "refused"]
"""What becomes of a line: a new record, a changed one, one that had all that already, one for which other
values are suggested, or none."""
OnError = Literal["skip", "stop"]
"""Whether a refused line is left out, or ends the import."""
EmptyCells = Literal["keep", "clear"]
OnBadCell = Literal["refuse", "empty"]
"""Whether a cell that does not fit costs its line, or is left out."""

BY_ID: Final = "id"
BY_MATCH: Final = "match"
"""Contacts are found by e-mail and phone, as forms find them: values that differ are suggested."""


class Counts(msgspec.Struct, kw_only=True):
    """What became of the lines so far."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    suggested: int = 0
    refused: int = 0
    made: int = 0
    """Records that the relations of lines name, which were not there and were made."""
    left_out: int = 0
    """Cells of taken lines that did not fit."""

    @property
    def lines(self) -> int:
        """All lines; empty ones are not among them."""
        return self.created + self.updated + self.unchanged + self.suggested + self.refused


class Layout(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What was found in the first lines of a file."""

    encoding: Encoding = "utf-8"
    separator: str = ","
    begins_at: int = 0
    """Where the records begin, in bytes: behind a byte order mark and the headings."""
    first_line: int = 1
    """The number of the line that begins there."""
    headings: tuple[str, ...] = ()
    """Those of CSV; empty for lines of JSON."""
    sample: tuple[tuple[str, ...], ...] = ()
    """The first records, cell by cell."""


class ReadingSettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How the lines are read and written."""

    columns: dict[str, str] = {}
    """By heading: the slug of a property, `id` or `ifVersion`. Columns that are not named are left out."""
    by: str | None = None
    """What a record is looked up by; None makes a new one of each line."""
    decimal: Decimal = "."
    empty_cells: EmptyCells = "keep"
    on_error: OnError = "skip"
    on_bad_cell: OnBadCell = "refuse"
    dates: DateOrder | None = None
    """The order of day, month and year; None where no date of the file's beginning depends on it."""
    make_missing: tuple[str, ...] = ()
    """The objects whose records are made where a relation names one that is not there."""
    dry_run: bool = False

    def leaves_out(self, target: str) -> bool:
        """Whether a cell for *target* that does not fit is left out. What records are found by never is."""
        return self.on_bad_cell == "empty" and target not in {BY_ID, "ifVersion", self.by}


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """A line that was refused, and why."""

    line: int
    reasons: tuple[str, ...]
