"""Bad input and limits: one hand-over and no reply, or a call that is refused and told to the model."""

import json
from itertools import count
from typing import Any

import pytest
import trio

from svc.domain.channels.limits import MESSAGE_CHARS_MAX
from svc.domain.channels.messages import InboundMessage
from svc.domain.identity.organizations import Organization
from svc.storage.ai import tables as ai_tables
from svc.storage.channels import messages
from svc.storage.records import records
from svc.storage.store import Tx
from tests.agents import BEGINS, COST, AgentTown, Says, agent_town, completion, kinds
from tests.channels import PERSON

LIST = ("record_list", {"objectType": "contact"})
GET = ("record_get", {"id": "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"})


def other_calls(many: int) -> list[Any]:
    return [("record_list", {"objectType": f"other{number}"}) for number in range(many)]


@pytest.mark.parametrize(
    ("says", "reason"),
    [
        ([""], "the model answered nothing"),
        (["  \n"], "the model answered nothing"),
        ([[("reply", {})]], "the model answered nothing"),
        ([[("reply", "no JSON")]], "the model answered nothing"),
        ([[("handover", {"reason": "cannot help"})]], "cannot help"),
        ([[("handover", {})]], "no reason given"),
        (["x" * 4_001], "limit: 4,000 characters of a reply, not 4,001"),
        ([[GET]] * 9, "limit: record.get was called with the same input 2 times"),
        ([other_calls(17)[:16], other_calls(20)[17:]], "limit: 16 calls of tools"),
        ([[one] for one in other_calls(9)], "limit: 8 calls of the model"),
        ([b"no JSON"], "the model failed: upstream_error"),
        ([b'{"error": {"message": "secret of the provider"}}'], "the model failed: upstream_error"),
        ([b'{"choices": []}'], "the model failed: no answer that can be read"),
        ([completion({"content": "half of"}, "length")], "the model failed: no answer that can be read"),
    ],
)
async def test_a_limit_or_an_error_is_one_hand_over(autojump_clock, says: list[Says], reason: str):
    """No reply, one event, one mark; the conversation is silent from then on."""
    async with agent_town(*says) as town:
        await town.say("Hi")
        await trio.sleep(BEGINS)
        await town.say("Hi?")
        await trio.sleep(2 * BEGINS)
        [run] = await town.runs()
        events = await town.here.answer("event.list", {"types": ["conversation.handed_over"]})

        assert ("handed_over", reason) == (run["state"], run["reason"])
        assert [reason] == [event["data"]["reason"] for event in events["events"]]
        assert [("in", "Hi"), ("in", "Hi?")] == await town.said()
        assert reason == (await town.conversation())["silence"]["reason"]


async def test_what_is_no_call_is_refused_and_told(autojump_clock):
    """Arguments that are no JSON, of another shape, a tool that there is not, one that it has not."""
    bad: list[Any] = [
        ("record_list", "{no JSON"),
        ("record_list", {"objectTyp": "contact"}),
        ("record_lists", {"objectType": "contact"}),
        ("record_search", {"query": "ada"}),
        ("apikey_mint", {"name": "mine"}),
        ("message_reply", {"conversationId": "cnv_x", "text": "to another"}),
        ("", {}),
    ]
    async with agent_town(bad, "Sorry.") as town:
        await town.say("Hi")
        await trio.sleep(BEGINS)
        run = await town.run()
        calls = [step for step in run["steps"] if step["kind"] == "tool"]

        assert ["refused"] * len(bad) == [step["state"] for step in calls]
        assert [
            "malformed_json",
            "validation_failed",
            "unknown_tool",
            "unknown_tool",
            "unknown_tool",
            "unknown_tool",
            "unknown_tool",
        ] == [step["answer"]["error"]["code"] for step in calls]
        assert "objectTyp" in json.dumps(calls[1]["answer"])
        assert "{no JSON" == calls[0]["input"]
        assert ("agent", "Sorry.") == (await town.said())[-1]


async def test_a_reply_is_written_once(autojump_clock):
    """However often the model calls for it: what comes after the first is not done."""
    calls = [("reply", {"text": "First."}), ("reply", {"text": "Second."}), GET]
    async with agent_town(calls) as town:
        await town.say("Hi")
        await trio.sleep(BEGINS)
        run = await town.run()

        assert [("in", "Hi"), ("agent", "First.")] == await town.said()
        assert [("model", "done"), ("reply", "done")] == kinds(run)


async def test_two_programs_that_answer_each_other_come_to_an_end(autojump_clock):
    """After twenty replies within an hour; an hour later the agent may again, once it is resumed."""
    async with agent_town() as town:
        for number in range(30):
            await town.say(f"I am a bot, {number}")
            await trio.sleep(BEGINS)
        states = [run["state"] for run in await town.runs()]
        reason = (await town.run())["reason"]
        town.here.clock.jump(3_600_000)
        await town.person("conversation.agent_resume", {"id": (await town.conversation())["id"]})
        await town.say("Hi")
        await trio.sleep(BEGINS)

        assert ["replied"] * 20 + ["handed_over"] == states
        assert "limit: 20 replies in an hour" == reason
        assert ("agent", "Echo: Hi") == (await town.said())[-1]


