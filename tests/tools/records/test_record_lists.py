"""`record.list`, `record.count` and `record.search`, as they are called, and the indexes that follow."""

from typing import Any

import msgspec
import pytest
import trio

from svc.actors.batch_worker import RETRY_MS
from svc.domain.records.limits import INDEX_BATCH, UNINDEXED_RETRY_SECONDS
from svc.services.tools import calls as tool_calls
from svc.storage.commit import batch
from svc.storage.records import bulk, objects
from svc.storage.records.listing import counts, index_builds, index_walks, matching, scans
from svc.storage.store import TakesLong, Tx
from svc.tools import execution
from svc.tools.catalogue import REGISTRY
from tests import tables
from tests.index_parts import build_some
from tests.people import key_call
from tests.tooling import ToolTown, tool_town
from tests.town import Town, town

CITY = {"property": "city", "op": "eq", "value": "London"}


async def contacts(here: ToolTown, *given: dict[str, Any]) -> list[Any]:
    asked = {"objectType": "contact", "records": [{"properties": one} for one in given]}
    made: list[Any] = (await here.answer("record.create_many", asked))["records"]
    return made


async def names(here: ToolTown, tool: str = "record.list", **asked: Any) -> list[Any]:
    found = await here.answer(tool, {"objectType": "contact"} | asked)
    return [one["properties"].get("name") for one in found["records"]]


async def index_states(here: Town) -> dict[str, str | None]:
    """How far the indexes of the contacts' properties are."""
    of = await here.store.read(objects.get, here.organization.id, "contact")
    return {slug: prop.index_state for slug, prop in of.properties.items() if prop.index_state is not None}


def index_all(tx: Tx, organization_id: str) -> None:
    """Index the contacts' properties."""
    of = objects.get(tx.conn, organization_id, "contact")
    index_builds.want(tx, organization_id, [prop.id for prop in of.properties.values()])
    index_builds.build(tx, organization_id)


async def test_a_list_is_filtered_and_sorted(autojump_clock):
    """Without anything said, the newest come first."""
    async with tool_town() as here:
        await contacts(
            here,
            {"name": "Ada", "city": "London"},
            {"name": "Bob", "city": "london", "country": "UK"},
            {"name": "Carla", "city": "Turin"},
            {"name": "Dora"},
        )

        assert ["Dora", "Carla", "Bob", "Ada"] == await names(here)
        assert ["Ada", "Bob"] == await names(here, filters=[CITY], sort=[{"property": "name"}])
        assert ["Bob"] == await names(here, filters=[CITY, {"property": "country", "op": "is_not_empty"}])
        assert ["Carla", "Bob", "Ada", "Dora"] == await names(
            here, sort=[{"property": "city", "direction": "desc"}, {"property": "name", "direction": "desc"}]
        )
        assert ["Dora", "Carla"] == await names(
            here, filters=[{"property": "city", "op": "not_in", "value": ["London", "Paris"]}]
        )


async def test_a_list_goes_on_where_it_ended(autojump_clock):
    """What is written between two pages neither repeats a record nor leaves one out."""
    async with tool_town() as here:
        await contacts(here, *({"name": name} for name in "bdfh"))
        by_name = {"objectType": "contact", "sort": [{"property": "name"}], "limit": 2}
        first = await here.answer("record.list", by_name)
        await contacts(here, *({"name": name} for name in "aceg"))
        second = await here.answer("record.list", by_name | {"cursor": first["nextCursor"], "limit": 50})
        other = await here.call(
            "record.list", by_name | {"cursor": first["nextCursor"], "sort": [{"property": "city"}]}
        )

        assert ["b", "d"] == [one["properties"]["name"] for one in first["records"]]
        assert (["e", "f", "g", "h"], None) == (
            [one["properties"]["name"] for one in second["records"]],
            second["nextCursor"],
        )
        assert (422, "/cursor") == (other.status_code, other.json()["errors"][0]["pointer"])


