"""`home.get`: webhooks and connections that do not work."""

from typing import Any

import trio

from svc.actors.outbound.client import PostResult
from svc.domain.home.limits import HOME_WEBHOOK_FAILING_MS
from svc.domain.locale.times import SECOND_MS
from svc.storage.identity import roles
from tests.channels import Receiver
from tests.people import call_of
from tests.tooling import ToolTown, tool_town
from tests.tools.channels.connecting import SHOP, bridge, connect, run
from tests.tools.home.test_home import home, kinds
from tests.webhooks import a_webhook

AT = "2026-09-18T00:00:00.000Z"


async def waits(here: ToolTown, kind: str) -> Any:
    """What waits of the kind; None for nothing."""
    return next((one for one in (await home(here))["waiting"] if one["kind"] == kind), None)


async def test_a_webhook_that_keeps_failing_waits(autojump_clock):
    """Not after its first failure; after ten minutes of them, until it works again."""
    async with tool_town() as here:
        here.system.outgoing.http = Receiver(*[PostResult(500)] * 3)
        hook = await here.store.write(a_webhook, here.organization.id)
        await here.answer("webhook.test", {"id": hook.id})
        await trio.sleep(60)
        soon = await waits(here, "webhooks_failing")
        await trio.sleep(HOME_WEBHOOK_FAILING_MS / SECOND_MS)
        late = await waits(here, "webhooks_failing")
        await here.answer("webhook.test", {"id": hook.id})
        await trio.sleep(60)
        mended = await waits(here, "webhooks_failing")

    assert soon is None
    assert (1, f"/app/settings/webhooks/{hook.id}", AT[:17]) == (
        late["count"],
        late["path"],
        late["oldestAt"][:17],
    )
    assert mended is None


async def test_webhooks_that_were_disabled_wait(autojump_clock):
    """At once, until somebody makes them active; one that a person switched off does not."""
    async with tool_town() as here:
        here.system.outgoing.http = Receiver(PostResult(410), PostResult(410))
        gone = [(await here.store.write(a_webhook, here.organization.id)).id for _ in range(2)]
        off = (await here.store.write(a_webhook, here.organization.id)).id
        await here.answer("webhook.update", {"id": off, "active": False})
        for hook in gone:
            await here.answer("webhook.test", {"id": hook})
        await trio.sleep(1)
        both = await waits(here, "webhooks_failing")
        await here.answer("webhook.update", {"id": gone[0], "active": True})
        one = await waits(here, "webhooks_failing")

    assert (2, "/app/settings/webhooks") == (both["count"], both["path"])
    assert (1, f"/app/settings/webhooks/{gone[1]}") == (one["count"], one["path"])


async def test_a_connection_that_is_offline_waits(autojump_clock):
    """Before all else, until its bridge is back, or somebody pauses it."""
    async with tool_town() as here:
        made = await connect(here)
        await connect(here)
        offline = {"state": "offline", "reason": "token_revoked"}
        await bridge(here, made["channelKey"], "channel.connection.report", offline)
        first = (await home(here))["waiting"][0]
        await here.answer("connection.pause", {"id": made["id"]})
        paused = await waits(here, "connections_offline")
        await here.answer("connection.resume", {"id": made["id"]})
        again = await waits(here, "connections_offline")
        await bridge(here, made["channelKey"], "channel.connection.report", {"state": "online"})
        back = await waits(here, "connections_offline")

    expected = {"kind": "connections_offline", "count": 1, "oldestAt": AT, "path": "/app/settings/messengers"}
    assert expected == first == again
    assert None is paused is back


async def test_a_member_is_told_of_their_own_connections(autojump_clock):
    """Of others' they are told nothing, as the list shows them nothing."""
    async with tool_town() as here:
        role = await here.store.write(roles.create, call_of(here.owner), "Answers", ["conversations"])
        person = await here.member("answers@example.com", role.id)
        offline = {"state": "offline"}
        shops = await connect(here)
        await bridge(here, shops["channelKey"], "channel.connection.report", offline)
        _, nothing = await run(here, "home.get", {}, person.email)
        body = SHOP | {"account": {"kind": "member", "id": person.id}}
        _, own = await run(here, "connection.create", body, person.email)
        await bridge(here, own["channelKey"], "channel.connection.report", offline)
        _, theirs = await run(here, "home.get", {}, person.email)
        owners = await waits(here, "connections_offline")

    [told] = theirs["waiting"]
    assert ({}, 2) == (kinds(nothing), owners["count"])
    assert ("connections_offline", 1, "/app/account/messengers") == (
        told["kind"],
        told["count"],
        told["path"],
    )
