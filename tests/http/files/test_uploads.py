"""Uploads: who may send what, what comes of lies about it, and what one sender may take up."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import trio

from svc.domain.files import files as rules
from svc.domain.files import limits
from svc.domain.files.limits import FILE_BYTES_MAX, UPLOADS_AT_ONCE_OF_SENDER
from svc.http.app import public_app
from svc.storage import provisioning
from svc.storage.files import files
from svc.storage.files import tables as files_tables
from svc.storage.identity import api_keys
from svc.storage.identity.organizations import NewOrganization
from tests import tables
from tests.files import PDF, PNG, a_file, archive, contents_of, upload
from tests.people import call_of
from tests.tooling import ToolTown, tool_town


async def with_photos(here: ToolTown) -> None:
    """Deals have a picture from now on."""
    await here.answer(
        "property.create", {"objectType": "deal", "slug": "photo", "label": "Photo", "type": "picture"}
    )


async def test_an_upload_is_answered_with_its_id(autojump_clock):
    """It is counted as a call, audited, and its name and type are known."""
    async with tool_town() as here:
        answer = await upload(here.client, here.key, name="Straße.png", content_type="text/html")

        assert 200 == answer.status_code
        assert {"fileId"} == answer.json().keys()
        assert "599" == answer.headers["ratelimit-remaining"]
        shown = await here.answer("file.get", {"id": answer.json()["fileId"]})
        assert ("Straße.png", "image/png", len(PNG)) == (shown["name"], shown["mediaType"], shown["size"])
        assert "key" == shown["createdBy"]["kind"]
        [noted] = await here.rows(tables.audit, action=rules.UPLOAD)
        assert (shown["id"], "done") == (noted.target, noted.outcome)


async def test_a_signed_in_person_uploads_with_the_csrf_token(autojump_clock):
    """Without it, a page of another site could."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        refused = await here.client.post("/app/api/files", content=PNG)
        kept = await here.client.post(
            "/app/api/files",
            content=PNG,
            headers={
                "x-csrf-token": csrf,
                "content-disposition": "attachment; filename*=UTF-8''l%C3%A4mp.png",
            },
        )
        fetched = await here.client.get(f"/app/api/files/{kept.json()['fileId']}")
        here.client.cookies.clear()
        signed_out = await here.client.get(f"/app/api/files/{kept.json()['fileId']}")

        assert [403, 200, 200, 401] == [answer.status_code for answer in (refused, kept, fetched, signed_out)]
        assert PNG == fetched.content
        assert "filename*=UTF-8''l%C3%A4mp.png" in fetched.headers["content-disposition"]


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        ({"content": b""}, 422, "validation_failed"),
        ({"content": PNG, "content_length": str(FILE_BYTES_MAX + 1)}, 413, "body_too_large"),
        ({"content": PNG, "content_length": str(len(PNG) + 1)}, 400, "malformed_request"),
        ({"content": PNG, "content_length": str(len(PNG) - 1)}, 400, "malformed_request"),
        ({"content": PNG, "content_type": "multipart/form-data; boundary=x"}, 415, "unsupported_media_type"),
        ({"content": PNG, "content_encoding": "gzip"}, 415, "unsupported_media_type"),
        ({"content": PNG, "name": "a" * 256}, 422, "validation_failed"),
        ({"content": PNG, "idempotency_key": "no spaces"}, 422, "validation_failed"),
    ],
)
async def test_what_is_no_file_is_refused(autojump_clock, sent: dict[str, Any], status: int, code: str):
    """With a problem that says why, and nothing of it is kept."""
    async with tool_town() as here:
        answer = await upload(here.client, here.key, **sent)

        assert (status, code) == (answer.status_code, answer.json()["code"])
        assert 0 == await here.count(files_tables.files)
        assert {} == contents_of(here.system)


