"""What `import.*` answer: an import, with what was found in its file and what became of its lines."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Annotated, Final

import msgspec

from svc.domain.identity.callers import Call, CallerKind
from svc.domain.imports.imports import ImportState
from svc.domain.imports.limits import (
    IMPORT_PART_BYTES,
)
from svc.domain.imports.undo import UndoState
from svc.domain.locale.times import Timestamp
from svc.domain.records.answers import ObjectType
from svc.storage.imports.rows import Import
from svc.storage.imports.undo import written as written_records
from svc.storage.imports.uploads import parts_of
from svc.storage.store import View
from svc.tools.imports.fields import (
    DecimalMark,
    FileEncoding,
    ImportBytes,
    ImportColumns,
    ImportFormat,
    ImportId,
    ImportName,
    LookedUpBy,
    OrderOfDates,
)
from svc.tools.imports.outcomes import FaultAnswer, UndoAnswer, faults_of, undo_of
from svc.tools.projections import Projection
from svc.tools.tool import ToolOutput, about

API_PATH: Final = "/api/v1/imports/"
APP_PATH: Final = "/app/api/imports/"


class CountsAnswer(ToolOutput, frozen=True, kw_only=True):
    """What became of the lines so far, or would become of them."""

    created: Annotated[int, about(description="New records.")] = 0
    updated: Annotated[int, about(description="Records that were changed.")] = 0
    unchanged: Annotated[int, about(description="Records that had all that already.")] = 0
    suggested: Annotated[int, about(description="Contacts for which other values were suggested.")] = 0
    refused: Annotated[int, about(description="Lines that were left out.")] = 0
    made: Annotated[
        int, about(description="Records that relations name and that were not there: see `makeMissing`.")
    ] = 0
    left_out: Annotated[int, about(description="Cells that did not fit: see `onBadCell`.")] = 0


class StartedBy(ToolOutput, frozen=True, kw_only=True):
    """Who started an import, or an undo."""

    kind: CallerKind
    id: Annotated[str, about(description="The person, key, workflow or agent.")]
    person_id: Annotated[str | None, about(description="The person in whose name that acts.")]


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
    started_by: Annotated[StartedBy | None, about(description="Who had it read; null until it is started.")]
    undo_state: Annotated[
        UndoState | None,
        about(description="Whether `import.undo` takes it back, or has: null if not, and after a dry run."),
    ]
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
    faults: Annotated[
        tuple[FaultAnswer, ...],
        about(description="Why lines were refused and cells left out, by reason: the largest first."),
    ]
    dates: OrderOfDates | None
    can_undo: Annotated[
        bool, about(description="Whether it has ended, and something that it wrote was not taken back.")
    ]
    undo: Annotated[UndoAnswer | None, about(description="How far an undo is, or a dry run of one.")]
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
    faults=(),
    dates=None,
    can_undo=False,
    undo=None,
    refused_path=None,
    report_path=None,
    failure=None,
    started_by=None,
    undo_state=None,
    created_at="2026-09-18T09:30:00.000Z",
    updated_at="2026-09-18T09:30:00.000Z",
    ended_at=None,
)


EXAMPLE_LINE: Final = ImportLine(**{name: getattr(EXAMPLE, name) for name in ImportLine.__struct_fields__})


def _dry_run(import_: Import) -> bool:
    return import_.settings is not None and import_.settings.dry_run


def _started_by(import_: Import) -> StartedBy | None:
    starter = import_.starter
    return (
        None if starter is None else StartedBy(kind=starter.kind, id=starter.id, person_id=starter.person_id)
    )


def _undo_state(import_: Import) -> UndoState | None:
    return None if import_.undo is None or import_.undo.dry_run else import_.undo_state


line_of: Final = Projection(
    Import,
    ImportLine,
    read_bytes=attrgetter("at_byte"),
    dry_run=_dry_run,
    started_by=_started_by,
    undo_state=_undo_state,
)


def answer_of(view: View, import_: Import, call: Call, columns: Mapping[str, str]) -> ImportAnswer:
    settings, layout = import_.settings, import_.layout
    at = f"{APP_PATH if call.door == 'app' else API_PATH}{import_.id}/"
    is_over = import_.state not in {"uploading", "uploaded"}
    return ImportAnswer(
        **msgspec.structs.asdict(line_of(import_)),
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
        faults=faults_of(import_, call.caller),
        dates=None if settings is None else settings.dates,
        can_undo=not import_.is_open and written_records.is_any(view.conn, import_.id),
        undo=None if import_.undo is None else undo_of(import_.id, import_.undo, call.caller),
        refused_path=f"{at}refused" if import_.counts.refused and is_over else None,
        report_path=f"{at}report" if _dry_run(import_) else None,
    )