async def test_a_long_message_is_cut(autojump_clock):
    """The model is shown 32 KB of the last messages, and of one that is longer its beginning."""
    async with agent_town("Ok.", "Ok.") as town:
        await town.say("x" * MESSAGE_CHARS_MAX)
        await trio.sleep(BEGINS)
        await town.say("short")
        await trio.sleep(BEGINS)
        first, second = (
            [one["content"] for one in asked["messages"] if one["role"] != "system"]
            for asked in town.model.asked
        )

        assert ["replied"] * 2 == [run["state"] for run in await town.runs()]
        assert 32_768 >= sum(map(len, first)) > 8_000
        assert "short" == second[-1]
        assert 32_768 >= sum(map(len, second))


async def test_a_long_conversation_costs_no_more(autojump_clock):
    """Of ten thousand messages the last forty are read."""
    async with agent_town("Ok.") as town:
        await town.here.store.write(many_messages, town)
        await town.say("the last")
        await trio.sleep(BEGINS)
        said = [one["content"] for one in town.model.asked[0]["messages"] if one["role"] == "user"]

        assert 40 == len(said)
        assert ["number 9999", "the last"] == said[-2:]


def many_messages(tx: Tx, town: AgentTown) -> None:
    for number in range(10_000):
        one = InboundMessage(
            conversation_id="chat-1", message_id=f"old-{number}", direction="in", text=f"number {number}"
        )
        messages.receive(tx, town.here.organization.id, town.connection.id, one)


async def test_without_credits_a_person_answers(autojump_clock):
    """At the start, and in the middle of a run, whose calls are charged and not repeated."""
    async with agent_town(granted=0) as town:
        await town.say("Hi")
        await trio.sleep(BEGINS)
        run = await town.run()

        assert ("handed_over", "the model failed: insufficient_credits", 0) == (
            run["state"],
            run["reason"],
            run["chargedMicroCredits"],
        )
        assert [] == town.model.asked

    first, second = await bounds()
    assert second > first + COST

    async with agent_town([LIST], "Hello.", granted=first, tools=["record.list"]) as town:
        await town.here.store.write(contacts, town.here.organization)
        await town.say("Hi")
        await trio.sleep(BEGINS)
        run = await town.run()

        assert ("handed_over", "the model failed: insufficient_credits") == (run["state"], run["reason"])
        assert [
            ("model", "done"),
            ("record.list", "done"),
            ("model", "failed"),
            ("handover", "done"),
        ] == kinds(run)
        assert COST == run["chargedMicroCredits"]


async def bounds() -> list[int]:
    """What the two calls of the model in a run reserve that reads much."""
    async with agent_town([LIST], "Hello.", tools=["record.list"]) as town:
        await town.here.store.write(contacts, town.here.organization)
        await town.say("Hi")
        await trio.sleep(BEGINS)
        return [row.reserved_micro_credits for row in await town.here.rows(ai_tables.calls)]


def contacts(tx: Tx, organization: Organization) -> None:
    for number in range(50):
        records.create(tx, organization, "contact", {"name": f"Number {number}"}, source=PERSON)


async def test_a_day_has_a_limit(autojump_clock):
    """Of the agent's own: the next day it answers again."""
    async with agent_town(dailyMicroCredits=30_000) as town:
        for chat in ("a", "b"):
            await town.say("Hi", chat=chat)
            await trio.sleep(BEGINS)
        await town.set(dailyMicroCredits=COST)
        await town.say("Hi", chat="c")
        await trio.sleep(BEGINS)
        shown = await town.here.answer("agent.get", {"connectionId": town.connection.id})
        await town.set(dailyMicroCredits=30_000)
        town.here.clock.jump(24 * 3_600_000)
        await town.say("Hi", chat="d")
        await trio.sleep(BEGINS)
        runs = await town.runs()

        assert ["replied", "replied", "handed_over", "replied"] == [run["state"] for run in runs]
        assert "limit: 120 micro-credits in a day" == runs[2]["reason"]
        assert 2 * COST == shown["spentMicroCredits"]


async def test_a_model_that_thinks_for_too_long_is_not_waited_for(autojump_clock):
    """Two minutes of work, over all calls of a run."""
    async with agent_town(*[[one] for one in other_calls(8)]) as town:

        async def slowly() -> None:
            await trio.sleep(50)

        town.model.thinks = slowly
        await town.say("Hi")
        await trio.sleep(200)
        run = await town.run()

        assert ("handed_over", "limit: 120 seconds of work") == (run["state"], run["reason"])
        assert 3 == len([step for step in run["steps"] if step["kind"] == "model"])


async def test_groups_and_connections_without_an_agent_are_left_alone(autojump_clock):
    """A message costs no row there."""
    async with agent_town() as town:
        await town.say("Hi", chat="group", conversation={"kind": "group", "title": "All"})
        await town.set(enabled=False)
        await town.say("Hi", chat="off")
        await trio.sleep(BEGINS)
        await town.set(enabled=True)
        await trio.sleep(70)

        assert [] == await town.runs()
        assert [] == town.model.asked


async def test_an_answer_with_too_many_calls_is_cut(autojump_clock):
    """And calls with one id are told apart."""
    numbers = count()
    calls = [
        {
            "id": "same",
            "type": "function",
            "function": {"name": "record_get", "arguments": f'{{"id":"{next(numbers)}"}}'},
        }
        for _ in range(3)
    ]
    async with agent_town(completion({"tool_calls": calls}), "Done.") as town:
        await town.say("Hi")
        await trio.sleep(BEGINS)
        run = await town.run()
        answered = [one["tool_call_id"] for one in town.model.asked[1]["messages"] if one["role"] == "tool"]

        assert ["0", "1", "2"] == [step["input"]["id"] for step in run["steps"] if step["kind"] == "tool"]
        assert 3 == len(set(answered))
