"""Cards through the tools: who sees them, who decides, and what is then done, once."""

from typing import Any, Final

import msgspec
import pytest
import trio
from sqlalchemy import update

from svc.domain.approvals.cards import AskedByWorkflow, Card
from svc.domain.approvals.limits import APPROVAL_SECONDS
from svc.domain.errors import Conflict, DomainError, Forbidden
from svc.domain.identity.callers import Call, Installation
from svc.domain.identity.people import Person
from svc.domain.identity.roles import Permission
from svc.domain.locale.times import SECOND_MS
from svc.runs.runner import RUNNER
from svc.services.tools import calls as tool_calls
from svc.storage import integrity
from svc.storage.approvals import approvals
from svc.storage.approvals.tables import approvals as table
from svc.storage.identity import members, roles
from svc.storage.identity.members import MemberChanges
from svc.storage.store import Tx
from svc.tools.catalogue import REGISTRY
from svc.tools.tool import ToolInput, ToolOutput, writes
from tests import tables
from tests.approvals import REASON, a_card, agent_call
from tests.people import call_of
from tests.tooling import ToolTown, tool_town
from tests.workflows import contact


async def card_of(here: ToolTown, tool: str, body: Any, **of: str) -> Card:
    return await here.store.write(a_card, here.organization.id, tool, body, **of)


async def workflow_card(here: ToolTown) -> Card:
    """The card of a run that there is not: what asked is not looked at to decide."""
    asked_by = AskedByWorkflow(workflow_id="wfl_1", run_id="run_1")
    call = agent_call(here.organization.id)
    return await here.store.write(approvals.ask, call, asked_by, None, None, reason=REASON)


async def decide(
    here: ToolTown, verb: str, card: Card, email: str = "owner@example.com", **more: Any
) -> tuple[int, Any]:
    """What a person is answered who decides."""
    csrf = await here.sign_in(email)
    answer = await here.call_as_person(f"approval.{verb}", {"id": card.id} | more, csrf=csrf)
    return answer.status_code, answer.json()


async def seen(here: ToolTown, card: Card) -> Any:
    return await here.answer("approval.get", {"id": card.id})


async def broken(here: ToolTown) -> list[str]:
    """The promises of `svc check` about approvals that are not kept."""
    found = await here.store.read_long(lambda conn: [*integrity.check(conn)])
    return [one.promise for one in found if one.broken and "approval" in one.promise]


async def test_what_is_approved_is_done_in_the_name_of_the_approver(autojump_clock):
    """State, effect, event, audit and answer are one: the trail names the person, and what asked."""
    async with tool_town() as here:
        record = await contact(here)
        card = await card_of(here, "record.delete", {"id": record})
        status, answer = await decide(here, "approve", card)
        gone = await here.call("record.get", {"id": record})
        [deleted] = await here.rows(tables.audit, action="record.delete")
        [approved] = await here.rows(tables.audit, action="approval.approve")
        [event] = await here.rows(tables.events, type="record.deleted")

        assert (200, "approved", here.owner.id) == (status, answer["state"], answer["decidedBy"])
        assert record == answer["answer"]["id"]
        assert answer == await seen(here, card)
        assert 404 == gone.status_code
        for line, target in ((deleted, record), (approved, card.id)):
            assert ("person", here.owner.id, target) == (line.caller_kind, line.caller_id, line.target)
            assert msgspec.to_builtins(card.asked_by) == msgspec.json.decode(line.asked_by)
        assert {"kind": "person", "id": here.owner.id, "personId": here.owner.id} == msgspec.json.decode(
            event.data
        )["source"]
        assert [] == await broken(here)


async def test_the_trail_shows_what_asked(autojump_clock):
    """Only of what was approved."""
    async with tool_town() as here:
        record = await contact(here)
        card = await card_of(here, "record.delete", {"id": record})
        await decide(here, "approve", card)
        [line] = (await here.answer("audit.list", {"action": "record.delete"}))["entries"]
        [made] = (await here.answer("audit.list", {"action": "record.create"}))["entries"]

        assert msgspec.to_builtins(card.asked_by) == line["askedBy"]
        assert made["askedBy"] is None


