"""How a file is written, found out from its first bytes: its encoding, its separator and its headings."""

from typing import Final

from svc.domain.errors import InvalidValue
from svc.domain.imports import encodings
from svc.domain.imports.columns import headings_of
from svc.domain.imports.csv_records import SEPARATORS, read_slice, sniff
from svc.domain.imports.encodings import Encoding
from svc.domain.imports.exported import FileFormat
from svc.domain.imports.imports import Layout
from svc.domain.imports.limits import IMPORT_COLUMNS_MAX, IMPORT_LINE_BYTES_MAX, IMPORT_SAMPLE_LINES

HEAD_BYTES: Final = IMPORT_LINE_BYTES_MAX
_SNIFFED_CHARS: Final = 64 * 1024
_SAMPLE_CHARS_MAX: Final = 200
_OTHER_FILES: Final = {
    b"PK\x03\x04": "a spreadsheet or an archive",
    b"\xd0\xcf\x11\xe0": "a spreadsheet",
    b"\x1f\x8b": "a compressed file",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
}
"""Files that are taken for CSV, by their first bytes."""
_NAMED_SEPARATOR: Final = "sep="
"""A first line that some spreadsheets write, with the separator behind it."""


def layout_of(
    head: bytes,
    file_format: FileFormat,
    *,
    whole: bool,
    encoding: Encoding | None = None,
    separator: str | None = None,
) -> Layout:
    """The layout of a file that begins with *head*, which may be the *whole* of it.

    An *encoding* or a *separator* that is given is not looked for. Raises `InvalidValue` for what is no file
    of that format.
    """
    if not head.strip():
        raise InvalidValue("the file is empty")
    for mark, what in _OTHER_FILES.items():
        if head.startswith(mark):
            raise InvalidValue(f"this is {what} and no text: save it as CSV first")
    if file_format == "ndjson":
        found = encodings.detect(head, whole=whole, asked="utf-8")
        return Layout(encoding="utf-8", begins_at=found.mark_bytes)
    found = encodings.detect(head, whole=whole, asked=encoding)
    text = encodings.decode(head[found.mark_bytes :], found.encoding, final=whole)
    skipped = 0
    if text.lower().startswith(_NAMED_SEPARATOR) and text[len(_NAMED_SEPARATOR)] in SEPARATORS:
        separator = separator or text[len(_NAMED_SEPARATOR)]
        skipped = text.find("\n") + 1
    sniffed = text[skipped : skipped + _SNIFFED_CHARS]
    separator = separator or sniff(sniffed, final=whole and len(text) - skipped <= _SNIFFED_CHARS)
    first = read_slice(text[skipped:], separator, line=1, final=whole, records_max=1, whole_records=True)
    if not first.records:
        raise InvalidValue("the file has no line of headings within its first bytes")
    heading = first.records[0]
    if heading.fault is not None:
        raise InvalidValue(f"the headings cannot be read: {heading.fault}")
    if len(heading.cells) > IMPORT_COLUMNS_MAX:
        columns = len(heading.cells)
        raise InvalidValue(f"the file has {columns:,} columns, and at most {IMPORT_COLUMNS_MAX} are read")
    begins = skipped + first.chars
    sample = read_slice(
        text[begins:], separator, line=1, final=whole, records_max=IMPORT_SAMPLE_LINES
    ).records
    return Layout(
        encoding=found.encoding,
        separator=separator,
        begins_at=found.mark_bytes + encodings.encoded_bytes(text[:begins], found.encoding),
        first_line=1 + first.lines + (1 if skipped else 0),
        headings=tuple(_storable(one) for one in headings_of(heading.cells)),
        sample=tuple(tuple(_storable(cell) for cell in record.cells) for record in sample),
    )


def _storable(text: str) -> str:
    return text[:_SAMPLE_CHARS_MAX].replace("\0", "").encode(errors="replace").decode()
