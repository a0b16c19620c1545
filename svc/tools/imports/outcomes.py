"""What an import tells of what went wrong, and of what was taken back."""

from typing import Annotated, Any

from svc.domain.identity.callers import Caller
from svc.domain.imports.faults import FaultEffect, largest_first
from svc.domain.imports.limits import IMPORT_UNDO_SHOWN
from svc.domain.imports.undo import Undo, UndoneKind, UndoState
from svc.domain.locale.times import Timestamp, rfc3339
from svc.storage.imports.rows import Import
from svc.tools.tool import ToolOutput, about


class FaultExampleAnswer(ToolOutput, frozen=True, kw_only=True):
    """A line with a fault."""

    line: Annotated[int, about(description="Its number in the file, from 1 on.")]
    value: Annotated[
        str | None,
        about(
            description="The cell; null where the fault is the line's, and for callers without the "
            "permission `records.read`."
        ),
    ]


class FaultAnswer(ToolOutput, frozen=True, kw_only=True):
    """Faults of one reason in one column."""

    effect: Annotated[
        FaultEffect,
        about(description="`refused` where lines were, `left_out` where cells were and their lines taken."),
    ]
    column: Annotated[
        str,
        about(
            description="The heading; in lines of JSON the property. Empty where the fault is the line's.",
            examples=["E-mail"],
        ),
    ]
    reason: Annotated[
        str, about(description="What is wrong; `…` stands for the value.", examples=["not a host name"])
    ]
    count: Annotated[int, about(description="How many lines have it.")]
    examples: Annotated[tuple[FaultExampleAnswer, ...], about(description="The first of them.")]


class ImportCause(ToolOutput, frozen=True, kw_only=True):
    """What is taken back."""

    kind: Annotated[str, about(description="`import`.")] = "import"
    id: Annotated[str, about(description="The import.")]


class UndoCountsAnswer(ToolOutput, frozen=True, kw_only=True):
    """What became of the records so far, or would become of them."""

    deleted: Annotated[int, about(description="Records that it had made, and that are deleted.")] = 0
    reverted: Annotated[int, about(description="Records that it had changed, and that are as before.")] = 0
    left: Annotated[int, about(description="Records that stay as they are, as a whole or in part.")] = 0


class Undone(ToolOutput, frozen=True, kw_only=True):
    """A record that was taken back, or would be."""

    noun: Annotated[str, about(description="`record`.")] = "record"
    object_id: Annotated[str, about(description="The record.")]
    object_type: Annotated[str, about(description="Its object.")]
    kind: UndoneKind


class UndoConflictAnswer(ToolOutput, frozen=True, kw_only=True):
    """A property that was changed since, and stays as it is."""

    noun: Annotated[str, about(description="`record`.")] = "record"
    object_id: Annotated[str, about(description="The record.")]
    object_type: Annotated[str, about(description="Its object.")]
    property: Annotated[str, about(description="The slug.")]
    theirs: Annotated[Any, about(description="Its value when it was looked at; null without `records.read`.")]
    changed_by: Annotated[dict[str, Any], about(description="What changed it.")]
    changed_at: Timestamp


class LeftAnswer(ToolOutput, frozen=True, kw_only=True):
    """A record that stays as it is."""

    noun: Annotated[str, about(description="`record`.")] = "record"
    object_id: Annotated[str, about(description="The record.")]
    object_type: Annotated[str, about(description="Its object.")]
    name: Annotated[
        str | None,
        about(description="What it was called when it was looked at; null without `records.read`."),
    ]
    why: Annotated[str, about(description="Why.", examples=["it was changed since"])]


class UndoAnswer(ToolOutput, frozen=True, kw_only=True):
    """How far an undo is, or a dry run of one."""

    cause: ImportCause
    dry_run: Annotated[bool, about(description="Whether nothing is written.")]
    state: Annotated[
        UndoState,
        about(description="A large one goes on by itself; `import.get` shows how far it is."),
    ]
    counts: UndoCountsAnswer
    undone: Annotated[
        tuple[Undone, ...], about(description=f"The first {IMPORT_UNDO_SHOWN}; `counts` has all of them.")
    ]
    conflicts: Annotated[
        tuple[UndoConflictAnswer, ...],
        about(description=f"What was changed since, by property: the first {IMPORT_UNDO_SHOWN}."),
    ]
    left: Annotated[
        tuple[LeftAnswer, ...], about(description=f"The first {IMPORT_UNDO_SHOWN} that stay, and why.")
    ]
    failure: Annotated[str | None, about(description="Why it failed; what it took back stays so.")]
    started_at: Timestamp
    ended_at: Timestamp | None


def faults_of(import_: Import, caller: Caller) -> tuple[FaultAnswer, ...]:
    """Why lines were refused and cells left out, with cells for a *caller* who may see them."""
    shows = _sees_values(caller)
    return tuple(
        FaultAnswer(
            effect=group.effect,
            column=group.column,
            reason=group.reason,
            count=group.count,
            examples=tuple(
                FaultExampleAnswer(line=one.line, value=one.value if shows else None)
                for one in group.examples
            ),
        )
        for group in largest_first(import_.faults)
    )


def undo_of(import_id: str, undo: Undo, caller: Caller) -> UndoAnswer:
    """How far an undo is, with values for a *caller* who may see them."""
    shows = _sees_values(caller)
    return UndoAnswer(
        cause=ImportCause(id=import_id),
        dry_run=undo.dry_run,
        state=undo.state,
        counts=UndoCountsAnswer(
            deleted=undo.counts.deleted, reverted=undo.counts.reverted, left=undo.counts.left
        ),
        undone=tuple(
            Undone(object_id=one.object_id, object_type=one.object_type, kind=one.kind) for one in undo.undone
        ),
        conflicts=tuple(
            UndoConflictAnswer(
                object_id=one.object_id,
                object_type=one.object_type,
                property=one.property,
                theirs=one.theirs if shows else None,
                changed_by=one.changed_by,
                changed_at=rfc3339(one.changed_at),
            )
            for one in undo.conflicts
        ),
        left=tuple(
            LeftAnswer(
                object_id=one.object_id,
                object_type=one.object_type,
                name=one.name if shows else None,
                why=one.why,
            )
            for one in undo.left
        ),
        failure=undo.failure,
        started_at=rfc3339(undo.started_at),
        ended_at=None if undo.ended_at is None else rfc3339(undo.ended_at),
    )


def _sees_values(caller: Caller) -> bool:
    return "records.read" in caller.permissions and caller.narrowed_to is None
