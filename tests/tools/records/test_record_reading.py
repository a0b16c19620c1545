"""What lists show of records: fields, what relations lead to, texts, totals; and groups of filters."""

from typing import Any

import msgspec
import pytest

from svc.domain.identity.callers import Narrowing
from svc.storage import pages
from svc.storage.records.listing import counts, related
from svc.tools import execution
from svc.tools.catalogue import REGISTRY
from tests import tables
from tests.people import key_call
from tests.tooling import ToolTown, tool_town


async def made(here: ToolTown, object_type: str, **properties: Any) -> str:
    answer = await here.answer("record.create", {"objectType": object_type, "properties": properties})
    record_id: str = answer["id"]
    return record_id


async def listed(here: ToolTown, object_type: str = "contact", **asked: Any) -> list[Any]:
    records: list[Any] = (await here.answer("record.list", {"objectType": object_type, **asked}))["records"]
    return records


async def read_narrowed(here: ToolTown, tool: str, contact_id: str | None, **asked: Any) -> Any:
    """The answer to an agent that is narrowed to a contact."""
    call = key_call(here.owner)
    narrowed = msgspec.structs.replace(call.caller, kind="agent", narrowed_to=Narrowing(contact_id))
    call = msgspec.structs.replace(call, caller=narrowed)
    one = REGISTRY[tool]
    request = one.read(msgspec.json.encode(asked))
    answer = await here.store.read(execution.read, here.clock.now(), one, call, request, patient=True)
    return msgspec.json.decode(answer.body)


async def test_only_the_fields_that_were_asked_for_are_shown(autojump_clock):
    """An amount comes with its currency; without a field there are no properties; so does `record.get`."""
    async with tool_town() as here:
        deal = await made(here, "deal", name="25 lamps", amount=12.5, stage="New")

        [both] = await listed(here, "deal", fields=["stage", "amount"])
        [none] = await listed(here, "deal", fields=[])
        one = await here.answer("record.get", {"id": deal, "fields": ["name"]})

        assert {"stage": "New", "amount": 12.5, "amount_currency": "EUR"} == both["properties"]
        assert {} == none["properties"]
        assert (deal, {"name": "25 lamps"}) == (one["id"], one["properties"])


async def test_a_relation_shows_the_record_that_it_leads_to(autojump_clock):
    """Whole, in the place of its id, one level deep; also where `fields` does not name it."""
    async with tool_town() as here:
        acme = await made(here, "company", name="Acme", city="Leeds")
        ada = await made(here, "contact", name="Ada", company=acme)
        await made(here, "deal", name="25 lamps", contact=ada, company=acme)
        company = await here.answer("record.get", {"id": acme})
        contact = await here.answer("record.get", {"id": ada})

        [deal] = await listed(here, "deal", expand=["contact", "company"], fields=["name"])
        one = await here.answer("record.get", {"id": ada, "expand": ["company"], "related": {}})

        assert {"name": "25 lamps", "contact": contact, "company": company} == deal["properties"]
        assert acme == deal["properties"]["contact"]["properties"]["company"]
        assert company == one["properties"]["company"]
        assert ["25 lamps"] == [row["record"]["properties"]["name"] for row in one["related"]["records"]]


async def test_what_is_deleted_stays_an_id_and_a_merged_record_is_its_survivor(autojump_clock):
    """A relation may lead to a record that is gone; the text of it is empty then."""
    async with tool_town() as here:
        gone, twin, acme = [await made(here, "company", name=name) for name in ("Gone", "ACME", "Acme")]
        await made(here, "contact", name="Ada", company=gone)
        await made(here, "contact", name="Bob", company=twin)
        csrf = await here.sign_in()
        await here.answer_to_person("record.delete", {"id": gone}, csrf=csrf)
        await here.answer_to_person("record.merge", {"id": acme, "mergedId": twin}, csrf=csrf)

        by_name = [{"property": "name"}]
        ada, bob = await listed(here, expand=["company"], texts=True, sort=by_name)

        assert (gone, "") == (ada["properties"]["company"], ada["texts"]["company"])
        assert (acme, "Acme") == (bob["properties"]["company"]["id"], bob["texts"]["company"])


