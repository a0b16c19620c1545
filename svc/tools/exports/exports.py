"""`export.*`: lists as files, made by a job."""

from typing import Annotated, Final

from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound
from svc.domain.exports import list_filters
from svc.domain.exports.exports import ExportQuery, ExportSource, ExportState, may_fetch
from svc.domain.exports.limits import EXPORT_LIFE_MS
from svc.domain.identity.callers import Call
from svc.domain.imports.exported import FileFormat
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import Timestamp, rfc3339
from svc.domain.records.limits import FILTERS_MAX, PROPERTIES_MAX, SORTS_MAX
from svc.domain.records.queries import Filter, Sort
from svc.storage.exports import jobs
from svc.storage.exports import rows as export_rows
from svc.storage.exports.jobs import NewExport
from svc.storage.exports.rows import Export
from svc.storage.store import Tx, View
from svc.tools.records.lists import Search
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes

API_PATH: Final = "/api/v1/exports/"
APP_PATH: Final = "/app/api/exports/"

ExportId = Annotated[str, about(description="An export's id.", examples=["exp_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
_What = Annotated[
    ExportSource,
    about(
        description="What is exported, with the permission of its list: `records` of an object, "
        "`submissions` of all forms without those that were thrown away, the `audit` trail, or the log of "
        "`requests`."
    ),
]
_Format = Annotated[
    FileFormat,
    about(description="`csv` with a line of headings, or `ndjson`: a line of JSON for each row."),
]
_ObjectType = Annotated[str | None, about(description="Of records: the object's slug.")]


class StartExport(ToolInput, frozen=True, kw_only=True):
    """What to export."""

    object_type: _ObjectType = None
    filters: Annotated[
        tuple[Filter, ...],
        about(
            description="All of them hold. Of records as for `record.list`. Else a member of the list takes"
            " the place of a property: of submissions `formId`, `state`, `receivedAt`; of the trail"
            " `personId`, `callerId`, `action`, `target`, `outcome`, `at`; of requests `keyId`, `personId`,"
            " `tool`, `status`, `at`. Times are compared by `gte` and `lt`, all else by `eq`.",
            max_length=FILTERS_MAX,
        ),
    ] = ()
    search: Annotated[Search, about(description="Of records, as for `record.list`.")] | None = None
    sort: Annotated[
        tuple[Sort, ...],
        about(description="Of records. Without any, the newest come first.", max_length=SORTS_MAX),
    ] = ()
    fields: (
        Annotated[
            tuple[str, ...],
            about(
                description="Of records: slugs of the properties to write, in this order; all without it.",
                max_length=PROPERTIES_MAX,
                examples=[["name", "email"]],
            ),
        ]
        | None
    ) = None
    format: _Format = "csv"
    bom: Annotated[
        bool, about(description="Begin CSV with a byte order mark, which some spreadsheets need.")
    ] = False
    what: _What = "records"


class ExportAnswer(ToolOutput, frozen=True, kw_only=True):
    """An export."""

    id: ExportId
    what: _What
    object_type: _ObjectType
    format: _Format
    state: Annotated[
        ExportState,
        about(description="`waiting`, then `running`, then `done`; or `failed` or `cancelled`."),
    ]
    rows: Annotated[int, about(description="How many rows were written so far, without the headings.")]
    bytes: Annotated[int, about(description="The size of the file so far.")]
    download_path: Annotated[
        str | None,
        about(description="Where the file is: `GET` it as you call tools. Null until the export is `done`."),
    ]
    failure: Annotated[str | None, about(description="Why it failed.")]
    started_by: Annotated[
        str,
        about(description="The id of who started it: a person's, a key's; `operator` for the command line."),
    ]
    created_at: Timestamp
    updated_at: Timestamp
    ended_at: Timestamp | None
    expires_at: Annotated[
        Timestamp | None,
        about(description="When it is removed with its file, a day after its end; null until then."),
    ]


def answer_of(export: Export, call: Call) -> ExportAnswer:
    at = APP_PATH if call.door == "app" else API_PATH
    ended_at = export.ended_at
    return ExportAnswer(
        id=export.id,
        what=export.source,
        object_type=export.object_type,
        format=export.format,
        state=export.state,
        rows=export.rows,
        bytes=export.bytes,
        download_path=f"{at}{export.id}/file" if export.state == "done" else None,
        failure=export.failure,
        started_by=export.starter.id,
        created_at=rfc3339(export.created_at),
        updated_at=rfc3339(export.updated_at),
        ended_at=None if ended_at is None else rfc3339(ended_at),
        expires_at=None if ended_at is None else rfc3339(ended_at + EXPORT_LIFE_MS),
    )


EXAMPLE: Final = ExportAnswer(
    id="exp_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    what="records",
    object_type="contact",
    format="csv",
    state="waiting",
    rows=0,
    bytes=0,
    download_path=None,
    failure=None,
    started_by="key_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    created_at="2026-09-18T09:30:00.000Z",
    updated_at="2026-09-18T09:30:00.000Z",
    ended_at=None,
    expires_at=None,
)


@writes(
    "export.start",
    needs=None,
    raises=(NotFound, Conflict),
    example=StartExport(
        object_type="contact", filters=(Filter("city", "eq", "London"),), fields=("name", "email")
    ),
    answer=EXAMPLE,
)
def start(tx: Tx, call: Call, request: StartExport) -> ExportAnswer:
    """Have records, submissions, the audit trail or the log of requests written to a file, by a job.

    It needs the permission of the list that is exported. Look with `export.get` until it is `done`; the file
    is at `downloadPath` then, for a day. It has what there was when the job began to read: what is written
    meanwhile is not in it. Texts that a spreadsheet would run are written behind an apostrophe.
    """
    _check(request)
    export = jobs.start(
        tx,
        call.caller,
        NewExport(
            source=request.what,
            object_type=request.object_type,
            format=request.format,
            query=ExportQuery(
                filters=request.filters,
                search=request.search,
                sort=request.sort,
                fields=request.fields,
                bom=request.bom,
            ),
        ),
    )
    return answer_of(export, call)


def _check(request: StartExport) -> None:
    """Raises `InvalidInput` where records have no object, or others something that is for records."""
    faults = []
    if request.what == "records":
        if request.object_type is None:
            faults.append(Fault("/objectType", "missing", "is required to export records"))
    else:
        faults = [
            Fault(pointer, "invalid_value", "is for records alone")
            for pointer, given in (
                ("/objectType", request.object_type is not None),
                ("/search", request.search is not None),
                ("/sort", bool(request.sort)),
                ("/fields", request.fields is not None),
            )
            if given
        ]
        try:
            list_filters.read(request.what, request.filters)
        except InvalidInput as error:
            faults += error.faults
    if request.bom and request.format != "csv":
        faults.append(Fault("/bom", "invalid_value", "is for CSV alone"))
    if faults:
        raise InvalidInput(faults)


class ExportById(ToolInput, frozen=True, kw_only=True):
    """Which export."""

    id: ExportId


@reads(
    "export.get",
    needs=None,
    raises=(NotFound,),
    example=ExportById(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def get(view: View, call: Call, request: ExportById) -> ExportAnswer:
    """Show an export that the caller has started; with `security`, anybody's."""
    return answer_of(_find(view, call, request.id), call)


class ListExports(ToolInput, frozen=True, kw_only=True):
    """Which exports to list."""

    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class ExportList(ToolOutput, frozen=True, kw_only=True):
    """A page of exports."""

    exports: Annotated[tuple[ExportAnswer, ...], about(description="The newest first.")]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "export.list",
    needs=None,
    example=ListExports(limit=1),
    answer=ExportList(exports=(EXAMPLE,), next_cursor=None),
)
def list_some(view: View, call: Call, request: ListExports) -> ExportList:
    """List the exports that the caller has started, the newest first; with `security`, everybody's.

    A page may have fewer than `limit`, or none, and still have a `nextCursor`.
    """
    page, next_cursor = export_rows.list_page(
        view.conn,
        call.caller.organization_id,
        lambda export: may_fetch(call.caller, export.starter),
        request.cursor,
        request.limit,
    )
    return ExportList(exports=tuple(answer_of(export, call) for export in page), next_cursor=next_cursor)


@writes(
    "export.cancel",
    needs=None,
    raises=(NotFound, Conflict),
    example=ExportById(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def cancel(tx: Tx, call: Call, request: ExportById) -> ExportAnswer:
    """Cancel an export that waits or runs. One that was cancelled before is answered again."""
    return answer_of(jobs.cancel(tx, _find(tx, call, request.id)), call)


def _find(view: View, call: Call, export_id: str) -> Export:
    """The export. Raises `NotFound`, also for one that the caller may not see."""
    export = export_rows.find(view.conn, call.caller.organization_id, export_id)
    if not may_fetch(call.caller, export.starter):
        raise NotFound("there is no such export")
    return export
