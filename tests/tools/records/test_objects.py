"""`object.*` and `property.*`, as they are called."""

import pytest

from svc.domain.changes import Change, ObjectsChanged
from tests import tables
from tests.tooling import ToolTown, tool_town

BOAT = {"slug": "boat", "label": "Boat", "labelPlural": "Boats"}
COLOR = {
    "objectType": "boat",
    "slug": "color",
    "label": "Color",
    "type": "select",
    "options": ["Red", "Blue"],
}


async def a_boat(here: ToolTown) -> None:
    await here.answer("object.create", BOAT)
    await here.answer("property.create", COLOR)


async def test_an_organization_starts_with_three_objects(autojump_clock):
    """They are listed without their properties, and each is shown with them."""
    async with tool_town() as here:
        listed = await here.answer("object.list")
        contact = await here.answer("object.get", {"objectType": "contact"})

        assert [("contact", True), ("company", True), ("deal", True)] == [
            (one["slug"], one["builtIn"]) for one in listed["objects"]
        ]
        assert listed["objects"][0] == {name: contact[name] for name in contact if name != "properties"}
        company = next(one for one in contact["properties"] if one["slug"] == "company")
        assert ("relation", ["company"], False) == (company["type"], company["options"], company["unique"])


async def test_an_object_is_made_and_renamed(autojump_clock):
    """It starts with a name, and what a change leaves out stays."""
    async with tool_town() as here:
        made = await here.answer("object.create", BOAT)
        changed = await here.answer("object.update", {"objectType": "boat", "label": "Ship"})

        assert ["name"] == [one["slug"] for one in made["properties"]]
        assert (False, False) == (made["builtIn"], made["publishable"])
        assert made | {"label": "Ship", "version": 2} == changed


async def test_a_property_comes_and_goes_with_its_values(autojump_clock):
    """Deleted by a person, its values are hidden, and are there again when it is."""
    async with tool_town() as here:
        await a_boat(here)
        mary = await here.answer(
            "record.create", {"objectType": "boat", "properties": {"name": "Mary", "color": "Red"}}
        )
        which = {"objectType": "boat", "slug": "color"}
        csrf = await here.sign_in()
        deleted = (await here.call_as_person("property.delete", which, csrf=csrf)).json()
        hidden = await here.answer("record.get", {"objectType": "boat", "id": mary["id"]})
        again = await here.answer("property.create", COLOR)
        shown = await here.answer("record.get", {"objectType": "boat", "id": mary["id"]})

        assert ("color", "2026-09-18T00:00:00.000Z") == (deleted["slug"], deleted["deletedAt"])
        assert {"name": "Mary"} == hidden["properties"]
        assert deleted["id"] == again["id"]
        assert mary == shown


async def test_a_property_gets_other_choices(autojump_clock):
    """A record keeps one that is taken away; nothing else may be written."""
    async with tool_town() as here:
        await a_boat(here)
        red = {"objectType": "boat", "properties": {"color": "Red"}}
        kept = await here.answer("record.create", red)
        changed = await here.answer(
            "property.update", {"objectType": "boat", "slug": "color", "options": ["Blue", "Green"]}
        )
        refused = await here.call("record.create", red)
        shown = await here.answer("record.get", {"objectType": "boat", "id": kept["id"]})

        assert ("Color", ["Blue", "Green"]) == (changed["label"], changed["options"])
        assert "/properties/color" == refused.json()["errors"][0]["pointer"]
        assert kept == shown


async def test_only_a_person_publishes_an_object_or_deletes_a_property(autojump_clock):
    """A key gets `approval_required`."""
    async with tool_town() as here:
        await a_boat(here)
        answers = [
            await here.call("object.publish", {"objectType": "boat", "publishable": True}),
            await here.call("property.delete", {"objectType": "boat", "slug": "color"}),
        ]
        csrf = await here.sign_in()
        good = await here.call_as_person(
            "object.publish", {"objectType": "boat", "publishable": True}, csrf=csrf
        )

        assert [(403, "approval_required")] * 2 == [(one.status_code, one.json()["code"]) for one in answers]
        assert (200, True) == (good.status_code, good.json()["publishable"])


