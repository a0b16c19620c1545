"""`organization.*`: what is said of an organization, and what a change of it sets in motion."""

from typing import Any

import msgspec
import pytest
import trio

from svc.actors.forms.form_window import FormWindow, PostRefused
from svc.domain.locale.times import rfc3339
from svc.domain.records.properties import Property
from svc.storage.identity import roles
from svc.storage.records import properties
from tests import tables
from tests.people import call_of
from tests.tooling import tool_town
from tests.town import START, a_post


async def test_an_organization_is_shown(autojump_clock):
    """To every caller that is admitted, with its trial and its formats."""
    async with tool_town() as here:
        shown = await here.answer("organization.get", key=await here.mint(role_id="viewer"))

        assert {
            "id": here.organization.id,
            "name": "Lamps & Co",
            "country": "DE",
            "currency": "EUR",
            "locale": "de_DE",
            "timeZone": "UTC",
            "plan": "free",
            "trialEndsAt": "2026-10-02T00:00:00.000Z",
            "marketingHub": True,
            "allowKeysElsewhere": False,
            "ownProviderFallsBackToCredits": False,
            "membersMayConnectApps": False,
            "version": 1,
            "createdAt": rfc3339(START),
        } == shown


async def test_an_organization_is_changed_by_a_person(autojump_clock):
    """What is given changes, written as it is kept; the rest stays, and the trail has it."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        request = {"name": " Lamps ", "country": "gb", "currency": "gbp", "timeZone": "Europe/London"}
        changed = await here.answer_to_person("organization.update", request, csrf=csrf)
        shown = await here.answer("organization.get")
        [row] = await here.rows(tables.audit, action="organization.update")

        assert shown == changed
        assert ("Lamps", "GB", "GBP", "Europe/London", "de_DE", True) == tuple(
            changed[name] for name in ("name", "country", "currency", "timeZone", "locale", "marketingHub")
        )
        assert (here.organization.id, here.owner.id, "app") == (row.target, row.person_id, row.door)


async def test_all_that_is_wrong_is_said(autojump_clock):
    """Each with a pointer to where it stands; and nothing is changed."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        request = {
            "name": "A\nB",
            "country": "Atlantis",
            "currency": "EURO",
            "locale": "German",
            "timeZone": "Mars/Olympus",
            "marketingHub": False,
        }
        before = await here.answer("organization.get")
        refused = await here.call_as_person("organization.update", request, csrf=csrf)

        assert ["/name", "/country", "/currency", "/locale", "/timeZone"] == [
            fault["pointer"] for fault in refused.json()["errors"]
        ]
        assert before == await here.answer("organization.get")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"plan": "enterprise"}, "/plan"),
        ({"trialEndsAt": "2030-01-01T00:00:00.000Z"}, "/trialEndsAt"),
        ({"name": ""}, "/name"),
        ({"name": "x" * 201}, "/name"),
        ({"name": 7}, "/name"),
        ({"marketingHub": "yes"}, "/marketingHub"),
    ],
)
async def test_what_is_no_such_change_is_refused(body: dict[str, Any], pointer: str, autojump_clock):
    """Plan and trial are not changed by a tool."""
    async with tool_town() as here:
        refused = await here.call_as_person("organization.update", body, csrf=await here.sign_in())

        assert (422, [pointer]) == (
            refused.status_code,
            [fault["pointer"] for fault in refused.json()["errors"]],
        )


async def test_a_hub_that_is_switched_off_stops_forms_with_the_next_submission(autojump_clock):
    """And switched on again they take submissions again."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        form = await here.form()
        window = FormWindow(here.system, form.form_key)
        await window.submit(a_post())
        await here.answer_to_person("organization.update", {"marketingHub": False}, csrf=csrf)
        with pytest.raises(PostRefused):
            await window.submit(a_post())
        await here.answer_to_person("organization.update", {"marketingHub": True}, csrf=csrf)
        await window.submit(a_post())

        assert 2 == await here.count(tables.submissions)


async def test_phones_are_dialled_in_the_country_that_it_is_in_now(autojump_clock):
    """With the next filing, whatever the organization's actors have known so far."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        mobile = Property(slug="mobile", label="Mobile", type="phone")
        await here.store.write(properties.create, here.organization.id, "contact", mobile)
        window = FormWindow(here.system, (await here.form(field_map={"mobile": "mobile"})).form_key)
        for country, email in (("DE", "de@example.com"), ("GB", "gb@example.com")):
            await here.answer_to_person("organization.update", {"country": country}, csrf=csrf)
            await window.submit(a_post(values={"email": email, "mobile": "0151 234 5678"}))
            await trio.sleep(1)

        contacts = [msgspec.json.decode(one.properties) for one in await here.rows(tables.records)]
        assert [("de@example.com", "+491512345678"), ("gb@example.com", "+441512345678")] == [
            (one["email"], one.get("mobile")) for one in contacts
        ]


async def test_the_switch_for_keys_needs_the_right_to_keys(autojump_clock):
    """With `settings` and without `security` a person changes the rest."""
    async with tool_town() as here:
        clerk = await here.store.write(roles.create, call_of(here.owner), "Clerk", ["settings"])
        await here.member("clerk@example.com", clerk.id)
        csrf = await here.sign_in("clerk@example.com")
        renamed = await here.call_as_person("organization.update", {"name": "Lights"}, csrf=csrf)
        same = await here.call_as_person("organization.update", {"allowKeysElsewhere": False}, csrf=csrf)
        switched = await here.call_as_person("organization.update", {"allowKeysElsewhere": True}, csrf=csrf)

        assert [200, 200, 403] == [one.status_code for one in (renamed, same, switched)]
        assert not (await here.answer("organization.get"))["allowKeysElsewhere"]