async def test_records_are_counted(autojump_clock):
    """All of an object, or those for which the filters hold, by an index or without one."""
    async with tool_town() as here:
        await contacts(
            here, {"city": "London"}, {"city": "London", "name": "Ada"}, {"city": "Turin"}, {"name": "Bob"}
        )
        counted = []
        for _ in range(2):
            counted += [
                (await here.answer("record.count", {"objectType": "contact", "filters": filters}))["count"]
                for filters in ([], [CITY], [CITY, {"property": "name", "op": "is_empty"}])
            ]
            await trio.sleep(1)

        assert [4, 2, 1] * 2 == counted
        assert {"city": "ready", "name": "ready"} == await index_states(here)


async def test_all_that_a_table_asks_works_together(autojump_clock):
    """Groups, a search, an order by any property, a total, texts and expanded relations, page by page."""
    async with tool_town() as here:
        firm = {"objectType": "company", "properties": {"name": "Lamps & Co"}}
        company = (await here.answer("record.create", firm))["id"]
        worth = {"objectType": "contact", "slug": "worth", "label": "Worth", "type": "amount"}
        await here.answer("property.create", worth)
        await contacts(
            here,
            *(
                {"name": f"Ada {at}", "city": city, "worth": at * 10, "company": company}
                for at, city in enumerate(["London", "Leeds", "Bonn", "London"])
            ),
            {"name": "Bob", "city": "London", "worth": 5},
        )
        asked: dict[str, Any] = {
            "objectType": "contact",
            "filters": [
                {"any": [CITY, {"property": "city", "op": "eq", "value": "Leeds"}]},
                {"property": "worth", "op": "lte", "value": 30},
            ],
            "search": "ada",
        }
        shown = {
            "sort": [{"property": "worth", "direction": "desc"}, {"property": "name"}],
            "total": True,
            "texts": True,
            "expand": ["company"],
            "fields": ["name", "worth", "company"],
            "limit": 2,
        }
        first = await here.answer("record.list", asked | shown)
        second = await here.answer("record.list", asked | shown | {"cursor": first["nextCursor"]})
        counted = await here.answer("record.count", asked)
        summed = await here.answer(
            "record.aggregate",
            asked | {"measures": [{"op": "count"}, {"op": "sum", "property": "worth"}], "groupBy": ["city"]},
        )
        other = await here.call(
            "record.list", asked | shown | {"search": "bob", "cursor": first["nextCursor"]}
        )
        nothing = await here.answer("record.list", asked | {"search": "!", "total": True})

        records = [*first["records"], *second["records"]]
        assert ["Ada 3", "Ada 1", "Ada 0"] == [one["properties"]["name"] for one in records]
        assert {"name", "worth", "worth_currency", "company"} == records[0]["properties"].keys()
        assert "Lamps & Co" == records[0]["properties"]["company"]["properties"]["name"]
        assert ("Lamps & Co", "30,00\xa0€") == tuple(
            records[0]["texts"][slug] for slug in ("company", "worth")
        )
        assert {"count": 3, "exact": True} == first["total"] == second["total"]
        assert {"count": 3} == counted
        assert [("London", [2, {"EUR": 30}]), ("Leeds", [1, {"EUR": 10}])] == [
            (group["key"]["city"], group["values"]) for group in summed["groups"]
        ]
        assert (422, "/cursor") == (other.status_code, other.json()["errors"][0]["pointer"])
        assert ([], {"count": 0, "exact": True}) == (nothing["records"], nothing["total"])


async def test_a_search_finds_words(autojump_clock):
    """In every object, or in one, and no more than are asked for."""
    async with tool_town() as here:
        await contacts(here, {"name": "Ada Lovelace"}, {"name": "Bob", "city": "Adamstown"})
        await here.answer("record.create", {"objectType": "company", "properties": {"name": "Ada & Co"}})
        everywhere = await here.answer("record.search", {"query": "ada"})

        assert {"contact", "company"} == {one["objectType"] for one in everywhere["records"]}
        assert ["Ada Lovelace", "Bob"] == await names(here, "record.search", query="ÁDA")
        assert ["Ada Lovelace"] == await names(here, "record.search", query="ada", limit=1)
        assert [] == await names(here, "record.search", query='"*)(')


