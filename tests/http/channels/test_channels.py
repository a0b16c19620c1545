"""The channel doors: authentication, errors, and answers."""

import json
from typing import Any

import pytest
import trio
import trio.lowlevel

from svc.domain.channels.limits import ATTACHMENT_DATA_LEVELS_MAX, CHANNEL_BODY_BYTES_MAX, CHANNEL_CALLS_MAX
from svc.http.problems.problems import UNAUTHORIZED
from svc.storage.channels import connections
from svc.storage.channels import keys as channel_keys
from svc.storage.channels import tables as channel_tables
from svc.storage.identity import organizations
from tests import tables
from tests.channels import PERSON, a_connection, channel_town

MESSAGE: dict[str, object] = {
    "conversationId": "chat-1",
    "messageId": "m-1",
    "direction": "in",
    "text": "Do you repair lamps?",
}
DOORS: dict[str, dict[str, object]] = {
    "channel.message.receive": MESSAGE,
    "channel.conversation.identify": {"conversationId": "chat-1", "evidence": []},
    "channel.message.status": {"replyId": "rpl_1", "status": "sent"},
    "channel.outbox.pull": {},
    "channel.connection.report": {"state": "online"},
}


async def test_a_message_is_recorded_once(autojump_clock):
    """The same message id in the same conversation is a duplicate, answered with the first one's ids."""
    async with channel_town() as here:
        first = await here.answer("channel.message.receive", MESSAGE)
        again = await here.answer("channel.message.receive", MESSAGE | {"text": "Something else"})

        assert (False, True) == (first.pop("duplicate"), again.pop("duplicate"))
        assert first == again
        [row] = await here.rows(channel_tables.messages)
        assert (MESSAGE["text"], first["message"], "in") == (row.text, row.id, row.direction)
        assert ["conversation.created", "message.received"] == [
            row.type for row in await here.rows(tables.events)
        ]


@pytest.mark.parametrize("direction", ["in", "out"])
@pytest.mark.parametrize("empty", [{}, {"txt": "Hi"}, {"text": ""}, {"text": None, "attachments": []}])
async def test_a_message_without_text_and_attachments_is_refused(
    autojump_clock, empty: dict[str, object], direction: str
):
    """Such as one whose text is under a misspelled name; nothing is stored, and an attachment suffices."""
    async with channel_town() as here:
        head = {name: value for name, value in MESSAGE.items() if name != "text"} | {"direction": direction}
        refused = await here.ask("channel.message.receive", head | empty)
        stored = await here.count(channel_tables.messages)
        picture = await here.ask("channel.message.receive", head | {"attachments": [{"kind": "image"}]})

        assert (422, 0, 200) == (refused.status_code, stored, picture.status_code)
        [fault] = refused.json()["errors"]
        assert ("/text", "missing") == (fault["pointer"], fault["code"])


async def test_messages_of_other_conversations_and_connections_are_others(autojump_clock):
    """What makes a duplicate is the message's id in one conversation of one connection."""
    async with channel_town() as here:
        other = await here.store.write(a_connection, here.organization.id)
        key = (await here.store.write(channel_keys.mint, here.organization.id, other.id)).key
        told = [
            await here.answer("channel.message.receive", MESSAGE),
            await here.answer("channel.message.receive", MESSAGE | {"conversationId": "chat-2"}),
            (await here.ask("channel.message.receive", MESSAGE, key=key)).json(),
        ]

        assert [False] * 3 == [one["duplicate"] for one in told]
        assert 3 == len({one["message"] for one in told}) == len({one["conversation"] for one in told})


async def test_every_invalid_key_gets_one_answer(autojump_clock):
    """Whatever is wrong with it, wherever it knocks and with whatever, to the byte."""
    async with channel_town() as here:
        revoked = await here.mint()
        [_, key] = await here.store.read(channel_keys.of_connection, here.connection.id)
        await here.store.write(channel_keys.revoke, here.connection.id, key.id)
        answers = [
            await here.ask("channel.outbox.pull", key=revoked),
            await here.ask("channel.outbox.pull", key="ck_live_unknown"),
            await here.ask("no.such.door", key=revoked),
            await here.client.get("/api/channels/v1/channel.outbox.pull"),
            await here.client.post("/api/channels/v1/channel.outbox.pull", content=b"x" * 300_000),
        ]

        assert [(401, UNAUTHORIZED.body, "Bearer")] * 5 == [
            (one.status_code, one.content, one.headers["www-authenticate"]) for one in answers
        ]


