"""Versions of workflows: each has a whole document, and who saved it."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.errors import NotFound, Unreadable
from svc.domain.identity.callers import Caller, CallerKind
from svc.domain.workflows.documents import Document, decode_stored, encode
from svc.domain.workflows.limits import WORKFLOW_VERSIONS_MAX
from svc.storage.readable import each
from svc.storage.rows import Rows, as_bytes
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.workflows import tables

_versions = tables.workflow_versions


class WorkflowVersion(msgspec.Struct, frozen=True, kw_only=True):
    """When a version was saved, and by whom. `created_at` is ms since the epoch."""

    version: int
    caller_kind: CallerKind | None
    """None where it was saved before that was noted."""
    caller_id: str | None
    person_id: str | None
    created_at: int


VERSIONS: Final = Rows(
    _versions, WorkflowVersion, beside=["workflow_id", "organization_id", "document"], alone=True
)
_LATEST: Statement[Any] = Statement(
    sa.select(*VERSIONS.columns, _versions.c.workflow_id.label("id"))
    .where(_versions.c.workflow_id == sa.bindparam("workflow_id"))
    .order_by(_versions.c.version.desc())
    .limit(WORKFLOW_VERSIONS_MAX)
)
_DOCUMENT: Statement[Any] = Statement(
    sa.select(as_bytes(_versions.c.document)).where(
        _versions.c.workflow_id == sa.bindparam("workflow_id"),
        _versions.c.version == sa.bindparam("version"),
    )
)


def save(tx: Tx, caller: Caller, workflow_id: str, version: int, document: Document) -> None:
    """Insert a version of a workflow of the caller's organization."""
    VERSIONS.insert(
        tx.conn,
        WorkflowVersion(
            version=version,
            caller_kind=caller.kind,
            caller_id=caller.id,
            person_id=caller.person_id,
            created_at=tx.now,
        ),
        workflow_id=workflow_id,
        organization_id=caller.organization_id,
        document=encode(document).decode(),
    )


def list_latest(conn: sa.Connection, workflow_id: str) -> list[WorkflowVersion]:
    """The versions that are kept, the newest first, at most `WORKFLOW_VERSIONS_MAX`."""
    return each(_LATEST.all(conn, workflow_id=workflow_id), VERSIONS.make, "workflow_versions")


def document_of(conn: sa.Connection, workflow_id: str, version: int) -> Document:
    """The document of a version. Raises `NotFound` where it is not kept, and `Unreadable`."""
    row = _DOCUMENT.one(conn, workflow_id=workflow_id, version=version)
    if row is None:
        raise NotFound(f"there is no version {version} of the workflow any more, or not yet")
    try:
        return decode_stored(row[0])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unreadable(f"what is stored of the version cannot be read: {error}") from None
