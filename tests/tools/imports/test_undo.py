"""`import.undo`: what an import wrote is taken back, as far as nothing else has changed it since."""

from typing import Any

import pytest
import trio

from svc.actors.imports import importer
from svc.domain.imports.limits import IMPORT_LIFE_MS
from svc.storage.identity import members
from svc.storage.identity.members import MemberChanges
from svc.storage.imports import tables
from svc.storage.imports.undo import starting, steps
from tests.importing import CONTACTS, records_of, run, upload
from tests.people import call_of
from tests.pruning import prune
from tests.tooling import ToolTown, tool_town
from tests.tools.imports.test_imports import csv, imported, names


async def undone(here: ToolTown, import_: Any, **asked: Any) -> Any:
    """Undo an import, and wait until that has ended."""
    answer = await here.answer("import.undo", {"id": import_["id"]} | asked)
    while answer["state"] == "running":
        await trio.sleep(1)
        answer = (await here.answer("import.get", {"id": import_["id"]}))["undo"]
    return answer


async def listed(here: ToolTown, object_type: str = "contact") -> dict[str, Any]:
    """The records of an object, by name."""
    found = await here.answer("record.list", {"objectType": object_type, "limit": 200})
    return {str(record["properties"]["name"]): record for record in found["records"]}


def counts(answer: Any) -> tuple[int, int, int]:
    return (answer["counts"]["deleted"], answer["counts"]["reverted"], answer["counts"]["left"])


async def test_what_an_import_made_is_deleted(autojump_clock):
    """With what was made for relations; each as a deletion of its own, which can be restored."""
    async with tool_town() as here:
        data = csv("name,company", "Ada,Acme", "Grace,ACME", "Hedy,")
        done = await imported(here, data, makeMissing=["company"])
        tried = await undone(here, done, dryRun=True)
        before = await names(here)
        answer = await undone(here, done)
        shown = await here.answer("import.get", {"id": done["id"]})
        await trio.sleep(1)
        events = await here.answer("event.list", {"types": ["record.deleted"]})
        ada = next(one["objectId"] for one in reversed(answer["undone"]) if one["objectType"] == "contact")
        restored = await here.answer("record.restore", {"id": ada})

        assert (True, "done", (4, 0, 0)) == (tried["dryRun"], tried["state"], counts(tried))
        assert ["Ada", "Grace", "Hedy"] == before
        assert (False, "done", (4, 0, 0)) == (answer["dryRun"], answer["state"], counts(answer))
        assert ["company"] == [one["objectType"] for one in answer["undone"]][-1:]
        assert (True, False, "done") == (done["canUndo"], shown["canUndo"], shown["undoState"])
        assert [] == await records_of(here, "company")
        assert 4 == len(events["events"])
        assert "Ada" == restored["properties"]["name"]


async def test_what_an_import_changed_is_as_before(autojump_clock, monkeypatch):
    """Also what several of its lines changed in turn, in batches of their own."""
    monkeypatch.setattr(importer, "IMPORT_BATCH_LINES", 1)
    async with tool_town() as here:
        await imported(here, csv("name,email,city", "Ada,ada@example.com,London"))
        before = await records_of(here)
        lines = ["ada@example.com,Paris,Boss", "ada@example.com,Rome,Owner", "eve@example.com,Oslo,"]
        done = await imported(here, csv("email,city,name", *lines), by="email")
        answer = await undone(here, done)
        again = await here.answer("import.undo", {"id": done["id"]})

        assert (1, 1, 0) == counts(answer)
        assert before == await records_of(here)
        assert answer == again


