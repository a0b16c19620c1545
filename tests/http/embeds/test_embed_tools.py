"""`embed.*` over HTTP: permissions, warnings, and that changes show at once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from svc.http.embeds.door import PATH
from svc.storage.commit.group_commit import _OwnerUnits
from svc.storage.embeds import embeds
from svc.storage.identity import roles
from svc.storage.records import records
from svc.storage.sites import sites
from tests import tables
from tests.lamps import LAMP, SECRETS, make_lamps
from tests.people import call_of
from tests.tooling import ToolTown, tool_town

HERO = {"type": "hero", "title": "Lamps"}
SECRET = {"property": "secret", "op": "eq", "value": "x"}
PRICES = {"type": "records", "objectType": LAMP, "fields": ["name", "price"]}


@asynccontextmanager
async def lamp_tools() -> AsyncIterator[ToolTown]:
    async with tool_town() as here:
        await here.store.write(make_lamps, here.organization.id)
        values = {"name": "Skerry", "price": 95} | SECRETS
        await here.store.write(records.create, here.organization, LAMP, values, source={"kind": "person"})
        yield here


async def rows(here: ToolTown, key: str) -> list[Any]:
    """What the embed's records are outside."""
    answer = await here.client.get(PATH + key)
    assert 200 == answer.status_code
    found: list[Any] = answer.json()["blocks"][-1]["rows"]
    return found


async def test_a_preview_is_not_in_the_way_of_quick_reads(autojump_clock, monkeypatch):
    """Rendering thirty long texts takes a while, so it is a long read, for which quick reads do not wait."""
    shown_in: list[str] = []
    async with lamp_tools() as here:
        for name in ("read", "read_long"):
            real = getattr(_OwnerUnits, name)

            async def read(
                units: Any, fn: Any, *args: Any, real: Any = real, name: str = name, **kwargs: Any
            ) -> Any:
                def watched(conn: Any) -> Any:
                    done = fn(conn, *args, **kwargs)
                    shown_in.append(name)
                    return done

                return await real(units, watched)

            monkeypatch.setattr(_OwnerUnits, name, read)
        await here.answer("embed.preview", {"blocks": [{"type": "text", "body": "![[" * 1_000}] * 3})

        assert "read_long" == shown_in[-1]
        assert 1 == shown_in.count("read_long")


async def test_an_embed_goes_through_its_life(autojump_clock):
    """It is made, shown, changed, paused, resumed, listed; and outside each is seen at once."""
    async with lamp_tools() as here:
        made = await here.answer("embed.create", {"name": "Prices", "blocks": [HERO, PRICES]})
        address = PATH + made["embedKey"]
        shown = await here.client.get(address)
        changed = await here.answer("embed.update", {"id": made["id"], "blocks": [PRICES]})
        shown_changed = await here.client.get(address)
        paused = await here.answer("embed.pause", {"id": made["id"]})
        shown_paused = await here.client.get(address)
        resumed = await here.answer("embed.resume", {"id": made["id"]})

        assert {
            "name": "Prices",
            "status": "active",
            "siteId": None,
            "domain": None,
            "refused": [],
        }.items() <= (made.items())
        assert [HERO, PRICES] == made["blocks"]
        assert ["hero", "records"] == [one["type"] for one in shown.json()["blocks"]]
        assert ([PRICES], "Prices") == (changed["blocks"], changed["name"])
        assert ["records"] == [one["type"] for one in shown_changed.json()["blocks"]]
        assert ("paused", 404) == (paused["status"], shown_paused.status_code)
        assert ("active", 1) == (resumed["status"], len(await rows(here, made["embedKey"])))
        assert resumed == await here.answer("embed.get", {"id": made["id"]})
        audited = [row.action for row in await here.rows(tables.audit, target=made["id"])]
        assert ["embed.create", "embed.update", "embed.pause", "embed.resume"] == audited