@pytest.mark.parametrize(
    ("tool", "asked", "pointers"),
    [
        ("record.list", {"filters": [{"property": "town", "op": "eq", "value": 1}]}, ["/filters/0/property"]),
        ("record.list", {"filters": [CITY, CITY | {"op": "like"}]}, ["/filters/1/op"]),
        ("record.list", {"filters": [CITY | {"op": "gt"}]}, ["/filters/0/op"]),
        ("record.list", {"filters": [CITY, CITY | {"value": 7}]}, ["/filters/1/value"]),
        ("record.list", {"filters": [CITY | {"value": None}]}, ["/filters/0/value"]),
        ("record.list", {"filters": [CITY | {"op": "in", "value": []}]}, ["/filters/0/value"]),
        ("record.list", {"filters": [CITY | {"op": "in", "value": ["x"] * 101}]}, ["/filters/0/value"]),
        ("record.list", {"filters": [CITY | {"op": "is_empty"}]}, ["/filters/0/value"]),
        ("record.list", {"filters": [CITY] * 21}, ["/filters"]),
        ("record.list", {"filters": CITY}, ["/filters"]),
        ("record.list", {"filters": [CITY | {"case": True}]}, ["/filters/0/case"]),
        ("record.list", {"filters": [CITY | {"property": "createdAt"}]}, ["/filters/0/value"]),
        ("record.list", {"sort": [{"property": "name"}, {"property": "town"}]}, ["/sort/1/property"]),
        ("record.list", {"sort": [{"property": "name", "direction": "up"}]}, ["/sort/0/direction"]),
        ("record.list", {"sort": [{"property": "name"}] * 4}, ["/sort"]),
        ("record.list", {"limit": 0}, ["/limit"]),
        ("record.list", {"limit": 201}, ["/limit"]),
        ("record.list", {"limit": 1.5}, ["/limit"]),
        ("record.list", {"cursor": "\ud7ff" * 10}, ["/cursor"]),
        ("record.list", {"cursor": "a" * 2_000}, ["/cursor"]),
        ("record.count", {"filters": [CITY | {"property": "town"}]}, ["/filters/0/property"]),
        ("record.search", {}, ["/query"]),
        ("record.search", {"query": "x" * 201}, ["/query"]),
        ("record.search", {"query": "x", "limit": 51}, ["/limit"]),
    ],
)  # fmt: skip
async def test_what_is_wrong_with_a_question_is_pointed_at(autojump_clock, tool, asked, pointers):
    """Every fault says where in the call it is."""
    async with tool_town() as here:
        answer = await here.call(tool, {"objectType": "contact"} | asked)

        assert (422, "validation_failed") == (answer.status_code, answer.json()["code"])
        assert pointers == [one["pointer"] for one in answer.json()["errors"]]


@pytest.mark.parametrize("tool", ["record.list", "record.count", "record.search"])
async def test_there_is_no_such_object(autojump_clock, tool):
    """404, whatever is asked of it."""
    async with tool_town() as here:
        asked = {"objectType": "plane"} | ({"query": "ada"} if tool == "record.search" else {})
        answer = await here.call(tool, asked)

        assert (404, "not_found") == (answer.status_code, answer.json()["code"])


# Indexes.


async def test_a_list_that_misses_an_index_has_it_made(autojump_clock):
    """Afterwards the same list comes by it, and says the same."""
    async with tool_town() as here:
        await contacts(here, *({"name": f"{number}", "city": "London"} for number in range(5)))
        asked: dict[str, Any] = {"filters": [CITY], "sort": [{"property": "job_title"}, {"property": "name"}]}
        before = await names(here, **asked)
        none_yet = await index_states(here)
        await trio.sleep(1)
        made = await index_states(here)
        await contacts(here, {"name": "5", "city": "London"})

        assert {} == none_yet
        assert {"city": "ready", "job_title": "ready"} == made
        assert [*before, "5"] == await names(here, **asked)


