"""Workflows: an organization's documents, each with its versions, and whether runs of them start."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.changes import RunsDue
from svc.domain.errors import Conflict, Forbidden, NotFound, Unreadable
from svc.domain.identity.access import Enabler
from svc.domain.identity.callers import BY_TOKEN, Call
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS
from svc.domain.versions import FIRST_VERSION, check_version
from svc.domain.workflows.checking import checked
from svc.domain.workflows.documents import Document, Schedule, decode_stored
from svc.domain.workflows.limits import WORKFLOWS_MAX
from svc.domain.workflows.schedules import Timetable
from svc.domain.workflows.triggers import event_type_of
from svc.storage.identity import tables as identity_tables
from svc.storage.pages import Keyset
from svc.storage.readable import each
from svc.storage.rows import Computed, Rows, as_bytes
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.workflows import pruning, runs, tables, versions
from svc.storage.workflows.known import StoredVocabulary


class Workflow(msgspec.Struct, frozen=True, kw_only=True):
    """A workflow with its current document. Times are ms since the epoch."""

    id: str
    organization_id: str
    name: str
    enabled: bool
    enabled_at: int | None = None
    """Since when events start runs of it."""
    version: int
    document: Document
    enabler: Enabler | None = None
    """In whose name it runs; None until it was enabled."""
    next_at: int | None = None
    """When its schedule comes next, while it is enabled."""
    created_at: int
    updated_at: int


_workflows, _versions = tables.workflows, tables.workflow_versions
_CURRENT: Final = _workflows.join(
    _versions,
    (_versions.c.workflow_id == _workflows.c.id) & (_versions.c.version == _workflows.c.version),
)
WORKFLOWS: Final = Rows(
    _workflows,
    Workflow,
    members={"document": Computed([as_bytes(_versions.c.document)], decode_stored)},
    beside=["event_type"],
    alone=True,
)
_SELECTED: Final = WORKFLOWS.select(_workflows.c.deleted_at.is_(None)).select_from(_CURRENT)
_GET: Statement[Any] = Statement(
    _SELECTED.where(
        _workflows.c.id == sa.bindparam("workflow_id"),
        _workflows.c.organization_id == sa.bindparam("organization_id"),
    )
)


def create(tx: Tx, call: Call, document: Document) -> Workflow:
    """Save a new workflow, which is disabled.

    Raises `InvalidInput` with every fault of the document, and `Conflict` beyond `WORKFLOWS_MAX`.
    """
    organization_id = call.caller.organization_id
    count = sa.select(sa.func.count()).where(
        _workflows.c.organization_id == organization_id, _workflows.c.deleted_at.is_(None)
    )
    if tx.conn.execute(count).scalar_one() >= WORKFLOWS_MAX:
        raise Conflict(
            f"an organization has at most {WORKFLOWS_MAX} workflows: delete one that is not needed"
        )
    document = _checked(tx, call, document)
    workflow = Workflow(
        id=tx.new_id("wfl"),
        organization_id=organization_id,
        name=document.name,
        enabled=False,
        version=FIRST_VERSION,
        document=document,
        created_at=tx.now,
        updated_at=tx.now,
    )
    WORKFLOWS.insert(tx.conn, workflow, event_type=event_type_of(document.trigger))
    versions.save(tx, call.caller, workflow.id, FIRST_VERSION, document)
    return get(tx.conn, organization_id, workflow.id)


def get(conn: sa.Connection, organization_id: str, workflow_id: str) -> Workflow:
    """The workflow. Raises `NotFound`, and `Unreadable` where this program cannot decode its document."""
    row = _GET.one(conn, workflow_id=workflow_id, organization_id=organization_id)
    if row is None:
        raise NotFound(f"there is no workflow {shown(workflow_id)}")
    return _from_row(row)


def list_page(
    conn: sa.Connection, organization_id: str, *, cursor: str | None = None, limit: int = LIST_ROWS
) -> tuple[list[Workflow], str | None]:
    """The organization's workflows, the oldest first, and the cursor that goes on."""
    keyset = Keyset(["workflows"], cursor, limit)
    own = _SELECTED.where(_workflows.c.organization_id == organization_id)
    rows, next_cursor = keyset.fetch(conn, own, _workflows.c.id, newest_first=False)
    return each(rows, WORKFLOWS.make, "workflows"), next_cursor


def update(tx: Tx, call: Call, workflow_id: str, version: int, changes: Mapping[str, Any]) -> Workflow:
    """Save *changes*, members of the document, as the next version; runs that were started keep theirs.

    An enabled workflow stays enabled, in the name of the caller from now on: what somebody writes never runs
    with more rights than theirs.

    Raises:
        NotFound: there is no such workflow.
        Conflict: *version* is not the current one.
        InvalidInput: every fault of the document.
        Forbidden: it is enabled, and the caller may not enable it.
    """
    organization_id = call.caller.organization_id
    before = get(tx.conn, organization_id, workflow_id)
    check_version(before.version, version)
    document = _checked(tx, call, msgspec.structs.replace(before.document, **changes))
    if document == before.document:
        return before
    versions.save(tx, call.caller, workflow_id, version + 1, document)
    _update(
        tx,
        before,
        name=document.name,
        version=version + 1,
        event_type=event_type_of(document.trigger),
        **_enabled(tx, call, document) if before.enabled else {},
    )
    pruning.forget_versions(tx, workflow_id)
    return get(tx.conn, organization_id, workflow_id)


