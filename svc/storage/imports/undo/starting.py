"""The start of an undo: what is little is taken back at once, and what is more goes on as a job."""

from svc.domain.errors import Conflict, Forbidden
from svc.domain.identity.callers import Call
from svc.domain.imports.limits import IMPORT_UNDO_RECORDS
from svc.domain.imports.undo import Undo, UndoCounts
from svc.storage.identity import organizations
from svc.storage.imports import rows as import_rows
from svc.storage.imports.announcing import announce_start
from svc.storage.imports.starters import starter_of
from svc.storage.imports.undo import steps
from svc.storage.imports.undo import written as written_records
from svc.storage.store import Tx


def start(tx: Tx, call: Call, import_id: str, *, dry_run: bool) -> Undo:
    """Take back what an import wrote, or with *dry_run* find out what that would be.

    One that is being undone, or was undone, is answered again. Asked for in earnest, it ends a dry run that
    is under way.

    Raises:
        NotFound: no such import.
        Forbidden: a key or an agent asks, and did not start the import.
        Conflict: it has not ended.
    """
    caller = call.caller
    import_ = import_rows.find(tx.conn, caller.organization_id, import_id)
    if import_.is_open:
        raise Conflict(f"it is {import_.state}: cancel it, or wait for its end")
    starter = import_.starter
    is_own = starter is None or (starter.kind, starter.id) == (caller.kind, caller.id)
    if not (caller.by_hand or is_own):
        raise Forbidden(f"a {caller.kind} undoes only the imports that it has started")
    before = import_.undo
    if before is not None and _is_answered(tx, import_.id, before, dry_run=dry_run):
        return before
    undo = import_.undo = Undo(
        number=1 if before is None else before.number + 1,
        dry_run=dry_run,
        starter=starter_of(caller),
        source=dict(call.source()),
        counts=UndoCounts(),
        started_at=tx.now,
    )
    organization = organizations.get(tx.conn, caller.organization_id)
    steps.run(tx, organization, import_, undo, IMPORT_UNDO_RECORDS)
    if undo.state == "running":
        announce_start(tx, import_)
    steps.store(tx, import_)
    return undo


def _is_answered(tx: Tx, import_id: str, before: Undo, *, dry_run: bool) -> bool:
    """Whether the undo *before* does, or has done, what is asked for."""
    if before.state == "running":
        return dry_run or not before.dry_run
    return not before.dry_run and not written_records.is_any(tx.conn, import_id)
