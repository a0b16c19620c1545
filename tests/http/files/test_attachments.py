"""Attachments: what bridges send as data is kept as files, and files go out with addresses that end."""

from base64 import b64encode
from typing import Any
from urllib.parse import urlsplit

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.domain.erasure.marks import Marks
from svc.domain.files.limits import FILE_ADDRESS_LIFE_MS
from svc.storage.channels import tables as channels_tables
from svc.storage.erasure import rows
from svc.storage.erasure.sweep import Hit
from svc.storage.files import files, uses
from svc.storage.files import tables as files_tables
from svc.storage.files.uses import FileUse
from svc.storage.identity import api_keys
from svc.storage.identity.api_keys import NewKey
from tests import tables
from tests.channels import ChannelTown, channel_town, push_town
from tests.files import PDF, PNG, contents_of, upload
from tests.people import a_member, call_of

NO_MARKS = Marks(emails=(), phones=(), names=(), lesser=())
MESSAGE = {"conversationId": "chat-1", "messageId": "m-1", "direction": "in", "text": "Look"}


def message(*attachments: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return MESSAGE | {"attachments": list(attachments)} | changes


def with_data(content: bytes = PNG, **changes: Any) -> dict[str, Any]:
    return {"kind": "image", "name": "lamp.png", "data": b64encode(content).decode()} | changes


async def a_key(here: ChannelTown) -> str:
    owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
    call = call_of(owner, confirmed_at=here.clock.now())
    return (await here.store.write(api_keys.mint, call, NewKey(name="A key"))).key


async def tool(here: ChannelTown, key: str, name: str, body: Any) -> Any:
    answer = await here.client.post(
        f"/api/v1/tools/{name}", json=body, headers={"authorization": f"Bearer {key}"}
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_data_is_kept_as_a_file(autojump_clock):
    """With the message, in its event too; a member reads it, and the type is what it is."""
    async with channel_town() as here:
        received = await here.answer(
            "channel.message.receive", message(with_data(PDF, mimeType="image/png", size=7), with_data())
        )
        key = await a_key(here)
        [read] = (await tool(here, key, "message.list", {"conversationId": received["conversation"]}))[
            "messages"
        ]
        first, second = read["attachments"]
        shown = await tool(here, key, "file.get", {"id": first["fileId"]})
        fetched = await here.client.get(
            f"/api/v1/files/{second['fileId']}", headers={"authorization": f"Bearer {key}"}
        )

        assert (None, len(PDF), "lamp.png") == (first["data"], first["size"], first["name"])
        assert "application/pdf" == shown["mediaType"]
        assert {"kind": "bridge", "id": here.connection.id} == shown["createdBy"]
        assert [{"noun": "message", "id": received["message"]}] == shown["usedBy"]
        assert PNG == fetched.content
        [event] = await here.rows(tables.events, type="message.received")
        assert first["fileId"] in event.data
        assert b64encode(PNG).decode() not in event.data


@pytest.mark.parametrize(
    "attachment",
    [
        {"kind": "image", "url": "https://media.example/a.jpg"},
        {"kind": "location", "data": {"latitude": 50.8, "longitude": -0.1}},
        {"kind": "contact", "data": "QkVHSU46VkNBUkQ="},
        {"kind": "file", "data": "not base64!"},
        {"kind": "file", "data": ""},
    ],
)
async def test_all_else_stays_with_the_message(autojump_clock, attachment: dict[str, Any]):
    """An address is never fetched, and what is no base64 is no file."""
    async with channel_town() as here:
        received = await here.answer("channel.message.receive", message(attachment))
        [read] = (
            await tool(here, await a_key(here), "message.list", {"conversationId": received["conversation"]})
        )["messages"]

        expected = dict.fromkeys(("url", "name", "mimeType", "size", "data", "fileId")) | attachment
        assert [expected] == read["attachments"]
        assert 0 == await here.count(files_tables.files)


async def test_a_bridge_attaches_no_file_of_ours(autojump_clock):
    """It may name one, and that is ignored: its key is for no files."""
    async with channel_town() as here:
        key = await a_key(here)
        own = (await upload(here.client, key)).json()["fileId"]
        received = await here.answer(
            "channel.message.receive", message({"kind": "image", "fileId": own, "url": "https://a.example/"})
        )
        [read] = (await tool(here, key, "message.list", {"conversationId": received["conversation"]}))[
            "messages"
        ]

        assert [None] == [attachment["fileId"] for attachment in read["attachments"]]
        fetched = await here.client.get(
            f"/api/v1/files/{own}", headers={"authorization": f"Bearer {here.key}"}
        )
        assert 401 == fetched.status_code


async def test_a_message_that_comes_twice_has_its_files_once(autojump_clock):
    """By the messenger's id, or under one idempotency key; what came with a duplicate is not kept."""
    async with channel_town() as here:
        first = await here.answer("channel.message.receive", message(with_data()))
        again = await here.answer("channel.message.receive", message(with_data(PDF)))
        keyed = [
            await here.answer(
                "channel.message.receive", message(with_data(), messageId="m-2"), idempotency_key="k-1"
            )
            for _ in range(2)
        ]

        assert (False, True) == (first["duplicate"], again["duplicate"])
        assert keyed[0] == keyed[1]
        assert 2 == await here.count(files_tables.files)
        assert [PNG] == list(contents_of(here.system).values())


async def test_where_there_is_no_room_the_data_stays_with_the_message(
    autojump_clock, monkeypatch: pytest.MonkeyPatch
):
    """A message is not lost for it."""
    monkeypatch.setattr(files, "FILES_MAX", 1)
    async with channel_town() as here:
        received = await here.answer("channel.message.receive", message(with_data(), with_data(PDF)))
        [read] = (
            await tool(here, await a_key(here), "message.list", {"conversationId": received["conversation"]})
        )["messages"]

        data = [attachment["data"] for attachment in read["attachments"]]
        assert [b64encode(PNG).decode(), b64encode(PDF).decode()] == data
        assert {} == contents_of(here.system)


async def test_a_reply_goes_out_with_an_address_that_ends(autojump_clock):
    """The bridge fetches it without a key; each time that the reply is pulled, the address is a new one."""
    async with channel_town() as here:
        key = await a_key(here)
        received = await here.answer("channel.message.receive", message())
        file_id = (await upload(here.client, key, PDF, "bill.pdf")).json()["fileId"]
        written = await tool(
            here,
            key,
            "message.reply",
            {
                "conversationId": received["conversation"],
                "attachments": [{"kind": "file", "fileId": file_id}],
            },
        )
        [reply] = await here.pull()
        [attachment] = reply["attachments"]
        fetched = await here.client.get(attachment["url"])

        assert [file_id] == [one["fileId"] for one in written["attachments"]]
        assert {"kind", "url", "name", "mimeType", "size"} == attachment.keys()
        assert ("bill.pdf", "application/pdf", len(PDF)) == (
            attachment["name"],
            attachment["mimeType"],
            attachment["size"],
        )
        assert PDF == fetched.content
        ends = int(dict(part.split("=") for part in urlsplit(attachment["url"]).query.split("&"))["exp"])
        assert here.clock.now() + FILE_ADDRESS_LIFE_MS == ends * 1_000
        assert 1 == await here.count(files_tables.file_uses, file_id=file_id, subject_id=written["id"])


async def test_a_pushed_reply_has_an_address_too(autojump_clock):
    """Below the public address of the installation."""
    async with push_town() as (here, receiver):
        here.system.base_url = "https://svc.example"
        key = await a_key(here)
        received = await here.answer("channel.message.receive", message())
        file_id = (await upload(here.client, key)).json()["fileId"]
        asked = {
            "conversationId": received["conversation"],
            "attachments": [{"kind": "image", "fileId": file_id}],
        }
        await tool(here, key, "message.reply", asked)
        await wait_all_tasks_blocked()

        [body] = receiver.bodies
        [attachment] = body["data"]["attachments"]
        assert attachment["url"].startswith(f"https://svc.example/api/v1/files/{file_id}?exp=")
        assert 200 == (await here.client.get(attachment["url"])).status_code


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"fileId": "fil_01K5D3V7Q2M8Z4X6C9B1N0T5RA"}, "not_found"),
        ({"fileId": "OWN", "url": "https://a.example/"}, "invalid_value"),
        ({"fileId": "OWN", "data": "AAAA"}, "invalid_value"),
    ],
)
async def test_what_is_no_file_is_not_attached(autojump_clock, given: dict[str, Any], code: str):
    """With a pointer to the member that is wrong."""
    async with channel_town() as here:
        key = await a_key(here)
        received = await here.answer("channel.message.receive", message())
        own = (await upload(here.client, key)).json()["fileId"]
        attachment = {"kind": "image"} | given | ({"fileId": own} if given["fileId"] == "OWN" else {})
        answer = await here.client.post(
            "/api/v1/tools/message.reply",
            json={"conversationId": received["conversation"], "attachments": [attachment]},
            headers={"authorization": f"Bearer {key}"},
        )

        [error] = answer.json()["errors"]
        assert (422, "/attachments/0/fileId", code) == (answer.status_code, error["pointer"], error["code"])


async def test_an_erased_message_takes_its_files_along(autojump_clock):
    """Those that nothing else uses; no use of them is left."""
    async with channel_town() as here:
        received = await here.answer("channel.message.receive", message(with_data(), with_data(PDF)))
        [picture, _] = await here.rows(files_tables.files)
        other = FileUse(picture.id, "msg_other", "0", here.organization.id, "message")
        await here.store.write(lambda tx: uses.add(tx.conn, [other]))
        hit = Hit(key=(received["message"],), how="own")
        await here.store.write(
            rows.erase, here.organization.id, "messages", [hit], NO_MARKS, source={"kind": "person"}
        )
        await trio.sleep(1)

        assert 0 == await here.count(channels_tables.messages)
        assert 0 == await here.count(files_tables.file_uses, subject_id=received["message"])
        assert [picture.id] == [left.id for left in await here.rows(files_tables.files)]
        assert [PNG] == list(contents_of(here.system).values())
