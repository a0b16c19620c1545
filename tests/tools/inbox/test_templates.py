"""`reply_template.*`: replies that members save, and what their fields become."""

from typing import Any

import pytest

from svc.domain.inbox import limits
from svc.storage.inbox import templates
from tests.tooling import tool_town
from tests.tools.inbox.desks import Colleague, colleague, desk, owner

HOURS = {"name": "Hours", "text": "Good morning {{contact.name}}, we open at nine. {{ member.name }}"}


async def test_own_ones_are_one_s_own_and_shared_ones_everybody_s(autojump_clock):
    """In the order of their names; found by a part of the name or the text."""
    async with tool_town() as here:
        ada, clerk = await owner(here), await colleague(here)
        own = await ada.answer("reply_template.create", HOURS)
        shared = await ada.answer(
            "reply_template.create", {"name": "Address", "text": "Harbour 1", "shared": True}
        )

        async def names(one: Colleague, **asked: str) -> list[str]:
            found = await one.answer("reply_template.list", asked)
            return [template["name"] for template in found["templates"]]

        assert ["Address", "Hours"] == await names(ada)
        assert ["Address"] == await names(clerk)
        assert ["Address"] == await names(ada, search="HARB")
        assert (False, 1, ada.id) == tuple(own[name] for name in ("shared", "version", "createdBy"))
        assert 404 == (await clerk.call("reply_template.update", {"id": own["id"], "name": "Mine"}))[0]
        changed = await clerk.answer("reply_template.update", {"id": shared["id"], "text": "Harbour 2"})
        assert ("Harbour 2", 2) == (changed["text"], changed["version"])
        stale = await ada.call(
            "reply_template.update", {"id": shared["id"], "text": "Harbour 3", "ifVersion": 1}
        )
        assert 409 == stale[0]
        await ada.answer("reply_template.delete", {"id": own["id"]})
        assert ["Address"] == await names(ada)


async def test_fields_are_filled_in_for_a_conversation(autojump_clock):
    """As the organization writes values; empty where there is none."""
    async with tool_town() as here:
        shop = await desk(here)
        await here.answer(
            "property.create",
            {"objectType": "contact", "slug": "since", "label": "Since", "type": "date"},
        )
        await here.answer(
            "record.create",
            {
                "objectType": "contact",
                "properties": {
                    "name": "Ada {{member.name}}",
                    "email": "ada@example.com",
                    "since": "2026-09-18",
                },
            },
        )
        known = (await shop.say(sender={"email": "ada@example.com"}))["conversation"]
        unknown = (await shop.say("chat-2"))["conversation"]
        ada = await owner(here)
        text = "{{contact.name}}|{{contact.since}}|{{contact.phone}}|{{member.name}}|{{nothing}"
        await ada.answer("reply_template.create", {"name": "All", "text": text})

        async def filled(chat: str) -> Any:
            found = await ada.answer("reply_template.list", {"conversationId": chat})
            return found["templates"][0]["filled"]

        shown = await here.answer(
            "record.list", {"objectType": "contact", "texts": True, "fields": ["since"]}
        )
        since = shown["records"][0]["texts"]["since"]
        assert f"Ada {{{{member.name}}}}|{since}||Owner|{{{{nothing}}" == await filled(known)
        assert "|||Owner|{{nothing}" == await filled(unknown)
        assert 422 == (await ada.call("reply_template.list", {"conversationId": "cnv_nowhere"}))[0]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("{{contact.nmae}}", "`{{contact.nmae}}` is no field"),
        ("Hi {{contact}} {{deal.name}}", "`{{contact}}` is no field"),
        ("{{}}", "`{{}}` is no field"),
    ],
)
async def test_a_field_that_is_none_is_refused_with_the_nearest(autojump_clock, text, wrong):
    """Every one of them."""
    async with tool_town() as here:
        ada = await owner(here)
        status, problem = await ada.call("reply_template.create", {"name": "Hours", "text": text})

        assert (422, "/text") == (status, problem["errors"][0]["pointer"])
        assert problem["errors"][0]["detail"].startswith(wrong)
        assert text.count("{{") == len(problem["errors"])


async def test_one_for_all_takes_a_permission(autojump_clock):
    """To make one, and to change or delete one that is."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        role = await here.answer_to_person(
            "role.create", {"name": "Writer", "permissions": ["conversations"]}, csrf=csrf
        )
        key = await here.mint(role_id=role["id"])
        shared = await here.answer("reply_template.create", HOURS | {"shared": True})
        own = await here.answer("reply_template.create", HOURS, key=key)
        refused = [
            await here.call(tool, asked, key=key)
            for tool, asked in (
                ("reply_template.create", HOURS | {"shared": True}),
                ("reply_template.update", {"id": shared["id"], "name": "Mine"}),
                ("reply_template.update", {"id": own["id"], "shared": True}),
                ("reply_template.delete", {"id": shared["id"]}),
            )
        ]

        assert [403] * 4 == [answer.status_code for answer in refused]


async def test_there_is_a_limit(autojump_clock, monkeypatch):
    """Of an organization, whoever made them."""
    monkeypatch.setattr(templates, "TEMPLATES_MAX", 2)
    async with tool_town() as here:
        statuses = [(await here.call("reply_template.create", HOURS)).status_code for _ in range(3)]
        too_long = await here.call(
            "reply_template.create", HOURS | {"text": "x" * (limits.TEMPLATE_CHARS_MAX + 1)}
        )

        assert [200, 200, 409] == statuses
        assert 422 == too_long.status_code
