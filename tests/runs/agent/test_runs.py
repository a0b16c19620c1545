"""Runs of agents: from a message to a reply, by way of tools, approvals and people."""

import json
from typing import Any

import trio

from svc.domain.identity.callers import operator_call
from svc.storage import provisioning
from svc.storage.identity import members
from svc.storage.identity.members import MemberChanges
from svc.storage.metadata import metadata
from tests.agents import BEGINS, COST, AgentTown, agent_town, kinds
from tests.channels import PERSON

TABLES = metadata.tables
HANDOVER = [("handover", {"reason": "wants a discount"})]


async def test_a_message_is_answered(autojump_clock):
    """Two seconds after it came, in the organization's name, at the price of the model."""
    async with agent_town("We do.") as town:
        await town.say("Do you repair lamps?")
        await trio.sleep(1.9)
        early = await town.said()
        await trio.sleep(BEGINS)
        run = await town.run()
        [reply] = await town.pull()
        usage = await town.here.answer("ai.usage", {"by": ["key"]})

        assert [("in", "Do you repair lamps?")] == early
        assert [("in", "Do you repair lamps?"), ("agent", "We do.")] == await town.said()
        assert {"kind": "agent", "name": "Lamps & Co"} == reply["author"]
        assert ("replied", None, COST) == (run["state"], run["reason"], run["chargedMicroCredits"])
        assert [("model", "done"), ("reply", "done")] == kinds(run)
        assert [("agent", COST)] == [(row["keyId"], row["chargedMicroCredits"]) for row in usage["rows"]]
        assert {"role": "user", "content": "Do you repair lamps?"} == town.model.asked[0]["messages"][-1]


async def test_a_burst_is_answered_once(autojump_clock):
    """Two seconds after its last message, ten after its first at the latest; a hundred cost one run."""
    async with agent_town() as town:
        for place in range(100):
            await town.say(f"part {place}")
            await trio.sleep(0.15)
        await trio.sleep(BEGINS)
        await town.say("and you?")
        await trio.sleep(BEGINS)
        runs = await town.runs()

        assert ["replied"] * 2 == [run["state"] for run in runs][:2]
        assert 3 >= len(runs)
        assert 40 == len([one for one in town.model.asked[-1]["messages"] if one["role"] != "system"])
        assert "Echo: and you?" == (await town.said())[-1][1]


async def test_a_message_that_comes_during_a_run_is_read_before_the_reply(autojump_clock):
    """The model is asked again, with it; what it had said before is not sent."""
    async with agent_town("One lamp.", "Two lamps.") as town:

        async def interrupted() -> None:
            if len(town.model.asked) == 1:
                await town.say("two, in fact")

        town.model.thinks = interrupted
        await town.say("one lamp")
        await trio.sleep(BEGINS)
        run = await town.run()

        assert [("in", "one lamp"), ("in", "two, in fact"), ("agent", "Two lamps.")] == await town.said()
        assert [("model", "done"), ("model", "done"), ("reply", "done")] == kinds(run)
        assert ["one lamp", "two, in fact"] == [
            one["content"] for one in town.model.asked[1]["messages"] if one["role"] == "user"
        ]
        assert 1 == len(await town.runs())


