"""Waking the runs that wait for an event, in the unit that dispatches it."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import RunsDue
from svc.domain.errors import InvalidInput, InvalidValue
from svc.domain.ids import first_id, last_id
from svc.domain.records.queries import Filter
from svc.domain.workflows.conditions import Conditions
from svc.domain.workflows.contexts import Event, event_context
from svc.domain.workflows.scopes import awaited_scope
from svc.storage.events import events as event_rows
from svc.storage.readable import tell
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.webhooks import tables as webhooks_tables
from svc.storage.workflows import contexts, run_steps, tables
from svc.storage.workflows.known import Known
from svc.storage.workflows.run_rows import as_bytes


class _Waiting(NamedTuple):
    """A run that waits for an event, with the input of the step that does."""

    id: str
    position: str
    input: bytes
    started_at: int


class _Awaited(msgspec.Struct):
    """The part of that input that says for which events."""

    where: tuple[Filter, ...] = ()


_runs, _steps = tables.workflow_runs, tables.workflow_steps
_own = _runs.c.organization_id == sa.bindparam("organization_id")
_ANY = Statement(sa.select(_runs.c.id).where(_own, _runs.c.awaited == sa.bindparam("type")).limit(1))
_WAITING: Final = (
    sa.select(_runs.c.id, _runs.c.position, as_bytes(_steps.c.input), _steps.c.started_at)
    .join(_steps, (_steps.c.run_id == _runs.c.id) & (_steps.c.key == _runs.c.position))
    .where(_own, _runs.c.awaited == sa.bindparam("type"))
)
_OF_RECORD = Statement(_WAITING.where(_runs.c.awaited_record == sa.bindparam("record_id")), _Waiting)
_OF_ANY_RECORD = Statement(_WAITING.where(_runs.c.awaited_record.is_(None)), _Waiting)
_WAKE = Statement(
    sa.update(_runs)
    .where(_runs.c.id == sa.bindparam("run_id"))
    .values(wake_at=sa.bindparam("now"), awaited=None, awaited_record=None)
)
_deliveries = webhooks_tables.webhook_deliveries
_CALLING: Final = (
    # By a range of ids, since the index of what is awaited has those of deliveries beside types of events.
    _runs.c.organization_id == sa.bindparam("organization_id"),
    _runs.c.awaited >= first_id("dlv", 0),
    _runs.c.awaited < last_id("dlv"),
)
_ANY_CALL = Statement(sa.select(_runs.c.id).where(*_CALLING).limit(1))
_CALLED = Statement(
    sa.select(_runs.c.id)
    .join(_deliveries, _deliveries.c.id == _runs.c.awaited)
    .where(*_CALLING, _runs.c.wake_at > sa.bindparam("now"), _deliveries.c.done_at.is_not(None))
)
# The calls that ended lately are few, and the runs that wait may be many.
_CALLED_SINCE = Statement(
    sa.select(_runs.c.id)
    .join(_deliveries, (_deliveries.c.run_id == _runs.c.id) & (_deliveries.c.id == _runs.c.awaited))
    .where(
        _deliveries.c.organization_id == sa.bindparam("organization_id"),
        _deliveries.c.done_at >= sa.bindparam("since"),
        _runs.c.wake_at > sa.bindparam("now"),
    )
)
_WAKE_CALLED = Statement(
    sa.update(_runs).where(_runs.c.id == sa.bindparam("run_id")).values(wake_at=sa.bindparam("now"))
)

_decode: Final = msgspec.json.Decoder(_Awaited).decode


def wake_for(tx: Tx, organization_id: str, events: Sequence[event_rows.Event]) -> None:
    """Wake the runs that wait for one of *events*, each with the first that matches.

    What happened before a run began to wait does not wake it, nor what it did itself.
    """
    awaited = {
        type_
        for type_ in {event.type for event in events}
        if _ANY.one(tx.conn, organization_id=organization_id, type=type_) is not None
    }
    matching = _Matching(tx, organization_id)
    woken = False
    for row in events:
        if row.type in awaited:
            woken |= matching.wake(row)
    if woken and RunsDue(organization_id) not in tx.changes:
        tx.announce(RunsDue(organization_id))


def wake_called(tx: Tx, organization_id: str, since: int | None) -> None:
    """Wake the runs that wait for a call that has ended, after *since* if it is given."""
    own = {"organization_id": organization_id}
    if _ANY_CALL.one(tx.conn, own) is None:
        return
    if since is None:
        called = _CALLED.all(tx.conn, own | {"now": tx.now})
    else:
        called = _CALLED_SINCE.all(tx.conn, own | {"now": tx.now, "since": since})
    _WAKE_CALLED.many(tx.conn, [{"run_id": run.id, "now": tx.now} for run in called])


class _Matching:
    """The conditions of waiting runs, each made ready once."""

    def __init__(self, tx: Tx, organization_id: str) -> None:
        self._tx = tx
        self._organization_id = organization_id
        self._known = Known(tx.conn, organization_id)
        self._conditions: dict[tuple[str, bytes], Conditions | None] = {}

    def wake(self, row: event_rows.Event) -> bool:
        """Wake the runs that the event in *row* matches; whether there were any."""
        event = contexts.event_of(row)
        own = {"organization_id": self._organization_id, "type": row.type}
        waiting = _OF_ANY_RECORD.all(self._tx.conn, own)
        record_id = event.data.get("recordId")
        if record_id is not None:
            waiting += _OF_RECORD.all(self._tx.conn, own | {"record_id": record_id})
        by_run = event.data.get("source", {}).get("runId")
        context = event_context(event)
        matching = [
            run
            for run in waiting
            if run.started_at <= row.at and run.id != by_run and self._holds(row.type, run, context)
        ]
        for run in matching:
            run_steps.note_output(self._tx, run.id, run.position, {"event": _shown(event)})
            _WAKE.run(self._tx.conn, run_id=run.id, now=self._tx.now)
        return bool(matching)

    def _holds(self, event_type: str, run: _Waiting, context: dict[str, Any]) -> bool:
        key = (event_type, run.input)
        if key not in self._conditions:
            self._conditions[key] = self._compiled(event_type, run)
        conditions = self._conditions[key]
        try:
            return conditions is not None and conditions.holds(context)
        except InvalidValue:
            return False

    def _compiled(self, event_type: str, run: _Waiting) -> Conditions | None:
        """The conditions of a run; None where they cannot be read, or refer to what is gone."""
        scope = awaited_scope(event_type, self._known.objects)
        try:
            return Conditions(_decode(run.input).where, scope, self._known.country)
        except (msgspec.DecodeError, InvalidInput) as error:
            tell("workflow_steps", run.id, error)
            return None


def _shown(event: Event) -> dict[str, Any]:
    """The event as the steps after it see it."""
    return {"id": event.id, "type": event.type, "timestamp": event.timestamp, "data": event.data}