def enable(tx: Tx, call: Call, workflow_id: str) -> Workflow:
    """Start runs of it from now on, in the name of the caller.

    Raises:
        NotFound: there is no such workflow.
        InvalidInput: what its document refers to is not there any more, or the caller may not do it.
        Forbidden: the caller is no person, and no key that may do all that its person may.
    """
    before = get(tx.conn, call.caller.organization_id, workflow_id)
    document = _checked(tx, call, before.document)
    since = before.enabled_at if before.enabled else tx.now
    _update(tx, before, enabled=True, enabled_at=since, **_enabled(tx, call, document))
    return get(tx.conn, before.organization_id, workflow_id)


def disable(tx: Tx, organization_id: str, workflow_id: str, *, cancel_runs: bool = False) -> Workflow:
    """Start no more runs of it. Those that were started go on, unless they are cancelled.

    Raises `NotFound`.
    """
    before = get(tx.conn, organization_id, workflow_id)
    _update(tx, before, enabled=False, enabled_at=None, next_at=None)
    _forget_bursts(tx, _workflows.c.id == workflow_id)
    if cancel_runs:
        runs.cancel_all(tx, organization_id, workflow_id)
    return get(tx.conn, organization_id, workflow_id)


def delete(tx: Tx, organization_id: str, workflow_id: str) -> None:
    """Delete it, and cancel its runs, which are kept as long as others. Raises `NotFound`."""
    found = sa.select(_workflows.c.id).where(
        _workflows.c.id == workflow_id,
        _workflows.c.organization_id == organization_id,
        _workflows.c.deleted_at.is_(None),
    )
    if tx.conn.scalar(found) is None:
        raise NotFound(f"there is no workflow {shown(workflow_id)}")
    _stop(tx, _workflows.c.id == workflow_id, deleted_at=tx.now)
    runs.cancel_all(tx, organization_id, workflow_id)


def stop_all(tx: Tx, organization_id: str) -> None:
    """Disable every workflow of an organization that is closed, and cancel their runs."""
    _stop(tx, _workflows.c.organization_id == organization_id)
    runs.cancel_all(tx, organization_id)


def enabler_of(conn: sa.Connection, call: Call) -> Enabler:
    """In whose name runs go that *call* starts. Raises `Forbidden`."""
    caller = call.caller
    if caller.person_id is None:
        raise Forbidden("a workflow runs in the name of a person: call as one")
    if caller.kind == "agent":
        raise Forbidden("an agent enables no workflow, whose steps would go beyond what it may")
    if caller.kind not in BY_TOKEN:
        return Enabler(person_id=caller.person_id)
    if caller.tools is not None:
        raise Forbidden(
            f"a {caller.kind} for some tools only enables no workflow, whose steps would go beyond them"
        )
    table = identity_tables.grants if caller.kind == "grant" else identity_tables.api_keys
    role_id = conn.scalar(sa.select(table.c.role_id).where(table.c.id == caller.id))
    return Enabler(person_id=caller.person_id, key_id=caller.id, role_id=role_id)


def _checked(tx: Tx, call: Call, document: Document) -> Document:
    known = StoredVocabulary(tx.conn, call.caller.organization_id)
    return checked(document, known, call.caller.permissions, now=tx.now)


def _enabled(tx: Tx, call: Call, document: Document) -> dict[str, Any]:
    """What changes of a workflow that *call* enables with *document*."""
    trigger = document.trigger
    next_at = None
    if isinstance(trigger, Schedule):
        next_at = Timetable(trigger.cron, trigger.time_zone).next_after(tx.now)
    return {"enabler": enabler_of(tx.conn, call), "next_at": next_at}


def _update(tx: Tx, workflow: Workflow, **values: Any) -> None:
    tx.conn.execute(WORKFLOWS.update(_workflows.c.id == workflow.id, **values, updated_at=tx.now))
    if values.get("next_at") is not None:
        tx.announce(RunsDue(workflow.organization_id))


def _stop(tx: Tx, which: sa.ColumnElement[bool], **values: Any) -> None:
    tx.conn.execute(
        sa.update(_workflows)
        .where(which, _workflows.c.deleted_at.is_(None))
        .values(enabled=False, enabled_at=None, next_at=None, updated_at=tx.now, **values)
    )
    _forget_bursts(tx, which)


def _forget_bursts(tx: Tx, of: sa.ColumnElement[bool]) -> None:
    bursts, stopped = tables.workflow_bursts, sa.select(_workflows.c.id).where(of)
    tx.conn.execute(sa.delete(bursts).where(bursts.c.workflow_id.in_(stopped)))


def _from_row(row: Any) -> Workflow:
    try:
        return WORKFLOWS.make(row)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unreadable(f"what is stored of the workflow cannot be read: {error}") from None
