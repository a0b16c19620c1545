"""`/app/api/agent-trial` and `/app/api/model-trial`: nothing is kept of them but what they cost."""

from typing import Any, Final

import trio

from svc.domain.agent.limits import AGENT_MODEL_CALLS_MAX
from svc.storage.agent import tables as agent_tables
from svc.storage.ai import tables as ai_tables
from svc.storage.approvals import tables as approval_tables
from svc.storage.channels import tables as channel_tables
from tests import tables
from tests.agents import COST, MODEL, AgentTown, agent_town
from tests.workflows import contact

AGENT: Final = "/app/api/agent-trial"
A_MODEL: Final = "/app/api/model-trial"


async def ask(town: AgentTown, path: str, body: Any, csrf: str | None = None) -> tuple[int, Any]:
    answer = await town.here.client.post(path, json=body, headers={"X-CSRF-Token": csrf or town.csrf})
    return answer.status_code, answer.json()


async def attempt(town: AgentTown, text: str = "Hi", **changes: Any) -> tuple[int, Any]:
    """What an agent answers to *text* that is not set."""
    messages = [{"by": "customer", "text": text}]
    asked = {"connectionId": town.connection.id, "model": MODEL, "role": "admin", "messages": messages}
    return await ask(town, AGENT, asked | changes)


async def test_an_agent_that_is_not_set_answers_and_costs(autojump_clock):
    """The reply is told and sent to nobody; the ledger and the usage have its cost, as an agent's."""
    async with agent_town() as town:
        status, answer = await attempt(town, "Do you repair lamps?", instructions="Be brief.")
        await trio.sleep(1)  # the report is of calls before now
        usage = await town.person("ai.usage", {"by": ["key"]})
        runs = await town.here.rows(agent_tables.agent_runs)
        messages = await town.here.rows(channel_tables.messages)

    assert (200, "replied", "Echo: Do you repair lamps?") == (status, answer["state"], answer["reply"])
    assert COST == answer["chargedMicroCredits"]
    assert [("agent", COST)] == [(row["keyId"], row["chargedMicroCredits"]) for row in usage["rows"]]
    assert "Be brief." in town.model.asked[0]["messages"][0]["content"]
    assert ([], []) == (runs, messages)


async def test_tools_that_read_run_and_tools_that_write_are_shown(autojump_clock):
    """A write is checked and not made; of an approval no card is made; the model is told so."""
    async with agent_town() as town:
        record = await contact(town.here)
        town.model.says = [
            [
                ("record_list", {"objectType": "contact"}),
                ("note_create", {"recordId": record, "body": "Hello"}),
                ("record_delete", {"id": record}),
                ("record_delete", {"nonsense": 1}),
            ],
            "Done",
        ]
        tools = ["record.list", "record.delete", "note.create"]
        status, answer = await attempt(town, tools=tools)
        notes = await town.here.rows(tables.notes)
        cards = await town.here.rows(approval_tables.approvals)
        kept = await town.here.answer("record.get", {"id": record})

    steps = {(step["tool"], step["state"]): step for step in answer["steps"] if step["kind"] == "tool"}
    assert (200, "replied", "Done") == (status, answer["state"], answer["reply"])
    assert record == steps["record.list", "done"]["answer"]["records"][0]["id"] == kept["id"]
    assert {"recordId": record, "body": "Hello"} == steps["note.create", "not_run"]["input"]
    assert steps["record.delete", "not_run"]["answer"]["notRun"]
    assert "validation_failed" == steps["record.delete", "refused"]["answer"]["error"]["code"]
    assert ([], []) == (notes, cards)
    assert "a person would be asked" in town.model.seen


async def test_an_agent_without_tools_reads_what_is_public_alone(autojump_clock):
    """It is narrowed as the agent would be: contacts are no object to it."""
    async with agent_town([("record_list", {"objectType": "contact"})], "Nothing") as town:
        await contact(town.here)
        _, answer = await attempt(town)

    [step] = [step for step in answer["steps"] if step["kind"] == "tool"]
    assert ("refused", "not_found") == (step["state"], step["answer"]["error"]["code"])


