"""`submission.counts`, and the search of `submission.list`."""

from typing import Any

import pytest
import trio

from svc.domain.forms.forms import NewForm
from svc.domain.identity.callers import operator_call
from svc.domain.locale.times import DAY_MS, HOUR_MS
from svc.storage import provisioning
from svc.storage.forms import forms
from svc.storage.identity import organizations
from svc.storage.identity.organizations import NewOrganization, OrganizationChanges
from tests.tooling import ToolTown, tool_town
from tests.town import submit


async def post(here: ToolTown, form: dict[str, Any], **values: Any) -> None:
    answer = await here.client.post("/api/f/s", json={"f": form["formKey"], "v": values})
    assert answer.status_code == 200, answer.text
    await trio.sleep(1)


async def people(here: ToolTown, form: dict[str, Any], *names: str) -> None:
    for name in names:
        await post(here, form, email=f"{name}@example.com", name=name.title())


async def test_submissions_are_counted_by_day_and_by_form(autojump_clock):
    """Today is the last day; a form without any is there with zeros."""
    async with tool_town() as here:
        contact = await here.answer("form.create", {"name": "Contact us"})
        order = await here.answer("form.create", {"name": "Order"})
        none = await here.answer("form.create", {"name": "None"})
        await people(here, contact, "ada", "bob")
        here.clock.jump(DAY_MS)
        await people(here, contact, "cyd")
        await people(here, order, "dan")
        here.clock.jump(2 * DAY_MS)
        await people(here, order, "eve", "fay")

        counts = await here.answer("submission.counts", {"days": 4})
        one = await here.answer("submission.counts", {"formId": contact["id"], "days": 90})
        today = await here.answer("submission.counts", {})

    assert [
        ("2026-09-18", 2),
        ("2026-09-19", 2),
        ("2026-09-20", 0),
        ("2026-09-21", 2),
    ] == [(day["date"], day["submissions"]) for day in counts["days"]]
    assert {contact["id"]: (3, 0), order["id"]: (3, 2), none["id"]: (0, 0)} == {
        form["formId"]: (form["submissions"], form["today"]) for form in counts["forms"]
    }
    assert (90, 3) == (len(one["days"]), sum(day["submissions"] for day in one["days"]))
    assert [contact["id"]] == [form["formId"] for form in one["forms"]]
    assert [("2026-09-21", 2)] == [(day["date"], day["submissions"]) for day in today["days"]]


async def test_what_waits_is_counted_whenever_it_came(autojump_clock):
    """Held and queued, of a removed form too."""
    async with tool_town() as here:
        form = await here.form(honeypot="fax")
        held = await here.answer("form.get", {"id": form.id})
        for number in range(3):
            await post(here, held, email=f"s{number}@example.com", fax="spam")
        for number in range(60):
            await submit(here.system, form, number)
        counts = await here.answer("submission.counts", {})
        here.clock.jump(3 * DAY_MS)
        csrf = await here.sign_in()
        await here.answer_to_person("form.remove", {"id": form.id}, csrf=csrf)
        later = await here.answer("submission.counts", {})

    [of_form] = counts["forms"]
    assert (63, 3, of_form["queued"]) == (of_form["today"], counts["held"], counts["queued"])
    assert of_form["queued"] >= 3
    assert (3, 0) == (later["held"], later["days"][0]["submissions"])


async def test_a_day_begins_at_the_organizations_midnight(autojump_clock):
    """Not at that of UTC."""
    async with tool_town() as here:
        await here.store.write(
            organizations.update,
            operator_call(here.organization.id),
            OrganizationChanges(time_zone="Pacific/Auckland"),
        )
        form = await here.answer("form.create", {"name": "Contact us"})
        here.clock.jump(11 * HOUR_MS)  # 23:00 there
        await people(here, form, "ada")
        here.clock.jump(HOUR_MS)
        await people(here, form, "bob")
        counts = await here.answer("submission.counts", {"days": 2})

    assert [("2026-09-18", 1), ("2026-09-19", 1)] == [
        (day["date"], day["submissions"]) for day in counts["days"]
    ]