async def test_a_revoked_key_stops_with_the_next_call(autojump_clock):
    """The other keys of the connection go on."""
    async with channel_town() as here:
        other = await here.mint()
        assert 200 == (await here.ask("channel.outbox.pull", key=other)).status_code
        [_, key] = await here.store.read(channel_keys.of_connection, here.connection.id)

        await here.store.write(channel_keys.revoke, here.connection.id, key.id)

        assert 401 == (await here.ask("channel.outbox.pull", key=other)).status_code
        assert 200 == (await here.ask("channel.outbox.pull")).status_code


async def test_the_keys_of_what_is_gone_stop(autojump_clock):
    """A removed connection has no keys, and neither has a closed organization."""
    async with channel_town() as here:
        other = await here.store.write(a_connection, here.organization.id)
        key = (await here.store.write(channel_keys.mint, here.organization.id, other.id)).key
        assert 200 == (await here.ask("channel.outbox.pull", key=key)).status_code

        await here.store.write(connections.remove, here.organization.id, other.id, source=PERSON)
        removed = await here.ask("channel.outbox.pull", key=key)
        before = await here.ask("channel.outbox.pull")
        await here.store.write(organizations.close, here.organization.id)

        assert (401, 200) == (removed.status_code, before.status_code)
        assert 401 == (await here.ask("channel.outbox.pull")).status_code


async def test_unknown_doors_are_answered_with_a_valid_key(autojump_clock):
    """404, also for what stands deeper; another method is 405."""
    async with channel_town() as here:
        unknown = await here.ask("channel.message.send")
        method = await here.client.get(
            "/api/channels/v1/channel.outbox.pull", headers={"authorization": f"Bearer {here.key}"}
        )

        assert (404, "not_found") == (unknown.status_code, unknown.json()["code"])
        assert (405, "POST") == (method.status_code, method.headers["allow"])


async def test_the_call_after_600_in_a_minute_waits(autojump_clock):
    """The answer says for how long; every call with a good key counts, and rejected ones do not."""
    async with channel_town() as here:
        for _ in range(CHANNEL_CALLS_MAX):
            await here.ask("no.such.door")
            here.clock.jump(10)
        refused = await here.ask("channel.outbox.pull")
        other = await here.ask("channel.outbox.pull", key=await here.mint())
        here.clock.jump(int(refused.headers["retry-after"]) * 1_000)

        assert (429, "rate_limited", "54") == (
            refused.status_code,
            refused.json()["code"],
            refused.headers["retry-after"],
        )
        assert 200 == other.status_code
        assert 200 == (await here.ask("channel.outbox.pull")).status_code


def _nested(levels: int) -> Any:
    return {"a": "\0"} if levels == 1 else {"a": _nested(levels - 1)}


DEEP = _nested(ATTACHMENT_DATA_LEVELS_MAX + 1)


@pytest.mark.parametrize("door", DOORS)
async def test_malformed_bodies_are_rejected(autojump_clock, door: str):
    """Too large, of another type, no JSON, and no object: at every door."""
    async with channel_town() as here:

        async def post(content: bytes, type_: str = "application/json") -> tuple[int, str]:
            headers = {"authorization": f"Bearer {here.key}", "content-type": type_}
            answer = await here.client.post(f"/api/channels/v1/{door}", content=content, headers=headers)
            return answer.status_code, answer.json()["code"]

        assert (413, "body_too_large") == await post(b" " * (CHANNEL_BODY_BYTES_MAX + 1))
        assert (400, "malformed_json") == await post(b" " * CHANNEL_BODY_BYTES_MAX)
        assert (415, "unsupported_media_type") == await post(b"{}", "text/plain")
        assert (400, "malformed_json") == await post(b"{")
        assert (400, "malformed_json") == await post(b"\xff")
        assert (400, "malformed_json") == await post(b'{"x":' * 40_000)
        assert (422, "validation_failed") == await post(b"[]")


