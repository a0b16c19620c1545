"""The Reconciler prunes: what is over is deleted, in small units, and what still counts is kept."""

from typing import Any

import pytest
import trio

from svc.actors.reconciler import Reconciler
from svc.actors.system import System
from svc.domain.events import NewEvent
from svc.domain.identity.callers import operator_call
from svc.domain.limits import (
    EVENT_LIFE_MS,
    IDEMPOTENCY_LIFE_MS,
    INVITATION_LIFE_MS,
    PRUNED_MAX,
    SESSION_LIFE_MS,
    SIGN_IN_LINK_LIFE_MS,
    SIGN_IN_WINDOW_MS,
)
from svc.domain.times import DAY_MS, YEAR_MS
from svc.storage import idempotency, retention
from svc.storage.events import events
from svc.storage.forms import submissions
from svc.storage.idempotency import Repeatable
from svc.storage.identity import invitations, sessions, sign_in
from svc.storage.identity.sign_in import Failure
from svc.storage.store import Tx
from tests import tables
from tests.people import a_member, a_stored_key
from tests.town import Town, a_stored_one, town


def an_answer(tx: Tx, here: Town, key: str) -> None:
    idempotency.keep(tx, Repeatable(here.organization.id, "key_1", "record.create", key, b"f"), b"{}")


def a_link(tx: Tx, here: Town, key: str) -> None:
    sign_in.make_link(tx, a_member(tx, here.organization.id, f"{key}@example.com").id)


def an_invitation(tx: Tx, here: Town, key: str) -> None:
    invitations.invite(tx, operator_call(here.organization.id), f"{key}@example.com", "viewer")


def a_session(tx: Tx, here: Town, key: str) -> None:
    person = a_member(tx, here.organization.id, f"{key}@example.com")
    sessions.create(tx, person.id, key, "test")


def a_failure(tx: Tx, here: Town, key: str) -> None:
    sign_in.note_failure(tx, Failure(key, key, tx.now))


def a_dispatched_event(tx: Tx, here: Town, key: str) -> None:
    event = NewEvent(type="submission.held", subject=key, source={}, data={})
    events.record(tx, here.organization.id, [event])
    new = events.undispatched(tx.conn, here.organization.id, 1)
    events.mark_dispatched(tx, here.organization.id, [one.id for one in new])


async def round_made(system: System) -> None:
    """Return once the Reconciler has made a round, and all that it started with it."""
    reconciler = Reconciler(system, "main")
    await reconciler.make_round()
    await reconciler.start()


@pytest.mark.parametrize(
    ("table", "make", "life_ms"),
    [
        (tables.idempotency, an_answer, IDEMPOTENCY_LIFE_MS),
        (tables.sign_in_links, a_link, SIGN_IN_LINK_LIFE_MS),
        (tables.invitations, an_invitation, INVITATION_LIFE_MS),
        (tables.sessions, a_session, SESSION_LIFE_MS),
        (tables.sign_in_failures, a_failure, SIGN_IN_WINDOW_MS),
        (tables.events, a_dispatched_event, EVENT_LIFE_MS),
    ],
    ids=lambda one: getattr(one, "name", None),
)
async def test_what_is_over_is_deleted(table: Any, make: Any, life_ms: int, autojump_clock):
    """By the first round after its time, and not before; what was made later stays for its own time."""
    async with town() as here, here.live_system() as system:
        counts = []
        await here.store.write(make, here, "first")
        here.clock.jump(life_ms - 1)
        await here.store.write(make, here, "second")
        await round_made(system)
        counts.append(await here.count(table))
        here.clock.jump(1)
        await round_made(system)
        counts.append(await here.count(table))
        here.clock.jump(life_ms)
        await round_made(system)
        counts.append(await here.count(table))

        assert [2, 1, 0] == counts


async def test_a_pile_is_deleted_in_small_units(autojump_clock):
    """No unit of work deletes more than a few hundred rows, and one round all that is over."""
    async with town() as here, here.live_system() as system:

        def fill(tx: Tx) -> None:
            for number in range(2 * PRUNED_MAX + 1):
                an_answer(tx, here, f"k-{number}")

        await here.store.write(fill)
        here.clock.jump(IDEMPOTENCY_LIFE_MS)
        more = await here.store.write(retention.prune)
        left = [await here.count(tables.idempotency)]
        await round_made(system)
        await Reconciler(system, "main").start()
        left.append(await here.count(tables.idempotency))

        assert more
        assert [PRUNED_MAX + 1, 0] == left


async def test_a_unit_goes_by_the_index(autojump_clock):
    """The kept answers that are over are found without a look at those that count."""
    async with town() as here:
        plans: list[str] = []

        def explain(tx: Tx) -> None:
            tx.conn.connection.dbapi_connection.set_trace_callback(plans.append)  # type: ignore[union-attr]
            retention.prune(tx)
            tx.conn.connection.dbapi_connection.set_trace_callback(None)  # type: ignore[union-attr]
            steps = tx.conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {plans[0]}").all()
            plans[:] = [step[3] for step in steps]

        await here.store.write(explain)

        assert [] == [step for step in plans if step.startswith("SCAN")]


async def test_the_trail_and_the_keys_stay(autojump_clock):
    """What was done stays known, and which key did it."""
    async with town() as here, here.live_system() as system:
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        await here.store.write(a_stored_key, owner, "old")
        await here.store.write(an_invitation, here, "ada")
        before = [await here.count(one) for one in (tables.audit, tables.api_keys)]
        here.clock.jump(10 * YEAR_MS)
        await round_made(system)

        assert before == [await here.count(one) for one in (tables.audit, tables.api_keys)]


async def test_the_reconciler_wakes_actors_that_were_not_notified(autojump_clock):
    """Due submissions without a notice are filed within a round, and so is a forgotten queue."""
    async with town() as here, here.live_system():
        form = await here.form()
        await here.store.write(_insert_due_quietly, a_stored_one(form))
        await here.store.write(submissions.create, a_stored_one(form, "b@example.com", queued=True))

        await trio.sleep(61)
        after_a_round = await here.states()
        await trio.sleep(300)

        assert {"filed": 1, "queued": 1} == after_a_round
        assert {"filed": 2} == await here.states()


async def test_the_visitors_keys_change_at_midnight(autojump_clock):
    """Each day has a key of its own, and a key is kept for 30 days."""
    async with town() as here, here.live_system() as system:
        first = system.visitor_keys
        here.clock.jump(DAY_MS)
        await trio.sleep(61)
        second = system.visitor_keys

        assert (1, 2) == (len(first), len(second))
        assert first[0] == second[1]
        for _ in range(40):
            here.clock.jump(DAY_MS)
            async with here.live_system() as later:
                kept = later.visitor_keys

        assert 30 == len(kept)
        assert second[0] not in kept


def _insert_due_quietly(tx: Tx, new: submissions.NewSubmission) -> str:
    """A submission whose announcement was lost."""
    stored = submissions.create(tx, new)
    tx.changes.clear()
    return stored
