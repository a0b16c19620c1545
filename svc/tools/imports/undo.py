"""`import.undo`: what an import has written is taken back."""

from typing import Annotated

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.storage.imports.undo import starting
from svc.storage.store import Tx
from svc.tools.imports.answers import EXAMPLE
from svc.tools.imports.fields import ImportId
from svc.tools.imports.outcomes import ImportCause, LeftAnswer, UndoAnswer, UndoCountsAnswer, Undone, undo_of
from svc.tools.tool import ToolInput, about, writes


class UndoImport(ToolInput, frozen=True, kw_only=True):
    """Which import to take back."""

    id: ImportId
    dry_run: Annotated[
        bool | None, about(description="Only find out what would be taken back, and what would stay.")
    ] = None


@writes(
    "import.undo",
    needs="records.write",
    raises=(NotFound, Conflict),
    example=UndoImport(id=EXAMPLE.id),
    answer=UndoAnswer(
        cause=ImportCause(id=EXAMPLE.id),
        dry_run=False,
        state="done",
        counts=UndoCountsAnswer(deleted=1, left=1),
        undone=(Undone(object_id="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RB", object_type="contact", kind="deleted"),),
        conflicts=(),
        left=(
            LeftAnswer(
                object_id="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RC",
                object_type="contact",
                name="Ada Lovelace",
                why="it was changed since",
            ),
        ),
        failure=None,
        started_at="2026-09-18T10:00:00.000Z",
        ended_at="2026-09-18T10:00:00.000Z",
    ),
)
def undo(tx: Tx, call: Call, request: UndoImport) -> UndoAnswer:
    """Take back what an import has written, for as long as the import is kept.

    A record that it made is deleted, and one that it changed has the values of before again. What something
    else has changed since stays, and so does a record with notes, or that another one refers to: `left` says
    which and why. A small one is done when it is answered; a large one goes on by itself. Keys and agents
    take back only what they have imported. A record that was deleted can be restored.
    """
    started = starting.start(tx, call, request.id, dry_run=bool(request.dry_run))
    return undo_of(request.id, started, call.caller)