async def test_it_looks_things_up_and_writes_notes(autojump_clock):
    """Each call is a step with what it was given and told; a note is written once."""
    calls: list[Any] = [
        [("record_get", {"id": "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"})],
        lambda asked: [("note_create", {"recordId": contact_in(asked), "body": "Wants a repair"})],
        [("reply", {"text": "Noted."})],
    ]
    async with agent_town(*calls) as town:
        await town.say("a repair, please", sender={"name": "Ada", "phone": "+4930123456"})
        await trio.sleep(BEGINS)
        run = await town.run()
        contact = (await town.conversation())["contactId"]
        [note] = (await town.here.answer("note.list", {"recordId": contact}))["notes"]
        audited = await town.here.answer("audit.list", {"callerId": town.connection.id})

        assert "Wants a repair" == note["body"]
        assert [
            ("model", "done"),
            ("record.get", "refused"),
            ("model", "done"),
            ("note.create", "done"),
            ("model", "done"),
            ("reply", "done"),
        ] == kinds(run)
        assert "not_found" == run["steps"][1]["answer"]["error"]["code"]
        assert note["id"] == run["steps"][3]["answer"]["id"]
        assert ("agent", "Noted.") == (await town.said())[-1]
        assert ["message.reply", "note.create"] == [entry["action"] for entry in audited["entries"]]
        assert {"agent"} == {entry["callerKind"] for entry in audited["entries"]}
        assert {"role": "tool", "tool_call_id": "call_0"}.items() <= town.model.asked[1]["messages"][
            -1
        ].items()


def contact_in(asked: dict[str, Any]) -> str:
    """The id of the contact that the model was told of."""
    text = asked["messages"][0]["content"]
    return str(text[text.index("the contact rec_") + len("the contact ") :][:30])


async def test_an_approval_is_asked_for_and_told(autojump_clock):
    """The model is told that a person decides; once one has, the agent goes on, and does nothing twice."""
    async with agent_town(tools=["record.delete"]) as town:
        record = await a_contact(town)
        town.model.says = [[("record_delete", {"id": record})], "I have asked.", "It is deleted."]
        await town.say("delete my data")
        await trio.sleep(BEGINS)
        first = await town.run()
        [card] = (await town.here.answer("approval.list", {}))["approvals"]
        there = await town.here.call("record.get", {"id": record})
        await town.person("approval.approve", {"id": card["id"]})
        await trio.sleep(1)
        runs = await town.runs()
        gone = await town.here.call("record.get", {"id": record})

        assert [
            ("model", "done"),
            ("record.delete", "waiting"),
            ("model", "done"),
            ("reply", "done"),
        ] == kinds(first)
        assert ("waiting", "record.delete", {"id": record}) == (card["state"], card["tool"], card["input"])
        assert {
            "kind": "agent",
            "connectionId": town.connection.id,
            "conversationId": first["conversationId"],
            "runId": first["id"],
        } == card["askedBy"]
        assert (200, 404) == (there.status_code, gone.status_code)
        assert [
            ("in", "delete my data"),
            ("agent", "I have asked."),
            ("agent", "It is deleted."),
        ] == await town.said()
        assert 2 == len(runs)
        assert "it is approved" in json.dumps(town.model.asked[-1])


async def test_a_rejected_approval_is_told_too(autojump_clock):
    """With what the person said. A silenced agent is told once it may answer again."""
    async with agent_town(tools=["record.delete"]) as town:
        record = await a_contact(town)
        town.model.says = [[("record_delete", {"id": record})], "I have asked.", "We must not."]
        await town.say("delete it")
        await trio.sleep(BEGINS)
        conversation = await town.conversation()
        await town.here.answer("message.reply", {"conversationId": conversation["id"], "text": "A moment."})
        [card] = (await town.here.answer("approval.list", {}))["approvals"]
        await town.person("approval.reject", {"id": card["id"], "reason": "law forbids it"})
        await trio.sleep(BEGINS)
        silent = await town.said()
        await town.person("conversation.agent_resume", {"id": conversation["id"]})
        await town.say("so?")
        await trio.sleep(BEGINS)

        assert ("member", "A moment.") == silent[-1]
        assert ("agent", "We must not.") == (await town.said())[-1]
        [told] = [one for one in town.model.asked[-1]["messages"] if one["role"] == "tool"]
        assert "law forbids it" == json.loads(told["content"])["rejectionReason"]