async def test_a_body_without_a_length_is_counted(autojump_clock, monkeypatch: pytest.MonkeyPatch):
    """One that goes on for too long is broken off, and what came of it is gone."""
    monkeypatch.setattr("svc.http.files.door.FILE_BYTES_MAX", 100_000)
    read, sent = [], []

    async def receive() -> dict[str, Any]:
        read.append(10_000)
        return {"type": "http.request", "body": bytes(10_000), "more_body": True}

    async def send(message: Any) -> None:
        sent.append(message)

    async with tool_town() as here:
        scope = {
            "type": "http",
            "http_version": "1.1",
            "scheme": "http",
            "method": "POST",
            "root_path": "",
            "path": "/api/v1/files",
            "query_string": b"",
            "headers": [(b"authorization", f"Bearer {here.key}".encode())],
            "client": None,
        }
        await public_app(here.system)(scope, receive, send)

        assert (413, 110_000) == (sent[0]["status"], sum(read))
        assert {} == contents_of(here.system)


async def test_a_repeated_upload_is_one_file(autojump_clock):
    """By its key, name and content; another content under the same key is refused."""
    async with tool_town() as here:
        first, again = [await upload(here.client, here.key, idempotency_key="k-1") for _ in range(2)]
        other = await upload(here.client, here.key, PDF, idempotency_key="k-1")

        assert first.json() == again.json()
        assert "true" == again.headers["idempotent-replayed"]
        assert (422, "idempotency_mismatch") == (other.status_code, other.json()["code"])
        assert 1 == await here.count(files_tables.files)
        assert [PNG] == list(contents_of(here.system).values())


async def test_who_may_upload(autojump_clock):
    """Whoever may put a file to use; a refusal is audited."""
    async with tool_town() as here:
        helper = await here.answer_to_person(
            "role.create",
            {"name": "Chat", "permissions": ["conversations"]},
            csrf=await here.sign_in(),
        )
        keys = {
            "chat": await here.mint(role_id=helper["id"]),
            "viewer": await here.mint(role_id="viewer"),
            "for records": await here.mint(tools=("record.create",)),
            "for lists": await here.mint(tools=("record.list",)),
            "gateway": await here.mint(limited_to="ai.gateway"),
        }
        answers = {name: (await upload(here.client, key)).status_code for name, key in keys.items()}

        assert answers == {"chat": 200, "viewer": 403, "for records": 200, "for lists": 403, "gateway": 403}
        assert 401 == (await upload(here.client, "svck_unknown")).status_code
        assert 3 == await here.count(tables.audit, action=rules.UPLOAD, outcome="refused")


async def test_a_key_that_is_revoked_meanwhile_uploads_nothing(autojump_clock):
    """What was revoked while the body came is judged again when the row is stored."""
    async with tool_town() as here:

        async def slow() -> AsyncIterator[bytes]:
            yield PNG
            await trio.sleep(1)
            keys = (await here.answer("apikey.list"))["apiKeys"]
            [own] = [one["id"] for one in keys if one["name"] == "Doomed"]
            await here.store.write(api_keys.revoke, call_of(here.owner, confirmed_at=here.clock.now()), own)
            yield PNG

        doomed = await here.mint(name="Doomed")
        answer = await here.client.post(
            "/api/v1/files", content=slow(), headers={"authorization": f"Bearer {doomed}"}
        )

        assert 401 == answer.status_code
        assert 0 == await here.count(files_tables.files)
        assert {} == contents_of(here.system)


async def test_one_sender_has_a_few_uploads_under_way(autojump_clock):
    """A further one is told to wait, at once, and others upload meanwhile."""
    async with tool_town() as here:
        other = await here.mint(name="Other")
        go_on = trio.Event()
        statuses = []

        async def slow() -> AsyncIterator[bytes]:
            yield PNG
            await go_on.wait()

        async def send() -> None:
            answer = await here.client.post(
                "/api/v1/files", content=slow(), headers={"authorization": f"Bearer {here.key}"}
            )
            statuses.append(answer.status_code)

        async with trio.open_nursery() as nursery:
            for _ in range(UPLOADS_AT_ONCE_OF_SENDER):
                nursery.start_soon(send)
            await trio.sleep(1)
            refused, others = await upload(here.client, here.key), await upload(here.client, other)
            go_on.set()

        assert (503, "5") == (refused.status_code, refused.headers["retry-after"])
        assert 200 == others.status_code
        assert [200, 200] == statuses
        assert 200 == (await upload(here.client, here.key)).status_code


