"""Downloads: with a right or by a signed address, in the shape in which nothing of a file can run."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import trio

from svc.domain.files.limits import FILE_ADDRESS_LIFE_MS
from svc.domain.locale.times import SECOND_MS
from svc.storage import provisioning
from svc.storage.files import files, uses
from svc.storage.files.uses import FileUse
from svc.storage.identity.organizations import NewOrganization
from tests.files import PDF, PNG, archive, contents_of, upload
from tests.http.files.test_uploads import with_photos
from tests.people import a_member
from tests.tooling import ToolTown, tool_town

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


async def fetch(here: ToolTown, file_id: str, key: str | None = None, **headers: str) -> Any:
    sent = {"authorization": f"Bearer {key or here.key}"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    return await here.client.get(f"/api/v1/files/{file_id}", headers=sent)


async def kept(here: ToolTown, content: bytes = PNG, name: str = "lamp.png") -> str:
    file_id: str = (await upload(here.client, here.key, content, name)).json()["fileId"]
    return file_id


@pytest.mark.parametrize(
    ("content", "media_type", "shown"),
    [
        (PNG, "image/png", "inline"),
        (PDF, "application/pdf", "attachment"),
        (SVG, "text/plain; charset=utf-8", "attachment"),
        (b"<!doctype html><script>alert(1)</script>", "text/plain; charset=utf-8", "attachment"),
        (PNG + archive("a.exe"), "application/octet-stream", "attachment"),
    ],
)
async def test_nothing_in_a_file_can_run(autojump_clock, content: bytes, media_type: str, shown: str):
    """Safe pictures are shown in place, all else is downloaded; no type is guessed, and no origin is lent."""
    async with tool_town() as here:
        answer = await fetch(here, await kept(here, content, 'a".html'))

        assert (200, content) == (answer.status_code, answer.content)
        assert media_type == answer.headers["content-type"]
        assert shown == answer.headers["content-disposition"].partition(";")[0]
        assert 'filename="a_.html"' in answer.headers["content-disposition"]
        assert "nosniff" == answer.headers["x-content-type-options"]
        assert "sandbox; default-src 'none'" == answer.headers["content-security-policy"]
        assert "private, max-age=300" == answer.headers["cache-control"]
        assert str(len(content)) == answer.headers["content-length"]


async def test_a_part_is_served(autojump_clock):
    """One range, of the version that the client has; several are answered with the whole (RFC 9110)."""
    async with tool_town() as here:
        file_id = await kept(here, b"0123456789")
        tag = (await fetch(here, file_id)).headers["etag"]

        asked: dict[str, dict[str, str]] = {
            "part": {"range": "bytes=2-4"},
            "end": {"range": "bytes=-3"},
            "rest": {"range": "bytes=8-", "if_range": tag},
            "other version": {"range": "bytes=8-", "if_range": '"other"'},
            "several": {"range": "bytes=0-1,4-5"},
            "beyond": {"range": "bytes=10-"},
            "nonsense": {"range": "pages=1"},
        }
        answers = {name: await fetch(here, file_id, **headers) for name, headers in asked.items()}

        assert {name: (answer.status_code, answer.content) for name, answer in answers.items()} == {
            "part": (206, b"234"),
            "end": (206, b"789"),
            "rest": (206, b"89"),
            "other version": (200, b"0123456789"),
            "several": (200, b"0123456789"),
            "beyond": (416, b""),
            "nonsense": (200, b"0123456789"),
        }
        assert "bytes 2-4/10" == answers["part"].headers["content-range"]
        assert "bytes */10" == answers["beyond"].headers["content-range"]


async def test_what_the_client_has_is_not_sent_again(autojump_clock):
    """304 by the hash; HEAD has the head alone; no other method is known."""
    async with tool_town() as here:
        file_id = await kept(here)
        tag = (await fetch(here, file_id)).headers["etag"]
        unchanged = await fetch(here, file_id, if_none_match=tag)
        bearer = {"authorization": f"Bearer {here.key}"}
        head = await here.client.head(f"/api/v1/files/{file_id}", headers=bearer)
        other = await here.client.delete(f"/api/v1/files/{file_id}", headers=bearer)

        assert (304, b"") == (unchanged.status_code, unchanged.content)
        assert (200, str(len(PNG)), b"") == (head.status_code, head.headers["content-length"], head.content)
        assert (405, "GET, HEAD") == (other.status_code, other.headers["allow"])


async def test_who_may_fetch(autojump_clock):
    """By what uses the file; without a use its uploader alone. What one may not see is not there."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        role = await here.answer_to_person(
            "role.create", {"name": "Chat", "permissions": ["conversations"]}, csrf=csrf
        )
        viewer, chat = await here.mint(role_id="viewer"), await here.mint(role_id=role["id"])
        narrow = await here.mint(tools=("record.list",))
        await with_photos(here)
        unused, of_record, of_message = [await kept(here) for _ in range(3)]
        await here.answer("record.create", {"objectType": "deal", "properties": {"photo": of_record}})
        use = FileUse(of_message, "msg_1", "0", here.organization.id, "message")
        await here.store.write(lambda tx: uses.add(tx.conn, [use]))

        seen = {
            name: [
                (await fetch(here, file_id, key)).status_code for file_id in (unused, of_record, of_message)
            ]
            for name, key in {"owner": here.key, "viewer": viewer, "chat": chat, "narrow": narrow}.items()
        }
        shown = {
            name: [one["id"] for one in (await here.answer("file.list", key=key))["files"]]
            for name, key in {"owner": here.key, "viewer": viewer, "chat": chat}.items()
        }

        assert seen == {
            "owner": [200, 200, 200],
            "viewer": [404, 200, 404],
            "chat": [404, 404, 200],
            "narrow": [403, 403, 403],
        }
        assert shown == {
            "owner": [of_message, of_record, unused],
            "viewer": [of_record],
            "chat": [of_message],
        }
        listed = await here.answer("file.list", {"usedBy": "msg_1"})
        assert [of_message] == [one["id"] for one in listed["files"]]


