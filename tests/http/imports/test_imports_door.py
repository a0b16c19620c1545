"""The door of imports: parts, each whole or refused, and files that only their organization reads."""

import base64
import hashlib

from svc.domain.imports.limits import IMPORT_PART_BYTES
from svc.storage.imports import tables
from tests.importing import CONTACTS, file_of, run, send, upload
from tests.tooling import tool_town


def digest_of(data: bytes) -> str:
    return f"sha-256=:{base64.b64encode(hashlib.sha256(data).digest()).decode()}:"


async def test_parts_come_in_their_order(autojump_clock):
    """One that is given again changes nothing; another one in its place, or ahead of it, is refused."""
    async with tool_town() as here:
        data = b"name\r\n" + b"Ada\r\n" * IMPORT_PART_BYTES
        opened = await here.answer("import.start", {"objectType": "contact", "bytes": len(data)})
        parts = [data[at : at + IMPORT_PART_BYTES] for at in range(0, len(data), IMPORT_PART_BYTES)]
        ahead = await send(here, opened, 1, parts[1])
        first = await send(here, opened, 0, parts[0], content_digest=digest_of(parts[0]))
        again = await send(here, opened, 0, parts[0])
        other = await send(here, opened, 0, bytes(IMPORT_PART_BYTES))
        beyond = await send(here, opened, 99, b"x")

        assert (409, "the part 0 comes next, not 1") == (ahead.status_code, ahead.json()["detail"])
        assert ({"id": opened["id"], "state": "uploading", "nextPart": 1}) == first.json() == again.json()
        assert (409, "the part 0 was given already, with other bytes") == (
            other.status_code,
            other.json()["detail"],
        )
        assert 422 == beyond.status_code
        assert 1 == await here.count(tables.import_parts)


async def test_every_answer_to_a_good_key_shows_its_budget(autojump_clock):
    """Of parts and of files, found or not."""
    async with tool_town() as here:
        done = await run(here, await upload(here, CONTACTS + b"X,x@,\r\n"))
        bearer = {"authorization": f"Bearer {here.key}"}
        answers = [
            await here.client.get(done["refusedPath"], headers=bearer),
            await here.client.get("/api/v1/imports/imp_none/refused", headers=bearer),
            await here.client.get("/api/v1/imports/imp_none/report", headers=bearer),
            await here.client.get("/api/v1/imports/nothing", headers=bearer),
            await here.client.put(done["refusedPath"], headers=bearer),
            await send(here, done, 0, CONTACTS),
        ]

        assert [200, 404, 404, 404, 405, 422] == [answer.status_code for answer in answers]
        assert all("ratelimit-remaining" in answer.headers for answer in answers)


async def test_a_part_that_lies_is_refused(autojump_clock):
    """About its length or its digest: nothing of it is kept, and the right one is still taken."""
    async with tool_town() as here:
        opened = await here.answer("import.start", {"objectType": "contact", "bytes": len(CONTACTS)})
        short = await send(here, opened, 0, CONTACTS[:-1])
        long = await send(here, opened, 0, bytes(IMPORT_PART_BYTES + 1))
        wrong = await send(here, opened, 0, CONTACTS, content_digest=digest_of(b"other"))
        broken = await send(here, opened, 0, CONTACTS, content_digest="sha-256=:x:")
        right = await send(here, opened, 0, CONTACTS, content_digest=digest_of(CONTACTS))

        assert [422, 413, 422, 422, 200] == [
            answer.status_code for answer in (short, long, wrong, broken, right)
        ]
        assert ("uploaded", None) == (right.json()["state"], right.json()["nextPart"])


async def test_what_is_no_csv_fails_with_its_last_part(autojump_clock):
    """And says what it is; the next import may be opened at once."""
    async with tool_town() as here:
        failed = await upload(here, b"PK\x03\x04 and so on")
        free = await upload(here, CONTACTS)

        assert ("failed", "this is a spreadsheet or an archive and no text: save it as CSV first") == (
            failed["state"],
            failed["failure"],
        )
        assert "uploaded" == free["state"]


async def test_only_who_may_import_sends_and_reads(autojump_clock):
    """With a key or signed in; a viewer neither, and no path beside those there are."""
    async with tool_town() as here:
        await here.member("vera@example.com", "viewer")
        done = await run(here, await upload(here, CONTACTS + b"X,x@,\r\n"))
        viewer = {"authorization": f"Bearer {await here.mint(role_id='viewer')}"}
        key = {"authorization": f"Bearer {here.key}"}
        path = done["refusedPath"]
        csrf = await here.sign_in()
        signed_in = await here.client.get(
            path.replace("/api/v1/", "/app/api/"), headers={"x-csrf-token": csrf}
        )
        answers = [
            await here.client.get(path),
            await here.client.get(path, headers=viewer),
            await here.client.get(path.replace(done["id"], "imp_other"), headers=key),
            await here.client.post(path, headers=key),
            await here.client.get(f"{done['uploadPath']}0", headers=key),
            await here.client.get(f"{path}/more", headers=key),
            await here.client.get(path.replace("refused", "report"), headers=key),
        ]

        assert [401, 403, 404, 405, 405, 404, 404] == [answer.status_code for answer in answers]
        assert await file_of(here, path) == signed_in.content
        assert 'attachment; filename="' in signed_in.headers["content-disposition"]
