"""`connection.list` and `.get`: how bridges are doing."""

from typing import Any

import pytest
import trio

from svc.actors.outbound.client import PostResult
from svc.actors.outbound.errors import NotSent
from svc.domain.channels.limits import REPLIES_COUNTED_MAX
from svc.domain.locale.times import MINUTE_MS
from svc.storage.channels import connections, open_replies
from tests.channels import Receiver, a_reply
from tests.tooling import ToolTown, tool_town
from tests.tools.channels.connecting import PUSHED, bridge, connect, run

AT = "2026-09-18T00:00:00.000Z"


async def shown(here: ToolTown, connection_id: str) -> Any:
    return await here.answer("connection.get", {"id": connection_id})


async def test_one_word_says_how_a_connection_is(autojump_clock):
    """Paused comes before offline, and that before active; a bridge that has said nothing is unknown."""
    async with tool_town() as here:
        made = await connect(here)
        key, request = made["channelKey"], {"id": made["id"]}
        first = await shown(here, made["id"])
        await bridge(here, key, "channel.connection.report", {"state": "offline", "reason": "network"})
        offline = await shown(here, made["id"])
        await here.answer("connection.pause", request)
        paused = await shown(here, made["id"])
        await here.answer("connection.resume", request)
        await bridge(here, key, "channel.connection.report", {"state": "online"})
        [listed] = (await here.answer("connection.list"))["connections"]

    assert ("active", "unknown", None) == (
        first["state"],
        first["health"]["state"],
        first["health"]["reportedAt"],
    )
    assert ("offline", "network", AT) == (
        offline["state"],
        offline["health"]["reason"],
        offline["health"]["reportedAt"],
    )
    assert ("paused", "offline") == (paused["state"], paused["health"]["state"])
    assert ("active", "online") == (listed["state"], listed["health"]["state"])


async def test_the_first_call_of_a_bridge_is_seen(autojump_clock):
    """Of a new connection there is none; then the last one is known to the minute, by key."""
    async with tool_town() as here:
        made = await connect(here)
        before = await shown(here, made["id"])
        await bridge(here, made["channelKey"], "channel.outbox.pull", {})
        await trio.sleep(1)
        first = await shown(here, made["id"])
        await bridge(here, made["channelKey"], "channel.outbox.pull", {})
        await trio.sleep(1)
        within = await shown(here, made["id"])
        await trio.sleep(MINUTE_MS / 1_000)
        _, second = await run(here, "connection.mint_key", {"id": made["id"]})
        await bridge(here, second["channelKey"], "channel.outbox.pull", {})
        await trio.sleep(1)
        after = await shown(here, made["id"])
        await run(here, "connection.revoke_key", {"id": made["id"], "keyId": second["id"]})
        revoked = await shown(here, made["id"])

    assert (None, [None]) == (before["lastCallAt"], [key["lastUsedAt"] for key in before["keys"]])
    assert (AT, AT) == (first["lastCallAt"], within["lastCallAt"])
    assert [AT, after["lastCallAt"]] == [key["lastUsedAt"] for key in after["keys"]]
    assert AT < after["lastCallAt"] == revoked["lastCallAt"]


async def test_a_call_that_is_refused_is_one_of_the_bridge(autojump_clock):
    """It has shown its key: what it says is another matter. An unknown key shows nothing."""
    async with tool_town() as here:
        made = await connect(here)
        unknown, _ = await bridge(here, "ck_live_none", "channel.outbox.pull", {})
        await trio.sleep(1)
        before = await shown(here, made["id"])
        refused, _ = await bridge(here, made["channelKey"], "channel.message.receive", {})
        await trio.sleep(1)
        after = await shown(here, made["id"])

    assert (401, None) == (unknown, before["lastCallAt"])
    assert (422, "2026-09-18T00:00:01.000Z") == (refused, after["lastCallAt"])


async def test_replies_that_wait_are_counted(autojump_clock):
    """Those that no bridge has taken yet, as far as is told."""
    async with tool_town() as here:
        made = await connect(here)
        connection = await here.store.read(connections.get, here.organization.id, made["id"])
        for number in range(3):
            await here.store.write(a_reply, connection, f"chat-{number}")
        [listed] = (await here.answer("connection.list"))["connections"]
        await bridge(here, made["channelKey"], "channel.outbox.pull", {"limit": 2})
        taken = await shown(here, made["id"])
        for number in range(REPLIES_COUNTED_MAX):
            await here.store.write(a_reply, connection, f"many-{number}")
        counted = await here.store.read(open_replies.count_waiting, made["id"])

    assert (3, 1, REPLIES_COUNTED_MAX) == (listed["repliesWaiting"], taken["repliesWaiting"], counted)


async def test_one_s_own_accounts_alone(autojump_clock):
    """Somebody who manages all connections can ask for those of their own."""
    async with tool_town() as here:
        await connect(here)
        account = {"kind": "member", "id": here.owner.id}
        own = await connect(here, PUSHED | {"account": account})
        listed = await here.answer("connection.list", {"mine": True})
        every = await here.answer("connection.list", {})

    assert [own["id"]] == [one["id"] for one in listed["connections"]]
    assert [1, 2] == [len(one["connections"]) for one in (listed, every)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (PostResult(204, milliseconds=12, answer=""), (204, None, 12, "")),
        (PostResult(500, milliseconds=34, answer="no such bot"), (500, None, 34, "no such bot")),
        (NotSent("no route"), (None, "no route", 0, None)),
    ],
)
async def test_a_test_says_what_was_answered_and_when(answer: Any, expected: Any, autojump_clock):
    """Status, time and the beginning of the body; where nothing was answered, why."""
    async with tool_town() as here:
        here.system.outgoing.http = Receiver(answer)
        made = await connect(here, PUSHED)
        await here.answer("connection.test", {"id": made["id"]})
        await trio.sleep(1)
        test = (await shown(here, made["id"]))["lastTest"]

    assert expected == tuple(test[name] for name in ("statusCode", "error", "milliseconds", "answer"))
    assert test["doneAt"] is not None