async def test_what_somebody_changed_since_stays(autojump_clock):
    """With the property, the value and who changed it; the rest of a changed record goes back."""
    async with tool_town() as here:
        await imported(here, csv("name,email,city,country", "Ada,ada@example.com,London,UK"))
        data = csv(
            "name,email,city,country",
            "Ada L,ada@example.com,Paris,FR",
            "Eve,eve@example.com,Oslo,NO",
            "Ida,,,",
        )
        done = await imported(here, data, by=None)
        await undone(here, done)
        done = await imported(here, data, by="email", onBadCell="empty")
        by_name = await listed(here)
        await here.answer("record.update", {"id": by_name["Ada L"]["id"], "properties": {"city": "Rome"}})
        await here.answer("record.update", {"id": by_name["Eve"]["id"], "properties": {"city": "Bergen"}})
        answer = await undone(here, done)

        ada, eve = await records_of(here)
        assert ("Ada", "Rome", "UK") == (ada["name"], ada["city"], ada["country"])
        assert ("Eve", "Bergen") == (eve["name"], eve["city"])
        assert (0, 1, 2) == counts(answer)
        assert {("city", "Rome"), ("city", "Bergen")} == {
            (one["property"], one["theirs"]) for one in answer["conflicts"]
        }
        assert {("Ada L", "it was changed since"), ("Eve", "it was changed since")} == {
            (one["name"], one["why"]) for one in answer["left"]
        }
        assert {"api"} == {one["changedBy"]["kind"] for one in answer["conflicts"]}


async def test_what_others_rely_on_stays(autojump_clock):
    """A record with notes, and one that another refers to; one that was deleted or merged is told as that."""
    async with tool_town() as here:
        data = csv("name,company", "Ada,Acme", "Grace,Borg", "Hedy,", "Ida,", "Lise,")
        done = await imported(here, data, makeMissing=["company"])
        people, companies = await listed(here), await listed(here, "company")
        await here.answer("note.create", {"recordId": people["Ada"]["id"], "title": "Met", "body": "at work"})
        deal = {"name": "Lights", "company": companies["Borg"]["id"]}
        await here.answer("record.create", {"objectType": "deal", "properties": deal})
        csrf = await here.sign_in()
        await here.answer_to_person("record.delete", {"id": people["Hedy"]["id"]}, csrf=csrf)
        merged = {"id": people["Lise"]["id"], "mergedId": people["Ida"]["id"]}
        await here.answer_to_person("record.merge", merged, csrf=csrf)
        tried = await undone(here, done, dryRun=True)
        answer = await undone(here, done)

        left = {
            "it has notes",
            "another record refers to it",
            "it was deleted since",
            "it was merged into another record since",
        }
        assert counts(tried) == counts(answer)
        assert left <= {one["why"] for one in answer["left"]} == {one["why"] for one in tried["left"]}
        assert {"Ada", "Lise"} >= {*await listed(here)}
        # Ada refers to Acme, and stays.
        assert {"Acme", "Borg"} == {*await listed(here, "company")}


@pytest.mark.parametrize("dry_run", [True, False])
async def test_a_large_one_goes_on_in_pieces(autojump_clock, monkeypatch, dry_run):
    """Each moves on behind what it has taken back, so nothing is done twice wherever it is broken off."""
    monkeypatch.setattr(starting, "IMPORT_UNDO_RECORDS", 2)
    monkeypatch.setattr(steps, "IMPORT_UNDO_RECORDS", 3)
    async with tool_town() as here:
        lines = [f"{n},Company {n % 3}" for n in range(20)]
        done = await imported(here, csv("name,company", *lines), makeMissing=["company"])
        answer = await here.answer("import.undo", {"id": done["id"], "dryRun": dry_run})
        ended = await undone(here, done, dryRun=dry_run)

        assert ("running", (2, 0, 0)) == (answer["state"], counts(answer))
        assert ("done", (23, 0, 0)) == (ended["state"], counts(ended))
        assert (20 if dry_run else 0) == len(await records_of(here))


async def test_what_is_under_way_is_answered_again(autojump_clock, monkeypatch):
    """Asked for once more it does not begin anew; asked for in earnest, a dry run is over."""
    monkeypatch.setattr(starting, "IMPORT_UNDO_RECORDS", 1)
    monkeypatch.setattr(starting, "announce_start", lambda _tx, _import: None)
    async with tool_town() as here:
        done = await imported(here, csv("name", *map(str, range(5))))
        asked = [{"dryRun": True}, {"dryRun": True}, {}, {}, {"dryRun": True}]
        answers = []
        for one in asked:
            await trio.sleep(0.001)
            answers.append(await here.answer("import.undo", {"id": done["id"]} | one))

        first, same, earnest, again, too_late = answers
        assert (first, earnest) == (same, again)
        assert ([True, False], "running") == ([first["dryRun"], earnest["dryRun"]], earnest["state"])
        assert earnest == too_late


