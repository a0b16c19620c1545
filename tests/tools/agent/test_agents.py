"""`agent.*`: what can be set, what is said of its reach, and what is shown of runs."""

from typing import Any

import pytest
import trio

from svc.domain.channels.connections import Account
from svc.storage.channels import connections
from svc.storage.identity import roles
from svc.storage.records import objects
from tests.agents import BEGINS, COST, MODEL, agent_town, calls, completion
from tests.channels import PERSON, a_connection
from tests.people import call_of
from tests.workflows import contact, enabled


@pytest.mark.parametrize(
    ("change", "pointers"),
    [
        ({"model": "large"}, ["/model"]),
        ({"role": "rol_x"}, ["/role"]),
        (
            {"tools": ["record.lst", "apikey.mint", "message.reply", "record.get"]},
            ["/tools/0", "/tools/1", "/tools/2"],
        ),
        ({"tools": ["record.get"] * 31}, ["/tools"]),
        ({"instructions": "x" * 16_001}, ["/instructions"]),
        ({"dailyMicroCredits": -1}, ["/dailyMicroCredits"]),
    ],
)
async def test_what_cannot_be_set_is_told(autojump_clock, change: dict[str, Any], pointers: list[str]):
    """With a pointer to each fault; what was set stays."""
    async with agent_town() as town:
        asked = {"connectionId": town.connection.id, "enabled": True, "model": MODEL, "role": "viewer"}
        answer = await town.here.call_as_person("agent.set", asked | change, csrf=town.csrf)
        kept = await town.here.answer("agent.get", {"connectionId": town.connection.id})

        assert (422, pointers) == (answer.status_code, [one["pointer"] for one in answer.json()["errors"]])
        assert ("admin", MODEL) == (kept["role"], kept["model"])


async def test_where_no_agent_may_be(autojump_clock):
    """A member's own account, a removed connection, one that there is not; one that was never set."""
    async with agent_town() as town:
        account = Account("member", town.here.owner.id)
        own = await town.here.store.write(a_connection, town.here.organization.id, account=account)
        gone = await town.here.store.write(a_connection, town.here.organization.id)
        await town.here.store.write(connections.remove, town.here.organization.id, gone.id, source=PERSON)
        asked = {"enabled": True, "model": MODEL, "role": "viewer"}
        answers = [
            await town.here.call_as_person("agent.set", asked | {"connectionId": id_}, csrf=town.csrf)
            for id_ in (own.id, gone.id, "con_x")
        ]
        unset = await town.here.call("agent.get", {"connectionId": own.id})

        assert [422, 404, 404] == [answer.status_code for answer in answers]
        assert "/connectionId" == answers[0].json()["errors"][0]["pointer"]
        assert (404, "this connection has no agent: `agent.set` makes one") == (
            unset.status_code,
            unset.json()["detail"],
        )


async def test_both_permissions_are_needed(autojump_clock):
    """`ai` and `channels`."""
    async with agent_town() as town:
        call = call_of(town.here.owner, town.here.organization.id)
        for permission in ("ai", "channels"):
            role = await town.here.store.write(roles.create, call, permission, [permission])
            await town.here.member(f"{permission}@example.com", role.id)
            csrf = await town.here.sign_in(f"{permission}@example.com")
            asked = {"connectionId": town.connection.id, "enabled": True, "model": MODEL, "role": "viewer"}
            answer = await town.here.call_as_person("agent.set", asked, csrf=csrf)

            assert (403, "forbidden") == (answer.status_code, answer.json()["code"])


async def test_reach_says_what_a_stranger_could_do(autojump_clock):
    """By default little; by a tool what it shows and changes; nothing where a permission is missing."""
    async with agent_town() as town:
        default = (await town.set())["reach"]
        await town.here.store.write(objects.publish, town.here.organization.id, "company", publishable=True)
        published = (await town.set())["reach"]
        viewer = (await town.set(role="viewer"))["reach"]
        named = (await town.set(tools=["record.list", "record.delete", "record.create", "audit.list"]))[
            "reach"
        ]
        weak = (await town.set(role="viewer", tools=["record.create"]))["reach"]
        none = (await town.set(tools=[]))["reach"]

        assert "A stranger could read no list of records: no object may appear in embeds." == default[0]
        assert published[0].startswith("A stranger could read all Companies (Name, Website, City, Country)")
        assert any("notes written on that contact" in line for line in default)
        assert not any("notes written" in line for line in viewer)
        assert "every record, each contact with its e-mail and phone" in named[0]
        assert "A person decides each time" in named[1]
        assert "have this done" in named[2]
        assert "read who did what" in named[3]
        assert "lacks records.write" in weak[0]
        assert 1 == len(none)


async def test_steps_are_shown_to_callers_who_may_run_their_tools(autojump_clock):
    """Others see that there was a call, and not what it was given and told."""
    calls: list[Any] = [("record_list", {"objectType": "contact"})]
    async with agent_town(calls, "Done.", tools=["record.list"]) as town:
        await town.say("Hi")
        await trio.sleep(BEGINS)
        call = call_of(town.here.owner, town.here.organization.id)
        role = await town.here.store.write(roles.create, call, "Chats", ["conversations"])
        await town.here.member("bob@example.com", role.id)
        key = await town.here.mint(role_id=role.id)
        [run] = (await town.here.answer("agent.run_list", key=key))["runs"]
        hidden = await town.here.answer("agent.run_get", {"id": run["id"]}, key=key)
        shown = await town.here.answer("agent.run_get", {"id": run["id"]})

        assert {"objectType": "contact"} == shown["steps"][1]["input"]
        assert [] == shown["steps"][1]["answer"]["records"]
        assert (None, None, "record.list") == tuple(
            hidden["steps"][1][name] for name in ("input", "answer", "tool")
        )
        assert {"text": "", "toolCalls": ["record_list"]} == shown["steps"][0]["answer"]


