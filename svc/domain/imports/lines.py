"""Lines of a file, read as the values of records."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import msgspec

from svc.domain import json_input
from svc.domain.errors import InvalidInput, InvalidValue, MalformedJson
from svc.domain.imports.cells import CellFormats, Money, reader_of
from svc.domain.imports.columns import ID, IF_VERSION
from svc.domain.imports.csv_records import TextRecord
from svc.domain.imports.encodings import Encoding, mended
from svc.domain.imports.exported import csv_line
from svc.domain.imports.imports import EmptyCells
from svc.domain.records.properties import CURRENCY_SUFFIX, Property

REFUSED: Final = "refused"
"""The heading of the column, and the member, that says why a line was refused."""


class Line(msgspec.Struct, kw_only=True):
    """One line of a file, and what it says of a record."""

    number: int
    record_id: str | None = None
    if_version: int | None = None
    values: dict[str, Any] = {}
    """By slug; a `Named` is to be looked up."""
    reasons: list[str] = []
    """Why the line is refused: empty where it is not."""


class LineReader(Protocol):
    """Reads the records of one file."""

    def read(self, record: TextRecord) -> Line:
        """What *record* says. What is wrong with it is in its reasons."""
        ...

    def refused(self, record: TextRecord, line: Line) -> str:
        """*record* as the file of refused lines has it, so that it can be mended and read again."""
        ...


class CsvLineReader:
    """Reads records of CSV by the columns that are mapped."""

    def __init__(
        self,
        headings: Sequence[str],
        columns: Mapping[str, str],
        properties: Mapping[str, Property],
        formats: CellFormats,
        *,
        encoding: Encoding,
        separator: str,
        empty_cells: EmptyCells,
    ) -> None:
        self._headings = headings
        self._width = len(headings)
        self._encoding = encoding
        self._separator = separator
        self._clears = empty_cells == "clear"
        self._columns = [
            (place, heading, columns[heading], _reader(columns[heading], properties, formats))
            for place, heading in enumerate(headings)
            if heading in columns
        ]

    def read(self, record: TextRecord) -> Line:
        if record.fault is not None:
            return Line(number=record.line, reasons=[record.fault])
        cells = record.cells
        line = Line(number=record.line, values={}, reasons=[])
        if len(cells) > self._width and any(cells[self._width :]):
            line.reasons.append(f"has {len(cells)} cells, and the first line has {self._width} headings")
            return line
        for place, heading, target, read in self._columns:
            cell = cells[place].strip() if place < len(cells) else ""
            try:
                if cell and not cell.isascii():
                    cell = mended(cell, self._encoding)
                self._put(line, target, read(cell) if cell else None)
            except InvalidValue as error:
                line.reasons.append(f"{heading}: {error}")
        return line

    def _put(self, line: Line, target: str, value: Any) -> None:
        if target == ID:
            line.record_id = value
        elif target == IF_VERSION:
            line.if_version = value
        elif isinstance(value, Money):
            line.values[target] = value.number
            if value.currency is not None:
                line.values[target + CURRENCY_SUFFIX] = value.currency
        elif value is not None:
            line.values[target] = value
        elif self._clears and target not in line.values:
            line.values[target] = None

    def refused(self, record: TextRecord, line: Line) -> str:
        cells = [_storable(cell) for cell in record.cells or [record.text]]
        cells += [""] * (self._width - len(cells))
        return csv_line([*cells, "; ".join(line.reasons)], self._separator)


class JsonLineReader:
    """Reads lines of JSON: items as the tools take them, with `properties`, or the properties themselves."""

    def read(self, record: TextRecord) -> Line:
        line = Line(number=record.line, values={}, reasons=[])
        try:
            item = _item(record)
            properties = item.get("properties")
            if isinstance(properties, dict):
                line.values = properties
                line.record_id = _fact(item, "id", str)
                line.if_version = _fact(item, "ifVersion", int)
            else:
                line.values = item
        except InvalidValue as error:
            line.reasons.append(str(error))
        return line

    def refused(self, record: TextRecord, line: Line) -> str:
        why = {"line": line.number, REFUSED: line.reasons}
        try:
            item = _item(record)
        except InvalidValue:
            told = {**why, "text": _storable(record.text)}
        else:
            told = {**(item if isinstance(item.get("properties"), dict) else {"properties": item}), **why}
        return msgspec.json.encode(told).decode() + "\n"


_OBJECT: Final = msgspec.json.Decoder(dict[str, Any])


def _item(record: TextRecord) -> dict[str, Any]:
    """The object of a line. Raises `InvalidValue`."""
    if record.fault is not None:
        raise InvalidValue(record.fault)
    try:
        return json_input.read(_OBJECT, record.text.encode())
    except UnicodeEncodeError:
        raise InvalidValue("is not UTF-8") from None
    except MalformedJson as error:
        raise InvalidValue(f"is no JSON: {error}") from None
    except InvalidInput as error:
        raise InvalidValue(str(error)) from None


def _fact(item: Mapping[str, Any], name: str, kind: type) -> Any:
    value = item.get(name)
    if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
        raise InvalidValue(f"`{name}` must be {'a string' if kind is str else 'a whole number'}")
    return value


def _storable(text: str) -> str:
    """*text* without what UTF-8 cannot have."""
    return text.encode(errors="replace").decode()


def _reader(target: str, properties: Mapping[str, Property], formats: CellFormats) -> Callable[[str], Any]:
    prop = properties.get(target)
    if prop is not None:
        return reader_of(prop, formats)
    return _version if target == IF_VERSION else str.upper if target.endswith(CURRENCY_SUFFIX) else str


def _version(cell: str) -> int:
    if not (cell.isascii() and cell.isdecimal() and len(cell) < 10):  # noqa: PLR2004  # no record has more
        raise InvalidValue("must be the version of a record, which is a whole number")
    return int(cell)