async def test_an_approval_tells_no_more_than_the_agent_may_read_by_then(autojump_clock):
    """An agent that lost its tools while the card waited hears what was decided, and no record."""
    async with agent_town(tools=["record.merge"]) as town:
        kept, other = await a_contact(town), await a_contact(town)
        await town.here.answer("record.update", {"id": other, "properties": {"city": "Whitby"}})
        merge = ("record_merge", {"id": kept, "mergedId": other})
        town.model.says = [[merge], "I have asked.", "It is done."]
        await town.say("we are the same")
        await trio.sleep(BEGINS)
        [card] = (await town.here.answer("approval.list", {}))["approvals"]
        await town.set()
        approved = await town.person("approval.approve", {"id": card["id"]})
        await trio.sleep(1)

        assert "Whitby" in json.dumps(approved["answer"])
        assert ("agent", "It is done.") == (await town.said())[-1]
        assert "it is approved" in json.dumps(town.model.asked[-1])
        assert "Whitby" not in town.model.seen


async def test_the_same_card_is_not_made_twice(autojump_clock):
    """At most three cards a run; the next is refused, which the model is told."""
    ids = [f"rec_01K5D3V7Q2M8Z4X6C9B1N0T5R{last}" for last in "ABCD"]
    says: list[Any] = [[("record_delete", {"id": ids[0]}), ("record_delete", {"id": ids[0]})]]
    says += [[("record_delete", {"id": id_})] for id_ in ids[1:]]
    async with agent_town(*says, "Asked.", tools=["record.delete"]) as town:
        await town.say("delete everything")
        await trio.sleep(BEGINS)
        cards = (await town.here.answer("approval.list", {}))["approvals"]
        run = await town.run()

        assert sorted(ids[:3]) == sorted(card["input"]["id"] for card in cards)
        assert ["waiting"] * 4 + ["refused"] == [
            state for name, state in kinds(run) if name == "record.delete"
        ]
        assert "conflict" == run["steps"][-3]["answer"]["error"]["code"]


async def test_a_hand_over_marks_the_conversation(autojump_clock):
    """The agent is silent from then on; an event says why."""
    async with agent_town(HANDOVER, "Again here.") as town:
        await town.say("a discount!")
        await trio.sleep(BEGINS)
        conversation = await town.conversation()
        run = await town.run()
        await town.say("hello?")
        await trio.sleep(BEGINS)
        events = await town.here.answer("event.list", {"types": ["conversation.handed_over"]})
        silent = await town.said()
        resumed = await town.person("conversation.agent_resume", {"id": conversation["id"]})
        await town.say("still there?")
        await trio.sleep(BEGINS)

        assert ("handed_over", "wants a discount") == (run["state"], run["reason"])
        assert ("silenced", "handed_over", "wants a discount") == (
            conversation["agent"],
            conversation["silence"]["by"],
            conversation["silence"]["reason"],
        )
        assert [("in", "a discount!"), ("in", "hello?")] == silent
        assert [(run["id"], "wants a discount")] == [
            (event["data"]["runId"], event["data"]["reason"]) for event in events["events"]
        ]
        assert ("on", None) == (resumed["agent"], resumed["silence"])
        assert ("agent", "Again here.") == (await town.said())[-1]
        assert ["still there?"] == [
            one["content"] for one in town.model.asked[-1]["messages"] if one["role"] == "user"
        ]


async def test_a_person_silences_the_agent(autojump_clock):
    """By a reply, by one on the phone, by taking the conversation; what waits of the agent is cancelled."""
    async with agent_town() as town:
        for chat in ("reply", "phone", "assign"):
            await town.say("Hi", chat=chat)
        await trio.sleep(BEGINS)
        conversations = (await town.here.answer("conversation.list"))["conversations"]
        ids = {one["externalId"]: one["id"] for one in conversations}
        await town.here.answer("message.reply", {"conversationId": ids["reply"], "text": "It is me."})
        await town.bridge(
            "channel.message.receive",
            {"conversationId": "phone", "messageId": "p", "direction": "out", "text": "On the phone."},
        )
        await town.person("conversation.assign", {"id": ids["assign"], "memberId": town.here.owner.id})
        for chat in ids:
            await town.say("And?", chat=chat)
        await trio.sleep(BEGINS)
        silences = {
            one["externalId"]: one["silence"]["by"]
            for one in (await town.here.answer("conversation.list"))["conversations"]
        }
        listed = [
            (await town.here.answer("message.list", {"conversationId": id_}))["messages"]
            for id_ in ids.values()
        ]

        assert {"reply": "member", "phone": "outside", "assign": "assigned"} == silences
        assert 3 == len(await town.runs())
        assert ["cancelled"] * 3 == [
            one["status"]
            for messages in listed
            for one in messages
            if one["author"] and one["author"]["kind"] == "agent"
        ]