async def test_forms_of_others_are_not_counted(autojump_clock):
    """Nor found."""
    async with tool_town() as here:
        other = await here.store.write(provisioning.create, NewOrganization(name="Other"))
        theirs = await here.store.write(forms.create, other, NewForm(name="Theirs"))
        counts = await here.answer("submission.counts", {})
        refused = await here.call("submission.counts", {"formId": theirs.id})

    assert ([], 0, 0) == (counts["forms"], counts["held"], counts["queued"])
    assert (422, "/formId") == (refused.status_code, refused.json()["errors"][0]["pointer"])


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("ada", ["Ada Lovelace"]),
        ("LOVE", ["Ada Lovelace"]),
        ("example.com", ["Bob %_ Stone", "Ada Lovelace"]),
        ("+4930", ["Ada Lovelace"]),
        ("%", ["Bob %_ Stone"]),
        ("_", ["Bob %_ Stone"]),
        ("\\", []),
        ("a_a", []),
        (" bob ", ["Bob %_ Stone"]),
    ],
)
async def test_submissions_are_searched(autojump_clock, search, found):
    """In e-mail, phone and name, as plain text."""
    async with tool_town() as here:
        form = await here.answer("form.create", {"name": "Contact us"})
        await post(here, form, email="ada@example.com", name="Ada Lovelace", phone="+4930123456")
        await post(here, form, email="b@example.com", name="Bob %_ Stone")
        page = await here.answer("submission.list", {"search": search})
        filed = await here.answer("submission.list", {"search": search, "state": "Filed"})
        held = await here.answer("submission.list", {"search": search, "state": "Held"})

    assert found == [one["name"] for one in page["submissions"]]
    assert (found, []) == ([one["name"] for one in filed["submissions"]], held["submissions"])


async def test_a_search_has_pages(autojump_clock):
    """Of the same search alone."""
    async with tool_town() as here:
        form = await here.answer("form.create", {"name": "Contact us"})
        await people(here, form, "ann", "bob", "anja", "hans")
        first = await here.answer("submission.list", {"search": "an", "limit": 2})
        second = await here.answer(
            "submission.list", {"search": "an", "limit": 2, "cursor": first["nextCursor"]}
        )
        other = await here.call("submission.list", {"search": "b", "cursor": first["nextCursor"]})

    names = [one["name"] for page in (first, second) for one in page["submissions"]]
    assert ["Hans", "Anja", "Ann"] == names
    assert second["nextCursor"] is None
    assert 422 == other.status_code


async def test_a_form_shows_what_its_submissions_would_become(autojump_clock):
    """The fields that were seen, and the title of the last one's deal, by the form's template or another."""
    async with tool_town() as here:
        form = await here.answer(
            "form.create", {"name": "Contact us", "dealTitle": "{{lamp}}", "fieldMap": {"town": "city"}}
        )
        before = await here.answer("form.get", {"id": form["id"]})
        await post(here, form, email="ada@example.com", lamp="Skerry", town="Kiel", Company="Acme")
        await post(here, form, email="bob@example.com", lamp="  Brass\u202e  pendant ")
        own = await here.answer("form.get", {"id": form["id"]})
        tried = await here.answer(
            "form.get", {"id": form["id"], "dealTitle": "{{email}}: {{lamp}} {{nothing}}"}
        )
        empty = await here.answer("form.get", {"id": form["id"], "dealTitle": "{{town}}"})

    assert ([], None) == (before["fieldsSeen"], before["dealTitlePreview"])
    assert {
        "email": ("email", None),
        "lamp": (None, None),
        "town": ("city", None),
        "Company": (None, "company"),
    } == {field["name"]: (field["property"], field["proposed"]) for field in own["fieldsSeen"]}
    assert own["dealTitlePreview"].startswith("Brass")
    assert tried["dealTitlePreview"].startswith("bob@example.com: Brass")
    assert "Contact us" == empty["dealTitlePreview"]