async def test_a_conversation_goes_on(autojump_clock):
    """What was said before is read, by who said it."""
    async with agent_town() as town:
        said = [
            {"by": "customer", "text": "Hello"},
            {"by": "agent", "text": "Hello, too"},
            {"by": "customer", "text": "And now?"},
        ]
        _, answer = await attempt(town, messages=said)

    assert "Echo: And now?" == answer["reply"]
    assert ["system", "user", "assistant", "user"] == [
        message["role"] for message in town.model.asked[0]["messages"]
    ]


async def test_a_trial_ends_where_a_run_does(autojump_clock):
    """At a limit, at a hand-over and at a failure of the model, with the reason and the cost so far."""
    calling = [[("record_list", {"objectType": "lamp", "limit": n + 1})] for n in range(20)]
    async with agent_town(*calling) as town:
        _, limited = await attempt(town)
        town.model.says = [[("handover", {"reason": "wants a person"})]]
        _, handed = await attempt(town)
        town.model.says = [b"nonsense"]
        _, failed = await attempt(town)

    assert f"limit: {AGENT_MODEL_CALLS_MAX} calls of the model" == limited["reason"]
    assert COST * AGENT_MODEL_CALLS_MAX == limited["chargedMicroCredits"]
    assert ("handed_over", "wants a person") == (handed["state"], handed["reason"])
    assert failed["reason"].startswith("the model failed")


async def test_what_may_not_be_set_may_not_be_tried(autojump_clock):
    """The faults are those of `agent.set`, at the same members; rights are audited when they lack."""
    async with agent_town() as town:
        unknown = await attempt(town, model="none", tools=["apikey.mint"])
        empty = await attempt(town, messages=[])
        status, _ = await ask(town, AGENT, {}, csrf="wrong")
        await town.here.member("viewer@example.com", "viewer")
        csrf = await town.here.sign_in("viewer@example.com")
        asked = {"connectionId": town.connection.id, "model": MODEL, "role": "viewer"}
        body = asked | {"messages": [{"by": "customer", "text": "Hi"}]}
        refused = await ask(town, AGENT, body, csrf=csrf)
        also = await ask(town, A_MODEL, {"model": MODEL, "text": "Hi"}, csrf=csrf)
        audited = await town.here.rows(tables.audit, outcome="refused")

    assert (422, ["/tools/0", "/model"]) == (
        unknown[0],
        [fault["pointer"] for fault in unknown[1]["errors"]],
    )
    assert (422, 403, 403, 403) == (empty[0], status, refused[0], also[0])
    assert {"agent.try", "ai.model_try"} <= {row.action for row in audited}
    assert [] == town.model.asked


async def test_a_model_is_tried_in_place(autojump_clock):
    """Its answer, its tokens and its cost are told; the usage has it as a trial."""
    async with agent_town() as town:
        status, answer = await ask(town, A_MODEL, {"model": MODEL, "text": "Who are you?"})
        _, unknown = await ask(town, A_MODEL, {"model": "none", "text": "Who are you?"})
        await trio.sleep(1)  # the report is of calls before now
        usage = await town.person("ai.usage", {"by": ["key"]})

    assert (200, "Echo: Who are you?", COST) == (status, answer["text"], answer["chargedMicroCredits"])
    assert (100, 10) == (answer["promptTokens"], answer["completionTokens"])
    assert (None, "model_not_found") == (unknown["text"], unknown["code"])
    assert [("trial", COST)] == [(row["keyId"], row["chargedMicroCredits"]) for row in usage["rows"]]


async def test_a_trial_ends_when_its_person_leaves(autojump_clock):
    """The model is cut off, and no place stays taken: the next trial is answered."""
    async with agent_town() as town:
        town.model.thinks = trio.sleep_forever
        with trio.move_on_after(5) as scope:
            await attempt(town)
        with trio.move_on_after(5) as also:
            await ask(town, A_MODEL, {"model": MODEL, "text": "Hi"})
        town.model.thinks = trio.lowlevel.checkpoint
        status, answer = await attempt(town)
        tried, _ = await ask(town, A_MODEL, {"model": MODEL, "text": "Hi"})
        await trio.sleep(1)
        open_calls = await town.here.rows(ai_tables.calls, ended_at=None)

    assert (True, True) == (scope.cancelled_caught, also.cancelled_caught)
    assert (200, "replied", 200) == (status, answer["state"], tried)
    assert [] == open_calls
