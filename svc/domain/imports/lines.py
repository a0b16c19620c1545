"""Lines of a file, read as the values of records."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from svc.domain.errors import InvalidInput, InvalidValue, MalformedJson
from svc.domain.imports.columns import ID, IF_VERSION
from svc.domain.imports.csv_records import TextRecord
from svc.domain.imports.encodings import Encoding, mended
from svc.domain.imports.exported import csv_line
from svc.domain.imports.faults import Reason
from svc.domain.imports.imports import ReadingSettings
from svc.domain.input import json as json_input
from svc.domain.input.near_names import shown
from svc.domain.records.cells.formats import CellFormats, Money
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.properties import CURRENCY_SUFFIX, Property

VALUES_SEPARATOR: Final = ":::"
"""What an address book writes between several values of one cell."""
REFUSED: Final = "refused"
"""The heading of the column, and the member, that says why a line was refused."""


class MissingRecord(NamedTuple):
    """A record that is not there: the object, and what it is called."""

    object_type: str
    name: str


class Line(msgspec.Struct, kw_only=True):
    """One line of a file, and what it says of a record."""

    number: int
    record_id: str | None = None
    if_version: int | None = None
    values: dict[str, Any] = {}
    """By slug; a `Named` is to be looked up."""
    missing: dict[str, "MissingRecord"] = {}
    """By slug, the records that its relations name, that are not there and are to be made."""
    reasons: list[Reason] = []
    """Why the line is refused: empty where it is not."""
    left_out: list[Reason] = []
    """Why cells were left out, though the line is taken."""
    notes: list[str] = []
    """What else of it was left out."""

    def refuse(self, reason: Reason, target: str, settings: ReadingSettings) -> None:
        """Refuse the line for what is wrong with its value for *target*, or leave that out."""
        if not settings.leaves_out(target):
            self.reasons.append(reason)
            return
        self.left_out.append(reason)
        self.values.pop(target, None)
        self.missing.pop(target, None)

    @property
    def has_values(self) -> bool:
        """Whether it says anything of its record."""
        return any(value is not None for value in self.values.values())


class LineReader(Protocol):
    """Reads the records of one file."""

    def read(self, record: TextRecord) -> Line:
        """What *record* says. What is wrong with it is in its reasons."""
        ...

    def cell(self, record: TextRecord, about: str) -> tuple[str, str | None]:
        """The column that a reason is about, by its heading if it has one, and what *record* has in it."""
        ...

    def refused(self, record: TextRecord, line: Line) -> str:
        """*record* as the file of refused lines has it, so that it can be mended and read again."""
        ...


class CsvLineReader:
    """Reads records of CSV by the columns that are mapped."""

    def __init__(
        self,
        headings: Sequence[str],
        settings: ReadingSettings,
        properties: Mapping[str, Property],
        formats: CellFormats,
        *,
        encoding: Encoding,
        separator: str,
    ) -> None:
        columns = settings.columns
        self._headings = headings
        self._width = len(headings)
        self._encoding = encoding
        self._separator = separator
        self._settings = settings
        self._clears = settings.empty_cells == "clear"
        self._columns = [
            (
                place,
                heading,
                columns[heading],
                _reader(columns[heading], properties, formats),
                _has_one(properties.get(columns[heading])),
            )
            for place, heading in enumerate(headings)
            if heading in columns
        ]

    def read(self, record: TextRecord) -> Line:
        if record.fault is not None:
            return Line(number=record.line, reasons=[Reason("", record.fault)])
        cells = record.cells
        line = Line(number=record.line, values={}, missing={}, reasons=[], left_out=[], notes=[])
        if len(cells) > self._width and any(cells[self._width :]):
            detail = f"has {len(cells)} cells, and the first line has {self._width} headings"
            general = f"has more cells than the first line, which has {self._width} headings"
            line.reasons.append(Reason("", detail, general))
            return line
        for place, heading, target, read, has_one in self._columns:
            cell = cells[place].strip() if place < len(cells) else ""
            try:
                if cell and not cell.isascii():
                    cell = mended(cell, self._encoding)
                if cell.startswith('="'):
                    _refuse_formula(cell)
                if has_one and VALUES_SEPARATOR in cell:
                    cell, *others = (one.strip() for one in cell.split(VALUES_SEPARATOR))
                    line.notes.append(f"{heading}: the first of {1 + len(others)} values was taken")
                self._put(line, target, read(cell) if cell else None)
            except InvalidValue as error:
                line.refuse(Reason(heading, str(error), error.general), target, self._settings)
        return line

    def cell(self, record: TextRecord, about: str) -> tuple[str, str | None]:
        for place, heading, target, *_ in self._columns:
            if about in {heading, target}:
                return heading, record.cells[place].strip() if place < len(record.cells) else None
        return about, None

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
            before = line.values.get(target)  # of another column: see `columns.is_joined`
            line.values[target] = value if before is None else f"{before} {value}"
        elif self._clears and target not in line.values:
            line.values[target] = None

    def refused(self, record: TextRecord, line: Line) -> str:
        cells = [_storable(cell) for cell in record.cells or [record.text]]
        cells += [""] * (self._width - len(cells))
        return csv_line([*cells, "; ".join(map(str, line.reasons))], self._separator)


class JsonLineReader:
    """Reads lines of JSON: items as the tools take them, with `properties`, or the properties themselves."""

    def read(self, record: TextRecord) -> Line:
        line = Line(number=record.line, values={}, missing={}, reasons=[], left_out=[])
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
            line.reasons.append(Reason("", str(error), error.general))
        return line

    def cell(self, record: TextRecord, about: str) -> tuple[str, str | None]:
        try:
            item = _item(record)
        except InvalidValue:
            return about, None
        properties = item.get("properties")
        value = (properties if isinstance(properties, dict) else item).get(about)
        return about, value if value is None or isinstance(value, str) else _JSON(value).decode()

    def refused(self, record: TextRecord, line: Line) -> str:
        why = {"line": line.number, REFUSED: [str(reason) for reason in line.reasons]}
        try:
            item = _item(record)
        except InvalidValue:
            told = {**why, "text": _storable(record.text)}
        else:
            told = {**(item if isinstance(item.get("properties"), dict) else {"properties": item}), **why}
        return msgspec.json.encode(told).decode() + "\n"


_TEXT_FORMULA: Final = re.compile(r'="([^"]*)"')
_JSON: Final = msgspec.json.Encoder().encode
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
        return KINDS[prop.type].read_cell(prop, formats)
    return _version if target == IF_VERSION else str.upper if target.endswith(CURRENCY_SUFFIX) else str


def _refuse_formula(cell: str) -> None:
    """Raise `InvalidValue` if *cell* is the formula by which a spreadsheet is told of a text."""
    formula = _TEXT_FORMULA.fullmatch(cell)
    if formula is not None:
        raise InvalidValue(
            f"is a spreadsheet's formula for the text {shown(formula[1])}: save the text itself",
            general="is a spreadsheet's formula for a text: save the text itself",
        )


def _has_one(prop: Property | None) -> bool:
    """Whether the cells of *prop* have one value, which cannot have the separator of several in it."""
    return prop is not None and KINDS[prop.type].has_one


def _version(cell: str) -> int:
    if not (cell.isascii() and cell.isdecimal() and len(cell) < 10):  # noqa: PLR2004  # no record has more
        raise InvalidValue("must be the version of a record, which is a whole number")
    return int(cell)
