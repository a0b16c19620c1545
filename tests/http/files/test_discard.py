"""`file.discard`: who may take back a file that nothing uses, and what keeps one from it."""

from typing import Any

from svc.storage.files import files
from svc.storage.identity import roles
from tests.files import upload
from tests.http.files.test_uploads import with_photos
from tests.people import call_of
from tests.tables import audit
from tests.tables import roles as role_rows
from tests.tooling import ToolTown, tool_town


async def uploaded(here: ToolTown, key: str | None = None) -> str:
    """The id of a file that nothing uses, uploaded with the Owner's key or *key*."""
    file_id: str = (await upload(here.client, key or here.key)).json()["fileId"]
    return file_id


EDITS = ("records.read", "records.write")


async def editors_key(here: ToolTown, **asked: Any) -> str:
    """A key that may change records, and has no say in security."""
    names = {row.name for row in await here.rows(role_rows)}
    name = f"Editor {len(names)}"
    role = await here.store.write(roles.create, call_of(here.owner), name, EDITS)
    return await here.mint(role_id=role.id, **asked)


async def discard(here: ToolTown, file_id: str, key: str | None = None, **headers: str) -> tuple[int, Any]:
    """What the Owner's key, or *key*, is answered: the status, and the problem's code or the answer."""
    answer = await here.call("file.discard", {"id": file_id}, key=key, **headers)
    body = answer.json()
    return answer.status_code, body.get("code", body)


async def test_a_key_takes_back_what_it_uploaded(autojump_clock):
    """At once: it can be fetched no more, is no longer counted, and the trail says so; only once."""
    async with tool_town() as here:
        key = await editors_key(here)
        file_id = await uploaded(here, key)
        discarded = await discard(here, file_id, key)
        fetched = await here.client.get(
            f"/api/v1/files/{file_id}", headers={"authorization": f"Bearer {key}"}
        )

        assert (200, {"id": file_id, "removedAt": "2026-09-18T00:00:00.000Z"}) == discarded
        assert 404 == fetched.status_code
        assert (404, "not_found") == await discard(here, file_id, key)
        assert (0, 0) == await here.store.read(files.totals, here.organization.id)
        [line] = await here.rows(audit, action="file.discard", outcome="done")
        assert ("key", file_id) == (line.caller_kind, line.target)


async def test_a_repeated_call_is_answered_as_the_first_was(autojump_clock):
    async with tool_town() as here:
        file_id = await uploaded(here)
        first = await discard(here, file_id, idempotency_key="once")

        assert first == await discard(here, file_id, idempotency_key="once")


async def test_a_person_takes_back_their_own_upload(autojump_clock):
    """Signed in."""
    async with tool_town() as here:
        role = await here.store.write(roles.create, call_of(here.owner), "Editor", EDITS)
        await here.member("editor@example.com", role.id)
        csrf = await here.sign_in("editor@example.com")
        sent = {"x-csrf-token": csrf, "content-disposition": 'attachment; filename="a.txt"'}
        file_id = (await here.client.post("/app/api/files", content=b"Hello", headers=sent)).json()["fileId"]
        discarded = await here.call_as_person("file.discard", {"id": file_id}, csrf=csrf)

        assert (200, file_id) == (discarded.status_code, discarded.json()["id"])


async def test_anothers_unused_file_is_not_there(autojump_clock):
    """For another key, even of the same person: it may not know of it. Who has `security` may discard it."""
    async with tool_town() as here:
        theirs = await editors_key(here)
        file_id = await uploaded(here, theirs)
        other = await editors_key(here)

        assert (404, "not_found") == await discard(here, file_id, other)
        assert (404, "not_found") == await discard(here, "fil_none", other)
        assert 200 == (await discard(here, file_id))[0]


async def test_a_used_file_stays(autojump_clock):
    """By its uploader and by `security`, and while a deleted record could be restored; who merely sees it may
    not even ask.
    """
    async with tool_town() as here:
        await with_photos(here)
        key, other = await editors_key(here), await editors_key(here)
        file_id = await uploaded(here, key)
        record = await here.answer(
            "record.create", {"objectType": "deal", "properties": {"photo": file_id}}, key=key
        )
        while_used = [await discard(here, file_id, one) for one in (key, None, other)]
        csrf = await here.sign_in()
        await here.answer_to_person("record.delete", {"id": record["id"]}, csrf=csrf)
        while_deleted = await discard(here, file_id, key)

        assert [(409, "conflict"), (409, "conflict"), (403, "forbidden")] == while_used
        assert (409, "conflict") == while_deleted
        assert 200 == (await here.call("file.get", {"id": file_id}, key=key)).status_code


async def test_a_file_that_is_used_no_more_can_be_discarded(autojump_clock):
    """By its uploader, once the record names another."""
    async with tool_town() as here:
        await with_photos(here)
        key = await editors_key(here)
        first, second = await uploaded(here, key), await uploaded(here, key)
        record = await here.answer(
            "record.create", {"objectType": "deal", "properties": {"photo": first}}, key=key
        )
        await here.answer("record.update", {"id": record["id"], "properties": {"photo": second}}, key=key)

        assert (200, 409) == ((await discard(here, first, key))[0], (await discard(here, second, key))[0])


async def test_a_key_for_other_tools_discards_nothing(autojump_clock):
    async with tool_town() as here:
        key = await editors_key(here, tools=("record.create",))
        file_id = await uploaded(here, key)

        assert (403, "forbidden") == await discard(here, file_id, key)


async def test_nothing_of_another_organization_is_discarded(autojump_clock):
    """Whatever the caller's role at home."""
    async with tool_town() as here:
        file_id = await uploaded(here)
        async with tool_town() as elsewhere:
            assert (404, "not_found") == await discard(elsewhere, file_id)