async def test_what_relations_lead_to_has_a_size(autojump_clock, monkeypatch):
    """Beyond it, fewer records have to be asked for."""
    monkeypatch.setattr(related, "RELATED_BYTES_MAX", 100)
    monkeypatch.setattr(related, "_CHUNK", 1)
    async with tool_town() as here:
        for number in range(2):
            company = await made(here, "company", name=f"{number}" * 60)
            await made(here, "contact", name="Ada", company=company)

        both = await here.call("record.list", {"objectType": "contact", "expand": ["company"]})
        [one] = await listed(here, expand=["company"], limit=1)

        assert (422, "/limit") == (both.status_code, both.json()["errors"][0]["pointer"])
        assert "1" * 60 == one["properties"]["company"]["properties"]["name"]


async def test_texts_are_what_people_read(autojump_clock):
    """In the organization's formats: names of records and members, amounts with a currency, local times."""
    async with tool_town() as here:
        for slug, kind, more in (
            ("owner", "member", {}),
            ("seen", "datetime", {}),
            ("tags", "multi_select", {"options": ["Hot", "Cold"]}),
        ):
            asked = {"objectType": "deal", "slug": slug, "label": slug, "type": kind, **more}
            await here.answer("property.create", asked)
        csrf = await here.sign_in()
        formats = {"locale": "de-DE", "timeZone": "Europe/Berlin"}
        await here.answer_to_person("organization.update", formats, csrf=csrf)
        ada = await made(here, "contact", name="Ada")
        values = {
            "name": "25 lamps",
            "amount": 1234.5,
            "amount_currency": "GBP",
            "stage": "Won",
            "close_date": "2026-09-18",
            "seen": "2026-09-18T22:30:00Z",
            "tags": ["Hot", "Cold"],
            "contact": ada,
            "owner": here.owner.id,
        }
        await made(here, "deal", **values)

        [deal] = await listed(here, "deal", texts=True)
        [some] = await listed(here, "deal", texts=True, fields=["contact"])

        assert {
            "name": "25 lamps",
            "amount": "1.234,50\N{NO-BREAK SPACE}£",
            "stage": "Won",
            "close_date": "18.09.2026",
            "seen": "19.09.2026, 00:30:00",
            "tags": "Hot, Cold",
            "contact": "Ada",
            "owner": here.owner.name or here.owner.email,
        } == deal["texts"]
        assert {"contact": "Ada"} == some["texts"]


