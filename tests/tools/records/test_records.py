"""`record.*` of one record at a time, as they are called."""

from typing import Any

import pytest

from svc.domain.limits import FAULTS_MAX
from svc.domain.records.limits import RECORDS_WRITTEN_MAX
from svc.storage import provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.records import records
from tests import tables
from tests.people import a_member
from tests.tooling import ToolTown, tool_town

ADA = {"name": "Ada", "email": "ada@example.com"}
NOWHERE = "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"


async def a_contact(here: ToolTown, **properties: Any) -> Any:
    return await here.answer("record.create", {"objectType": "contact", "properties": properties})


def contact(one: Any, **more: Any) -> dict[str, Any]:
    return {"objectType": "contact", "id": one["id"], **more}


async def test_a_record_is_changed(autojump_clock):
    """What is given is written, null clears, what is absent stays; and no change leaves no trace."""
    async with tool_town() as here:
        made = await a_contact(here, **ADA, city="London")
        here.clock.jump(1_000)
        changed = await here.answer(
            "record.update", contact(made, properties={"city": None, "phone": "030 123456"})
        )
        here.clock.jump(1_000)
        same = await here.answer("record.update", contact(made, properties={"name": "Ada "}))

        assert ADA | {"phone": "+4930123456"} == changed["properties"]
        assert ("2026-09-18T00:00:00.000Z", "2026-09-18T00:00:01.000Z") == (
            changed["createdAt"],
            changed["updatedAt"],
        )
        assert changed == same


async def test_several_records_are_made_together(autojump_clock):
    """Each has its row in the audit trail."""
    async with tool_town() as here:
        given = [{"properties": {"name": f"Person {number}"}} for number in range(3)]
        made = await here.answer("record.create_many", {"objectType": "contact", "records": given})

        assert given == [{"properties": one["properties"]} for one in made["records"]]
        assert [one["id"] for one in made["records"]] == [
            row.target for row in await here.rows(tables.audit, action="record.create_many")
        ]


async def test_one_bad_record_of_several_stops_all(autojump_clock):
    """All that is wrong with any of them is pointed at."""
    async with tool_town() as here:
        given = [{"name": "Ada"}, {"email": "nobody", "size": 3}, {"country": 7}]
        answer = await here.call(
            "record.create_many",
            {"objectType": "contact", "records": [{"properties": one} for one in given]},
        )

        assert [
            ("/records/1/properties/email", "invalid_value"),
            ("/records/1/properties/size", "unknown_property"),
            ("/records/2/properties/country", "invalid_value"),
        ] == [(one["pointer"], one["code"]) for one in answer.json()["errors"]]
        assert 0 == await here.count(tables.records)


async def test_an_upsert_makes_a_record_once(autojump_clock):
    """It answers whether it did, and changes the record from then on."""
    async with tool_town() as here:
        request = {"objectType": "contact", "by": "email", "properties": ADA}
        first = await here.answer("record.upsert", request)
        second = await here.answer(
            "record.upsert", request | {"properties": {"email": " ADA@example.com", "city": "London"}}
        )

        assert (True, False) == (first["created"], second["created"])
        assert (first["id"], ADA | {"city": "London"}) == (second["id"], second["properties"])


async def test_a_deleted_record_comes_back(autojump_clock):
    """Meanwhile it is not there; to come back it has to be away."""
    async with tool_town() as here:
        made = await a_contact(here, **ADA)
        csrf = await here.sign_in()
        by_key = await here.call("record.delete", contact(made))
        deleted = await here.call_as_person("record.delete", contact(made), csrf=csrf)
        gone = await here.call("record.get", contact(made))
        back = await here.answer("record.restore", contact(made))
        again = await here.call("record.restore", contact(made))

        assert (403, "approval_required") == (by_key.status_code, by_key.json()["code"])
        assert {"id": made["id"], "deletedAt": "2026-09-18T00:00:00.000Z"} == deleted.json()
        assert [404, 404] == [gone.status_code, again.status_code]
        assert made | {"version": 3} == back


async def test_a_merge_leaves_one_record_under_both_ids(autojump_clock):
    """It is known by both e-mails then, and its timeline has both."""
    async with tool_town() as here:
        stays = await a_contact(here, **ADA)
        goes = await a_contact(here, name="A. Lovelace", email="countess@example.com", city="London")
        note = {"objectType": "contact", "recordId": goes["id"], "body": "Likes engines."}
        await here.answer("note.create", note)
        csrf = await here.sign_in()
        request = contact(stays, mergedId=goes["id"], take=["name"])
        by_key = await here.call("record.merge", request)
        merged = (await here.call_as_person("record.merge", request, csrf=csrf)).json()
        shown = await here.answer("record.get", contact(goes))
        upserted = await here.answer(
            "record.upsert",
            {"objectType": "contact", "by": "email", "properties": {"email": "countess@example.com"}},
        )
        told = await here.answer("record.timeline", contact(stays))
        again = await here.call_as_person("record.merge", request, csrf=csrf)
        itself = await here.call_as_person("record.merge", contact(stays, mergedId=stays["id"]), csrf=csrf)
        restored = await here.call("record.restore", contact(goes))

        assert 403 == by_key.status_code
        assert ADA | {"name": "A. Lovelace", "city": "London"} == merged["properties"]
        assert merged == shown
        assert (stays["id"], False) == (upserted["id"], upserted["created"])
        assert {"created", "note", "merged", "updated"} == {one["kind"] for one in told["entries"]}
        assert [422, 409, 409] == [one.status_code for one in (again, itself, restored)]


