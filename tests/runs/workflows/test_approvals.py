"""Steps that wait for a person: approved, rejected, or not decided in time."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from svc.domain.approvals import cards
from svc.domain.approvals.limits import APPROVALS_WAITING_MAX
from svc.storage import integrity
from svc.storage.approvals import approvals, decisions
from svc.storage.approvals.tables import approvals as table
from svc.storage.identity import members
from svc.storage.identity.members import MemberChanges
from svc.storage.store import Tx
from tests.people import call_of
from tests.tooling import ToolTown, tool_town
from tests.workflows import NOTE, contact, enabled, outputs, runs_of, states

ASK = {
    "key": "ask",
    "type": "approval",
    "reason": "Send {{record.name}} the large catalogue?",
    "then": [{"key": "yes", "type": "add_note", "body": "{{steps.ask.state}} by {{steps.ask.decidedBy}}"}],
    "else": [{"key": "no", "type": "add_note", "body": "{{steps.ask.state}}: {{steps.ask.rejectionReason}}"}],
}


@asynccontextmanager
async def asking_town(**step: Any) -> AsyncIterator[ToolTown]:
    """A town with a workflow that asks for an approval, and then writes a note in any case."""
    async with tool_town() as here:
        await enabled(here, ASK | step, NOTE)
        yield here


async def waiting(here: ToolTown) -> Any:
    """The only card that waits."""
    await contact(here)
    await trio.sleep(3)
    [card] = (await here.answer("approval.list", {"state": "waiting"}))["approvals"]
    return card


async def decide(here: ToolTown, verb: str, card: Any, **more: Any) -> None:
    csrf = await here.sign_in()
    await here.answer_to_person(f"approval.{verb}", {"id": card["id"]} | more, csrf=csrf)


async def broken(here: ToolTown) -> list[str]:
    found = await here.store.read_long(lambda conn: [*integrity.check(conn)])
    return [one.promise for one in found if one.broken]


async def test_an_approved_step_goes_on_with_then(autojump_clock):
    """At once, with who decided; the card shows what the step asks."""
    async with asking_town() as here:
        card = await waiting(here)
        [before] = await runs_of(here)
        assert [] == await broken(here)
        await decide(here, "approve", card)
        await trio.sleep(0.1)
        [run] = await runs_of(here)

        assert ("Send Ada the large catalogue?", None, None) == (card["reason"], card["tool"], card["input"])
        assert {"kind": "workflow", "workflowId": run["workflowId"], "runId": run["id"]} == card["askedBy"]
        assert ("waiting", {"ask": "waiting"}, card["expiresAt"]) == (
            before["state"],
            states(before),
            before["wakeAt"],
        )
        assert ("done", {"ask": "done", "yes": "done", "note": "done"}) == (run["state"], states(run))
        assert {
            "approvalId": card["id"],
            "state": "approved",
            "taken": "then",
            "decidedBy": here.owner.id,
            "rejectionReason": None,
        } == outputs(run)["ask"]
        assert f"approved by {here.owner.id}" == run["steps"][1]["input"]["body"]
        assert [] == await broken(here)


async def test_a_rejected_step_goes_on_with_else(autojump_clock):
    """Later steps see why."""
    async with asking_town() as here:
        await decide(here, "reject", await waiting(here), reason="Too heavy")
        await trio.sleep(0.1)
        [run] = await runs_of(here)

        assert {"ask": "done", "no": "done", "note": "done"} == states(run)
        assert "rejected: Too heavy" == run["steps"][1]["input"]["body"]


async def test_a_rejected_step_without_else_goes_on_after_it(autojump_clock):
    async with asking_town(**{"else": []}) as here:
        await decide(here, "reject", await waiting(here))
        await trio.sleep(0.1)
        [run] = await runs_of(here)

        assert {"ask": "done", "note": "done"} == states(run)


async def test_a_step_that_is_not_decided_in_time_goes_on_with_else(autojump_clock):
    """At that second; then it cannot be decided any more."""
    async with asking_town(seconds=3_600) as here:
        card = await waiting(here)
        await trio.sleep(3_590)
        [before] = await runs_of(here)
        await trio.sleep(10)
        [run] = await runs_of(here)
        csrf = await here.sign_in()
        late = await here.call_as_person("approval.approve", {"id": card["id"]}, csrf=csrf)

        assert ["waiting", "done"] == [before["state"], run["state"]]
        assert {"ask": "done", "no": "done", "note": "done"} == states(run)
        assert "expired" == outputs(run)["ask"]["state"]
        assert 409 == late.status_code
        assert [] == await broken(here)


async def test_the_card_of_a_cancelled_run_has_expired(autojump_clock):
    """It can be decided no more."""
    async with asking_town() as here:
        card = await waiting(here)
        [run] = await runs_of(here)
        await here.answer("workflow.run_cancel", {"id": run["id"]})
        csrf = await here.sign_in()
        late = await here.call_as_person("approval.approve", {"id": card["id"]}, csrf=csrf)

        assert "expired" == (await here.answer("approval.get", {"id": card["id"]}))["state"]
        assert 409 == late.status_code
        assert {"ask": "cancelled"} == states((await runs_of(here))[0])
        assert [] == await broken(here)


async def test_the_cards_of_a_disabled_workflow_have_expired(autojump_clock):
    """Where its runs are cancelled, too."""
    async with asking_town() as here:
        card = await waiting(here)
        await here.answer("workflow.disable", {"id": card["askedBy"]["workflowId"], "cancelRuns": True})

        assert "expired" == (await here.answer("approval.get", {"id": card["id"]}))["state"]
        assert [] == await broken(here)


@pytest.mark.parametrize(
    ("status", "role_id", "expected"),
    [("active", "viewer", {"ask": "done", "yes": "failed"}), ("frozen", "admin", {"ask": "failed"})],
)
async def test_an_approval_gives_the_run_no_right(autojump_clock, status: Any, role_id: str, expected: Any):
    """It still goes in the name of the person who enabled it, whoever approves."""
    async with tool_town() as here:
        clerk = await here.member("clerk@example.com", "admin")
        await enabled(here, ASK, NOTE, key=await here.mint(clerk))
        card = await waiting(here)
        changes = MemberChanges(role_id=role_id, status=status)
        await here.store.write(members.update, call_of(here.owner), clerk.id, changes)
        await decide(here, "approve", card)
        await trio.sleep(0.1)
        [run] = await runs_of(here)

        assert ("failed", "forbidden", expected) == (run["state"], run["reason"], states(run))
        assert [] == await broken(here)


async def test_a_dry_run_asks_nobody(autojump_clock):
    """It shows what it would ask, and goes on as if it were approved."""
    async with asking_town() as here:
        record = await contact(here)
        await trio.sleep(3)
        [run] = await runs_of(here)
        tried = await here.answer(
            "workflow.run", {"id": run["workflowId"], "recordId": record, "dryRun": True}
        )

        assert {"ask": "done", "yes": "done", "note": "done"} == states(tried)
        assert ("then", None) == (outputs(tried)["ask"]["taken"], outputs(tried)["ask"]["approvalId"])
        assert "Send Ada the large catalogue?" == tried["steps"][0]["input"]["reason"]
        assert 1 == await here.count(table)


@pytest.mark.parametrize("on_error", ["fail", "continue"])
async def test_a_step_that_may_not_ask_is_refused(autojump_clock, on_error: str):
    """As any step: the run fails, or goes on after it, in neither branch."""
    async with asking_town(onError=on_error) as here:
        await here.store.write(_fill_up, here.organization.id)
        await contact(here)
        await trio.sleep(3)
        [run] = await runs_of(here)
        after = {"note": "done"} if on_error == "continue" else {}

        assert ("done" if after else "failed") == run["state"]
        assert {"ask": "failed"} | after == states(run)
        assert "conflict" == run["steps"][0]["error"]["code"]


def _fill_up(tx: Tx, organization_id: str) -> None:
    """As many waiting cards as there may be."""
    values = {column.name: None for column in table.c} | {
        "organization_id": organization_id,
        "state": "waiting",
        "reason": "",
        "asker_kind": "workflow",
        "workflow_id": "wfl_1",
        "run_id": "run_1",
        "created_at": tx.now,
        "expires_at": tx.now + 10**9,
        "over_at": tx.now + 10**9,
    }
    for _ in range(APPROVALS_WAITING_MAX):
        tx.conn.execute(table.insert().values(values | {"id": tx.new_id("apr")}))


async def test_a_decision_that_nothing_was_told_of_is_found(autojump_clock):
    """By the next round, though the run itself is not due for days: the row says it."""
    async with asking_town() as here:
        card = await waiting(here)
        await here.store.write(_decide_quietly, here.organization.id, card["id"])
        await trio.sleep(61)
        [run] = await runs_of(here)

        assert ("done", "then") == (run["state"], outputs(run)["ask"]["taken"])


def _decide_quietly(tx: Tx, organization_id: str, card_id: str) -> None:
    """As a program does that is killed after its commit."""
    card = approvals.get(tx.conn, organization_id, card_id, tx.now)
    decisions.decide(tx, cards.approved(card, "usr_1", tx.now))
    tx.changes.clear()


async def test_a_retried_run_asks_anew(autojump_clock):
    """Where the one before it could not ask."""
    async with asking_town() as here:
        await here.store.write(_fill_up, here.organization.id)
        await contact(here)
        await trio.sleep(3)
        [failed] = await runs_of(here)
        await here.store.write(lambda tx: tx.conn.execute(table.delete()))
        again = await here.answer("workflow.run", {"retryOf": failed["id"]})
        await trio.sleep(0.1)
        [card] = (await here.answer("approval.list", {"state": "waiting"}))["approvals"]

        assert again["id"] == card["askedBy"]["runId"]
        assert failed["id"] != again["id"]
