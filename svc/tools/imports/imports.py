"""`import.*`: files of records, uploaded in parts and read line by line."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound
from svc.domain.identity.callers import Call
from svc.domain.imports.cells import Decimal
from svc.domain.imports.encodings import Encoding
from svc.domain.imports.exported import FileFormat
from svc.domain.imports.imports import EmptyCells, ImportState, OnError, ReadingSettings
from svc.domain.limits import (
    IMPORT_BYTES_MAX,
    IMPORT_FINGERPRINT_CHARS_MAX,
    IMPORT_NAME_CHARS_MAX,
    IMPORT_PART_BYTES,
)
from svc.domain.times import rfc3339
from svc.storage.imports import jobs
from svc.storage.imports import rows as import_rows
from svc.storage.imports.jobs import NewImport, Start
from svc.storage.imports.rows import Import
from svc.storage.imports.uploads import parts_of
from svc.storage.records import objects
from svc.storage.store import Tx, View
from svc.tools.records.answers import ObjectType
from svc.tools.tool import Timestamp, ToolInput, ToolOutput, about, reads, writes

API_PATH: Final = "/api/v1/imports/"
APP_PATH: Final = "/app/api/imports/"

ImportId = Annotated[str, about(description="An import's id.", examples=["imp_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
_Name = Annotated[
    str,
    about(
        description="What people call it, such as the name of the file.",
        max_length=IMPORT_NAME_CHARS_MAX,
        examples=["contacts.csv"],
    ),
]
_Format = Annotated[
    FileFormat,
    about(description="`csv` with a line of headings, or `ndjson`: a line of JSON for each record."),
]
_Bytes = Annotated[int, about(description="The size of the file.", ge=1, le=IMPORT_BYTES_MAX)]
_Columns = Annotated[
    dict[str, str],
    about(
        description="What the columns are for: by heading, the slug of a property, the currency of an "
        "amount, `id` or `ifVersion`. Columns that are not named are left out.",
        examples=[{"E-mail": "email", "Full name": "name"}],
    ),
]
_By = Annotated[
    str,
    about(
        description="What records are looked up by: a unique property, a contact's `email` or `phone`, `id`, "
        "or `match`, as forms find contacts: values that differ are suggested. Without it, each line is a "
        "new record.",
        examples=["email"],
    ),
]
_Fingerprint = Annotated[
    str,
    about(
        description="What tells the file from others, such as its SHA-256: an import of the same that is "
        "open is answered again, to go on with its upload.",
        max_length=IMPORT_FINGERPRINT_CHARS_MAX,
    ),
]
_Encoding = Annotated[Encoding, about(description="How the text of the file is encoded.")]
_Separator = Annotated[
    Literal[",", ";", "\t", "|"], about(description="What stands between two cells of a line.")
]
_Decimal = Annotated[Decimal, about(description="What stands before the decimals of a number.")]
_EmptyCells = Annotated[
    EmptyCells, about(description="Whether an empty cell keeps the value that a record has, or clears it.")
]
_OnError = Annotated[
    OnError, about(description="Whether a refused line is skipped, or ends the import. Lines before it stay.")
]
_DryRun = Annotated[
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


class ImportAnswer(ToolOutput, frozen=True, kw_only=True):
    """An import."""

    id: ImportId
    object_type: ObjectType
    name: _Name
    format: _Format
    state: Annotated[
        ImportState,
        about(
            description="`uploading` until all parts are there, `uploaded` until it is started, `running`, "
            "then `done`; `checked` after a dry run; `failed` or `cancelled`."
        ),
    ]
    bytes: _Bytes
    read_bytes: Annotated[int, about(description="How much of the file was read.")]
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
    columns: Annotated[_Columns, about(description="What the columns are for, or probably are.")]
    encoding: _Encoding | None
    separator: str | None
    decimal: _Decimal | None
    by: _By | None
    dry_run: bool
    counts: CountsAnswer
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
    failure: Annotated[str | None, about(description="Why it failed.")]
    created_at: Timestamp
    updated_at: Timestamp
    ended_at: Timestamp | None


_OPENED: Final = ImportAnswer(
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


def _answer(import_: Import, call: Call, columns: Mapping[str, str]) -> ImportAnswer:
    settings, layout, counts = import_.settings, import_.layout, import_.counts
    at = f"{APP_PATH if call.door == 'app' else API_PATH}{import_.id}/"
    is_over = import_.state not in {"uploading", "uploaded"}
    return ImportAnswer(
        id=import_.id,
        object_type=import_.object_type,
        name=import_.name,
        format=import_.format,
        state=import_.state,
        bytes=import_.bytes,
        read_bytes=import_.at_byte,
        next_part=import_.next_part if import_.next_part < parts_of(import_.bytes) else None,
        upload_path=f"{at}parts/",
        headings=() if layout is None else layout.headings,
        sample=() if layout is None else layout.sample,
        columns=dict(columns),
        encoding=None if layout is None else layout.encoding,
        separator=None if layout is None or import_.format == "ndjson" else layout.separator,
        decimal=None if settings is None else settings.decimal,
        by=None if settings is None else settings.by,
        dry_run=settings is not None and settings.dry_run,
        counts=CountsAnswer(
            created=counts.created,
            updated=counts.updated,
            unchanged=counts.unchanged,
            suggested=counts.suggested,
            refused=counts.refused,
        ),
        refusals=tuple(RefusalAnswer(line=one.line, reasons=one.reasons) for one in import_.refusals),
        refused_path=f"{at}refused" if counts.refused and is_over else None,
        report_path=f"{at}report" if settings is not None and settings.dry_run else None,
        failure=import_.failure,
        created_at=rfc3339(import_.created_at),
        updated_at=rfc3339(import_.updated_at),
        ended_at=None if import_.ended_at is None else rfc3339(import_.ended_at),
    )


class StartImport(ToolInput, frozen=True, kw_only=True):
    """An import to be opened, or with `id` to be read."""

    id: ImportId | None = None
    object_type: ObjectType | None = None
    format: _Format | None = None
    name: _Name | None = None
    bytes: _Bytes | None = None
    fingerprint: _Fingerprint | None = None
    columns: _Columns | None = None
    by: _By | None = None
    encoding: _Encoding | None = None
    separator: _Separator | None = None
    decimal: _Decimal | None = None
    empty_cells: _EmptyCells | None = None
    on_error: _OnError | None = None
    dry_run: _DryRun | None = None


_OF_OPENING: Final = ("object_type", "format", "name", "bytes", "fingerprint")
_OF_READING: Final = (
    "columns",
    "by",
    "encoding",
    "separator",
    "decimal",
    "empty_cells",
    "on_error",
    "dry_run",
)


@writes(
    "import.start",
    needs="records.write",
    raises=(NotFound, Conflict),
    example=StartImport(
        object_type="contact",
        format="csv",
        name="contacts.csv",
        bytes=5_120,
        fingerprint="sha-256 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    ),
    answer=_OPENED,
)
def start(tx: Tx, call: Call, request: StartImport) -> ImportAnswer:
    """Open an import of a file of records, or, with `id`, have it read once its upload is complete.

    Open it with `objectType` and `bytes`, send the parts of the file to `uploadPath`, and look with
    `import.get` at the headings and at what their columns are probably for. Then start it with its `id`:
    first with `dryRun`, to find out what would become of each line, and then without. Its lines are no calls
    of the budget. An organization has one import at a time.
    """
    if request.id is None:
        _check_absent(request, _OF_READING, "is for a start with `id`, once the upload is complete")
        return _answer(_open(tx, call, request), call, {})
    _check_absent(request, _OF_OPENING, "is for a start without `id`, which opens an import")
    started = jobs.start(
        tx,
        call,
        request.id,
        Start(
            columns=request.columns,
            by=request.by,
            encoding=request.encoding,
            separator=request.separator,
            decimal=request.decimal,
            settings=ReadingSettings(
                empty_cells=request.empty_cells or "keep",
                on_error=request.on_error or "skip",
                dry_run=bool(request.dry_run),
            ),
        ),
    )
    return _answer(started, call, started.settings.columns if started.settings else {})


def _open(tx: Tx, call: Call, request: StartImport) -> Import:
    missing = [
        Fault(pointer, "missing", "is required to open an import")
        for pointer, value in (("/objectType", request.object_type), ("/bytes", request.bytes))
        if value is None
    ]
    if missing or request.object_type is None or request.bytes is None:
        raise InvalidInput(missing)
    new = NewImport(
        object_type=request.object_type,
        format=request.format or "csv",
        name=(request.name or "").strip() or f"{request.object_type}.{request.format or 'csv'}",
        bytes=request.bytes,
        fingerprint=request.fingerprint,
    )
    return jobs.open_upload(tx, call.caller.organization_id, new)


def _check_absent(request: StartImport, names: tuple[str, ...], detail: str) -> None:
    encoded = dict(zip(StartImport.__struct_fields__, StartImport.__struct_encode_fields__, strict=True))
    faults = [
        Fault(f"/{encoded[name]}", "invalid_value", detail)
        for name in names
        if getattr(request, name) is not None
    ]
    if faults:
        raise InvalidInput(faults)


class GetImport(ToolInput, frozen=True, kw_only=True):
    """Which import to show."""

    id: Annotated[ImportId | None, about(description="By default the newest.")] = None


@reads(
    "import.get", needs="records.write", raises=(NotFound,), example=GetImport(id=_OPENED.id), answer=_OPENED
)
def get(view: View, call: Call, request: GetImport) -> ImportAnswer:
    """Show an import: how far it is, what became of its lines, and the first ones that were refused.

    Once its upload is complete, `columns` has what its columns are probably for.
    """
    organization_id = call.caller.organization_id
    if request.id is None:
        import_ = import_rows.latest(view.conn, organization_id)
    else:
        import_ = import_rows.find(view.conn, organization_id, request.id)
    if import_.settings is not None:
        return _answer(import_, call, import_.settings.columns)
    object_ = objects.get(view.conn, organization_id, import_.object_type)
    return _answer(import_, call, jobs.proposed_columns(import_, object_))


class CancelImport(ToolInput, frozen=True, kw_only=True):
    """Which import to cancel."""

    id: ImportId


@writes(
    "import.cancel",
    needs="records.write",
    raises=(NotFound, Conflict),
    example=CancelImport(id=_OPENED.id),
    answer=_OPENED,
)
def cancel(tx: Tx, call: Call, request: CancelImport) -> ImportAnswer:
    """Cancel an import. What it has written stays; one that was cancelled before is answered again."""
    cancelled = jobs.cancel(tx, call.caller.organization_id, request.id)
    return _answer(cancelled, call, {} if cancelled.settings is None else cancelled.settings.columns)
