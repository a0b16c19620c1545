"""`record.delete_many` and `record.restore_many`: what goes, what comes back, and what stays as it is."""

from typing import Any

from svc.domain.records.limits import RECORDS_WRITTEN_MAX
from tests import tables
from tests.tooling import ToolTown, tool_town


async def made(here: ToolTown, kind: str, *names: str) -> list[str]:
    asked = {"objectType": kind, "records": [{"properties": {"name": name}} for name in names]}
    return [one["id"] for one in (await here.answer("record.create_many", asked))["records"]]


async def found(here: ToolTown, query: str) -> list[str]:
    return [one["id"] for one in (await here.answer("record.search", {"query": query}))["records"]]


async def test_records_of_several_objects_go_and_come_back_at_once(autojump_clock):
    """What cannot be done is left out and says why; each record has its event and its audit row."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        ada, bob = await made(here, "contact", "Ada Nimbus", "Bob Nimbus")
        [firm] = await made(here, "company", "Nimbus")
        await here.answer("record.update", {"id": ada, "properties": {"company": firm}})

        gone = await here.answer_to_person(
            "record.delete_many", {"ids": [firm, ada, "rec_none", ada]}, csrf=csrf
        )
        left = await found(here, "nimbus")
        back = await here.answer("record.restore_many", {"ids": [bob, ada, firm]})

        assert [firm, ada] == gone["deleted"]
        assert [
            {"id": "rec_none", "code": "not_found", "detail": "there is no record `rec_none`"},
            {"id": ada, "code": "not_found", "detail": f"the record `{ada}` is deleted"},
        ] == gone["refused"]
        assert [bob] == left
        assert [ada, firm] == back["restored"]
        assert [(bob, "not_found")] == [(one["id"], one["code"]) for one in back["refused"]]
        assert {ada, bob, firm} == set(await found(here, "nimbus"))
        related = await here.answer("record.get", {"id": firm, "related": {}})
        assert [ada] == [one["record"]["id"] for one in related["related"]["records"]]
        audit = [(row.action, row.target) for row in await here.rows(tables.audit)]
        assert [
            ("record.delete_many", firm),
            ("record.delete_many", ada),
            ("record.restore_many", ada),
            ("record.restore_many", firm),
        ] == [row for row in audit if row[0].endswith(("delete_many", "restore_many"))]
        events = [(row.type, row.subject) for row in await here.rows(tables.events)][4:]
        assert [
            ("record.deleted", firm),
            ("record.deleted", ada),
            ("record.created", ada),
            ("record.created", firm),
        ] == events


async def test_a_record_whose_unique_value_was_taken_stays_deleted(autojump_clock):
    """It is told as a conflict, and the others come back."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        code = {"objectType": "contact", "slug": "code", "label": "Code", "type": "text", "unique": True}
        await here.answer("property.create", code)

        async def one(**values: Any) -> str:
            asked = {"objectType": "contact", "properties": values}
            record_id: str = (await here.answer("record.create", asked))["id"]
            return record_id

        taken, free = await one(code="A1"), await one(code="A2")
        await here.answer_to_person("record.delete_many", {"ids": [taken, free]}, csrf=csrf)
        await one(code="a1")
        back = await here.answer("record.restore_many", {"ids": [taken, free]})

        assert [free] == back["restored"]
        assert [
            {
                "id": taken,
                "code": "conflict",
                "detail": "another record has this code, which is unique",
            }
        ] == back["refused"]


async def test_a_key_may_not_delete_and_a_hundred_are_the_most(autojump_clock):
    async with tool_town() as here:
        csrf = await here.sign_in()
        ids = await made(here, "contact", *(f"N{at}" for at in range(RECORDS_WRITTEN_MAX)))
        by_key = await here.call("record.delete_many", {"ids": ids})
        many = await here.call_as_person("record.delete_many", {"ids": [*ids, ids[0]]}, csrf=csrf)
        none = await here.call("record.restore_many", {"ids": []})
        kept = await here.count(tables.records, deleted_at=None)
        gone = await here.answer_to_person("record.delete_many", {"ids": ids}, csrf=csrf)

        assert (403, "approval_required") == (by_key.status_code, by_key.json()["code"])
        assert ["/ids"] == [fault["pointer"] for fault in many.json()["errors"]]
        assert ["/ids"] == [fault["pointer"] for fault in none.json()["errors"]]
        assert (RECORDS_WRITTEN_MAX, ids) == (kept, gone["deleted"])