async def test_what_is_rejected_is_not_done(autojump_clock):
    """The card says why."""
    async with tool_town() as here:
        record = await contact(here)
        card = await card_of(here, "record.delete", {"id": record})
        status, answer = await decide(here, "reject", card, reason="We have to keep it.")

        assert (200, "rejected", "We have to keep it.") == (
            status,
            answer["state"],
            answer["rejectionReason"],
        )
        assert answer == await seen(here, card)
        assert record == (await here.answer("record.get", {"id": record}))["id"]
        assert [] == await broken(here)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"id": "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"}, (404, "not_found")),
        ({"id": "{contact}", "objectType": "deal"}, (404, "not_found")),
        ({"id": "{contact}", "ifVersion": 0}, (422, "validation_failed")),
    ],
)
async def test_what_the_tool_refuses_leaves_the_card_failed(autojump_clock, asked: Any, expected: Any):
    """The answer is the tool's problem, and it is stored; nothing of the tool is done."""
    async with tool_town() as here:
        record = await contact(here)
        card = await card_of(here, "record.delete", asked | {"id": asked["id"].format(contact=record)})
        status, problem = await decide(here, "approve", card)
        after = await seen(here, card)
        again, conflict = await decide(here, "approve", card)
        [line] = await here.rows(tables.audit, action="approval.approve")

        assert expected == (status, problem["code"])
        assert ("failed", here.owner.id, None) == (after["state"], after["decidedBy"], after["answer"])
        assert (problem["code"], problem["detail"]) == (after["error"]["code"], after["error"]["detail"])
        assert problem.get("errors") == after["error"].get("errors")
        assert (409, "conflict") == (again, conflict["code"])
        assert ("refused", card.id) == (line.outcome, line.target)
        assert 0 == await here.count(tables.audit, action="record.delete")
        assert record == (await here.answer("record.get", {"id": record}))["id"]
        assert [] == await broken(here)


async def test_a_part_of_what_is_refused_is_undone(autojump_clock, monkeypatch):
    """A tool that fails after its first write has written nothing, and announced nothing."""
    deletes = REGISTRY["record.delete"]

    def half(tx: Tx, call: Call, request: Any) -> Any:
        deletes_fn(tx, call, request)
        raise Conflict("changed its mind")

    deletes_fn = deletes._fn
    monkeypatch.setattr(deletes, "_fn", half)
    async with tool_town() as here:
        record = await contact(here)
        card = await card_of(here, "record.delete", {"id": record})
        status, problem = await decide(here, "approve", card)

        assert (409, "changed its mind") == (status, problem["detail"])
        assert record == (await here.answer("record.get", {"id": record}))["id"]
        assert 0 == await here.count(tables.events, type="record.deleted")
        assert "failed" == (await seen(here, card))["state"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"tool": "record.vanish"}, "unknown_tool"),
        ({"input": '{"id":"rec_1","force":true}'}, "validation_failed"),
        ({"input": '{"identifier":1}'}, "validation_failed"),
        ({"input": "[]"}, "validation_failed"),
        ({"tool": "apikey.mint", "input": "{}"}, "conflict"),
        ({"tool": "record.list", "input": '{"objectType":"contact"}'}, "conflict"),
    ],
)
async def test_a_card_of_an_earlier_version_fails_clearly(autojump_clock, changes: Any, code: str):
    """Its tool is gone, or takes other input, or shows what no card may keep."""
    async with tool_town() as here:
        card = await card_of(here, "record.delete", {"id": await contact(here)})
        await here.store.write(lambda tx: tx.conn.execute(update(table).values(**changes)))
        _, problem = await decide(here, "approve", card)
        [row] = await here.rows(table)

        assert code == problem["code"]
        assert ("failed", code) == (row.state, msgspec.json.decode(row.error)["code"])