async def test_an_organization_has_so_many_files(autojump_clock, monkeypatch: pytest.MonkeyPatch):
    """By number and by bytes; what is removed makes room."""
    async with tool_town() as here:
        monkeypatch.setattr(files, "FILES_BYTES_MAX", 2 * len(PNG))
        kept = [await upload(here.client, here.key) for _ in range(2)]
        large = await upload(here.client, here.key)
        monkeypatch.setattr(files, "FILES_BYTES_MAX", limits.FILES_BYTES_MAX)
        monkeypatch.setattr(files, "FILES_MAX", 2)
        many = await upload(here.client, here.key)

        assert [200, 200] == [answer.status_code for answer in kept]
        assert [409, 409] == [answer.status_code for answer in (large, many)]
        await here.store.write(files.remove, here.organization.id, kept[0].json()["fileId"])
        assert 200 == (await upload(here.client, here.key)).status_code


async def test_a_picture_of_a_record_is_an_uploaded_picture(autojump_clock):
    """Of the same organization, there, and of a type that browsers may show."""
    async with tool_town() as here:
        await with_photos(here)
        picture = (await upload(here.client, here.key)).json()["fileId"]
        zipped = (await upload(here.client, here.key, PNG + archive("a.exe"))).json()["fileId"]
        elsewhere = await here.store.write(provisioning.create, NewOrganization(name="Elsewhere"))
        others = (await here.store.write(a_file, elsewhere.id)).id
        unknown = "fil_01K5D3V7Q2M8Z4X6C9B1N0T5RA"

        made = await here.call("record.create", {"objectType": "deal", "properties": {"photo": picture}})
        refused = [
            await here.call("record.create", {"objectType": "deal", "properties": {"photo": given}})
            for given in (zipped, others, unknown)
        ]

        assert picture == made.json()["properties"]["photo"]
        assert ["invalid_value", "not_found", "not_found"] == [
            answer.json()["errors"][0]["code"] for answer in refused
        ]
        assert (
            refused[1].json()["errors"][0]["detail"].replace(others, unknown)
            == (refused[2].json()["errors"][0]["detail"])
        )
        assert {answer.json()["errors"][0]["pointer"] for answer in refused} == {"/properties/photo"}
        shown = await here.answer("file.get", {"id": picture})
        assert [{"noun": "record", "id": made.json()["id"]}] == shown["usedBy"]


async def test_uses_follow_the_values_of_records(autojump_clock):
    """A deleted record can be restored, so it still uses its picture; one that has another does not."""
    async with tool_town() as here:
        await with_photos(here)
        first, second = [(await upload(here.client, here.key)).json()["fileId"] for _ in range(2)]
        record = await here.answer("record.create", {"objectType": "deal", "properties": {"photo": first}})

        async def used() -> dict[str, int]:
            return {
                name: await here.count(files_tables.file_uses, file_id=file_id)
                for name, file_id in (("first", first), ("second", second))
            }

        csrf = await here.sign_in()
        await here.answer("record.update", {"id": record["id"], "properties": {"name": "A lamp"}})
        assert {"first": 1, "second": 0} == await used()
        await here.answer_to_person("record.delete", {"id": record["id"]}, csrf=csrf)
        assert {"first": 1, "second": 0} == await used()
        await here.answer("record.restore", {"id": record["id"]})
        await here.answer("record.update", {"id": record["id"], "properties": {"photo": second}})
        assert {"first": 0, "second": 1} == await used()
        await here.answer("record.update", {"id": record["id"], "properties": {"photo": None}})
        assert {"first": 0, "second": 0} == await used()


async def test_writes_of_many_look_at_pictures_as_one_does(autojump_clock):
    """What is no file is refused with its place, and what is one is noted as used."""
    async with tool_town() as here:
        await with_photos(here)
        picture = (await upload(here.client, here.key)).json()["fileId"]
        given = [{"properties": {"photo": one}} for one in (picture, "fil_" + "0" * 26)]
        made = await here.call("record.create_many", {"objectType": "deal", "records": given})
        first = await here.answer("record.create", {"objectType": "deal", "properties": {"name": "C"}})
        item = {"id": first["id"], "properties": {"photo": picture}}
        changed = await here.call("record.update_many", {"objectType": "deal", "records": [item]})

        assert 422 == made.status_code
        assert ["/records/1/properties/photo"] == [error["pointer"] for error in made.json()["errors"]]
        assert 200 == changed.status_code, changed.text
        assert 1 == await here.count(files_tables.file_uses, file_id=picture, subject_id=first["id"])
