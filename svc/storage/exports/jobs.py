"""Exports, from their start to their end. What is under way when a process ends is begun again."""

from collections.abc import Sequence
from typing import Final

import msgspec

from svc.domain.changes import ExportsDue, ResourceChanged
from svc.domain.errors import Conflict, Forbidden, InvalidInput, Unauthenticated
from svc.domain.exports.exports import NEEDS, ExportQuery, ExportSource
from svc.domain.exports.limits import EXPORT_ATTEMPTS_MAX, EXPORTS_WAITING_MAX
from svc.domain.identity.callers import Caller, permit
from svc.domain.imports.exported import FileFormat
from svc.domain.records.queries import parse, unknown_property
from svc.storage.exports import rows as export_rows
from svc.storage.exports.rows import EXPORTS, Export
from svc.storage.identity import organizations
from svc.storage.imports.starters import admit, starter_of
from svc.storage.records import objects
from svc.storage.store import Tx

START: Final = "export.start"


class ExportEnded(Exception):
    """Raised where an export cannot go on. Its message is for the person who started it."""


class NewExport(msgspec.Struct, frozen=True, kw_only=True):
    """An export to be made."""

    source: ExportSource
    object_type: str | None
    format: FileFormat
    query: ExportQuery


def start(tx: Tx, caller: Caller, new: NewExport) -> Export:
    """Have an export made, in the name of *caller*.

    Raises:
        Forbidden: the caller may not list what is exported.
        NotFound: no such object.
        InvalidInput: all faults of filters, sort and fields.
        Conflict: `EXPORTS_WAITING_MAX` of the organization wait already.
    """
    permit(caller, START, needs=NEEDS[new.source], runs="open")
    organization_id = caller.organization_id
    if new.object_type is not None:
        check_query(tx, organization_id, new.object_type, new.query)
    waiting = [one for one in export_rows.open_ones(tx.conn, organization_id) if one.state == "waiting"]
    if len(waiting) >= EXPORTS_WAITING_MAX:
        raise Conflict(f"{EXPORTS_WAITING_MAX} exports wait already: cancel one, or wait for its end")
    export = Export(
        id=tx.new_id("exp"),
        organization_id=organization_id,
        source=new.source,
        object_type=new.object_type,
        format=new.format,
        query=new.query,
        starter=starter_of(caller),
        created_at=tx.now,
        updated_at=tx.now,
    )
    EXPORTS.insert(tx.conn, export)
    _announce(tx, export)
    tx.announce(ExportsDue(organization_id))
    return export


def check_query(tx: Tx, organization_id: str, object_type: str, query: ExportQuery) -> None:
    """Raises `NotFound` for the object, and `InvalidInput` with all faults of the *query*."""
    object_ = objects.get(tx.conn, organization_id, object_type)
    faults = [
        unknown_property(f"/fields/{place}", slug, object_.properties)
        for place, slug in enumerate(query.fields or ())
        if slug not in object_.properties
    ]
    try:
        parse(
            object_.properties,
            query.filters,
            query.sort,
            organizations.get(tx.conn, organization_id).country,
        )
    except InvalidInput as error:
        faults = [*error.faults, *faults]
    if faults:
        raise InvalidInput(faults)


def cancel(tx: Tx, export: Export) -> Export:
    """End an export; one that was cancelled before is answered again. Raises `Conflict` if it has ended."""
    if export.state == "cancelled":
        return export
    if not export.is_open:
        raise Conflict(f"it is {export.state} already")
    export.state, export.ended_at = "cancelled", tx.now
    _store(tx, export)
    return export


def begin(tx: Tx, organization_id: str) -> Export | None:
    """The organization's next export, which is running from now on; None if none waits.

    One that was under way comes first. Ends those that cannot go on.
    """
    for export in sorted(
        export_rows.open_ones(tx.conn, organization_id), key=lambda one: (one.state != "running", one.id)
    ):
        if export.attempts >= EXPORT_ATTEMPTS_MAX:
            _fail(tx, export, f"it was begun {EXPORT_ATTEMPTS_MAX} times and did not come to its end")
            continue
        try:
            check(tx, export)
        except ExportEnded as error:
            _fail(tx, export, str(error))
            continue
        export.state = "running"
        export.attempts += 1
        export.rows = export.bytes = 0
        _store(tx, export)
        return export
    return None


def proceed(tx: Tx, export: Export, *, rows: int, size: int) -> bool:
    """Note how far an export is; whether it is to go on. Raises `ExportEnded`."""
    stored = export_rows.find(tx.conn, export.organization_id, export.id)
    if stored.state != "running":
        return False
    check(tx, stored)
    stored.rows, stored.bytes = rows, size
    _store(tx, stored)
    return True


def finish(tx: Tx, export: Export, *, rows: int, size: int, digest: str) -> bool:
    """End an export whose file is there; false if it was cancelled meanwhile, and needs none."""
    stored = export_rows.find(tx.conn, export.organization_id, export.id)
    if stored.state != "running":
        return False
    stored.state, stored.ended_at = "done", tx.now
    stored.rows, stored.bytes, stored.digest = rows, size, digest
    _store(tx, stored)
    return True


def fail(tx: Tx, organization_id: str, export_id: str, reason: str) -> None:
    """End an export for *reason*, unless it has ended."""
    stored = export_rows.find(tx.conn, organization_id, export_id)
    if stored.is_open:
        _fail(tx, stored, reason)


def check(tx: Tx, export: Export) -> None:
    """Check that an export may go on in the name of its starter. Raises `ExportEnded`."""
    organization = organizations.get(tx.conn, export.organization_id)
    if organization.closed_at is not None:
        raise ExportEnded("the organization was closed")
    starter = export.starter
    if starter.kind == "operator":
        return
    try:
        permit(admit(tx, organization.id, starter), START, needs=NEEDS[export.source], runs="open")
    except Unauthenticated:
        what = "app" if starter.kind == "grant" else starter.kind
        raise ExportEnded(f"the {what} that started it has no access to the organization any more") from None
    except Forbidden as error:
        raise ExportEnded(f"what started it may not go on: {error}") from None


def left_over(tx: Tx, organization_id: str, known: Sequence[str]) -> list[str]:
    """Those of the files *known* that no export has any more."""
    needed = export_rows.digests(tx.conn, organization_id)
    return [digest for digest in known if digest not in needed]


def _fail(tx: Tx, export: Export, reason: str) -> None:
    export.state, export.failure, export.ended_at = "failed", reason, tx.now
    _store(tx, export)


def _store(tx: Tx, export: Export) -> None:
    export.updated_at = tx.now
    EXPORTS.replace(tx.conn, export)
    _announce(tx, export)


def _announce(tx: Tx, export: Export) -> None:
    tx.announce(ResourceChanged(export.organization_id, "export", export.id))