async def test_a_card_is_decided_once(autojump_clock):
    """Approved, rejected or expired: then neither decision is taken any more."""
    async with tool_town() as here:
        cards = [
            await card_of(here, "record.delete", {"id": await contact(here, email=f"p{n}@example.com")})
            for n in range(3)
        ]
        await decide(here, "approve", cards[0])
        await decide(here, "reject", cards[1])
        past = {"expires_at": here.clock.now(), "over_at": here.clock.now()}
        await here.store.write(
            lambda tx: tx.conn.execute(update(table).where(table.c.id == cards[2].id).values(**past))
        )

        for card, state in zip(cards, ("approved", "rejected", "expired"), strict=True):
            for verb in ("approve", "reject"):
                status, problem = await decide(here, verb, card)
                assert (409, "conflict") == (status, problem["code"])
            assert state == (await seen(here, card))["state"]
        listed = await here.answer("approval.list", {"state": "expired"})
        assert [cards[2].id] == [one["id"] for one in listed["approvals"]]


async def test_of_two_who_approve_at_once_one_does(autojump_clock):
    """The other is told that it is decided; the effect is there once."""
    async with tool_town() as here:
        other = await here.member("second@example.com", "admin")
        record = await contact(here)
        card = await card_of(here, "record.delete", {"id": record})
        tool, outcomes = REGISTRY["approval.approve"], []

        async def approve(person: Person) -> None:
            call = msgspec.structs.replace(
                call_of(person, here.organization.id),
                installation=Installation(registry=REGISTRY, runner=RUNNER),
            )
            asked = tool.read(msgspec.json.encode({"id": card.id}))
            try:
                await tool_calls.run(here.system, tool, call, asked)
            except DomainError as error:
                outcomes.append(error.code)
            else:
                outcomes.append(person.id)

        async with trio.open_nursery() as nursery:
            for person in (here.owner, other):
                nursery.start_soon(approve, person)

        assert ["conflict", (await seen(here, card))["decidedBy"]] == sorted(outcomes)
        assert 1 == await here.count(tables.audit, action="record.delete")
        assert 1 == await here.count(tables.audit, action="approval.approve", outcome="done")


async def test_an_approval_is_replayed_under_its_idempotency_key(autojump_clock):
    """As any write; a refusal is not kept, and a second attempt is told that the card is decided."""
    async with tool_town() as here:
        card = await card_of(here, "record.delete", {"id": await contact(here)})
        fails = await card_of(here, "record.delete", {"id": "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"})
        csrf = await here.sign_in()

        async def approve(which: Card, key: str) -> Any:
            return await here.call_as_person(
                "approval.approve", {"id": which.id}, csrf=csrf, idempotency_key=key
            )

        first, again, other = [await approve(*one) for one in ((card, "a"), (card, "a"), (fails, "a"))]
        refused, after = [await approve(fails, "b") for _ in range(2)]

        assert (200, 200, 422) == (first.status_code, again.status_code, other.status_code)
        assert first.json() == again.json()
        assert "true" == again.headers["idempotent-replayed"]
        assert (404, 409) == (refused.status_code, after.status_code)


SEES: Final[dict[str, set[str | None]]] = {
    "owner": {"record.delete", "site.remove", "form.remove", "record.vanish", None},
    "viewer": set(),
    "records.write": {"record.delete"},
    "settings": {"site.remove", "record.vanish"},
    "workflows": {None},
    "conversations": set(),
}
"""The tools whose cards a role sees and decides; None for those of workflows."""


async def test_who_may_run_a_tool_sees_and_decides_its_cards(autojump_clock):
    """Others are refused, and the card waits on. That of a tool that is gone is for administrators."""
    async with tool_town() as here:
        cards = {
            tool: await card_of(here, tool, {"id": "x"}, run=f"agr_{n}")
            for n, tool in enumerate(("record.delete", "site.remove", "form.remove", "record.vanish"))
        } | {None: await workflow_card(here)}
        wrong = []
        for role, sees in SEES.items():
            role_id = role
            if role not in {"owner", "viewer"}:
                made = await here.store.write(roles.create, call_of(here.owner), role, [role])
                role_id = made.id
            person = await here.member(f"{role}.x@example.com", role_id)
            csrf = await here.sign_in(person.email)
            listed = (await here.answer_to_person("approval.list", csrf=csrf))["approvals"]
            if sees != {one["tool"] for one in listed}:
                wrong.append((role, "list", listed))
            for tool, card in cards.items():
                got = await here.call_as_person("approval.get", {"id": card.id}, csrf=csrf)
                if (200 if tool in sees else 403) != got.status_code:
                    wrong.append((role, "get", tool))
                if tool not in sees:
                    for verb in ("approve", "reject"):
                        refused = await here.call_as_person(f"approval.{verb}", {"id": card.id}, csrf=csrf)
                        if (403, "forbidden") != (refused.status_code, refused.json()["code"]):
                            wrong.append((role, verb, tool))

        assert [] == wrong
        assert {"waiting"} == {(await seen(here, card))["state"] for card in cards.values()}


