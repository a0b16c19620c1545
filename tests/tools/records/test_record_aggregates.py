"""`record.aggregate`, as it is called."""

from typing import Any

import msgspec
import pytest

from svc.storage.records.listing import aggregates, matching
from svc.storage.store import TakesLong
from svc.tools import execution
from svc.tools.catalogue import REGISTRY
from tests.people import key_call
from tests.tooling import ToolTown, tool_town

AMOUNT = [{"op": op, "property": "amount"} for op in ("sum", "avg", "min", "max")]


async def deals(here: ToolTown, *given: dict[str, Any]) -> None:
    asked = {"objectType": "deal", "records": [{"properties": {"name": "A deal"} | one} for one in given]}
    await here.answer("record.create_many", asked)


async def aggregated(here: ToolTown, **asked: Any) -> Any:
    return await here.answer("record.aggregate", {"objectType": "deal", **asked})


async def test_amounts_are_summed_for_each_currency(autojump_clock):
    """Exactly as they are written, and `count` of a property counts what has a value."""
    async with tool_town() as here:
        await deals(
            here,
            {"stage": "New", "amount": 0.1},
            {"stage": "New", "amount": 0.2},
            {"stage": "New", "amount": 300.7, "amount_currency": "GBP"},
            {"stage": "New"},
            {"stage": "Won", "amount": 1e15},
            {"amount": -2.5},
        )
        measures = [{"op": "count"}, {"op": "count", "property": "amount"}, *AMOUNT]

        answer = await aggregated(here, groupBy=["stage"], measures=measures)

        new = [4, 3, {"EUR": 0.3, "GBP": 300.7}, {"EUR": 0.15, "GBP": 300.7}]
        assert {
            "groups": [
                {
                    "key": {"stage": "New"},
                    "values": [*new, {"EUR": 0.1, "GBP": 300.7}, {"EUR": 0.2, "GBP": 300.7}],
                },
                {"key": {"stage": None}, "values": [1, 1, *[{"EUR": -2.5}] * 4]},
                {"key": {"stage": "Won"}, "values": [1, 1, *[{"EUR": 10**15}] * 4]},
            ],
            "more": False,
        } == answer


async def test_durations_are_added_up(autojump_clock):
    """Sum, average (to a second), least and greatest are durations; without any, the sum is none."""
    async with tool_town() as here:
        length = {"objectType": "deal", "slug": "length", "label": "Length", "type": "duration"}
        await here.answer("property.create", length)
        measures = [{"op": op, "property": "length"} for op in ("count", "sum", "avg", "min", "max")]
        empty = (await aggregated(here, measures=measures))["groups"]
        await deals(here, {"length": "PT90M"}, {"length": "PT10H"}, {"length": "P1DT1S"}, {})

        answer = await aggregated(here, measures=measures)

        assert [{"key": {}, "values": [0, "PT0S", None, None, None]}] == empty
        assert [{"key": {}, "values": [3, "PT35H30M1S", "PT11H50M", "PT1H30M", "PT24H1S"]}] == answer[
            "groups"
        ]


async def test_nothing_comes_to_nothing(autojump_clock):
    """Without groups there is always one; with groups there are as many as there are values."""
    async with tool_town() as here:
        measures = [{"op": "count"}, {"op": "max", "property": "close_date"}, *AMOUNT]

        assert {"groups": [], "more": False} == await aggregated(here, groupBy=["stage"], measures=measures)
        assert [{"key": {}, "values": [0, None, {}, {}, {}, {}]}] == (
            await aggregated(here, measures=measures)
        )["groups"]


async def test_times_are_grouped_by_local_days(autojump_clock):
    """In the organization's time zone, on both sides of a change of its clocks; dates as they are."""
    async with tool_town() as here:
        asked = {"objectType": "deal", "slug": "seen", "label": "Seen", "type": "datetime"}
        await here.answer("property.create", asked)
        csrf = await here.sign_in()
        await here.answer_to_person("organization.update", {"timeZone": "Europe/Berlin"}, csrf=csrf)
        seen = [
            "2026-03-28T22:59:59Z",
            "2026-03-28T23:00:00Z",
            "2026-03-29T21:59:59Z",
            "2026-03-29T22:00:00Z",
        ]
        await deals(here, *({"seen": at, "close_date": at[:10]} for at in seen), {})
        days = await aggregated(here, groupBy=["seen"], measures=[{"op": "count"}])
        both = await aggregated(
            here,
            groupBy=["close_date", "seen"],
            measures=[{"op": "max", "property": "seen"}],
            filters=[{"property": "seen", "op": "lt", "value": seen[1]}],
        )
        now = await aggregated(here, groupBy=["createdAt"], measures=[{"op": "min", "property": "createdAt"}])
        [record] = (await here.answer("record.list", {"objectType": "deal", "limit": 1}))["records"]

        assert [("2026-03-29", 2), ("2026-03-28", 1), ("2026-03-30", 1), (None, 1)] == sorted(
            ((group["key"]["seen"], *group["values"]) for group in days["groups"]),
            key=lambda one: (-one[1], one[0] or "~"),
        )
        assert [
            {
                "key": {"close_date": "2026-03-28", "seen": "2026-03-28"},
                "values": ["2026-03-28T22:59:59.000Z"],
            }
        ] == both["groups"]
        [group] = now["groups"]
        assert [record["createdAt"]] == group["values"]


