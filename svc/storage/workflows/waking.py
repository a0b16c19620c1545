"""Waking runs: those that wait for an event in the unit that dispatches it, others in the next that steps."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import RunsDue
from svc.domain.errors import Conflict, InvalidInput, InvalidValue
from svc.domain.ids import first_id, last_id
from svc.domain.records.queries import Filter
from svc.domain.webhooks.limits import DISPATCH_JUDGED_MAX
from svc.domain.workflows.expressions import awaited_keys
from svc.domain.workflows.expressions.conditions import Conditions
from svc.domain.workflows.expressions.contexts import Event, event_context
from svc.domain.workflows.expressions.scopes import awaited_scope
from svc.domain.workflows.limits import RUNS_WITHOUT_KEY_MAX
from svc.storage.approvals import decisions
from svc.storage.events import events as event_rows
from svc.storage.readable import tell
from svc.storage.rows import as_bytes
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.webhooks import tables as webhooks_tables
from svc.storage.workflows import contexts, run_steps, tables
from svc.storage.workflows.known import StoredVocabulary


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
_OF_KEY = Statement(_WAITING.where(_runs.c.awaited_key == sa.bindparam("key")), _Waiting)
_WITHOUT_KEY = Statement(_WAITING.where(_runs.c.awaited_key.is_(None)), _Waiting)
_COUNT_WITHOUT = Statement(
    sa.select(sa.func.count().label("count")).where(
        _own, _runs.c.awaited == sa.bindparam("type"), _runs.c.awaited_key.is_(None)
    )
)
_ANY_OF_VALUE = Statement(
    sa.select(_runs.c.id)
    .where(
        _own,
        _runs.c.awaited == sa.bindparam("type"),
        _runs.c.awaited_key > awaited_keys.FIRST,
        _runs.c.awaited_key < awaited_keys.LAST,
    )
    .limit(1)
)
_WAKE = Statement(
    sa.update(_runs)
    .where(_runs.c.id == sa.bindparam("run_id"))
    .values(wake_at=sa.bindparam("now"), awaited=None, awaited_key=None)
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
_WAKE_ASKER = Statement(
    sa.update(_runs)
    .where(
        _runs.c.organization_id == sa.bindparam("of_organization"),
        _runs.c.awaits == "approval",
        _runs.c.awaited == sa.bindparam("approval_id"),
    )
    .values(wake_at=sa.bindparam("now"))
)

_decode: Final = msgspec.json.Decoder(_Awaited).decode


def require_room(conn: sa.Connection, organization_id: str, event_type: str) -> None:
    """Raises `Conflict` where a run cannot wait for an event without a key, since too many do.

    Each event of the type is judged for every one of them.
    """
    if (
        _COUNT_WITHOUT.all(conn, organization_id=organization_id, type=event_type)[0].count
        >= RUNS_WITHOUT_KEY_MAX
    ):
        raise Conflict(
            f"{RUNS_WITHOUT_KEY_MAX:,} runs wait for {event_type} without a filter `eq` that says of what: "
            "give this one such a filter, as by `record.id`"
        )


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


def wake_decided(tx: Tx, organization_id: str) -> None:
    """Wake the runs whose approvals were decided."""
    for card in decisions.collect(tx, organization_id, "workflow"):
        _WAKE_ASKER.run(tx.conn, of_organization=organization_id, approval_id=card.id, now=tx.now)


class Waking:
    """The runs of an organization that wait for events, while *events* are dispatched."""

    def __init__(self, tx: Tx, organization_id: str, events: Sequence[event_rows.Event]) -> None:
        self._tx = tx
        self._organization_id = organization_id
        self._known = StoredVocabulary(tx.conn, organization_id)
        self._conditions: dict[tuple[str, bytes], Conditions | None] = {}
        self._events = events
        types = {event.type for event in events}
        self._awaited = {type_ for type_ in types if _ANY.one(tx.conn, self._own(type_)) is not None}

    def bounded(self) -> Sequence[event_rows.Event]:
        """The first of the events, for which at most `DISPATCH_JUDGED_MAX` runs are judged, or one."""
        counts = {
            type_: _COUNT_WITHOUT.all(self._tx.conn, self._own(type_))[0].count for type_ in self._awaited
        }
        judged = accumulate(counts.get(event.type, 0) for event in self._events)
        return self._events[: max(1, sum(count <= DISPATCH_JUDGED_MAX for count in judged))]

    def wake_for(self, events: Sequence[event_rows.Event]) -> None:
        """Wake the runs that wait for one of *events*, each with the first that matches.

        What happened before a run began to wait does not wake it, nor what it did itself.
        """
        woken = False
        for row in events:
            if row.type in self._awaited:
                woken |= self._wake(row)
        if woken and RunsDue(self._organization_id) not in self._tx.changes:
            self._tx.announce(RunsDue(self._organization_id))

    def _wake(self, row: event_rows.Event) -> bool:
        """Wake the runs that the event in *row* matches; whether there were any."""
        event = contexts.event_of(row)
        context = event_context(event)
        by_run = event.data.get("source", {}).get("runId")
        matching = [
            run
            for run in self._candidates(event, context)
            if run.started_at <= row.at and run.id != by_run and self._holds(row.type, run, context)
        ]
        for run in matching:
            run_steps.note_output(self._tx, run.id, run.position, {"event": _shown(event)})
            _WAKE.run(self._tx.conn, run_id=run.id, now=self._tx.now)
        return bool(matching)

    def _candidates(self, event: Event, context: dict[str, Any]) -> list[_Waiting]:
        """The runs that *event* may match: those that have one of its keys, or none."""
        conn, own = self._tx.conn, self._own(event.type)
        keys: set[str] = set()
        if _ANY_OF_VALUE.one(conn, own) is not None:
            keys.update(awaited_keys.keys_of(context))
        record_id = event.data.get(contexts.RECORD_ID)
        if record_id is not None:
            keys.add(record_id)
        waiting = [run for key in keys for run in _OF_KEY.all(conn, own | {"key": key})]
        return sorted([*waiting, *_WITHOUT_KEY.all(conn, own)])

    def _own(self, event_type: str) -> dict[str, Any]:
        return {"organization_id": self._organization_id, "type": event_type}

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