async def test_steps_are_hidden_from_keys_for_other_tools(autojump_clock):
    """A key that may look at runs does not read by them what it may not read itself."""
    looks = calls([("record_list", {"objectType": "contact"}), ("no_such", {"x": 1})])
    says = completion({"content": "I look at Ada's card.", "tool_calls": looks})
    async with agent_town(says, "Done.", tools=["record.list"]) as town:
        await town.say("Hi")
        await trio.sleep(BEGINS)
        run = (await town.run())["id"]
        without = await town.here.mint(tools=("agent.run_get",))
        with_ = await town.here.mint(tools=("agent.run_get", "record.list"))
        hidden = (await town.here.answer("agent.run_get", {"id": run}, key=without))["steps"]
        shown = (await town.here.answer("agent.run_get", {"id": run}, key=with_))["steps"]

        assert ("record.list", None, None) == tuple(hidden[1][name] for name in ("tool", "input", "answer"))
        assert {"objectType": "contact"} == shown[1]["input"]
        assert [{"x": 1}, {"x": 1}] == [steps[2]["input"] for steps in (hidden, shown)]
        assert [None, "I look at Ada's card."] == [steps[0]["answer"]["text"] for steps in (hidden, shown)]


async def test_reach_tells_of_tools_for_which_a_weaker_permission_suffices(autojump_clock):
    """`connection.list` takes `channels`, and `conversations` for own accounts."""
    async with agent_town() as town:
        call = call_of(town.here.owner, town.here.organization.id)
        chats = await town.here.store.write(roles.create, call, "Chats", ["conversations"])
        forms = await town.here.store.write(roles.create, call, "Forms", ["forms"])
        reach = (await town.set(role=chats.id, tools=["connection.list"]))["reach"]
        none = (await town.set(role=forms.id, tools=["connection.list"]))["reach"]

        assert reach[0].startswith("connection.list: a stranger could")
        assert none[0].startswith("connection.list: nothing, since")


async def test_runs_are_listed_and_stopped(autojump_clock):
    """By conversation, connection and state; one that has ended is not stopped."""
    async with agent_town() as town:
        for chat in ("a", "b"):
            await town.say("Hi", chat=chat)
        await trio.sleep(1)
        first, second = (await town.here.answer("agent.run_list"))["runs"]
        stopped = await town.here.answer("agent.run_stop", {"id": first["id"]})
        await trio.sleep(BEGINS)
        again = await town.here.call("agent.run_stop", {"id": first["id"]})
        by = {
            name: [run["id"] for run in (await town.here.answer("agent.run_list", {name: value}))["runs"]]
            for name, value in (
                ("conversationId", second["conversationId"]),
                ("connectionId", town.connection.id),
                ("state", "stopped"),
            )
        }

        assert ("waiting", "stopped", 409) == (first["state"], stopped["state"], again.status_code)
        assert {
            "conversationId": [second["id"]],
            "connectionId": [first["id"], second["id"]],
            "state": [first["id"]],
        } == by
        assert 1 == len(town.model.asked)


async def test_a_stopped_run_does_not_wait_for_its_model(autojump_clock):
    """The call is cut off, and charged as one that broke off; the next message is answered."""
    async with agent_town() as town:

        async def slowly() -> None:
            await trio.sleep(60)

        town.model.thinks = slowly
        await town.say("Hi")
        await trio.sleep(BEGINS)
        [run] = (await town.here.answer("agent.run_list"))["runs"]
        await town.here.answer("agent.run_stop", {"id": run["id"]})
        await trio.sleep(1)
        under_way = len(town.here.system.ai.open_calls)
        town.model.thinks = trio.lowlevel.checkpoint
        await town.say("Hi?")
        await trio.sleep(BEGINS)
        states = [one["state"] for one in await town.runs()]

        assert ("running", 0) == (run["state"], under_way)
        assert ["stopped", "replied"] == states


async def test_an_agent_enables_no_workflow(autojump_clock):
    """Whose steps would go beyond its role and its tools, as the person who set it; nor does it try one."""
    names = ["workflow.enable", "workflow.update", "workflow.run"]
    async with agent_town(tools=names) as town:
        workflow = await enabled(town.here, trigger={"type": "manual"})
        record = await contact(town.here)
        note = {"key": "mine", "type": "add_note", "body": "x"}
        town.model.says = [
            [
                ("workflow_enable", {"id": workflow}),
                ("workflow_update", {"id": workflow, "version": 1, "steps": [note]}),
                ("workflow_run", {"id": workflow, "recordId": record, "dryRun": True}),
            ],
            "Refused.",
        ]
        await town.say("Hi")
        await trio.sleep(BEGINS)
        run = await town.run()
        calls = [step for step in run["steps"] if step["kind"] == "tool"]

        assert ["refused"] * 3 == [step["state"] for step in calls]
        assert ["forbidden"] * 3 == [step["answer"]["error"]["code"] for step in calls]
        assert 1 == (await town.here.answer("workflow.get", {"id": workflow}))["version"]


async def test_agents_are_listed_with_what_they_spent(autojump_clock):
    """Each once, whichever connection it is of, without what it is told; none of another organization."""
    async with agent_town() as town:
        before = await town.person("agent.list")
        await town.say("Hi")
        await trio.sleep(BEGINS)
        [listed] = (await town.person("agent.list"))["agents"]
        shown = await town.person("agent.get", {"connectionId": town.connection.id})

    assert [0] == [one["spentMicroCredits"] for one in before["agents"]]
    assert COST == listed["spentMicroCredits"]
    assert listed == {name: shown[name] for name in listed}
    assert not {"instructions", "reach"} & listed.keys()