async def test_a_copy_of_the_agents_own_reply_silences_nothing(autojump_clock):
    """Not even where it comes before the bridge has said which message it is."""
    async with agent_town() as town:
        await town.say("Hi")
        await trio.sleep(BEGINS)
        [reply] = await town.pull()
        copy = {"conversationId": "chat-1", "messageId": "out-1", "direction": "out", "text": reply["text"]}
        await town.bridge("channel.message.receive", copy)
        before = (await town.conversation())["agent"]
        status = {"replyId": reply["replyId"], "status": "sent", "messengerMessageId": "out-1"}
        await town.bridge("channel.message.status", status)
        after = (await town.conversation())["agent"]
        await town.bridge("channel.message.receive", copy | {"replyId": reply["replyId"]})

        assert ("silenced", "on", "on") == (before, after, (await town.conversation())["agent"])


async def test_a_closed_conversation_begins_anew(autojump_clock):
    """Its next message opens it, ends the silence, and is the first that the agent reads."""
    async with agent_town(HANDOVER) as town:
        await town.say("old words")
        await trio.sleep(BEGINS)
        await town.here.answer("conversation.close", {"id": (await town.conversation())["id"]})
        await town.say("new words")
        await trio.sleep(BEGINS)

        assert ("agent", "Echo: new words") == (await town.said())[-1]
        assert "old words" not in json.dumps(town.model.asked[-1])


async def test_who_writes_meanwhile_is_not_answered_over(autojump_clock):
    """A member, the phone, or the bridge's own: no reply of the agent comes after theirs."""
    for act in ("reply", "phone", "assign", "off", "closed", "stop", "remove"):
        async with agent_town("Late.") as town:

            async def meanwhile(town: AgentTown = town, act: str = act) -> None:
                await do(town, act)

            town.model.thinks = meanwhile
            await town.say("Hi")
            await trio.sleep(BEGINS)
            run = await town.run()

            assert ("silenced" if act in {"reply", "phone", "assign"} else "stopped") == run["state"], act
            assert "Late." not in [text for _, text in await town.said(run["conversationId"])], act


async def do(town: AgentTown, act: str) -> None:
    """What a person does during a run."""
    conversation = (await town.conversation())["id"]
    match act:
        case "reply":
            await town.here.answer("message.reply", {"conversationId": conversation, "text": "Me."})
        case "phone":
            phone = {"conversationId": "chat-1", "messageId": "p", "direction": "out", "text": "Me."}
            await town.bridge("channel.message.receive", phone)
        case "assign":
            await town.person("conversation.assign", {"id": conversation, "memberId": town.here.owner.id})
        case "off":
            await town.set(enabled=False)
        case "closed":
            await town.here.answer("conversation.close", {"id": conversation})
        case "stop":
            run = (await town.here.answer("agent.run_list"))["runs"][0]
            await town.here.answer("agent.run_stop", {"id": run["id"]})
        case "remove":
            await town.person("connection.remove", {"id": town.connection.id})


async def test_a_closed_organization_answers_nobody(autojump_clock):
    """What waits and what is under way is stopped in the unit that closes it; agents are off."""
    async with agent_town("Late.") as town:
        here = town.here

        async def closed() -> None:
            await here.store.write(provisioning.close, here.organization.id, source=PERSON)

        town.model.thinks = closed
        await town.say("Hi")
        await town.say("Hi", chat="chat-2")
        await trio.sleep(2 * BEGINS)
        runs = await here.rows(TABLES["agent_runs"])

        assert [("stopped", "the organization is closed")] * 2 == [(run.state, run.reason) for run in runs]
        assert 0 == await here.count(TABLES["replies"])
        assert 0 == await here.count(TABLES["agents"], enabled=True)


