"""`record.duplicates` and `record.distinguish`: what may be the same, and who says that it is not."""

from typing import Any

import pytest
import trio

from svc.storage.records.duplicates import groups
from tests import tables
from tests.tooling import ToolTown, tool_town

CONTACTS = {"objectType": "contact"}
ADA = {"name": "Ada Lovelace", "email": "ada@example.com"}


async def made(here: ToolTown, *several: dict[str, Any]) -> list[str]:
    asked = CONTACTS | {"records": [{"properties": values} for values in several]}
    return [one["id"] for one in (await here.answer("record.create_many", asked))["records"]]


async def test_a_person_tells_records_apart_and_takes_it_back(autojump_clock):
    """A key may look for them; each call is audited under all that it names."""
    async with tool_town() as here:
        one, two, _ = await made(here, ADA, ADA, {"name": "lovelace, adá"})
        csrf = await here.sign_in()
        first = await here.answer("record.duplicates", CONTACTS | {"limit": 1})
        second = await here.answer("record.duplicates", CONTACTS | {"cursor": first["nextCursor"]})
        by_key = await here.call("record.distinguish", {"ids": [one, two]})
        told = await here.answer_to_person("record.distinguish", {"ids": [one, two]}, csrf=csrf)
        left = await here.answer("record.duplicates", CONTACTS)
        back = {"ids": [two, one], "different": False}
        await here.answer_to_person("record.distinguish", back, csrf=csrf)
        again = await here.answer("record.duplicates", CONTACTS | {"limit": 1})

        [by_email] = first["groups"]
        [by_name] = second["groups"]
        assert ("email", 2, [one, two]) == (
            by_email["by"],
            by_email["count"],
            [record["id"] for record in by_email["records"]],
        )
        assert ADA == by_email["records"][0]["properties"]
        assert ("name", 3, None) == (by_name["by"], by_name["count"], second["nextCursor"])
        assert (403, "person_only") == (by_key.status_code, by_key.json()["code"])
        assert {"ids": [one, two], "different": True} == told
        assert ["name"] == [group["by"] for group in left["groups"]]
        assert first == again
        audit = [row.target for row in await here.rows(tables.audit, action="record.distinguish")]
        assert [one, two, two, one] == audit[-4:]


async def test_an_object_of_many_records_is_answered_once_its_index_is_there(
    autojump_clock, monkeypatch: pytest.MonkeyPatch
):
    """503 with the progress until then; the first call has it built."""
    monkeypatch.setattr(groups, "QUICK_RECORDS_MAX", 1)
    async with tool_town() as here:
        await made(here, ADA, ADA)
        refused = await here.call("record.duplicates", CONTACTS)
        await trio.sleep(5)
        listed = await here.answer("record.duplicates", CONTACTS)

        assert (503, "2") == (refused.status_code, refused.headers["retry-after"])
        assert "0 of 2 records are in it" in refused.json()["detail"]
        assert [2] == [group["count"] for group in listed["groups"]]


async def test_what_cannot_be_told_apart_is_told_where(autojump_clock):
    async with tool_town() as here:
        [one] = await made(here, ADA)
        csrf = await here.sign_in()
        refused = await here.call_as_person("record.distinguish", {"ids": [one, "rec_none"]}, csrf=csrf)
        alone = await here.call_as_person("record.distinguish", {"ids": [one]}, csrf=csrf)
        unknown = await here.call("record.duplicates", {"objectType": "contacts"})

        assert [(422, "/ids/1"), (422, "/ids")] == [
            (answer.status_code, answer.json()["errors"][0]["pointer"]) for answer in (refused, alone)
        ]
        assert 404 == unknown.status_code
