"""Slices of an upload: the lines that come next, read from the position that the import has reached."""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from svc.domain.imports import csv_records, encodings, json_records
from svc.domain.imports.csv_records import Slice, TextRecord
from svc.domain.imports.dates import DateCell
from svc.domain.imports.imports import Layout
from svc.domain.imports.limits import IMPORT_CHUNK_BYTES, IMPORT_DATES_LINES_MAX, IMPORT_LINE_BYTES_MAX
from svc.storage.imports import uploads
from svc.storage.imports.rows import Import


class NextLines(NamedTuple):
    """The lines that come next, and where those after them begin."""

    records: Sequence[TextRecord]
    at_byte: int
    at_line: int
    in_long_line: bool
    is_end: bool


def first_cells(
    conn: sa.Connection, import_: Import, layout: Layout, places: Sequence[int]
) -> list[DateCell]:
    """What stands in the columns at *places* in the first lines of the file, as far as they are looked at."""
    data = uploads.read(conn, import_.id, layout.begins_at, IMPORT_LINE_BYTES_MAX)
    final = layout.begins_at + len(data) >= import_.bytes
    text = encodings.decode(data, layout.encoding, final=final)
    found = csv_records.read_slice(
        text,
        layout.separator,
        line=layout.first_line,
        final=final,
        records_max=IMPORT_DATES_LINES_MAX,
    )
    return [
        DateCell(record.line, record.cells[place])
        for record in found.records
        for place in places
        if place < len(record.cells) and record.cells[place]
    ]


def next_lines(conn: sa.Connection, import_: Import, layout: Layout, lines_max: int) -> NextLines:
    """At most *lines_max* of the lines that come next; fewer, where they are long.

    A line that is longer than `IMPORT_LINE_BYTES_MAX` is refused, and its rest is passed over.
    """
    for size in (IMPORT_CHUNK_BYTES, IMPORT_LINE_BYTES_MAX):
        data = uploads.read(conn, import_.id, import_.at_byte, size)
        final = import_.at_byte + len(data) >= import_.bytes
        text = encodings.decode(data, layout.encoding, final=final)
        if import_.in_long_line:
            return _behind_long_line(import_, layout, text, final=final)
        is_longest = size == IMPORT_LINE_BYTES_MAX
        found = _slice(import_, layout, text, 1 if is_longest else lines_max, final=final, longest=is_longest)
        if found.chars or final:
            at_end = final and found.chars == len(text)
            return NextLines(
                found.records,
                import_.bytes if at_end else _behind(import_, layout, text[: found.chars]),
                import_.at_line + found.lines,
                in_long_line=False,
                is_end=at_end,
            )
    fault = f"a line has more than {IMPORT_LINE_BYTES_MAX:,} bytes"
    refused = TextRecord(import_.at_line, [], "", fault)
    return NextLines(
        [refused], _behind(import_, layout, text), import_.at_line, in_long_line=True, is_end=False
    )


def _slice(
    import_: Import, layout: Layout, text: str, records_max: int, *, final: bool, longest: bool
) -> Slice:
    if import_.format == "ndjson":
        return json_records.read_slice(text, line=import_.at_line, final=final, records_max=records_max)
    return csv_records.read_slice(
        text,
        layout.separator,
        line=import_.at_line,
        final=final,
        records_max=records_max,
        whole_records=longest,
    )


def _behind_long_line(import_: Import, layout: Layout, text: str, *, final: bool) -> NextLines:
    """Pass over what is left of a line, as far as it was read."""
    end = text.find("\n") + 1
    if not end:
        at_byte = import_.bytes if final else _behind(import_, layout, text)
        return NextLines([], at_byte, import_.at_line, in_long_line=not final, is_end=final)
    at_byte = _behind(import_, layout, text[:end])
    return NextLines([], at_byte, import_.at_line + 1, in_long_line=False, is_end=at_byte >= import_.bytes)


def _behind(import_: Import, layout: Layout, text: str) -> int:
    return import_.at_byte + encodings.encoded_bytes(text, layout.encoding)
