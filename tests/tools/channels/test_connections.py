"""`connection.*`: what a connection is made with, how it changes, and what of it is shown once or again."""

import pytest
import trio
import trio.lowlevel

from svc.actors.outbound.client import OutboundHttp
from svc.domain.channels.limits import CHANNEL_KEYS_MAX
from svc.domain.crypto.keys import CHANNEL_KEY, well_formed
from svc.domain.locale.times import SECOND_MS
from svc.domain.net.client_addresses import parse_networks
from svc.storage.channels import tables as channel_tables
from svc.tools.old_names import SEPTEMBER_2026
from tests import tables
from tests.tooling import tool_town
from tests.tools.channels.connecting import PUSHED, bridge, connect, run


async def test_a_connection_is_made_with_what_its_bridge_needs(autojump_clock):
    """The key opens the doors at once; neither it nor the secret is stored as it is, or shown again."""
    async with tool_town() as here:
        pulled, pushed = await connect(here), await connect(here, PUSHED)
        answered = await bridge(here, pulled["channelKey"], "channel.outbox.pull", {})
        shown = await here.answer("connection.get", {"id": pushed["id"]})

        assert well_formed(pulled["channelKey"], CHANNEL_KEY)
        assert (None, "whsec_") == (pulled["signingSecret"], pushed["signingSecret"][:6])
        assert (200, {"ok": True, "replies": [], "more": False}) == answered
        secrets = {pushed.pop("channelKey"), pushed.pop("signingSecret")}
        keys = shown.pop("keys")
        quiet = {"lastTest": None, "lastCallAt": None, "repliesWaiting": 0, "previousSecretUntil": None}
        assert pushed | quiet == shown
        assert [1] == [len(keys)]
        rows = [*await here.rows(channel_tables.connections), *await here.rows(channel_tables.channel_keys)]
        assert [] == [row for row in rows if any(one[6:] in str(tuple(row)) for one in secrets)]


@pytest.mark.parametrize(
    "changes",
    [
        {"url": None},
        {"url": "ftp://bridge.example"},
        {"url": "https://user:pass@bridge.example"},
        {"url": "https://bridge.example/#x"},
        {"url": "bridge.example"},
        {"url": "https://"},
        {"url": "https://b:99999/"},
        {"url": "https://b/" + "x" * 2_000},
        {"delivery": "pull"},
        {"messenger": "pigeon"},
        {"name": ""},
        {"name": "\n"},
        {"account": {"kind": "team"}},
        {"account": {"kind": "organization", "id": "x"}},
    ],
)
async def test_what_makes_no_sense_is_refused(autojump_clock, changes: dict[str, object]):
    """An address is for pushes, and leads somewhere; an account has an owner."""
    async with tool_town() as here:
        status, answer = await run(here, "connection.create", PUSHED | changes)

        assert (422, "validation_failed") == (status, answer["code"])
        [place] = changes
        told = answer["errors"][0]["pointer"]
        assert ("/url" if place == "delivery" else f"/{place}") == told
        assert 0 == await here.count(channel_tables.connections)


@pytest.mark.parametrize(
    ("asked", "detail"),
    [
        (PUSHED | {"url": None}, "is required: replies are pushed to it"),
        (PUSHED | {"delivery": "pull"}, "is for `push` alone: leave it out where the bridge pulls"),
    ],
)
async def test_an_address_that_is_missing_is_asked_for_and_one_too_many_is_not(
    autojump_clock, asked: dict[str, object], detail: str
):
    """Each fault has its own sentence, which says what to do."""
    async with tool_town() as here:
        _, answer = await run(here, "connection.create", asked)

        assert [("/url", detail)] == [(one["pointer"], one["detail"]) for one in answer["errors"]]


PRIVATE = ["http://127.0.0.1/hook", "https://10.0.0.5", "http://2130706433/", "http://[fec0::1]/"]


@pytest.mark.parametrize("url", PRIVATE)
async def test_a_private_address_is_refused_when_it_is_saved(autojump_clock, url: str):
    """At creation and at a change, through each door, by the place of it; what was there stays."""
    async with tool_town() as here:
        status, created = await run(here, "connection.create", PUSHED | {"url": url})
        made = await connect(here, PUSHED)
        refused, changed = await run(here, "connection.update", {"id": made["id"], "url": url})
        shown = await here.answer("connection.get", {"id": made["id"]})

        assert (422, 422) == (status, refused)
        assert ["/url"] * 2 == [one["errors"][0]["pointer"] for one in (created, changed)]
        assert PUSHED["url"] == shown["url"]
        assert 1 == await here.count(channel_tables.connections)


async def test_an_address_that_the_operator_allows_is_saved(autojump_clock):
    """So that a bridge on the same machine can be pushed to; the networks beside it stay refused."""
    async with tool_town() as here:
        here.system.outgoing.http = OutboundHttp(parse_networks(["127.0.0.1/32"]))
        made = await connect(here, PUSHED | {"url": "http://127.0.0.1:9000/"})
        changed, _ = await run(here, "connection.update", {"id": made["id"], "url": "http://127.1:9001/"})
        refused, _ = await run(here, "connection.update", {"id": made["id"], "url": "http://127.0.0.2:9001/"})

        assert [200, 422] == [changed, refused]


