"""`record.*` of many records by one call: outcomes, refusals and what is left of them."""

from typing import Any

import pytest

from tests import tables
from tests.tooling import ToolTown, tool_town

ADA = {"name": "Ada", "email": "ada@example.com"}
BOB = {"name": "Bob", "email": "bob@example.com"}


async def create(here: ToolTown, *several: dict[str, Any], **more: Any) -> Any:
    asked = {"objectType": "contact", "records": [{"properties": values} for values in several]}
    return await here.answer("record.create_many", asked | more)


async def test_each_item_has_its_outcome(autojump_clock):
    """Refused ones say why, with pointers into the call, and leave no trace; the others are written."""
    async with tool_town() as here:
        made = await create(here, ADA, {"email": "?", "city": 5}, BOB, onError="skip")

        assert ["Ada", "Bob"] == [record["properties"]["name"] for record in made["records"]]
        assert ["created", "refused", "created"] == [one["outcome"] for one in made["outcomes"]]
        refused = made["outcomes"][1]
        assert refused["id"] is None
        assert ["/records/1/properties/email", "/records/1/properties/city"] == [
            fault["pointer"] for fault in refused["errors"]
        ]
        ids = [record["id"] for record in made["records"]]
        assert ids == [row.target for row in await here.rows(tables.audit, action="record.create_many")]
        assert ids == [row.subject for row in await here.rows(tables.events)]
        assert 2 == await here.count(tables.records)


async def test_an_unclear_match_says_how_many_may_be_meant(autojump_clock):
    """Without `by`, contacts are matched as those of forms; what differs waits as a suggestion."""
    async with tool_town() as here:
        await create(here, ADA, ADA, BOB)
        asked: dict[str, Any] = {"objectType": "contact", "onError": "skip"}
        asked["records"] = [
            {"properties": {"email": "ada@example.com"}},
            {"properties": {"email": "BOB@example.com", "name": "Robert", "city": "Bonn"}},
            {"properties": {"email": "bob@example.com", "name": "Robert"}},
        ]
        done = await here.answer("record.upsert_many", asked)

        unclear, filled, suggested = done["outcomes"]
        assert ("refused", "several", 2) == (unclear["outcome"], unclear["reason"], unclear["candidates"])
        assert ("updated", ["name"]) == (filled["outcome"], filled["suggested"])
        assert ("suggested", ["name"]) == (suggested["outcome"], suggested["suggested"])
        assert BOB | {"city": "Bonn"} == done["records"][0]["properties"] == done["records"][1]["properties"]
        listed = await here.answer("suggestion.list", {"recordId": filled["id"]})
        assert ["Robert"] == [one["value"] for one in listed["suggestions"]]


async def test_conflicts_of_many_are_told_by_item(autojump_clock):
    """All at once as 409, or with `skip` each at its item."""
    async with tool_town() as here:
        made = await create(here, ADA, BOB)
        ada, bob = (record["id"] for record in made["records"])
        await here.answer("record.update", {"id": ada, "properties": {"name": "Ada L."}})
        items = [
            {"id": ada, "properties": {"name": "Countess"}, "ifVersion": 1},
            {"id": bob, "properties": {"city": "Bonn"}, "ifVersion": 1},
        ]
        asked = {"objectType": "contact", "records": items}
        refused = await here.call("record.update_many", asked)
        skipped = await here.answer("record.update_many", asked | {"onError": "skip"})

        problem = refused.json()
        assert (409, "conflict") == (refused.status_code, problem["code"])
        assert ["/records/0/properties/name"] == [fault["pointer"] for fault in problem["errors"]]
        [conflict] = problem["conflicts"]
        assert ("/records/0/properties/name", "Countess", "Ada L.") == (
            conflict["pointer"],
            conflict["yours"],
            conflict["theirs"],
        )
        assert ["refused", "updated"] == [one["outcome"] for one in skipped["outcomes"]]
        assert problem["conflicts"] == skipped["outcomes"][0]["conflicts"]
        assert "Ada L." == (await here.answer("record.get", {"id": ada}))["properties"]["name"]


async def test_a_fault_beside_a_conflict_is_a_fault(autojump_clock):
    """Every fault of every item is told at once: what is to be mended is 422, whatever else there is."""
    async with tool_town() as here:
        code = {"objectType": "contact", "slug": "code", "label": "Code", "type": "text", "unique": True}
        await here.answer("property.create", code)
        await create(here, ADA | {"code": "x"})
        items = [{"properties": BOB | {"code": "X"}}, {"properties": {"email": "?"}}, {"properties": BOB}]
        answer = await here.call("record.create_many", {"objectType": "contact", "records": items})

        problem = answer.json()
        assert (422, "validation_failed") == (answer.status_code, problem["code"])
        assert [
            ("/records/0/properties/code", "conflict"),
            ("/records/1/properties/email", "invalid_value"),
        ] == [(fault["pointer"], fault["code"]) for fault in problem["errors"]]
        assert 1 == await here.count(tables.records)


async def test_a_repeated_call_is_answered_as_the_first(autojump_clock):
    """Under an idempotency key, with every outcome; nothing is written twice."""
    async with tool_town() as here:
        asked: dict[str, Any] = {"objectType": "contact", "onError": "skip"}
        asked["records"] = [{"properties": ADA}, {"properties": {"name": "nobody"}}]
        first, again = [
            await here.call("record.upsert_many", asked, idempotency_key="key-1") for _ in range(2)
        ]

        assert first.content == again.content
        assert "true" == again.headers["Idempotent-Replayed"]
        assert ["created", "refused"] == [one["outcome"] for one in first.json()["outcomes"]]
        assert 1 == await here.count(tables.records)


@pytest.mark.parametrize("tool", ["record.update_many", "record.upsert_many"])
@pytest.mark.parametrize("many", [0, 101])
async def test_one_to_a_hundred_are_written_together(autojump_clock, tool: str, many: int):
    """As of `record.create_many`."""
    async with tool_town() as here:
        item: dict[str, Any] = {"properties": ADA}
        if tool == "record.update_many":
            item["id"] = "rec_1"
        answer = await here.call(tool, {"objectType": "contact", "records": [item] * many})

        assert (422, ["/records"]) == (
            answer.status_code,
            [fault["pointer"] for fault in answer.json()["errors"]],
        )


async def test_a_change_of_the_timeline_is_taken_back(autojump_clock):
    """By the id of its entry; and the revert has an entry of its own."""
    async with tool_town() as here:
        [record] = (await create(here, ADA))["records"]
        here.clock.jump(1_000)
        await here.answer("record.update", {"id": record["id"], "properties": {"name": "Countess"}})
        [change, _] = (await here.answer("record.timeline", {"id": record["id"]}))["entries"]
        here.clock.jump(1_000)
        asked = {"id": record["id"], "change": change["id"]}
        reverted = await here.answer("record.revert", asked)
        refused = await here.call("record.revert", asked | {"change": record["id"]})

        assert (ADA, 3) == (reverted["properties"], reverted["version"])
        [entry, *_] = (await here.answer("record.timeline", {"id": record["id"]}))["entries"]
        assert {"name": ["Countess", "Ada"]} == entry["data"]["changed"]
        assert (422, "/change") == (refused.status_code, refused.json()["errors"][0]["pointer"])