async def test_a_narrowed_key_sees_the_cards_of_its_tools_alone(autojump_clock):
    """As it could call no others."""
    async with tool_town() as here:
        card = await card_of(here, "record.delete", {"id": "x"})
        await card_of(here, "form.remove", {"id": "x"})
        key = await here.mint(tools=("approval.list", "approval.get", "record.delete"))

        listed = (await here.answer("approval.list", key=key))["approvals"]
        assert [card.id] == [one["id"] for one in listed]


async def test_no_key_decides(autojump_clock):
    """Whatever it may see."""
    async with tool_town() as here:
        card = await card_of(here, "record.delete", {"id": await contact(here)})
        answers = [await here.call(f"approval.{verb}", {"id": card.id}) for verb in ("approve", "reject")]

        assert [(403, "person_only")] * 2 == [(one.status_code, one.json()["code"]) for one in answers]
        assert "waiting" == (await seen(here, card))["state"]


async def test_a_right_that_was_taken_away_counts_at_once(autojump_clock):
    """It is judged in the unit that would do it, though the person was admitted before."""
    async with tool_town() as here:
        clerk = await here.member("clerk@example.com", "admin")
        card = await card_of(here, "record.delete", {"id": await contact(here)})
        admission = await _admitted(here, clerk)
        demoted = MemberChanges(role_id="viewer")
        await here.store.write(members.update, call_of(here.owner), clerk.id, demoted)
        tool = REGISTRY["approval.approve"]

        with pytest.raises(Forbidden):
            await tool_calls.run(
                here.system, tool, admission, tool.read(msgspec.json.encode({"id": card.id}))
            )
        assert "waiting" == (await seen(here, card))["state"]


async def _admitted(here: ToolTown, person: Person) -> Call:
    """A call of a person, as the door has let it in."""
    await here.sign_in(person.email)
    token = here.client.cookies["svc_session"]
    admission = await tool_calls.admit_person(here.system, token, here.organization.id)
    return Call(
        caller=admission.caller, door="app", installation=Installation(registry=REGISTRY, runner=RUNNER)
    )


async def test_a_refusal_of_the_person_leaves_the_card_for_another(autojump_clock, monkeypatch):
    """Where the tool itself finds that this person may not: it is no failure of what was asked."""

    def forbids(tx: Tx, call: Call, request: Any) -> Any:
        raise Forbidden("not you")

    monkeypatch.setattr(REGISTRY["record.delete"], "_fn", forbids)
    async with tool_town() as here:
        card = await card_of(here, "record.delete", {"id": await contact(here)})
        status, problem = await decide(here, "approve", card)

        assert (403, "not you") == (status, problem["detail"])
        assert "waiting" == (await seen(here, card))["state"]


async def test_the_card_of_a_workflow_is_approved_without_an_effect_of_its_own(autojump_clock):
    """The run goes on from it; the trail names the workflow."""
    async with tool_town() as here:
        card = await workflow_card(here)
        status, answer = await decide(here, "approve", card)
        [line] = await here.rows(tables.audit, action="approval.approve")

        assert (200, "approved", None, None) == (
            status,
            answer["state"],
            answer["tool"],
            answer["answer"],
        )
        assert {"kind": "workflow", "workflowId": "wfl_1", "runId": "run_1"} == answer["askedBy"]
        assert answer["askedBy"] == msgspec.json.decode(line.asked_by)