async def test_the_call_of_a_closed_organization_is_cut_off(autojump_clock):
    """At once: nothing waits for the model of an organization that is closed."""
    async with agent_town() as town:
        here = town.here
        town.model.thinks = trio.sleep_forever
        await town.say("Hi")
        await trio.sleep(BEGINS)
        before = len(here.system.ai.open_calls)
        await here.store.write(provisioning.close, here.organization.id, source=PERSON)
        await trio.sleep(1)

        assert (1, 0) == (before, len(here.system.ai.open_calls))


async def test_a_role_that_is_taken_away_ends_what_it_gave(autojump_clock):
    """In the middle of a run: the next call is refused. Where the role itself is gone, a person answers."""
    async with agent_town() as town:
        role = await town.person(
            "role.create", {"name": "Notes", "permissions": ["records.read", "records.write"]}
        )
        await town.set(role=role["id"], tools=["record.list", "record.create"])
        create = ("record_create", {"objectType": "company", "properties": {"name": "Acme"}})
        town.model.says = [[create], [create], "Done."]

        async def taken() -> None:
            if len(town.model.asked) == 2:
                await town.person("role.update", {"id": role["id"], "permissions": ["records.read"]})

        town.model.thinks = taken
        await town.say("make a company")
        await trio.sleep(BEGINS)
        first = await town.run()
        town.model.says = ["Hello."]
        town.model.thinks = trio.lowlevel.checkpoint
        await town.say("Hi", chat="chat-2")
        await trio.sleep(1)
        await town.person("role.delete", {"id": role["id"]})
        await trio.sleep(BEGINS)
        second = await town.run()

        assert ["done", "refused"] == [state for name, state in kinds(first) if name == "record.create"]
        assert "forbidden" == first["steps"][3]["answer"]["error"]["code"]
        assert "record_create" not in [tool["function"]["name"] for tool in town.model.asked[2]["tools"]]
        assert 1 == (await town.here.answer("record.count", {"objectType": "company"}))["count"]
        assert ("handed_over", []) == (
            second["state"],
            [kind for kind, _ in kinds(second) if kind == "model"],
        )


async def test_without_the_person_who_set_it_the_agent_hands_over(autojump_clock):
    """Deactivated between two messages, or while the model is asked; a weaker role makes it weaker."""
    async with agent_town() as town:
        bob = await town.here.member("bob@example.com", "admin")
        csrf = await town.here.sign_in("bob@example.com")
        asked = {"connectionId": town.connection.id, "enabled": True, "model": "fake", "role": "admin"}
        await town.here.answer_to_person("agent.set", asked | {"tools": ["record.list"]}, csrf=csrf)
        town.csrf = await town.here.sign_in()
        operator = operator_call(town.here.organization.id)
        await town.here.store.write(members.update, operator, bob.id, MemberChanges(role_id="viewer"))
        await town.say("Hi")
        await trio.sleep(BEGINS)

        async def gone() -> None:
            await town.here.store.write(members.deactivate, operator, bob.id)
            await trio.sleep(2)

        town.model.thinks = gone
        await town.say("still there?")
        await trio.sleep(2 * BEGINS)
        await town.say("Hi", chat="chat-2")
        await trio.sleep(BEGINS)
        states = [(run["state"], len(run["steps"])) for run in await town.runs()]

        assert ["replied", "handed_over", "handed_over"] == [state for state, _ in states]
        assert 1 == states[2][1]


async def a_contact(town: AgentTown) -> str:
    made = await town.here.answer("record.create", {"objectType": "contact", "properties": {"name": "Ada"}})
    return str(made["id"])