async def test_several_keys_live_until_they_are_revoked(autojump_clock):
    """A new one does not end the others; there are so many and no more."""
    async with tool_town() as here:
        made = await connect(here)
        request = {"id": made["id"]}
        _, second = await run(here, "connection.mint_key", request)
        before = [
            (await bridge(here, key, "channel.outbox.pull", {}))[0]
            for key in (made["channelKey"], second["channelKey"])
        ]
        await run(here, "connection.revoke_key", request | {"keyId": second["id"]})
        after = [
            (await bridge(here, key, "channel.outbox.pull", {}))[0]
            for key in (made["channelKey"], second["channelKey"])
        ]
        for _ in range(CHANNEL_KEYS_MAX - 1):
            await run(here, "connection.mint_key", request)
        status, refused = await run(here, "connection.mint_key", request)
        again, _ = await run(here, "connection.revoke_key", request | {"keyId": second["id"]})

        assert ([200, 200], [200, 401]) == (before, after)
        assert (409, "key_limit", 404) == (status, refused["code"], again)


async def test_another_key_is_answered_as_the_first_one_was(autojump_clock):
    """As `channelKey`; its older name stands beside it through the day of its sunset, and no longer."""
    async with tool_town() as here:
        made = await connect(here)
        _, now = await run(here, "connection.mint_key", {"id": made["id"]})
        autojump_clock.jump((SEPTEMBER_2026.gone_at - 1 - here.clock.now()) / SECOND_MS)
        _, last = await run(here, "connection.mint_key", {"id": made["id"]})
        autojump_clock.jump(1 / SECOND_MS)
        _, later = await run(here, "connection.mint_key", {"id": made["id"]})

        assert all(well_formed(one["channelKey"], CHANNEL_KEY) for one in (now, last, later))
        assert (now["channelKey"], last["channelKey"]) == (now["key"], last["key"])
        assert "key" not in later


async def test_a_connection_is_paused_resumed_and_removed(autojump_clock):
    """It answers its status; a second time changes nothing; removed, it and its key are not found."""
    async with tool_town() as here:
        made = await connect(here)
        request = {"id": made["id"]}
        told = [
            (await here.answer(f"connection.{what}", request))["status"]
            for what in ("pause", "pause", "resume", "resume")
        ]
        removed = await run(here, "connection.remove", request)
        status, _ = await bridge(here, made["channelKey"], "channel.outbox.pull", {})
        gone = [
            (await here.call(f"connection.{what}", request)).status_code for what in ("get", "pause", "test")
        ]

        assert ["paused", "paused", "active", "active"] == told
        assert (200, {"id": made["id"]}) == removed
        assert (401, [404] * 3) == (status, gone)
        states = [row for row in await here.rows(tables.events) if row.type == "connection.state"]
        assert 3 == len(states)


async def test_a_connection_is_changed(autojump_clock):
    """Its name, and where replies are pushed; a bridge that pulls has no address."""
    async with tool_town() as here:
        pushed, pulled = await connect(here, PUSHED), await connect(here)
        _, changed = await run(
            here, "connection.update", {"id": pushed["id"], "name": " Desk ", "url": "https://new.example/"}
        )
        refused, _ = await run(here, "connection.update", {"id": pulled["id"], "url": "https://new.example/"})

        assert ("Desk", "https://new.example/") == (changed["name"], changed["url"])
        assert 422 == refused


async def test_what_the_bridge_says_of_itself_is_shown(autojump_clock):
    """Its state, why, and when."""
    async with tool_town() as here:
        made = await connect(here)
        said = {"state": "offline", "reason": "token_revoked", "detail": "401 from the messenger"}
        await bridge(here, made["channelKey"], "channel.connection.report", said)
        shown = await here.answer("connection.get", {"id": made["id"]})

        at = "2026-09-18T00:00:00.000Z"
        assert said | {"reportedAt": at, "at": at} == shown["health"]


async def test_a_test_and_a_new_secret_are_for_pushes(autojump_clock):
    """A test is there to be seen at once; where the bridge pulls, both are refused."""
    async with tool_town() as here:
        pushed, pulled = await connect(here, PUSHED), await connect(here)
        started = await here.answer("connection.test", {"id": pushed["id"]})
        _, rotated = await run(here, "connection.rotate_secret", {"id": pushed["id"]})
        await trio.lowlevel.checkpoint()
        shown = await here.answer("connection.get", {"id": pushed["id"]})

        assert started["deliveryId"] == shown["lastTest"]["deliveryId"]
        assert "2026-09-19T00:00:00.000Z" == rotated["previousUntil"] == shown["previousSecretUntil"]
        assert rotated["signingSecret"] != pushed["signingSecret"]
        assert 409 == (await here.call("connection.test", {"id": pulled["id"]})).status_code
        assert 409 == (await run(here, "connection.rotate_secret", {"id": pulled["id"]}))[0]
