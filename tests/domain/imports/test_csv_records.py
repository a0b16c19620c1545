"""Records of CSV: in one piece or in any slices, with any separator, however broken."""

import csv
import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.imports.csv_records import SEPARATORS, TextRecord, read_slice, sniff
from svc.domain.imports.limits import IMPORT_CELL_CHARS_MAX

CELLS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
ROWS = st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=8)


def written(rows: list[list[str]], separator: str = ",", end: str = "\r\n") -> str:
    text = io.StringIO(newline="")
    # The writer leaves a carriage return bare where it is no part of the line's end.
    csv.writer(text, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(rows)
    return text.getvalue()


def read_all(text: str, separator: str = ",") -> list[TextRecord]:
    return read_slice(text, separator, line=1, final=True, records_max=10_000).records


@given(ROWS, st.sampled_from(SEPARATORS), st.sampled_from(["\r\n", "\n", "\r"]))
def test_what_is_written_is_read(rows, separator, end):
    """Whatever is in the cells; a record without any character in it is none."""
    found = read_all(written(rows, separator, end), separator)

    assert [row for row in rows if any(cell and not cell.isspace() for cell in row)] == [
        record.cells for record in found
    ]


@given(ROWS, st.integers(1, 40), st.integers(1, 5))
def test_slices_are_the_whole(rows, window, records_max):
    """Read a window at a time, growing where no record is complete: the same records, at the same lines."""
    text = written(rows)
    found, at, line, size = [], 0, 1, window
    while at < len(text):
        final = at + size >= len(text)
        part = read_slice(text[at : at + size], ",", line=line, final=final, records_max=records_max)
        found += part.records
        at, line = at + part.chars, line + part.lines
        size = window if part.chars else size + window

    assert read_all(text) == found


def test_an_open_quote_swallows_nothing():
    """Its line is refused, and the next ones are read."""
    found = read_all('a,b\n"open,1\nnext,2\n"closed",3\n')

    assert [(1, ["a", "b"]), (2, []), (3, ["next", "2"]), (4, ["closed", "3"])] == [
        (record.line, record.cells) for record in found
    ]
    assert ('"open,1', "a cell goes on") == (found[1].text, (found[1].fault or "")[:14])


def test_an_open_quote_at_the_end_is_told():
    """With what was opened."""
    [record] = read_all('"open,1\n')

    assert "a quotation mark is opened and not closed" == record.fault


def test_a_cell_is_bounded():
    """A longer one is refused by its line."""
    first, second = read_all(f"{'x' * (IMPORT_CELL_CHARS_MAX + 1)},1\nb,2\n")

    assert ("a cell has more than", ["b", "2"]) == ((first.fault or "")[:20], second.cells)


def test_lines_are_counted_with_those_in_cells_and_empty_ones():
    """The number of a record is that of its first line in the file."""
    found = read_all('a,"two\r\nlines"\r\n\r\n,\r\nb,c\r\n')

    assert [1, 5] == [record.line for record in found]


@pytest.mark.parametrize("separator", SEPARATORS)
def test_the_separator_is_found(separator):
    """By the records that have as many cells as there are headings."""
    others = "".join(other for other in SEPARATORS if other != separator)
    text = written([["Name", "Notes"], ["Ada", f"a{others}b"], ["Grace", "1,2;3"]], separator)

    assert separator == sniff(text, final=True)


def test_one_column_has_no_separator():
    """Then it is a comma."""
    assert "," == sniff("email\nada@example.com\n", final=True)


def test_nul_is_a_character():
    """The value is refused later, and nothing else of the file."""
    assert ["a\0b", "c"] == read_all("a\0b,c\n")[0].cells


def test_a_carriage_return_at_the_end_of_a_slice_waits():
    """It may be half of a line's end."""
    part = read_slice("a,b\r", ",", line=1, final=False, records_max=9)

    assert (0, []) == (part.chars, part.records)


@given(st.text(max_size=60))
def test_any_text_comes_to_an_end(text):
    """Positions go up, lines are told in their order, and all of it is read."""
    part = read_slice(text, ",", line=1, final=True, records_max=10_000)

    assert len(text) == part.chars
    assert all(one.line < other.line for one, other in pairwise(part.records))
