"""Undo of an import: what it made is deleted, and what it changed has the values of before again."""

from typing import Any, Final, Literal

import msgspec

from svc.domain.imports.limits import IMPORT_UNDO_SHOWN
from svc.domain.imports.starters import Starter

UndoState = Literal["running", "done", "failed"]
UndoneKind = Literal["deleted", "reverted"]
"""What becomes of a record: one that the import made is deleted, one that it changed is as it was before."""

CHANGED: Final = "it was changed since"
MERGED: Final = "it was merged into another record since"
DELETED: Final = "it was deleted since"
NOTED: Final = "it has notes"
REFERRED_TO: Final = "another record refers to it"
TOO_OFTEN: Final = "it was changed too often since to tell what the import did"


class UndoneRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A record that was taken back, or would be."""

    object_id: str
    object_type: str
    kind: UndoneKind


class UndoConflict(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A property that the import wrote and something else has changed since."""

    object_id: str
    object_type: str
    property: str
    theirs: Any
    """The value that it has now."""
    changed_by: dict[str, Any]
    changed_at: int
    """ms since the epoch."""


class LeftRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A record that stays as it is, and why."""

    object_id: str
    object_type: str
    name: str | None = None
    """What it was called when it was looked at."""
    why: str


class UndoCounts(msgspec.Struct, kw_only=True):
    """What became of the records so far."""

    deleted: int = 0
    reverted: int = 0
    left: int = 0
    """Records that stay as they are, of whole or in part."""


class Undo(msgspec.Struct, kw_only=True, rename="camel"):
    """How far an undo is. Times are ms since the epoch."""

    number: int
    """Counts up with each undo of the import, tried ones too."""
    dry_run: bool
    state: UndoState = "running"
    starter: Starter
    source: dict[str, Any]
    counts: UndoCounts
    undone: list[UndoneRecord] = []
    conflicts: list[UndoConflict] = []
    left: list[LeftRecord] = []
    after_new: bool = False
    """Behind which record it goes on: whether that is one which the import made, and its id."""
    after_id: str = ""
    failure: str | None = None
    started_at: int
    ended_at: int | None = None

    def note_undone(self, record: UndoneRecord) -> None:
        if record.kind == "deleted":
            self.counts.deleted += 1
        else:
            self.counts.reverted += 1
        if len(self.undone) < IMPORT_UNDO_SHOWN:
            self.undone.append(record)

    def note_left(self, record: LeftRecord, conflicts: list[UndoConflict]) -> None:
        self.counts.left += 1
        if len(self.left) < IMPORT_UNDO_SHOWN:
            self.left.append(record)
            self.conflicts += conflicts[: IMPORT_UNDO_SHOWN - len(self.conflicts)]