async def test_an_index_is_made_in_parts_one_after_the_other(autojump_clock, monkeypatch):
    """While it grows the organization answers, and one part is under way at a time."""
    monkeypatch.setattr(batch, "STEPS_SECONDS", 0)
    async with tool_town() as here:
        await here.store.write(many_contacts, here.organization.id, 2 * INDEX_BATCH + 1)
        units = here.store.statistics().units
        for slug in ("name", "city"):
            await names(here, sort=[{"property": slug}], limit=1)
        seen = here.system.seen("Indexer", here.organization.id)
        await trio.sleep(1)

        assert seen is not None
        assert seen.tasks <= 1
        assert {"city": "ready", "name": "ready"} == await index_states(here)
        assert 2 * (2 * INDEX_BATCH + 1) == await here.count(tables.record_keys)
        assert 6 <= here.store.statistics().units - units


async def test_an_index_that_was_begun_is_made_after_a_restart(autojump_clock):
    """The Reconciler finds it at the start, and nothing else has to ask for it."""
    async with town() as here:
        await here.store.write(many_contacts, here.organization.id, INDEX_BATCH + 1)
        of = await here.store.read(objects.get, here.organization.id, "contact")
        await here.store.write(index_builds.want, here.organization.id, [of.properties["city"].id])
        await here.store.write(build_some, here.organization.id, INDEX_BATCH)
        begun = await index_states(here)
        async with here.live_system():
            await trio.sleep(1)

        assert {"city": "building"} == begun
        assert {"city": "ready"} == await index_states(here)


async def test_an_index_waits_while_the_disk_is_full(autojump_clock):
    """It continues when there is room, without another request."""
    async with tool_town() as here:
        await contacts(here, {"city": "London"})
        async with here.full_disk(tables.record_keys):
            assert [None] == await names(here, filters=[CITY])
            await trio.sleep(1)
            assert {} == await index_states(here)
            assert [None] == await names(here, filters=[CITY])
        await trio.sleep(RETRY_MS / 1000)

        assert {"city": "ready"} == await index_states(here)