async def test_a_timeline_goes_on_where_it_ended(autojump_clock):
    """Page by page it is the same as at once: the newest first, each with its author."""
    async with tool_town() as here:
        made = await a_contact(here, **ADA)
        for city in ("London", "Turin", "Paris"):
            here.clock.jump(1_000)
            await here.answer("record.update", contact(made, properties={"city": city}))
        whole = await here.answer("record.timeline", contact(made))
        entries: list[Any] = []
        cursor = None
        while cursor is not None or not entries:
            page = await here.answer(
                "record.timeline", contact(made, limit=1) | ({"cursor": cursor} if cursor else {})
            )
            entries += page["entries"]
            cursor = page["nextCursor"]

        assert whole["entries"] == entries
        assert ["updated", "updated", "updated", "created"] == [one["kind"] for one in entries]
        assert {"city": ["Turin", "Paris"]} == entries[0]["data"]["changed"]
        assert ("api", here.owner.id) == tuple(
            entries[0]["data"]["source"][name] for name in ("kind", "personId")
        )


async def test_a_record_is_shown_with_what_leads_to_it(autojump_clock):
    """Records of every object, with the property that leads here, page by page; and only where asked for."""
    async with tool_town() as here:
        lamps = await here.answer(
            "record.create", {"objectType": "company", "properties": {"name": "Lamps & Co"}}
        )
        ada = await a_contact(here, name="Ada", company=lamps["id"])
        deal = await here.answer(
            "record.create",
            {"objectType": "deal", "properties": {"name": "25 lamps", "company": lamps["id"]}},
        )
        which = {"objectType": "company", "id": lamps["id"]}
        alone = await here.answer("record.get", which)
        both = await here.answer("record.get", which | {"related": {}})
        first = await here.answer("record.get", which | {"related": {"limit": 1}})
        second = await here.answer(
            "record.get", which | {"related": {"limit": 1, "cursor": first["related"]["nextCursor"]}}
        )
        listed = await here.answer(
            "record.list",
            {
                "objectType": "contact",
                "filters": [{"property": "company", "op": "eq", "value": lamps["id"]}],
            },
        )

        expected = [{"property": "company", "record": ada}, {"property": "company", "record": deal}]
        assert lamps == alone
        assert {"records": expected, "nextCursor": None} == both["related"]
        assert expected == first["related"]["records"] + second["related"]["records"]
        assert [ada] == listed["records"]


async def test_a_member_is_one_of_this_organization(autojump_clock):
    """A member of another organization and an unknown id are not found; a former member still is."""
    async with tool_town() as here:
        await here.answer(
            "property.create",
            {"objectType": "contact", "slug": "owner", "label": "Owner", "type": "member"},
        )
        other = await here.store.write(provisioning.create, NewOrganization(name="Other"))
        stranger = await here.store.write(a_member, other.id, "bob@other.example")
        former = await here.member("carla@example.com", "viewer")
        await here.store.write(
            lambda tx: tx.conn.execute(
                tables.members.update()
                .where(tables.members.c.person_id == former.id)
                .values(status="deactivated")
            )
        )
        good = [await a_contact(here, owner=person.id) for person in (here.owner, former)]
        bad = [
            await here.call("record.create", {"objectType": "contact", "properties": {"owner": person}})
            for person in (stranger.id, f"usr_{0:026}")
        ]

        assert [here.owner.id, former.id] == [one["properties"]["owner"] for one in good]
        assert [[("/properties/owner", "not_found")]] * 2 == [
            [(one["pointer"], one["code"]) for one in answer.json()["errors"]] for answer in bad
        ]


async def test_records_of_another_organization_are_not_there(autojump_clock):
    """To no tool that takes an id."""
    async with tool_town() as here:
        other = await here.store.write(provisioning.create, NewOrganization(name="Other"))
        bob = await here.store.write(records.create, other, "contact", {"name": "Bob"}, source={})
        own = await a_contact(here, name="Ada")
        which = {"objectType": "contact", "id": bob.id}
        csrf = await here.sign_in()
        answers = [
            await here.call_as_person(tool, which | more, csrf=csrf)
            for tool, more in (
                ("record.get", {}),
                ("record.update", {"properties": {}}),
                ("record.delete", {}),
                ("record.restore", {}),
                ("record.timeline", {}),
                ("record.merge", {"mergedId": own["id"]}),
            )
        ]
        answers.append(await here.call_as_person("record.merge", contact(own, mergedId=bob.id), csrf=csrf))

        assert [*[404] * 6, 422] == [one.status_code for one in answers]