async def test_groups_are_those_with_the_most_records(autojump_clock, monkeypatch):
    """As many as an answer has; it says whether there are more."""
    monkeypatch.setattr(aggregates, "GROUPS_MAX", 2)
    async with tool_town() as here:
        await deals(here, *({"stage": stage, "amount": 1} for stage in ("Won", "New", "New", "Lost", "Lost")))

        for measures in ([{"op": "count"}], AMOUNT):
            answer = await aggregated(here, groupBy=["stage"], measures=measures)
            assert {"New", "Lost"} == {group["key"]["stage"] for group in answer["groups"]}
            assert answer["more"]


async def test_a_deleted_property_and_a_deleted_record_count_no_more(autojump_clock):
    """What cannot be seen cannot be added up."""
    async with tool_town() as here:
        for slug in ("size", "kind"):
            asked = {"objectType": "deal", "slug": slug, "label": slug, "type": "number"}
            await here.answer("property.create", asked)
        await deals(here, {"size": 2, "kind": 1}, {"size": 3, "kind": 2})
        csrf = await here.sign_in()
        [newest, _] = (await here.answer("record.list", {"objectType": "deal"}))["records"]
        await here.answer_to_person("record.delete", {"id": newest["id"]}, csrf=csrf)
        await here.answer_to_person("property.delete", {"objectType": "deal", "slug": "kind"}, csrf=csrf)

        answer = await aggregated(here, measures=[{"op": "sum", "property": "size"}])
        gone = await here.call(
            "record.aggregate", {"objectType": "deal", "groupBy": ["kind"], "measures": [{"op": "count"}]}
        )

        [group] = answer["groups"]
        assert [newest["properties"]["size"]] != group["values"]
        assert (422, "/groupBy/0") == (gone.status_code, gone.json()["errors"][0]["pointer"])


async def test_a_long_aggregate_goes_beside_the_quick_reads_and_has_an_end(autojump_clock, monkeypatch):
    """Past some records it is the long reader's; past many it is refused, with the place that mends it."""
    monkeypatch.setattr(matching, "QUICK_RECORDS_MAX", 2)
    async with tool_town() as here:
        await deals(here, *({"stage": "New"} for _ in range(5)))
        tool = REGISTRY["record.aggregate"]
        asked = {"objectType": "deal", "measures": [{"op": "count"}]}
        request = tool.read(msgspec.json.encode(asked))
        with pytest.raises(TakesLong):
            await here.store.read(execution.read, here.clock.now(), tool, key_call(here.owner), request)
        answered = await aggregated(here, measures=[{"op": "count"}])
        monkeypatch.setattr(aggregates, "AGGREGATED_RECORDS_MAX", 4)
        refused = await here.call("record.aggregate", asked)

        assert [5] == answered["groups"][0]["values"]
        assert (422, "/filters") == (refused.status_code, refused.json()["errors"][0]["pointer"])


@pytest.mark.sqlite  # PostgreSQL keeps out what is no JSON
async def test_a_record_that_cannot_be_read_is_left_out(autojump_clock):
    """After a fault of the disk the others are still counted, whichever way the filter takes."""
    async with tool_town() as here:
        await deals(here, *[{"stage": "New", "amount": 1}] * 3)
        [newest, *_] = (await here.answer("record.list", {"objectType": "deal"}))["records"]
        await here.store.write(
            lambda tx: tx.conn.exec_driver_sql(
                "UPDATE records SET properties = '{\"amount\":' WHERE id = ?", (newest["id"],)
            )
        )
        for filters in (
            [],
            [{"property": "stage", "op": "neq", "value": "Won"}],
            [{"property": "name", "op": "contains", "value": "deal"}],
        ):
            answer = await aggregated(here, filters=filters, measures=[{"op": "count"}])

            assert [2] == answer["groups"][0]["values"]