@pytest.mark.parametrize(
    ("permissions", "expected"),
    [
        (["workflows"], None),
        (["workflows", "records.read", "forms"], None),
        (["workflows", "records.read", "forms", "conversations"], REASON),
    ],
)
async def test_the_reason_of_a_workflow_is_shown_to_callers_who_may_see_what_fills_it(
    autojump_clock, permissions: list[Permission], expected: str | None
):
    """A template may name a record, a submission, a message: `workflows` alone reads none of them."""
    async with tool_town() as here:
        card = await workflow_card(here)
        role = await here.store.write(roles.create, call_of(here.owner), "Deciders", permissions)
        key = await here.mint(role_id=role.id)
        await here.member("bob@example.com", role.id)
        [listed] = (await here.answer("approval.list", key=key))["approvals"]
        got = await here.answer("approval.get", {"id": card.id}, key=key)
        status, decided = await decide(here, "approve", card, "bob@example.com")

        assert [expected, expected, expected] == [one["reason"] for one in (listed, got, decided)]
        assert (200, "approved") == (status, decided["state"])


async def test_an_unknown_card_is_not_found(autojump_clock):
    async with tool_town() as here:
        assert 404 == (await here.call("approval.get", {"id": "apr_x"})).status_code


def test_no_tool_that_shows_a_secret_is_asked_for() -> None:
    """Cards keep answers."""

    class Nothing(ToolInput, frozen=True, kw_only=True):
        pass

    class Secret(ToolOutput, frozen=True, kw_only=True):
        key: str

    make = writes(
        "key.make", runs="approval", shows_secret=True, example=Nothing(), answer=Secret(key="svck_x")
    )
    with pytest.raises(ValueError, match="cards keep answers"):
        make(lambda tx, call, request: Secret(key="svck_x"))  # it is never called
    assert not [one for one in REGISTRY.values() if one.runs == "approval" and one.shows_secret]


async def test_a_permission_for_own_things_shows_no_cards(autojump_clock):
    """`conversations` lets a member remove an account of their own; a card may be about any connection."""
    async with tool_town() as here:
        call = call_of(here.owner, here.organization.id)
        role = await here.store.write(roles.create, call, "Chats", ["conversations"])
        await here.member("bob@example.com", role.id)
        card = await card_of(here, "connection.remove", {"id": "con_01K5D3V7Q2M8Z4X6C9B1N0T5RA"})
        key = await here.mint(role_id=role.id)
        listed = await here.answer("approval.list", key=key)
        status, problem = await decide(here, "reject", card, "bob@example.com")
        kept = await seen(here, card)

        assert [] == listed["approvals"]
        assert (403, "forbidden", "waiting") == (status, problem["code"], kept["state"])


async def test_a_list_is_of_those_that_wait_or_of_those_that_ended(autojump_clock):
    """`waiting` counts what the caller may decide, whichever are listed; expired ones it does not."""
    async with tool_town() as here:
        done = await card_of(here, "record.delete", {"id": await contact(here)})
        open_ = await card_of(here, "record.delete", {"id": await contact(here)})
        workflows_ = await workflow_card(here)
        await decide(here, "reject", done)
        waiting = await here.answer("approval.list", {"ended": False})
        ended = await here.answer("approval.list", {"ended": True})
        await here.member("viewer@example.com", "viewer")
        csrf = await here.sign_in("viewer@example.com")
        unseen = await here.answer_to_person("approval.list", {"limit": 1}, csrf=csrf)
        page = await here.answer("approval.list", {"ended": False, "limit": 1})
        foreign = await here.call("approval.list", {"ended": True, "cursor": page["nextCursor"]})
        here.clock.jump((APPROVAL_SECONDS + 1) * SECOND_MS)
        later = await here.answer("approval.list", {"ended": True})

    assert {open_.id, workflows_.id} == {card["id"] for card in waiting["approvals"]}
    assert [done.id] == [card["id"] for card in ended["approvals"]]
    assert (2, 2, 0, 0) == (waiting["waiting"], ended["waiting"], unseen["waiting"], later["waiting"])
    assert 422 == foreign.status_code
    assert 3 == len(later["approvals"])
