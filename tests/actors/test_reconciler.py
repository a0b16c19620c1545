"""The Reconciler prunes: what is over is deleted, in small units, and what still counts is kept."""

from itertools import pairwise
from typing import Any, cast

import pytest
import trio

from svc.actors.reconciler import Reconciler
from svc.actors.system import System
from svc.domain.identity.callers import operator_call
from svc.domain.identity.limits import (
    INVITATION_LIFE_MS,
    SESSION_LIFE_MS,
    SIGN_IN_LINK_LIFE_MS,
    SIGN_IN_WINDOW_MS,
)
from svc.domain.limits import EVENT_LIFE_MS, IDEMPOTENCY_LIFE_MS, PRUNED_MAX
from svc.domain.locale.times import DAY_MS, YEAR_MS
from svc.storage import idempotency, provisioning, retention
from svc.storage.events import events
from svc.storage.forms import submissions
from svc.storage.idempotency import Repeatable
from svc.storage.identity import invitations, sessions, sign_in
from svc.storage.identity.organizations import NewOrganization
from svc.storage.identity.sign_in import Failure
from svc.storage.store import Owner, Store, Tx
from tests import tables
from tests.events import free_event
from tests.owners import Recorder
from tests.people import a_member, a_stored_key
from tests.town import Town, a_stored_one, town


def an_answer(tx: Tx, here: Town, key: str, organization_id: str | None = None) -> None:
    of = organization_id or here.organization.id
    idempotency.keep(tx, Repeatable(of, "key_1", "record.create", key, b"f"), b"{}")


def an_organization(tx: Tx) -> str:
    return provisioning.create(
        tx, NewOrganization(name="Wicks", country="DE", currency="EUR", locale="de_DE")
    ).id


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
    event = free_event("submission.held", key, {}, {})
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


async def test_a_pile_is_deleted_in_short_units(autojump_clock):
    """A unit deletes a few rows of one organization, and one round deletes all that is over."""
    async with town() as here:
        pile = 3 * PRUNED_MAX + 1
        other = await here.store.write(an_organization)
        lefts: list[int] = []

        def fill(tx: Tx) -> None:
            for number in range(pile):
                an_answer(tx, here, f"k-{number}", other if number % 2 else None)
                a_dispatched_event(tx, here, f"e-{number}")

        await here.store.write(fill)
        here.clock.jump(EVENT_LIFE_MS)
        recorder = Recorder(here.store)
        here.store = cast("Store", recorder)
        async with here.live_system() as system:
            await round_made(system)
            while any(left := [await here.count(one) for one in (tables.idempotency, tables.events)]):
                lefts.append(sum(left))
                await Reconciler(system, "main").start()

        assert all(before - after <= PRUNED_MAX for before, after in pairwise(lefts))
        pruned_by = {owner for owner, what in recorder.ran if what == "storage.retention.prune"}
        assert {here.organization.id, other} == pruned_by


async def test_each_owner_prunes_its_own(autojump_clock):
    """What a search has found goes to the owner that it belongs to, people's to people."""
    async with town() as here:
        other = await here.store.write(an_organization)

        def fill(tx: Tx) -> None:
            an_answer(tx, here, "own")
            an_answer(tx, here, "another's", other)
            a_failure(tx, here, "anybody's")

        await here.store.write(fill)
        here.clock.jump(IDEMPOTENCY_LIFE_MS + SIGN_IN_WINDOW_MS)
        owners: list[set[str]] = []
        first = 0
        while overdue := await here.store.read(retention.find, here.clock.now(), EVENT_LIFE_MS, first):
            owners.append({*overdue.by_owner})
            first = overdue.number + 1

        assert [{here.organization.id, other}, {Owner.PEOPLE}] == owners


async def test_the_search_goes_by_the_index(autojump_clock):
    """The kept answers that are over are found without a look at those that count."""
    async with town() as here:
        plans: list[str] = []

        def explain(tx: Tx) -> None:
            sqlite = tx.conn.connection.dbapi_connection
            sqlite.set_trace_callback(plans.append)  # type: ignore[union-attr]
            retention.find(tx.conn, tx.now)
            sqlite.set_trace_callback(None)  # type: ignore[union-attr]
            [search] = [plan for plan in plans if "FROM idempotency" in plan]
            plans[:] = [step[3] for step in tx.conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {search}").all()]

        await here.store.write(explain)

        assert [] == [step for step in plans if step.startswith("SCAN") or "TEMP B-TREE" in step]


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
        first = system.sites.visitor_keys
        here.clock.jump(DAY_MS)
        await trio.sleep(61)
        second = system.sites.visitor_keys

        assert (1, 2) == (len(first), len(second))
        assert first[0] == second[1]
        for _ in range(40):
            here.clock.jump(DAY_MS)
            async with here.live_system() as later:
                kept = later.sites.visitor_keys

        assert 30 == len(kept)
        assert second[0] not in kept


def _insert_due_quietly(tx: Tx, new: submissions.NewSubmission) -> str:
    """A submission whose announcement was lost."""
    stored = submissions.create(tx, new)
    tx.changes.clear()
    return stored