@pytest.mark.parametrize(
    ("tool", "more", "pointers"),
    [
        ("record.get", {"id": None}, ["/id"]),
        ("record.get", {"related": {"limit": 0}}, ["/related/limit"]),
        ("record.get", {"related": {"limit": 201}}, ["/related/limit"]),
        ("record.get", {"related": {"cursor": "x"}}, ["/related/cursor"]),
        ("record.get", {"related": {"order": "name"}}, ["/related/order"]),
        ("record.timeline", {"cursor": "é"}, ["/cursor"]),
        ("record.timeline", {"limit": "1"}, ["/limit"]),
        ("record.update", {"properties": []}, ["/properties"]),
        (
            "record.update",
            {"properties": {"a/b~c": 1, "name": 5}},
            ["/properties/a~1b~0c", "/properties/name"],
        ),
        ("record.update", {"properties": {"name": "x" * 2_001}}, ["/properties/name"]),
        ("record.update", {"properties": {"company": "rec_1"}}, ["/properties/company"]),
        ("record.update", {"properties": {"company": NOWHERE}}, ["/properties/company"]),
        ("record.update", {"properties": {"email": ["a@example.com"]}}, ["/properties/email"]),
        ("record.update", {"properties": {"size": 10**400}}, ["/properties/size"]),
        ("record.update", {"properties": {"size": 1.0000000000000001e16}}, ["/properties/size"]),
        ("record.update", {"properties": {"size": True}}, ["/properties/size"]),
    ],
)
async def test_what_is_wrong_with_a_call_is_pointed_at(autojump_clock, tool, more, pointers):
    """Every fault says where in the call it is, and nothing is changed."""
    async with tool_town() as here:
        await here.answer(
            "property.create", {"objectType": "contact", "slug": "size", "label": "Size", "type": "number"}
        )
        made = await a_contact(here, **ADA)
        answer = await here.call(tool, contact(made) | more)

        assert (422, "validation_failed") == (answer.status_code, answer.json()["code"])
        assert pointers == [one["pointer"] for one in answer.json()["errors"]]
        assert made == await here.answer("record.get", contact(made))


@pytest.mark.parametrize(
    ("more", "pointers"),
    [
        ({"by": "city"}, ["/by"]),
        ({"by": "nothing"}, ["/by"]),
        ({"by": "email"}, ["/properties/email"]),
        ({"by": "email", "properties": {"email": 7}}, ["/properties/email"]),
        ({"by": "email", "properties": {"email": "a@example.com", "size": 1}}, ["/properties/size"]),
    ],
)
async def test_what_is_wrong_with_an_upsert_is_pointed_at(autojump_clock, more, pointers):
    """The property that it looks up by, or its value."""
    async with tool_town() as here:
        request = {"objectType": "contact", "properties": {"name": "Ada"}}
        answer = await here.call("record.upsert", request | more)

        assert pointers == [one["pointer"] for one in answer.json()["errors"]]
        assert 0 == await here.count(tables.records)


@pytest.mark.parametrize("many", [0, 101])
async def test_so_many_records_are_not_made_together(autojump_clock, many):
    """One to a hundred are."""
    async with tool_town() as here:
        answer = await here.call(
            "record.create_many", {"objectType": "contact", "records": [{"properties": {}}] * many}
        )

        assert (422, ["/records"]) == (
            answer.status_code,
            [one["pointer"] for one in answer.json()["errors"]],
        )


async def test_faults_of_many_records_are_reported_up_to_a_limit(autojump_clock):
    """The first of them, in order: an answer is never longer than its request by far."""
    async with tool_town() as here:
        records = [{"properties": {"name": "Ada", "email": "nobody"}}] * RECORDS_WRITTEN_MAX
        answer = await here.call("record.create_many", {"objectType": "contact", "records": records})

        assert 422 == answer.status_code
        assert [f"/records/{number}/properties/email" for number in range(FAULTS_MAX)] == [
            fault["pointer"] for fault in answer.json()["errors"]
        ]
        assert 0 == await here.count(tables.records)


async def test_a_unique_value_is_one_records_alone(autojump_clock):
    """A second record with it is a conflict, on every way of writing it."""
    async with tool_town() as here:
        await here.answer(
            "property.create",
            {"objectType": "contact", "slug": "code", "label": "Code", "type": "text", "unique": True},
        )
        first = await a_contact(here, code="X1")
        other = await a_contact(here, code="X2")
        csrf = await here.sign_in()
        await here.call_as_person("record.delete", contact(first), csrf=csrf)
        taken = await here.answer("record.update", contact(other, properties={"code": "x1"}))
        answers = [
            await here.call("record.create", {"objectType": "contact", "properties": {"code": "X1"}}),
            await here.call(
                "record.create_many",
                {"objectType": "contact", "records": [{"properties": {"code": "n"}}] * 2},
            ),
            await here.call("record.restore", contact(first)),
        ]
        upserted = await here.answer(
            "record.upsert", {"objectType": "contact", "by": "code", "properties": {"code": "X1"}}
        )

        assert [(409, "conflict")] * 3 == [(one.status_code, one.json()["code"]) for one in answers]
        assert (taken["id"], False) == (upserted["id"], upserted["created"])