async def test_a_file_of_a_message_becomes_no_picture(autojump_clock):
    """With the record it could be seen by those who may not read the message."""
    async with tool_town() as here:
        await with_photos(here)
        file_id = await kept(here)
        use = FileUse(file_id, "msg_1", "0", here.organization.id, "message")
        await here.store.write(lambda tx: uses.add(tx.conn, [use]))

        refused = await here.call("record.create", {"objectType": "deal", "properties": {"photo": file_id}})

        assert (422, "/properties/photo") == (refused.status_code, refused.json()["errors"][0]["pointer"])


async def test_another_organizations_file_is_not_there(autojump_clock):
    """As if there were none, at every door; and the same bytes are not told apart from new ones."""
    async with tool_town() as here:
        elsewhere = await here.store.write(provisioning.create, NewOrganization(name="Elsewhere"))
        stranger = await here.store.write(a_member, elsewhere.id, "stranger@example.com", "owner")
        own = await kept(here)
        other_key = await mint_in(here, stranger, elsewhere.id)
        unknown = "fil_01K5D3V7Q2M8Z4X6C9B1N0T5RA"

        found = [await fetch(here, file_id, other_key) for file_id in (own, unknown)]
        tools = [await here.call("file.get", {"id": file_id}, key=other_key) for file_id in (own, unknown)]
        theirs = await upload(here.client, other_key)

        assert [404] * 4 == [answer.status_code for answer in (*found, *tools)]
        assert 200 == theirs.status_code
        assert 2 == len(contents_of(here.system))
        await here.store.write(files.remove, here.organization.id, own)
        await trio.sleep(1)
        assert 200 == (await fetch(here, theirs.json()["fileId"], other_key)).status_code