@pytest.mark.parametrize(
    ("door", "changes", "pointer"),
    [
        ("channel.message.receive", {"conversationId": ""}, "/conversationId"),
        ("channel.message.receive", {"messageId": "m" * 256}, "/messageId"),
        ("channel.message.receive", {"messageId": 7}, "/messageId"),
        ("channel.message.receive", {"direction": "sideways"}, "/direction"),
        ("channel.message.receive", {"text": "x" * 64_001}, "/text"),
        ("channel.message.receive", {"text": "a\0b"}, "/text"),
        ("channel.message.receive", {"sentAt": "yesterday"}, "/sentAt"),
        ("channel.message.receive", {"sentAt": "2026-09-18T00:00:00"}, "/sentAt"),
        ("channel.message.receive", {"attachments": [{"kind": "hologram"}]}, "/attachments/0/kind"),
        ("channel.message.receive", {"attachments": [{"kind": "image"}] * 31}, "/attachments"),
        ("channel.message.receive", {"attachments": [{"kind": "image", "size": -1}]}, "/attachments/0/size"),
        (
            "channel.message.receive",
            {"attachments": [{"kind": "contact", "data": {"card": ["a\0"]}}]},
            "/attachments/0/data/card/0",
        ),
        (
            "channel.message.receive",
            {"attachments": [{"kind": "contact", "data": {"a/b": "\0"}}]},
            "/attachments/0/data/a~1b",
        ),
        ("channel.message.receive", {"attachments": [{"kind": "file", "data": DEEP}]}, "/attachments/0"),
        ("channel.conversation.identify", {"evidence": [{"kind": "fax", "value": "1"}]}, "/evidence/0/kind"),
        (
            "channel.conversation.identify",
            {"evidence": [{"kind": "phone", "value": "call me"}]},
            "/evidence/0/value",
        ),
        ("channel.outbox.pull", {"limit": 0}, "/limit"),
        ("channel.outbox.pull", {"limit": 51}, "/limit"),
        ("channel.outbox.pull", {"waitSeconds": 21}, "/waitSeconds"),
        ("channel.message.status", {"status": "seen"}, "/status"),
        ("channel.connection.report", {"state": "asleep"}, "/state"),
        ("channel.connection.report", {"reason": "bored"}, "/reason"),
        ("channel.connection.report", {"detail": "x" * 1_001}, "/detail"),
    ],
)
async def test_what_is_wrong_is_named(autojump_clock, door: str, changes: dict[str, object], pointer: str):
    """The answer points into the body."""
    async with channel_town() as here:
        answer = await here.ask(door, DOORS[door] | changes)

        assert (422, "validation_failed") == (answer.status_code, answer.json()["code"])
        assert [pointer] == [one["pointer"] for one in answer.json()["errors"]]
        assert 0 == await here.count(channel_tables.messages)


@pytest.mark.parametrize(
    ("rest", "pointer"),
    [
        (b'"text": "a", "text": "b"', "/text"),
        (b'"text": "a", "new": {"x": 1, "x": 2}', "/new/x"),
        (rb'"attachments": [{"kind": "contact", "data": {"a": 1, "\u0061": 2}}]', "/attachments/0/data/a"),
    ],
)
async def test_a_name_twice_in_one_object_is_rejected(rest, pointer, autojump_clock):
    """With its place, also in what a bridge may send that is not known here; nothing is recorded."""
    async with channel_town() as here:
        headers = {"authorization": f"Bearer {here.key}", "content-type": "application/json"}
        body = b'{"conversationId": "c", "messageId": "m", "direction": "in", %b}' % rest
        answer = await here.client.post(
            "/api/channels/v1/channel.message.receive", content=body, headers=headers
        )

        assert (422, "validation_failed") == (answer.status_code, answer.json()["code"])
        assert [(pointer, "duplicate_name")] == [
            (one["pointer"], one["code"]) for one in answer.json()["errors"]
        ]
        assert 0 == await here.count(channel_tables.messages)


async def test_text_that_is_none_is_named(autojump_clock):
    """Half of a surrogate pair is JSON, and no text."""
    async with channel_town() as here:
        headers = {"authorization": f"Bearer {here.key}", "content-type": "application/json"}
        body = b'{"conversationId": "c", "messageId": "m", "direction": "in", "text": "a\\ud83d"}'
        answer = await here.client.post(
            "/api/channels/v1/channel.message.receive", content=body, headers=headers
        )

        assert (422, "validation_failed") == (answer.status_code, answer.json()["code"])
        assert ["/text"] == [one["pointer"] for one in answer.json()["errors"]]


async def test_members_that_are_not_known_are_passed_over(autojump_clock):
    """A bridge may be newer than the service."""
    async with channel_town() as here:
        assert not (await here.answer("channel.message.receive", MESSAGE | {"mood": "good"}))["duplicate"]


async def test_a_clock_that_is_wrong_decides_nothing(autojump_clock):
    """Times of the bridge are stored as they are sent; the order is that of arrival."""
    async with channel_town() as here:
        times = ["2026-09-25T00:00:00+02:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00"]
        for number, at in enumerate(times):
            await here.answer("channel.message.receive", MESSAGE | {"messageId": f"m-{number}", "sentAt": at})

        rows = await here.rows(channel_tables.messages)
        assert ["m-0", "m-1", "m-2"] == [row.external_id for row in rows]
        assert [1_790_287_200_000, 0, 253_402_300_799_999] == [row.sent_at for row in rows]


