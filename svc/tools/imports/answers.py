"""What `import.*` answer: an import, with what was found in its file and what became of its lines."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from svc.domain.identity.callers import Call
from svc.domain.imports.cells import Decimal
from svc.domain.imports.encodings import Encoding
from svc.domain.imports.exported import FileFormat
from svc.domain.imports.imports import EmptyCells, ImportState, OnError
from svc.domain.limits import (
    IMPORT_BYTES_MAX,
    IMPORT_FINGERPRINT_CHARS_MAX,
    IMPORT_NAME_CHARS_MAX,
    IMPORT_PART_BYTES,
)
from svc.domain.times import rfc3339
from svc.storage.imports.rows import Import
from svc.storage.imports.uploads import parts_of
from svc.tools.records.answers import ObjectType
from svc.tools.tool import Timestamp, ToolOutput, about

API_PATH: Final = "/api/v1/imports/"
APP_PATH: Final = "/app/api/imports/"

ImportId = Annotated[str, about(description="An import's id.", examples=["imp_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
ImportName = Annotated[
    str,
    about(
        description="What people call it, such as the name of the file.",
        max_length=IMPORT_NAME_CHARS_MAX,
        examples=["contacts.csv"],
    ),
]
ImportFormat = Annotated[
    FileFormat,
    about(description="`csv` with a line of headings, or `ndjson`: a line of JSON for each record."),
]
ImportBytes = Annotated[int, about(description="The size of the file.", ge=1, le=IMPORT_BYTES_MAX)]
ImportColumns = Annotated[
    dict[str, str],
    about(
        description="What the columns are for: by heading, the slug of a property, the currency of an "
        "amount, `id` or `ifVersion`. Columns that are not named are left out.",
        examples=[{"E-mail": "email", "Full name": "name"}],
    ),
]
LookedUpBy = Annotated[
    str,
    about(
        description="What records are looked up by: a unique property, a contact's `email` or `phone`, `id`, "
        "or `match`, as forms find contacts: values that differ are suggested. Without it, each line is a "
        "new record.",
        examples=["email"],
    ),
]
Fingerprint = Annotated[
    str,
    about(
        description="What tells the file from others, such as its SHA-256: an import of the same that is "
        "open is answered again, to go on with its upload.",
        max_length=IMPORT_FINGERPRINT_CHARS_MAX,
    ),
]
FileEncoding = Annotated[Encoding, about(description="How the text of the file is encoded.")]
CellSeparator = Annotated[
    Literal[",", ";", "\t", "|"], about(description="What stands between two cells of a line.")
]
DecimalMark = Annotated[Decimal, about(description="What stands before the decimals of a number.")]
WithEmptyCells = Annotated[
    EmptyCells, about(description="Whether an empty cell keeps the value that a record has, or clears it.")
]
WithRefused = Annotated[
    OnError, about(description="Whether a refused line is skipped, or ends the import. Lines before it stay.")
]
DryRun = Annotated[
    bool, about(description="Only find out what would become of each line; then it may be started again.")
]


class CountsAnswer(ToolOutput, frozen=True, kw_only=True):
    """What became of the lines so far, or would become of them."""

    created: Annotated[int, about(description="New records.")] = 0
    updated: Annotated[int, about(description="Records that were changed.")] = 0
    unchanged: Annotated[int, about(description="Records that had all that already.")] = 0
    suggested: Annotated[int, about(description="Contacts for which other values were suggested.")] = 0
    refused: Annotated[int, about(description="Lines that were left out.")] = 0


class RefusalAnswer(ToolOutput, frozen=True, kw_only=True):
    """A line that was refused."""

    line: Annotated[int, about(description="Its number in the file, from 1 on.")]
    reasons: Annotated[tuple[str, ...], about(description="Everything that is wrong with it.")]


class ImportLine(ToolOutput, frozen=True, kw_only=True):
    """An import as a list has it."""

    id: ImportId
    object_type: ObjectType
    name: ImportName
    format: ImportFormat
    state: Annotated[
        ImportState,
        about(
            description="`uploading` until all parts are there, `uploaded` until it is started, `running`, "
            "then `done`; `checked` after a dry run; `failed` or `cancelled`."
        ),
    ]
    bytes: ImportBytes
    read_bytes: Annotated[int, about(description="How much of the file was read.")]
    dry_run: bool
    counts: CountsAnswer
    failure: Annotated[str | None, about(description="Why it failed.")]
    created_at: Timestamp
    updated_at: Timestamp
    ended_at: Timestamp | None


class ImportAnswer(ImportLine, frozen=True, kw_only=True):
    """An import, with what was found in its file."""

    part_bytes: Annotated[int, about(description="How large each part but the last is.")] = IMPORT_PART_BYTES
    next_part: Annotated[
        int | None, about(description="The number of the part that comes next, from 0 on; null at the end.")
    ]
    upload_path: Annotated[
        str, about(description="Where parts are sent: `POST` the bytes of part 0 to this path and `0`.")
    ]
    headings: Annotated[tuple[str, ...], about(description="The headings of the columns.")]
    sample: Annotated[
        tuple[tuple[str, ...], ...],
        about(description="The cells of the first lines; long ones are cut."),
    ]
    columns: Annotated[ImportColumns, about(description="What the columns are for, or probably are.")]
    encoding: FileEncoding | None
    separator: str | None
    decimal: DecimalMark | None
    by: LookedUpBy | None
    refusals: Annotated[
        tuple[RefusalAnswer, ...], about(description="The first lines that were refused, and why.")
    ]
    refused_path: Annotated[
        str | None,
        about(description="Where all refused lines are: a file that can be mended and imported again."),
    ]
    report_path: Annotated[
        str | None, about(description="Where a dry run tells what would become of each line.")
    ]


EXAMPLE: Final = ImportAnswer(
    id="imp_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    object_type="contact",
    name="contacts.csv",
    format="csv",
    state="uploading",
    bytes=5_120,
    read_bytes=0,
    next_part=0,
    upload_path=f"{API_PATH}imp_01K5D3V7Q2M8Z4X6C9B1N0T5RA/parts/",
    headings=(),
    sample=(),
    columns={},
    encoding=None,
    separator=None,
    decimal=None,
    by=None,
    dry_run=False,
    counts=CountsAnswer(),
    refusals=(),
    refused_path=None,
    report_path=None,
    failure=None,
    created_at="2026-09-18T09:30:00.000Z",
    updated_at="2026-09-18T09:30:00.000Z",
    ended_at=None,
)


EXAMPLE_LINE: Final = ImportLine(**{name: getattr(EXAMPLE, name) for name in ImportLine.__struct_fields__})


def line_of(import_: Import) -> ImportLine:
    return ImportLine(**_line(import_))


def _line(import_: Import) -> dict[str, Any]:
    counts = import_.counts
    return {
        "id": import_.id,
        "object_type": import_.object_type,
        "name": import_.name,
        "format": import_.format,
        "state": import_.state,
        "bytes": import_.bytes,
        "read_bytes": import_.at_byte,
        "dry_run": import_.settings is not None and import_.settings.dry_run,
        "counts": CountsAnswer(
            created=counts.created,
            updated=counts.updated,
            unchanged=counts.unchanged,
            suggested=counts.suggested,
            refused=counts.refused,
        ),
        "failure": import_.failure,
        "created_at": rfc3339(import_.created_at),
        "updated_at": rfc3339(import_.updated_at),
        "ended_at": None if import_.ended_at is None else rfc3339(import_.ended_at),
    }


def answer_of(import_: Import, call: Call, columns: Mapping[str, str]) -> ImportAnswer:
    settings, layout = import_.settings, import_.layout
    at = f"{APP_PATH if call.door == 'app' else API_PATH}{import_.id}/"
    is_over = import_.state not in {"uploading", "uploaded"}
    return ImportAnswer(
        **_line(import_),
        next_part=import_.next_part if import_.next_part < parts_of(import_.bytes) else None,
        upload_path=f"{at}parts/",
        headings=() if layout is None else layout.headings,
        sample=() if layout is None else layout.sample,
        columns=dict(columns),
        encoding=None if layout is None else layout.encoding,
        separator=None if layout is None or import_.format == "ndjson" else layout.separator,
        decimal=None if settings is None else settings.decimal,
        by=None if settings is None else settings.by,
        refusals=tuple(RefusalAnswer(line=one.line, reasons=one.reasons) for one in import_.refusals),
        refused_path=f"{at}refused" if import_.counts.refused and is_over else None,
        report_path=f"{at}report" if settings is not None and settings.dry_run else None,
    )