async def test_a_list_goes_on(autojump_clock):
    """The oldest come first, without blocks; a cursor goes on, and belongs to this list."""
    async with lamp_tools() as here:
        made = [await here.answer("embed.create", {"name": f"E{number}"}) for number in range(3)]
        first = await here.answer("embed.list", {"limit": 2})
        second = await here.answer("embed.list", {"limit": 2, "cursor": first["nextCursor"]})
        other = await here.call("embed.list", {"cursor": "AAAA"})

        assert [one["id"] for one in made] == [one["id"] for one in first["embeds"] + second["embeds"]]
        assert second["nextCursor"] is None
        assert "blocks" not in first["embeds"][0]
        assert 422 == other.status_code


async def test_blocks_that_show_nothing_are_warned_of_at_save(autojump_clock):
    """The answer names the blocks and says why; they are saved all the same."""
    async with lamp_tools() as here:
        blocks = [
            HERO,
            {"type": "records", "objectType": "contact", "fields": ["city"]},
            {"type": "records", "objectType": LAMP, "fields": ["phone"]},
            PRICES,
        ]
        made = await here.answer("embed.create", {"name": "A", "blocks": blocks})

        assert [{"block": 1, "reason": "not_publishable"}, {"block": 2, "reason": "no_fields"}] == made[
            "refused"
        ]
        assert blocks == made["blocks"]
        assert ["contact", LAMP] == made["objectTypes"]
        assert ["contact", LAMP] == (await here.answer("embed.list"))["embeds"][0]["objectTypes"]


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"blocks": [PRICES | {"filters": [SECRET]}]}, "/blocks/0/filters/0/property"),
        ({"blocks": [PRICES | {"sort": [{"property": "phone"}]}]}, "/blocks/0/sort/0/property"),
        ({"blocks": [PRICES | {"limit": 49}]}, "/blocks/0/limit"),
        ({"blocks": [PRICES | {"fields": ["name"] * 13}]}, "/blocks/0/fields"),
        ({"blocks": [HERO | {"ctaHref": "javascript:alert(1)"}]}, "/blocks/0/ctaHref"),
        ({"blocks": [HERO | {"colour": "red"}]}, "/blocks/0/colour"),
        ({"blocks": [{"type": "script"}]}, "/blocks/0/type"),
        ({"blocks": [HERO] * 31}, "/blocks"),
        ({"siteId": "sit_elsewhere"}, "/siteId"),
        ({"name": ""}, "/name"),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_not_saved(autojump_clock, asked: dict[str, Any], pointer: str):
    """A fault points into what was asked, and nothing is stored."""
    async with lamp_tools() as here:
        answer = await here.call("embed.create", {"name": "A"} | asked)

        assert (422, "validation_failed") == (answer.status_code, answer.json()["code"])
        assert [pointer] == [fault["pointer"] for fault in answer.json()["errors"]]
        assert ([], None) == await here.store.read(embeds.list_page, here.organization.id)


async def test_the_screen_builds_smaller_ones(autojump_clock):
    """Twenty blocks on the screen, thirty through the API; also when one of those is changed."""
    async with lamp_tools() as here:
        made = await here.answer("embed.create", {"name": "A", "blocks": [HERO] * 30})
        csrf = await here.sign_in()
        statuses = [
            (await here.call_as_person(tool, asked, csrf=csrf)).status_code
            for tool, asked in (
                ("embed.create", {"name": "B", "blocks": [HERO] * 20}),
                ("embed.create", {"name": "B", "blocks": [HERO] * 21}),
                ("embed.update", {"id": made["id"], "blocks": [HERO] * 21}),
                ("embed.update", {"id": made["id"], "name": "C"}),
            )
        ]

        assert [200, 422, 422, 200] == statuses


async def test_a_preview_is_what_pages_would_show(autojump_clock):
    """Of a paused embed, and of blocks that are not saved; with the same rules."""
    async with lamp_tools() as here:
        made = await here.answer("embed.create", {"name": "A", "blocks": [PRICES]})
        await here.answer("embed.pause", {"id": made["id"]})
        saved = await here.answer("embed.preview", {"id": made["id"]})
        unsaved = await here.answer("embed.preview", {"blocks": [PRICES]})
        statuses = [
            (await here.call("embed.preview", asked)).status_code
            for asked in (
                {},
                {"id": made["id"], "blocks": []},
                {"id": "emb_1"},
                {"blocks": [PRICES | {"limit": 0}]},
            )
        ]

        assert saved == unsaved
        assert [95] == [row["price"] for row in saved["blocks"][0]["rows"]]
        assert "95,00\xa0€" in saved["html"]
        assert not any(secret in str(saved) for secret in SECRETS.values())
        assert [422, 422, 404, 422] == statuses