async def test_a_narrowed_caller_sees_no_more_by_any_member(autojump_clock):
    """What is personal is no field; a relation to what is not published stays an id without a name."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        await here.answer_to_person("object.publish", {"objectType": "deal", "publishable": True}, csrf=csrf)
        owner = {"objectType": "contact", "slug": "owner", "label": "Owner", "type": "member"}
        await here.answer("property.create", owner)
        acme = await made(here, "company", name="Acme")
        ada = await made(here, "contact", name="Ada", company=acme, owner=here.owner.id)
        await made(here, "deal", name="25 lamps", company=acme, contact=ada)

        hidden: list[dict[str, Any]] = [
            {"fields": ["contact"]},
            {"expand": ["contact"]},
            {"filters": [{"any": [{"property": "contact", "op": "eq", "value": ada}]}]},
        ]
        for asked in hidden:
            with pytest.raises(Exception, match="no property of this object"):
                await read_narrowed(here, "record.list", None, objectType="deal", **asked)
        shown: dict[str, Any] = {"expand": ["company"], "texts": True}
        listed = await read_narrowed(here, "record.list", None, objectType="deal", **shown)
        own = await read_narrowed(here, "record.get", ada, id=ada, **shown)

        [deal] = listed["records"]
        assert {"name": "25 lamps", "company": acme} == deal["properties"]
        assert {"name": "25 lamps", "company": ""} == deal["texts"]
        assert (acme, here.owner.id) == (own["properties"]["company"], own["properties"]["owner"])
        assert {"name": "Ada", "company": "", "owner": ""} == own["texts"]

        await here.answer_to_person(
            "object.publish", {"objectType": "company", "publishable": True}, csrf=csrf
        )
        again = await read_narrowed(here, "record.list", None, objectType="deal", **shown)
        [deal] = again["records"]
        assert ({"name": "Acme"}, "Acme") == (
            deal["properties"]["company"]["properties"],
            deal["texts"]["company"],
        )


async def test_another_organizations_record_is_never_expanded(autojump_clock):
    """Nor is it named, were a relation ever to lead to it."""
    async with tool_town() as here, tool_town() as other:
        theirs = await made(other, "company", name="Theirs")
        acme = await made(here, "company", name="Acme")
        ada = await made(here, "contact", name="Ada", company=acme)
        stored = (await here.rows(tables.records, id=ada))[0].properties
        forged = stored.replace(acme, theirs)
        await here.store.write(
            lambda tx: tx.conn.execute(
                tables.records.update().where(tables.records.c.id == ada).values(properties=forged)
            )
        )

        [one] = await listed(here, expand=["company"], texts=True)

        assert (theirs, "") == (one["properties"]["company"], one["texts"]["company"])


async def test_of_a_group_one_filter_has_to_hold(autojump_clock):
    """Beside filters that all have to; with an index on each property and without."""
    async with tool_town() as here:
        for name, city, country in (
            ("Ada", "London", "UK"),
            ("Bob", "Leeds", "UK"),
            ("Carla", "Turin", "IT"),
            ("Dora", "London", "CA"),
            ("Eve", None, "IT"),
        ):
            await made(here, "contact", name=name, city=city, country=country)
        in_or = {
            "any": [
                {"property": "city", "op": "eq", "value": "london"},
                {"property": "country", "op": "eq", "value": "IT"},
            ]
        }
        not_carla = {"property": "name", "op": "neq", "value": "Carla"}
        for _ in range(2):
            found = await listed(here, filters=[in_or, not_carla], sort=[{"property": "name"}])
            asked = {"objectType": "contact", "filters": [in_or, not_carla]}
            counted = await here.answer("record.count", asked)

            assert ["Ada", "Dora", "Eve"] == [one["properties"]["name"] for one in found]
            assert {"count": 3} == counted


@pytest.mark.parametrize(
    "filters",
    [
        [],
        [{"property": "city", "op": "eq", "value": "London"}],
        [{"property": "name", "op": "contains", "value": "a"}],
        [{"property": "name", "op": "is_not_empty"}, {"property": "city", "op": "eq", "value": "London"}],
        [
            {
                "any": [
                    {"property": "city", "op": "eq", "value": "London"},
                    {"property": "name", "op": "is_empty"},
                ]
            }
        ],
    ],
)
async def test_a_total_is_exact_up_to_a_number(autojump_clock, monkeypatch, filters):
    """Of more it says that there are more; it is the same with an index and without, on every page."""
    for module in (pages, counts):
        monkeypatch.setattr(module, "TOTAL_MAX", 4)
    async with tool_town() as here:
        totals = []
        for _ in range(2):
            for number in range(3):
                await made(here, "contact", name=f"a{number}", city="London")
            asked = {"objectType": "contact", "filters": filters, "limit": 2, "total": True}
            first = await here.answer("record.list", asked)
            second = await here.answer("record.list", asked | {"cursor": first["nextCursor"]})
            without = await here.answer("record.list", asked | {"total": False})
            totals += [first["total"], second["total"]]
            assert "total" not in without

        assert [{"count": 3, "exact": True}] * 2 + [{"count": 4, "exact": False}] * 2 == totals


async def test_a_total_looks_at_so_many_records(autojump_clock, monkeypatch):
    """Where no index helps, it counts those that it has looked at, and says that it is not exact."""
    monkeypatch.setattr(counts, "TOTAL_EXAMINED_MAX", 3)
    async with tool_town() as here:
        for number in range(6):
            await made(here, "contact", name=f"{number}", city="London" if number % 2 else "Leeds")
        asked = {
            "objectType": "contact",
            "filters": [{"property": "city", "op": "contains", "value": "lond"}],
            "limit": 1,
            "total": True,
        }

        assert {"count": 1, "exact": False} == (await here.answer("record.list", asked))["total"]


@pytest.mark.parametrize("tool", ["submission.list", "conversation.list", "audit.list"])
async def test_other_lists_have_totals(autojump_clock, tool):
    """Only where it is asked for."""
    async with tool_town() as here:
        await made(here, "contact", name="Ada")
        answer = await here.answer(tool, {"total": True})
        without = await here.answer(tool)

        [rows] = [value for value in answer.values() if isinstance(value, list)]
        assert {"count": len(rows), "exact": True} == answer["total"]
        assert "total" not in without