async def mint_in(here: ToolTown, person: Any, organization_id: str) -> str:
    from svc.storage.identity import api_keys
    from svc.storage.identity.api_keys import NewKey
    from tests.people import call_of

    call = call_of(person, organization_id, confirmed_at=here.clock.now())
    return (await here.store.write(api_keys.mint, call, NewKey(name="Theirs"))).key


async def test_a_signed_address_needs_no_key_and_ends(autojump_clock):
    """After an hour, by the clock when it is asked."""
    async with tool_town() as here:
        shown = await here.answer("file.get", {"id": await kept(here)})
        address = shown["address"]
        while_it_holds = await here.client.get(address)
        await trio.sleep(FILE_ADDRESS_LIFE_MS / SECOND_MS)
        over = await here.client.get(address)

        assert (200, PNG) == (while_it_holds.status_code, while_it_holds.content)
        assert "ratelimit-limit" not in while_it_holds.headers
        assert (403, "forbidden") == (over.status_code, over.json()["code"])


async def test_a_changed_address_opens_nothing(autojump_clock):
    """Neither another file, nor for longer; without a signature it is a call without a key."""
    async with tool_town() as here:
        first, second = await kept(here), await kept(here, PDF)
        address = urlsplit((await here.answer("file.get", {"id": first}))["address"])
        parts = {name: values[0] for name, values in parse_qs(address.query).items()}
        later = str(int(parts["exp"]) + 1)
        path = f"/api/v1/files/{first}"

        answers = [
            (await here.client.get(path, params=changed)).status_code
            for changed in (
                parts | {"exp": later},
                parts | {"exp": "9" * 30},
                parts | {"exp": "٣"},
                parts | {"sig": "A" + parts["sig"][1:] if parts["sig"][0] != "A" else "B" + parts["sig"][1:]},
                {"sig": parts["sig"]},
                {"sig": "", "exp": parts["exp"]},
            )
        ]
        other = await here.client.get(f"/api/v1/files/{second}", params=parts)
        unsigned = await here.client.get(path, params={"exp": parts["exp"]})

        assert [403, 403, 403, 403, 403, 401] == answers
        assert (403, 401) == (other.status_code, unsigned.status_code)


async def test_a_removed_file_is_not_served(autojump_clock):
    """By no door and no address of before; who removes it needs the right to change what uses it."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        await with_photos(here)
        file_id = await kept(here)
        address = (await here.answer("file.get", {"id": file_id}))["address"]
        record = await here.answer("record.create", {"objectType": "deal", "properties": {"photo": file_id}})
        by_key = await here.call("file.remove", {"id": file_id})
        removed = await here.answer_to_person("file.remove", {"id": file_id}, csrf=csrf)

        assert (403, "approval_required") == (by_key.status_code, by_key.json()["code"])
        assert {"id", "removedAt"} == removed.keys()
        assert [404, 404] == [
            (await fetch(here, file_id)).status_code,
            (await here.client.get(address)).status_code,
        ]
        again = await here.call_as_person("file.remove", {"id": file_id}, csrf=csrf)
        assert 404 == again.status_code
        shown = await here.answer("record.get", {"id": record["id"]})
        assert file_id == shown["properties"]["photo"]


async def test_a_viewer_removes_nothing(autojump_clock):
    """To see a picture takes less than to remove it."""
    async with tool_town() as here:
        await with_photos(here)
        file_id = await kept(here)
        await here.answer("record.create", {"objectType": "deal", "properties": {"photo": file_id}})
        await here.member("viewer@example.com", "viewer")
        csrf = await here.sign_in("viewer@example.com")

        refused = await here.call_as_person("file.remove", {"id": file_id}, csrf=csrf)

        assert (403, "forbidden") == (refused.status_code, refused.json()["code"])


async def test_a_missing_content_is_a_problem_and_no_hang(autojump_clock):
    """The disk lost it: `svc check` says so, and a client gets 404."""
    async with tool_town() as here:
        file_id = await kept(here)
        contents_of(here.system).clear()

        assert 404 == (await fetch(here, file_id)).status_code