async def test_a_preview_says_which_blocks_show_nothing(autojump_clock):
    """By their places, with the reason; what could be shown is shown."""
    async with lamp_tools() as here:
        deals = {"type": "records", "objectType": "deal", "fields": ["name"]}
        hidden = PRICES | {"fields": ["secret"]}
        preview = await here.answer("embed.preview", {"blocks": [HERO, deals, PRICES, hidden]})

    assert [{"block": 1, "reason": "not_publishable"}, {"block": 3, "reason": "no_fields"}] == preview[
        "refused"
    ]
    assert [95] == [row["price"] for row in preview["blocks"][2]["rows"]]


async def test_a_preview_shows_what_publishing_would(autojump_clock):
    """Of the objects that are named, for those who may read records; nothing is published by it."""
    async with lamp_tools() as here:
        deals = {"type": "records", "objectType": "deal", "fields": ["name", "amount"]}
        await here.answer("record.create", {"objectType": "deal", "properties": {"name": "Pier"}})
        role = await here.store.write(roles.create, call_of(here.owner), "Web", ["embeds"])
        web = await here.mint(role_id=role.id)
        asked = {"blocks": [deals], "asIfPublished": ["deal"]}
        shown = await here.answer("embed.preview", asked)
        other = await here.answer("embed.preview", {"blocks": [deals], "asIfPublished": ["company"]})
        refused = await here.call("embed.preview", asked, key=web)
        after = await here.answer("embed.preview", {"blocks": [deals]})

    assert ([], ["Pier"]) == (shown["refused"], [row["name"] for row in shown["blocks"][0]["rows"]])
    assert "Pier" in shown["html"]
    assert "not_publishable" == other["refused"][0]["reason"] == after["refused"][0]["reason"]
    assert (403, "forbidden") == (refused.status_code, refused.json()["code"])


async def test_an_embed_is_bound_and_freed(autojump_clock):
    """A site is given by its id; null takes it away, and both take effect at once."""
    async with lamp_tools() as here:
        site = await here.store.write(sites.create, here.organization.id, "lamps.example")
        made = await here.answer("embed.create", {"name": "A", "siteId": site.id})
        foreign = {"origin": "https://evil.example"}
        bound = await here.client.get(PATH + made["embedKey"], headers=foreign)
        freed = await here.answer("embed.update", {"id": made["id"], "siteId": None})
        free = await here.client.get(PATH + made["embedKey"], headers=foreign)

        assert ("lamps.example", 403) == (made["domain"], bound.status_code)
        assert (None, 200) == (freed["domain"], free.status_code)


async def test_changing_embeds_requires_the_permission(autojump_clock):
    """That takes the permission, which a Viewer has not; to remove one takes a person."""
    async with lamp_tools() as here:
        made = await here.answer("embed.create", {"name": "A"})
        viewer = await here.mint(role_id="viewer")
        named = {"id": made["id"]}
        answers = {
            tool: (await here.call(tool, asked, key=viewer)).status_code
            for tool, asked in (
                ("embed.list", {}),
                ("embed.get", named),
                ("embed.preview", named),
                ("embed.create", {"name": "B"}),
                ("embed.update", named),
                ("embed.pause", named),
                ("embed.resume", named),
            )
        }
        by_key = await here.call("embed.remove", named)
        csrf = await here.sign_in()
        by_person = await here.call_as_person("embed.remove", named, csrf=csrf)
        gone = await here.client.get(PATH + made["embedKey"])

        assert {403} == set(answers.values())
        assert (403, "approval_required") == (by_key.status_code, by_key.json()["code"])
        assert (200, named, 404) == (by_person.status_code, by_person.json(), gone.status_code)
        assert 404 == (await here.call("embed.get", named)).status_code