async def test_hostile_attachments_are_kept_and_never_fetched(autojump_clock):
    """An address is a text to us."""
    async with channel_town() as here:
        hostile = [
            {"kind": "image", "url": "http://169.254.169.254/latest/meta-data/"},
            {"kind": "file", "url": "javascript:alert(1)", "name": "../../etc/passwd"},
            {"kind": "location", "data": {"latitude": 52.5, "longitude": 13.4}},
        ]
        await here.answer("channel.message.receive", MESSAGE | {"attachments": hostile})

        [row] = await here.rows(channel_tables.messages)
        assert hostile == json.loads(row.attachments)


async def test_a_status_of_a_foreign_reply_is_not_found(autojump_clock):
    """Another connection's reply is as unknown as one that never was."""
    async with channel_town() as here:
        await here.write_reply()
        [reply] = await here.pull()
        other = await here.store.write(a_connection, here.organization.id)
        key = (await here.store.write(channel_keys.mint, here.organization.id, other.id)).key

        asked = {"replyId": reply["replyId"], "status": "sent"}
        answers = [
            await here.ask("channel.message.status", asked, key=key),
            await here.ask("channel.message.status", asked | {"replyId": "rpl_never"}),
        ]

        assert [(404, "not_found")] * 2 == [(one.status_code, one.json()["code"]) for one in answers]


async def test_a_repeat_under_the_same_idempotency_key_runs_nothing(autojump_clock):
    """It is answered as the first call; with another body it is rejected; another door is another scope."""
    async with channel_town() as here:
        first = await here.ask("channel.message.receive", MESSAGE, idempotency_key="k-1")
        again = await here.ask("channel.message.receive", MESSAGE, idempotency_key="k-1")
        other = await here.ask("channel.message.receive", MESSAGE | {"text": "x"}, idempotency_key="k-1")
        door = await here.ask("channel.connection.report", {"state": "online"}, idempotency_key="k-1")
        bad = await here.ask("channel.connection.report", {"state": "online"}, idempotency_key="k 1")

        assert (first.content, "true") == (again.content, again.headers["idempotent-replayed"])
        assert "idempotent-replayed" not in first.headers
        assert (422, "idempotency_mismatch") == (other.status_code, other.json()["code"])
        assert (200, 422) == (door.status_code, bad.status_code)


async def test_a_repeated_pull_is_given_the_same_replies(autojump_clock):
    """The answer that was lost on its way is there again, and takes nothing more."""
    async with channel_town() as here:
        await here.write_reply("chat-1")
        first = await here.ask("channel.outbox.pull", idempotency_key="p-1")
        await here.write_reply("chat-2")
        again = await here.ask("channel.outbox.pull", idempotency_key="p-1")
        empty = await here.ask("channel.outbox.pull", {"limit": 1}, idempotency_key="p-2")
        none = await here.ask("channel.outbox.pull", idempotency_key="p-3")
        await here.write_reply("chat-3")
        still_none = await here.ask("channel.outbox.pull", idempotency_key="p-3")

        assert (first.content, "true") == (again.content, again.headers["idempotent-replayed"])
        assert ["chat-2"] == [one["conversationId"] for one in empty.json()["replies"]]
        assert [] == none.json()["replies"] == still_none.json()["replies"]
        assert 1 == len(await here.pull())


async def test_a_bridge_reports_its_health(autojump_clock):
    """While it is offline nothing is handed out, and its time goes on."""
    async with channel_town() as here:
        told = await here.answer("channel.connection.report", {"state": "offline", "reason": "token_revoked"})
        await here.write_reply()
        offline = await here.pull()
        await here.answer("channel.connection.report", {"state": "online"})
        online = await here.pull()

        assert {"ok": True, "state": "offline"} == told
        assert ([], 1) == (offline, len(online))
        states = [row for row in await here.rows(tables.events) if row.type == "connection.state"]
        assert 2 == len(states)


async def test_an_answer_reveals_nothing_of_contacts(autojump_clock):
    """Evidence of a contact that is there and of one that is not are answered alike, to the byte."""
    async with channel_town() as here:
        evidence = {"evidence": [{"kind": "email", "value": "ada@example.com"}]}
        new = await here.ask("channel.conversation.identify", evidence | {"conversationId": "chat-1"})
        known = await here.ask("channel.conversation.identify", evidence | {"conversationId": "chat-2"})

        assert (200, b'{"ok":true}') == (new.status_code, new.content)
        assert new.content == known.content
        [contact] = await here.rows(tables.records)
        assert [contact.id] * 2 == [row.contact_id for row in await here.rows(channel_tables.conversations)]
        await trio.lowlevel.checkpoint()
