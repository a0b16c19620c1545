"""`import.*`: files of records, uploaded in parts and read line by line."""

from typing import Annotated, Final

from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound
from svc.domain.identity.callers import Call
from svc.domain.imports.imports import ReadingSettings
from svc.domain.limits import LIST_ROWS
from svc.domain.records.answers import ObjectType
from svc.storage.imports import jobs
from svc.storage.imports import rows as import_rows
from svc.storage.imports.jobs import NewImport, Start
from svc.storage.imports.rows import Import
from svc.storage.records import objects
from svc.storage.store import Tx, View
from svc.tools.imports.answers import (
    EXAMPLE,
    EXAMPLE_LINE,
    ImportAnswer,
    ImportLine,
    answer_of,
    line_of,
)
from svc.tools.imports.fields import (
    CellSeparator,
    DecimalMark,
    DryRun,
    FileEncoding,
    Fingerprint,
    ImportAgain,
    ImportBytes,
    ImportColumns,
    ImportFormat,
    ImportId,
    ImportName,
    LookedUpBy,
    MakeMissing,
    OnBadCells,
    OrderOfDates,
    WithEmptyCells,
    WithRefused,
)
from svc.tools.tool import (
    Cursor,
    Limit,
    NextCursor,
    ToolInput,
    ToolOutput,
    about,
    reads,
    writes,
)


class StartImport(ToolInput, frozen=True, kw_only=True):
    """An import to be opened, or with `id` to be read."""

    id: ImportId | None = None
    object_type: ObjectType | None = None
    format: ImportFormat | None = None
    name: ImportName | None = None
    bytes: ImportBytes | None = None
    fingerprint: Fingerprint | None = None
    again: ImportAgain | None = None
    columns: ImportColumns | None = None
    by: LookedUpBy | None = None
    encoding: FileEncoding | None = None
    separator: CellSeparator | None = None
    decimal: DecimalMark | None = None
    empty_cells: WithEmptyCells | None = None
    on_error: WithRefused | None = None
    on_bad_cell: OnBadCells | None = None
    dates: OrderOfDates | None = None
    make_missing: MakeMissing | None = None
    dry_run: DryRun | None = None


_OF_OPENING: Final = ("object_type", "format", "name", "bytes", "fingerprint", "again")
_OF_READING: Final = (
    "columns",
    "by",
    "encoding",
    "separator",
    "decimal",
    "empty_cells",
    "on_error",
    "on_bad_cell",
    "dates",
    "make_missing",
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
    answer=EXAMPLE,
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
        opened = _open(tx, call, request)
        return answer_of(tx, opened, call, opened.settings.columns if opened.settings else {})
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
            dates=request.dates,
            make_missing=request.make_missing or (),
            settings=ReadingSettings(
                empty_cells=request.empty_cells or "keep",
                on_error=request.on_error or "skip",
                on_bad_cell=request.on_bad_cell or "refuse",
                dry_run=bool(request.dry_run),
            ),
        ),
    )
    return answer_of(tx, started, call, started.settings.columns if started.settings else {})


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
        again=bool(request.again),
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


class ListImports(ToolInput, frozen=True, kw_only=True):
    """Which imports to list."""

    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class ImportList(ToolOutput, frozen=True, kw_only=True):
    """A page of imports."""

    imports: Annotated[list[ImportLine], about(description="The newest first.")]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "import.list",
    needs="records.write",
    example=ListImports(limit=1),
    answer=ImportList(imports=[EXAMPLE_LINE], next_cursor=None),
)
def list_some(view: View, call: Call, request: ListImports) -> ImportList:
    """List the imports of the organization, the newest first."""
    page, next_cursor = import_rows.list_page(
        view.conn, call.caller.organization_id, request.cursor, request.limit
    )
    return ImportList(imports=[line_of(import_) for import_ in page], next_cursor=next_cursor)


class GetImport(ToolInput, frozen=True, kw_only=True):
    """Which import to show."""

    id: Annotated[ImportId | None, about(description="By default the newest.")] = None
    encoding: FileEncoding | None = None
    separator: CellSeparator | None = None


@reads(
    "import.get",
    needs="records.write",
    raises=(NotFound,),
    example=GetImport(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def get(view: View, call: Call, request: GetImport) -> ImportAnswer:
    """Show an import: how far it is, what became of its lines, and why lines were refused, by reason.

    Once its upload is complete, `columns` has what its columns are probably for. While it waits to be
    started, an `encoding` or a `separator` shows the headings, first lines and columns that the file has if
    it is read with these; without them, as it was found to be written, or was started with last.
    """
    organization_id = call.caller.organization_id
    if request.id is None:
        import_ = import_rows.latest(view.conn, organization_id)
    else:
        import_ = import_rows.find(view.conn, organization_id, request.id)
    asks_other = request.encoding is not None or request.separator is not None
    if asks_other and import_.state in {"uploaded", "checked"}:
        import_.layout = jobs.layout_as(view.conn, import_, request.encoding, request.separator)
    elif import_.settings is not None:
        return answer_of(view, import_, call, import_.settings.columns)
    object_ = objects.get(view.conn, organization_id, import_.object_type)
    return answer_of(view, import_, call, jobs.proposed_columns(import_, object_))


class CancelImport(ToolInput, frozen=True, kw_only=True):
    """Which import to cancel."""

    id: ImportId


@writes(
    "import.cancel",
    needs="records.write",
    raises=(NotFound, Conflict),
    example=CancelImport(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def cancel(tx: Tx, call: Call, request: CancelImport) -> ImportAnswer:
    """Cancel an import. What it has written stays; one that was cancelled before is answered again."""
    cancelled = jobs.cancel(tx, call.caller.organization_id, request.id)
    return answer_of(tx, cancelled, call, {} if cancelled.settings is None else cancelled.settings.columns)
