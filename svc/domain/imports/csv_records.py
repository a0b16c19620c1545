"""Records of CSV text (RFC 4180), a slice at a time, with any separator.

Quotes are read strictly: a cell that begins with one ends with one. So a quote that is opened and never
closed does not swallow what follows: its line is refused, and reading goes on with the next line.
"""

import csv
import io
from collections.abc import Iterator
from typing import Final, NamedTuple

from svc.domain.imports.limits import IMPORT_CELL_CHARS_MAX

SEPARATORS: Final = (",", ";", "\t", "|")
_SNIFFED_MAX: Final = 50

csv.field_size_limit(IMPORT_CELL_CHARS_MAX)


class TextRecord(NamedTuple):
    """One record as it stands in the text: its cells, or why it has none."""

    line: int
    """The number of its first line, from 1 on."""
    cells: list[str]
    text: str
    """What could not be read as cells: its first line."""
    fault: str | None


class Slice(NamedTuple):
    """Records read from the beginning of a text."""

    records: list[TextRecord]
    chars: int
    """How much of the text they are."""
    lines: int
    """How many lines they are, empty ones too."""


class _Lines:
    """The lines of a text, and how much of it was handed out."""

    def __init__(self, text: str, at: int) -> None:
        self._lines = io.StringIO(text, newline="")
        self._lines.seek(at)
        self.chars = at
        self.count = 0
        self.is_over = False
        """Whether more was asked for than there is."""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._lines.readline()
        if not line:
            self.is_over = True
            raise StopIteration
        self.chars += len(line)
        self.count += 1
        return line


def read_slice(
    text: str, separator: str, *, line: int, final: bool, records_max: int, whole_records: bool = False
) -> Slice:
    """The first records of *text*, whose first line has the number *line*.

    Unless the text is the *final* one, an incomplete record at its end is left, and so are its last line if
    that has no end. With *whole_records* the text is as long as a record may be: one that is not complete
    is refused by its first line.
    """
    usable = text if final else text[: _end_of_lines(text)]
    records: list[TextRecord] = []
    chars = lines = 0
    feed = _Lines(usable, 0)
    reader = csv.reader(feed, delimiter=separator, strict=True)
    while len(records) < records_max:
        try:
            cells = next(reader)
        except StopIteration:
            chars, lines = feed.chars, lines + feed.count
            break
        except csv.Error as error:
            if feed.is_over and not final and (records or not whole_records):
                break
            first = next(_Lines(usable, chars))
            records.append(TextRecord(line + lines, [], first.rstrip("\r\n"), _fault(error, feed)))
            chars, lines = chars + len(first), lines + 1
            feed = _Lines(usable, chars)
            reader = csv.reader(feed, delimiter=separator, strict=True)
            continue
        if any(cell and not cell.isspace() for cell in cells):
            records.append(TextRecord(line + lines, cells, "", None))
        chars, lines, feed.count = feed.chars, lines + feed.count, 0
    return Slice(records, chars, lines)


def sniff(text: str, *, final: bool) -> str:
    """The separator of *text*: the one in whose records the cells are as many as the headings."""

    def evenness(separator: str) -> tuple[float, int]:
        found = read_slice(text, separator, line=1, final=final, records_max=_SNIFFED_MAX).records
        width = len(found[0].cells) if found else 0
        even = sum(len(record.cells) == width for record in found)
        return (even / len(found), width) if width > 1 else (0, 0)

    return max(SEPARATORS, key=evenness)


def _end_of_lines(text: str) -> int:
    """The end of the last complete line; a carriage return at the very end may be half of a line's end."""
    return max(text.rfind("\n"), text.rfind("\r", 0, -1)) + 1


def _fault(error: csv.Error, feed: _Lines) -> str:
    if "field limit" in str(error):
        return f"a cell has more than {IMPORT_CELL_CHARS_MAX:,} characters"
    if feed.is_over:
        return "a quotation mark is opened and not closed"
    return "a cell goes on behind its closing quotation mark: double the marks that belong to the text"
