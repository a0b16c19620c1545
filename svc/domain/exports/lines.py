"""Lines of exports that are no records: CSV that spreadsheets read, and lines of JSON."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from svc.domain.imports.exported import csv_line
from svc.domain.records.cells.guards import guarded

BYTE_ORDER_MARK: Final = "\ufeff"


class Piece(NamedTuple):
    """A part of a file, and how many rows it has."""

    data: bytes
    rows: int


class TableWriter:
    """Writes rows, each a mapping, as CSV with these *headings*."""

    def __init__(self, headings: Sequence[str]) -> None:
        self._headings = headings

    def head(self) -> str:
        """The line of headings, which people and programs of others may have made up."""
        return csv_line([guarded(heading) for heading in self._headings])

    def lines(self, rows: Iterable[Mapping[str, Any]]) -> str:
        """The lines of *rows*; a column that a row does not have is empty."""
        return "".join(csv_line([_cell(row.get(name)) for name in self._headings]) for row in rows)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return guarded(value)
    return msgspec.json.encode(value).decode()
