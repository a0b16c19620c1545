"""Admission, filing and indexing of one organization: a fault or a crash in one leaves the others going."""

import re
from typing import Any, NoReturn

import pytest
import trio

from svc.actors.forms.filer import Filer
from svc.actors.identity.organization import Organization
from svc.actors.records.indexer import Indexer
from svc.domain.limits import CALLS_MAX
from svc.storage.forms import filing
from svc.storage.identity import access
from svc.storage.records import objects
from svc.storage.records.listing import index_builds
from svc.storage.sqlite.engine import raw
from tests.tooling import ToolTown, tool_town
from tests.town import submit, town

CALLS = 6
QUARANTINE_SECONDS = Filer.policy.quarantine_seconds
ROUND_SECONDS = 61
BY_CITY = {"objectType": "contact", "sort": [{"property": "city"}]}


def fail(*_: object) -> NoReturn:
    raise RuntimeError("a fault of ours")


async def load_fails(_: object) -> NoReturn:
    fail()


async def remaining_of_calls(here: ToolTown, body: object = None) -> list[int]:
    """What each of some calls leaves of the budget, all of which are answered."""
    answers = [await here.call("record.list", body or BY_CITY) for _ in range(CALLS)]
    assert [200] * CALLS == [answer.status_code for answer in answers]
    return [int(answer.headers["ratelimit-remaining"]) for answer in answers]


async def city_index(here: ToolTown) -> str | None:
    contact = await here.store.read(objects.get, here.organization.id, "contact")
    return contact.properties["city"].index_state


def phase_of(here: ToolTown, kind: type[Any]) -> tuple[str, bool]:
    """The phase of the organization's actor of that kind, and whether it has crashed."""
    seen = here.system.seen(kind.__name__, here.organization.id)
    assert seen is not None
    return seen.phase, seen.crashes > 0


def crashed_kinds(here: ToolTown) -> set[str]:
    return {kind.kind for kind in here.system.statistics().kinds if kind.crashes}


FALLING = [CALLS_MAX - number for number in range(1, CALLS + 1)]


@pytest.mark.parametrize(
    ("broken", "phase"),
    [
        ([(filing, "file_due", fail), (filing, "file_each_due", fail)], ("waiting", False)),
        ([(filing, "target", fail)], ("quarantined", True)),
    ],
    ids=["fault", "quarantine"],
)
async def test_filing_that_fails_leaves_admission_and_indexing_going(
    broken: Any, phase: Any, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls are answered, budgets fall from call to call, indexes are built; afterwards all is filed."""
    async with tool_town() as here:
        form = await here.form()
        with monkeypatch.context() as patched:
            for module, name, broken_one in broken:
                patched.setattr(module, name, broken_one)
            await submit(here.system, form, 1)
            await trio.sleep(20)
            during = phase_of(here, Filer)
            remaining = await remaining_of_calls(here)
            await trio.sleep(1)
        waiting = await here.states()
        await trio.sleep(QUARANTINE_SECONDS + ROUND_SECONDS)

        assert (phase, FALLING, {"due": 1}) == (during, remaining, waiting)
        assert ("ready", {"filed": 1}) == (await city_index(here), await here.states())
        assert {"Filer"} >= crashed_kinds(here)


@pytest.mark.parametrize(
    ("broken", "phase"),
    [
        ((index_builds, "build", fail), ("waiting", False)),
        ((Indexer, "load", load_fails), ("quarantined", True)),
    ],
    ids=["fault", "quarantine"],
)
async def test_indexing_that_fails_leaves_lists_and_filing_going(
    broken: Any, phase: Any, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lists say the same without the index, and submissions are filed; afterwards the index is built."""
    async with tool_town() as here:
        form = await here.form()
        await submit(here.system, form, 1)
        await trio.sleep(1)
        with monkeypatch.context() as patched:
            patched.setattr(*broken)
            remaining = await remaining_of_calls(here)
            await trio.sleep(20)
            during = phase_of(here, Indexer)
            await submit(here.system, form, 2)
            await trio.sleep(1)
            listed = await here.answer("record.list", BY_CITY)
        unindexed, filed = await city_index(here), await here.states()
        await trio.sleep(QUARANTINE_SECONDS)
        await here.answer("record.list", BY_CITY)
        await trio.sleep(1)

        assert (phase, FALLING) == (during, remaining)
        assert (None, {"filed": 2}, 2) == (unindexed, filed, len(listed["records"]))
        assert "ready" == await city_index(here)
        assert {"Indexer"} >= crashed_kinds(here)


async def test_an_index_that_is_begun_is_retried_without_a_list(
    autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lists ask for none that is begun: the Reconciler wakes the Indexer in its next round."""
    async with tool_town() as here:
        contact = await here.store.read(objects.get, here.organization.id, "contact")
        await here.store.write(index_builds.want, here.organization.id, [contact.properties["city"].id])
        with monkeypatch.context() as patched:
            patched.setattr(index_builds, "build", fail)
            await Indexer(here.system, here.organization.id).wake()
            await trio.sleep(1)
        before = await city_index(here)
        await trio.sleep(ROUND_SECONDS)

        assert ("building", "ready") == (before, await city_index(here))


async def test_admission_that_crashes_leaves_filing_and_indexing_going(
    autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls fail, submissions are filed, an index is continued; after the quarantine calls are answered."""
    async with tool_town() as here:
        form = await here.form()
        contact = await here.store.read(objects.get, here.organization.id, "contact")
        with monkeypatch.context() as patched:
            patched.setattr(access, "load", fail)
            refused = await here.call("record.list", BY_CITY)
            await trio.sleep(20)
            during = phase_of(here, Organization)
            await here.store.write(index_builds.want, here.organization.id, [contact.properties["city"].id])
            await submit(here.system, form, 1)
            await trio.sleep(ROUND_SECONDS)
        index, filed = await city_index(here), await here.states()
        await trio.sleep(Organization.policy.quarantine_seconds)

        assert (500, ("quarantined", True)) == (refused.status_code, during)
        assert ("ready", {"filed": 1}) == (index, filed)
        assert (FALLING, {"Organization"}) == (await remaining_of_calls(here), crashed_kinds(here))


async def test_an_activation_for_a_call_reads_what_decides_about_access_and_nothing_else(
    autojump_clock: Any,
) -> None:
    """Nothing of filing or indexing is read, and neither of their actors is activated."""
    async with town() as here, here.live_system() as system:
        await trio.sleep(1)
        read: list[str] = []
        await here.store.read(lambda conn: raw(conn).set_trace_callback(read.append))
        await Organization(system, here.organization.id).snapshot()
        await here.store.read(lambda conn: raw(conn).set_trace_callback(None))
        await trio.sleep(10)

        selects = [statement for statement in read if statement.lstrip().upper().startswith("SELECT")]
        tables = set(re.findall(r"\b(?:FROM|JOIN) (\w+)", " ".join(selects)))
        decides = {"organizations", "roles", "members", "people", "api_keys", "previous_keys", "grants"}
        assert decides == tables
        assert 6 == len(selects)
        assert (False, False) == (
            system.is_active(Filer, here.organization.id),
            system.is_active(Indexer, here.organization.id),
        )