async def test_an_undo_goes_on_after_a_restart(autojump_clock, monkeypatch):
    """The reconciler finds what was begun; an undo that waits behind an import is done after it."""
    monkeypatch.setattr(starting, "IMPORT_UNDO_RECORDS", 1)
    monkeypatch.setattr(starting, "announce_start", lambda _tx, _import: None)
    async with tool_town() as here:
        done = await imported(here, csv("name", *map(str, range(5))))
        begun = await here.answer("import.undo", {"id": done["id"]})
        other = await imported(here, csv("name", "Ada"))
        await trio.sleep(600)
        ended = (await here.answer("import.get", {"id": done["id"]}))["undo"]

        assert ("running", "done") == (begun["state"], ended["state"])
        assert ["Ada"] == await names(here)
        assert "done" == other["state"]


async def test_who_lost_the_right_undoes_no_more(autojump_clock, monkeypatch):
    """It is judged at each piece; what was taken back stays so."""
    monkeypatch.setattr(starting, "IMPORT_UNDO_RECORDS", 1)
    monkeypatch.setattr(starting, "announce_start", lambda _tx, _import: None)
    async with tool_town() as here:
        eve = await here.member("eve@example.com", "admin")
        key = await here.mint(eve)
        uploaded = await upload(here, csv("name", *map(str, range(5))))
        await here.answer("import.start", {"id": uploaded["id"]}, key=key)
        await trio.sleep(10)
        await here.answer("import.undo", {"id": uploaded["id"]}, key=key)
        owner = call_of(here.owner, here.organization.id, confirmed_at=here.clock.now())
        await here.store.write(members.update, owner, eve.id, MemberChanges(role_id="viewer"))
        await trio.sleep(600)
        failed = (await here.answer("import.get", {"id": uploaded["id"]}))["undo"]

        assert "failed" == failed["state"]
        assert "what started it may not go on: import.undo needs the permission" in failed["failure"]
        assert 4 == len(await records_of(here))


async def test_a_key_undoes_only_what_it_imported(autojump_clock):
    """A person undoes any."""
    async with tool_town() as here:
        done = await imported(here, CONTACTS)
        other = await here.mint()
        refused = await here.call("import.undo", {"id": done["id"]}, key=other)
        answer = await here.answer_to_person("import.undo", {"id": done["id"]}, csrf=await here.sign_in())

        assert (403, "forbidden") == (refused.status_code, refused.json()["code"])
        assert (2, 0, 0) == counts(answer)


async def test_what_has_written_nothing_is_undone_at_once(autojump_clock):
    """Such as one that was only tried; one that is open, and one that is not there, are refused."""
    async with tool_town() as here:
        uploaded = await upload(here, CONTACTS)
        is_open = await here.call("import.undo", {"id": uploaded["id"]})
        await run(here, uploaded, dryRun=True)
        await here.answer("import.cancel", {"id": uploaded["id"]})
        nothing = await here.call("import.undo", {"id": uploaded["id"]})
        unknown = await here.call("import.undo", {"id": "imp_x"})

        assert [409, 200, 404] == [one.status_code for one in (is_open, nothing, unknown)]
        assert "it is uploaded: cancel it, or wait for its end" == is_open.json()["detail"]
        assert ("done", (0, 0, 0)) == (nothing.json()["state"], counts(nothing.json()))


async def test_what_is_noted_goes_with_the_import(autojump_clock):
    """After a month."""
    async with tool_town() as here:
        await imported(here, csv("name", *map(str, range(120))))
        noted = await here.count(tables.import_records)
        await here.store.write(lambda tx: prune(tx.at(tx.now + IMPORT_LIFE_MS)))

        assert (120, 0) == (noted, await here.count(tables.import_records))
        assert 0 == await here.count(tables.imports)