async def test_listeners_are_notified_of_changed_objects(autojump_clock):
    """After every change of an object or a property, and of nothing else."""
    async with tool_town() as here:
        told: list[Change] = []
        here.store.listen(told.append)
        await a_boat(here)
        await here.answer("object.update", {"objectType": "boat", "label": "Ship"})
        await here.answer("property.update", {"objectType": "boat", "slug": "color", "personal": True})
        await here.answer("record.create", {"objectType": "boat", "properties": {"name": "Mary"}})
        csrf = await here.sign_in()
        for tool, more in (("object.publish", {"publishable": True}), ("property.delete", {"slug": "color"})):
            await here.call_as_person(tool, {"objectType": "boat"} | more, csrf=csrf)

        assert [ObjectsChanged(here.organization.id)] * 6 == [
            one for one in told if isinstance(one, ObjectsChanged)
        ]


@pytest.mark.parametrize(
    ("tool", "body", "pointers"),
    [
        ("object.create", BOAT | {"slug": "Boat!"}, ["/slug"]),
        ("object.create", BOAT | {"label": " ", "labelPlural": "\n"}, ["/label", "/labelPlural"]),
        ("object.create", BOAT | {"label": ""}, ["/label"]),
        ("object.create", BOAT | {"slug": "b" * 51}, ["/slug"]),
        ("object.update", {"objectType": "boat", "labelPlural": "b" * 101}, ["/labelPlural"]),
        ("object.get", {"objectType": 1}, ["/objectType"]),
        ("object.get", {"objectType": "boat", "extra": 1}, ["/extra"]),
        ("property.create", COLOR | {"slug": "size", "type": "colour"}, ["/type"]),
        ("property.create", COLOR | {"slug": "price_currency"}, ["/slug"]),
        ("property.create", COLOR | {"slug": "size", "options": []}, ["/options"]),
        ("property.create", COLOR | {"slug": "size", "options": ["a", "A"]}, ["/options"]),
        ("property.create", COLOR | {"slug": "size", "options": [1]}, ["/options/0"]),
        ("property.create", COLOR | {"slug": "size", "type": "text"}, ["/options"]),
        ("property.create", COLOR | {"slug": "owner", "type": "relation"}, ["/options"]),
        ("property.create", COLOR | {"slug": "size", "unique": True}, ["/unique"]),
        ("property.update", {"objectType": "contact", "slug": "email", "personal": False}, ["/personal"]),
        ("property.update", {"objectType": "contact", "slug": "company", "options": ["deal"]}, ["/options"]),
        ("property.update", {"objectType": "boat", "slug": "color", "options": []}, ["/options"]),
    ],
)
async def test_what_is_wrong_with_an_object_is_pointed_at(autojump_clock, tool, body, pointers):
    """Every fault says where in the call it is, and nothing is changed."""
    async with tool_town() as here:
        await a_boat(here)
        before = await here.rows(tables.properties)
        answer = await here.call(tool, body)

        assert (422, "validation_failed") == (answer.status_code, answer.json()["code"])
        assert pointers == [one["pointer"] for one in answer.json()["errors"]]
        assert before == await here.rows(tables.properties)


@pytest.mark.parametrize(
    ("tool", "body", "expected"),
    [
        ("object.get", {"objectType": "plane"}, (404, "not_found")),
        ("object.update", {"objectType": "plane", "label": "Plane"}, (404, "not_found")),
        ("object.create", BOAT, (409, "conflict")),
        ("property.create", COLOR, (409, "conflict")),
        ("property.create", COLOR | {"objectType": "plane"}, (404, "not_found")),
        ("property.update", {"objectType": "boat", "slug": "size"}, (404, "not_found")),
        ("property.delete", {"objectType": "boat", "slug": "size"}, (404, "not_found")),
        ("property.delete", {"objectType": "contact", "slug": "email"}, (409, "conflict")),
    ],
)
async def test_what_is_not_there_and_what_is_there_already(autojump_clock, tool, body, expected):
    """404 for the one, 409 for the other."""
    async with tool_town() as here:
        await a_boat(here)
        answer = await here.call_as_person(tool, body, csrf=await here.sign_in())

        assert expected == (answer.status_code, answer.json()["code"])
