"""An operator passivates an actor and ends a quarantine: what is answered, and what is written down."""

import structlog
import trio
import trio.testing

from svc.actors._core import Policy
from svc.actors.identity.organization import Organization
from svc.actors.kinds import KINDS
from svc.actors.system import System
from svc.http.operator.app import operator_app
from tests import tables
from tests.http.asking import client_of
from tests.http.operator.test_operator_app import BEARER, TOKEN, Desk, office
from tests.town import SECRETS, town


async def test_an_actor_is_passivated_and_the_log_says_so(autojump_clock):
    """A key that leads to no organization is in no trail."""
    async with office() as (system, operator):
        await Desk(system, "1/2").work()
        with structlog.testing.capture_logs() as logged:
            answer = await operator.post("/debug/actors/Desk/1/2/passivate")
        await trio.testing.wait_all_tasks_blocked()

        assert (200, {"audited": False}) == (answer.status_code, answer.json())
        assert [] == system.actors("Desk")
        [line] = [one for one in logged if one["event"] == "operator acted on an actor"]
        assert ("passivate", "Desk", "1/2") == (line["action"], line["kind"], line["key"])


async def test_an_action_on_an_organization_s_actor_is_in_its_trail(autojump_clock):
    """With the operator as its caller, and the actor as its target."""
    async with town() as here:
        system = System(KINDS, here.store, here.clock, SECRETS)
        [organization] = await here.rows(tables.organizations)
        async with system.live(), client_of(operator_app(system, TOKEN)) as operator:
            await Organization(system, organization.id).snapshot()
            answer = await operator.post(
                f"/debug/actors/Organization/{organization.id}/passivate", headers=BEARER
            )
        [entry] = await here.rows(tables.audit, action="actor.passivate")

    assert (200, {"audited": True}) == (answer.status_code, answer.json())
    assert (organization.id, "operator", f"Organization/{organization.id}") == (
        entry.organization_id,
        entry.caller_kind,
        entry.target,
    )


async def test_a_quarantine_is_ended(autojump_clock):
    """The next message is processed again."""
    assert Policy().quarantine_seconds > 1
    async with office() as (system, operator):
        Desk(system, "1").burn.tell()
        await trio.testing.wait_all_tasks_blocked()

        answer = await operator.post("/debug/actors/Desk/1/release")
        await Desk(system, "1").work()

        assert 200 == answer.status_code


async def test_what_cannot_be_done_is_a_conflict(autojump_clock):
    """It says why, and neither log nor trail has it."""
    async with office() as (system, operator):
        Desk(system, "1").work.tell(100)
        await trio.testing.wait_all_tasks_blocked()
        with structlog.testing.capture_logs() as logged:
            running = await operator.post("/debug/actors/Desk/1/passivate")
            released = await operator.post("/debug/actors/Desk/1/release")

        assert (409, "Desk/1: it is running") == (running.status_code, running.json()["detail"])
        assert (409, "Desk/1: it is not quarantined") == (released.status_code, released.json()["detail"])
        assert not [one for one in logged if one["event"] == "operator acted on an actor"]


async def test_without_its_store_an_operator_can_still_act(autojump_clock):
    """The answer says that it is in no trail."""
    async with office() as (system, operator):
        await Desk(system, "org_1").work()
        await system.store.aclose()

        answer = await operator.post("/debug/actors/Desk/org_1/passivate")

        assert (200, {"audited": False}) == (answer.status_code, answer.json())


async def test_a_key_of_no_organization_is_in_no_trail(autojump_clock):
    """However it begins."""
    async with office() as (system, operator):
        await Desk(system, "org_1").work()

        assert {"audited": False} == (await operator.post("/debug/actors/Desk/org_1/passivate")).json()


async def test_an_actor_that_is_stuck_is_restarted(autojump_clock):
    """What it runs is cut off, and the log says who did it."""
    async with office() as (system, operator):
        Desk(system, "1").work.tell(8)
        await trio.testing.wait_all_tasks_blocked()
        with structlog.testing.capture_logs() as logged:
            answer = await operator.post("/debug/actors/Desk/1/restart")
        again = await operator.post("/debug/actors/Desk/2/restart")
        await trio.sleep(1)
        inspection = system.inspect("Desk", "1")

        assert (200, {"audited": False}) == (answer.status_code, answer.json())
        assert (409, "Desk/2: it is not active") == (again.status_code, again.json()["detail"])
        assert inspection is not None
        assert inspection.crash is not None
        assert inspection.crash.error.startswith("RestartByOperator")
        assert ["restart"] == [
            one["action"] for one in logged if one["event"] == "operator acted on an actor"
        ]