@pytest.mark.sqlite
async def test_an_index_that_cannot_be_made_stops_no_list(autojump_clock):
    """Lists do without it, and the Indexer lives."""
    async with tool_town() as here:
        await contacts(here, {"city": "London"})
        await here.store.write(
            lambda tx: tx.conn.exec_driver_sql(
                "CREATE TRIGGER no_keys BEFORE INSERT ON record_keys BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
        )
        listed = [await names(here, filters=[CITY])]
        await trio.sleep(1)
        listed.append(await names(here, filters=[CITY]))
        seen = here.system.seen("Indexer", here.organization.id)

        assert [[None], [None]] == listed
        assert seen is not None
        assert 0 == seen.crashes


# What takes long.


async def test_a_long_list_goes_beside_the_quick_ones(autojump_clock, monkeypatch):
    """It is given up on the quick reader before it has looked at many records, and said by the long one."""
    for module in (scans, matching):
        monkeypatch.setattr(module, "QUICK_RECORDS_MAX", 3)
    async with tool_town() as here:
        await contacts(here, *({"name": f"{number}"} for number in range(5)))
        call, now = key_call(here.owner), here.clock.now()
        list_, count = REGISTRY["record.list"], REGISTRY["record.count"]
        by_name = list_.read(b'{"objectType": "contact", "sort": [{"property": "name"}]}')
        uncounted = count.read(
            b'{"objectType": "contact", "filters": [{"property": "name", "op": "contains", "value": "1"}]}'
        )

        for tool, asked in ((list_, by_name), (count, uncounted)):
            with pytest.raises(TakesLong):
                await here.store.read(execution.read, now, tool, call, asked)
        assert ["0", "1", "2", "3", "4"] == await names(here, sort=[{"property": "name"}])
        assert ["4", "3"] == await names(here, limit=2)


async def test_a_list_that_takes_too_long_without_its_index_says_how_far_it_is(autojump_clock, monkeypatch):
    """It is refused with the progress of the index and a time to ask again, then answered."""
    for module in (scans, index_walks):
        monkeypatch.setattr(module, "QUICK_RECORDS_MAX", 3)
    monkeypatch.setattr(tool_calls, "UNINDEXED_LIST_MS", -1)  # each list is late at once
    async with tool_town() as here:
        await contacts(here, *({"name": f"{number}"} for number in range(5)))
        by_name = {"objectType": "contact", "sort": [{"property": "name"}]}
        refused = await here.call("record.list", by_name)
        await trio.sleep(1)
        answered = await names(here, sort=[{"property": "name"}])

        assert (503, "overloaded") == (refused.status_code, refused.json()["code"])
        assert "0 of 5 records" in refused.json()["detail"]
        assert str(UNINDEXED_RETRY_SECONDS) == refused.headers["retry-after"]
        assert ["0", "1", "2", "3", "4"] == answered


async def test_a_list_whose_index_is_there_is_never_too_late(autojump_clock, monkeypatch):
    """What no index would make faster is answered, however long it takes."""
    for module in (scans, index_walks):
        monkeypatch.setattr(module, "QUICK_RECORDS_MAX", 3)
    monkeypatch.setattr(tool_calls, "UNINDEXED_LIST_MS", -1)
    async with tool_town() as here:
        await contacts(here, *({"name": f"{number}", "city": "London"} for number in range(5)))
        by_ties = [{"property": "city"}, {"property": "name", "direction": "desc"}]
        await here.store.write(index_all, here.organization.id)

        assert ["4", "3", "2", "1", "0"] == await names(here, sort=by_ties)


async def test_a_part_of_a_text_is_looked_for_in_its_index(autojump_clock, monkeypatch):
    """A text that nothing has, and one that few have, are answered whole, whatever the order."""
    monkeypatch.setattr(index_walks, "EXAMINED_MAX", 4)
    long = "x" * 200
    async with tool_town() as here:
        given = ["Ada", "Zoë Öztürk", "ÖZGE", f"{long} Öz", "Bob", *(f"Nobody {n}" for n in range(20))]
        await contacts(here, *({"name": name} for name in given))
        await here.store.write(index_all, here.organization.id)

        for part, expected in (
            ("nothing", []),
            ("öz", ["ÖZGE", "Zoë Öztürk", f"{long} Öz"]),
            ("BOB", ["Bob"]),
        ):
            filters = [{"property": "name", "op": "contains", "value": part}]
            call = {"objectType": "contact", "filters": filters, "sort": [{"property": "createdAt"}]}
            answer = await here.answer("record.list", call)

            assert sorted(expected) == sorted(record["properties"]["name"] for record in answer["records"])
            assert answer["nextCursor"] is None


async def test_a_filter_by_a_part_of_a_text_has_its_index_built(autojump_clock):
    """As any other filter that an index helps; a long text has none for this."""
    async with tool_town() as here:
        await contacts(here, {"name": "Ada", "city": "London"})
        await names(here, filters=[{"property": "city", "op": "contains", "value": "ond"}])
        await trio.sleep(1)

        assert {"city": "ready"} == await index_states(here)


async def test_a_long_count_goes_beside_the_quick_ones(autojump_clock, monkeypatch):
    """Also where an index has all that is to be counted."""
    monkeypatch.setattr(counts, "EXAMINED_MAX", 3)
    async with tool_town() as here:
        await contacts(here, *({"name": f"{number}", "city": "London"} for number in range(5)))
        by_both = [CITY, {"property": "name", "op": "is_not_empty"}]
        await names(here, filters=by_both)
        await trio.sleep(1)
        call, now = key_call(here.owner), here.clock.now()
        tool = REGISTRY["record.count"]
        counted = []
        for filters in ([], [CITY], by_both):
            asked = {"objectType": "contact", "filters": filters}
            with pytest.raises(TakesLong):
                await here.store.read(execution.read, now, tool, call, tool.read(msgspec.json.encode(asked)))
            counted.append((await here.answer("record.count", asked))["count"])

        assert [5, 5, 5] == counted


def many_contacts(tx: Tx, organization_id: str, many: int) -> None:
    object_id = objects.ids_by_slug(tx.conn, organization_id)["contact"]
    made = [(f"rec_{number:026}", {"name": f"{number % 7}", "city": "London"}) for number in range(many)]
    bulk.insert_many(tx.conn, organization_id, object_id, tx.now, made)
