"""Records written to files: CSV that spreadsheets and imports read, and lines of JSON."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from svc.domain.records.cells.formats import CellWriter
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.properties import CURRENCY_SUFFIX, Property

FileFormat = Literal["csv", "ndjson"]

FACTS: Final = ("id", "version", "createdAt", "updatedAt")
"""The columns beside those of properties."""


class CsvWriter:
    """Writes records of one object as CSV (RFC 4180), a page at a time.

    The columns are the record's id, its properties in their order, an amount's currency behind it, then its
    version and times.
    """

    def __init__(self, properties: Iterable[Property]) -> None:
        self._cells: dict[str, CellWriter] = {}
        for prop in properties:
            self._cells[prop.slug] = KINDS[prop.type].write_cell(prop)
            if prop.type == "amount":
                self._cells[prop.slug + CURRENCY_SUFFIX] = str
        first, *rest = FACTS
        self.headings = (first, *self._cells, *rest)

    def head(self) -> str:
        """The line of headings."""
        return _csv([self.headings])

    def lines(self, records: Iterable[Mapping[str, Any]]) -> str:
        """The lines of *records*, as tools answer them."""
        return _csv([self._row(record) for record in records])

    def _row(self, record: Mapping[str, Any]) -> list[str]:
        values = record["properties"]
        first, *rest = (str(record[fact]) for fact in FACTS)
        cells = [cell(values[slug]) if slug in values else "" for slug, cell in self._cells.items()]
        return [first, *cells, *rest]


def csv_line(cells: Sequence[str], separator: str = ",") -> str:
    """*cells* as a line that ends with CRLF, as they are."""
    return _csv([cells], separator)


def json_lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    """*records*, as tools answer them, a line of JSON each."""
    return b"".join(msgspec.json.encode(record) + b"\n" for record in records)


def _csv(rows: Iterable[Sequence[str]], separator: str = ",") -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator).writerows(rows)
    return text.getvalue()
