"""`form.*`: forms are set up, changed and stopped, and the very next submission knows."""

from typing import Any

import msgspec
import pytest

from svc.domain.crypto.keys import FORM_KEY, well_formed
from svc.domain.forms.forms import NewForm
from svc.domain.forms.limits import (
    DEAL_TEMPLATE_CHARS_MAX,
    FORM_FIELD_NAME_CHARS_MAX,
    FORM_FIELDS_MAX,
    FORMS_MAX,
)
from svc.domain.identity.callers import operator_call
from svc.domain.identity.limits import NAME_CHARS_MAX, TRIAL_MS
from svc.domain.records.objects import CONTACT
from svc.storage import provisioning
from svc.storage.forms import forms
from svc.storage.identity import organizations
from svc.storage.identity.organizations import NewOrganization, OrganizationChanges
from tests import tables
from tests.tooling import ToolTown, tool_town

SET_UP = {
    "name": "Ask about a lamp",
    "siteId": None,
    "fieldMap": {"town": "city"},
    "dealTitle": "{{lamp}} for {{name}}",
    "honeypot": "fax",
}


async def post(here: ToolTown, form: dict[str, Any], **values: Any) -> tuple[int, str | None]:
    """The answer to a submission."""
    answer = await here.client.post(
        form["submitPath"], json={"f": form["formKey"], "v": {"email": "ada@example.com"} | values}
    )
    return answer.status_code, answer.json().get("reason")


async def as_person(here: ToolTown, tool: str, body: object) -> tuple[int, Any]:
    csrf = await here.sign_in()
    answer = await here.call_as_person(tool, body, csrf=csrf)
    return answer.status_code, answer.json()


async def test_a_form_is_made_and_takes_submissions_at_once(autojump_clock):
    """Its answer has all that a page needs, and it is shown as it was set up."""
    async with tool_town() as here:
        made = await here.answer("form.create", SET_UP)
        taken = await post(here, made, town="Leeds")
        shown = await here.answer("form.get", {"id": made["id"]})
        [line] = shown.pop("recentSubmissions")
        seen = {field["name"]: field["property"] for field in shown.pop("fieldsSeen")}
        title = shown.pop("dealTitlePreview")

        assert SET_UP == {name: made[name] for name in SET_UP}
        assert well_formed(made["formKey"], FORM_KEY)
        assert ("active", f"/api/f/s?f={made['formKey']}") == (made["status"], made["submitPath"])
        assert (200, None) == taken
        assert made == shown
        assert {"forms": [made]} == await here.answer("form.list")
        assert (made["id"], "ada@example.com") == (line["formId"], line["email"])
        assert ({"email": "email", "town": "city"}, "for") == (seen, title)


async def test_what_is_left_out_stays_and_null_takes_away(autojump_clock):
    """An update changes what it names."""
    async with tool_town() as here:
        site = await here.answer("site.create", {"domain": "lamps.example"})
        made = await here.answer("form.create", SET_UP | {"siteId": site["id"]})
        here.clock.jump(1_000)
        renamed = await here.answer("form.update", {"id": made["id"], "name": " Lamps "})
        bare = await here.answer(
            "form.update",
            {"id": made["id"], "siteId": None, "fieldMap": {}, "dealTitle": None, "honeypot": None},
        )

        later = "2026-09-18T00:00:01.000Z"
        assert made | {"name": "Lamps", "version": 2, "updatedAt": later} == renamed
        assert (
            renamed
            | {
                "siteId": None,
                "domain": None,
                "fieldMap": {},
                "dealTitle": None,
                "honeypot": None,
                "version": 3,
            }
            == bare
        )


async def test_a_change_is_there_for_the_next_submission(autojump_clock):
    """Its mapping, its honeypot and its site are those of the last change."""
    async with tool_town() as here:
        form = await here.answer("form.create", {"name": "Contact us"})
        await post(here, form, where="Leeds", fax="1")
        await here.answer("form.update", {"id": form["id"], "fieldMap": {"where": "city"}, "honeypot": "fax"})
        await post(here, form, where="York", fax="1")

        rows = await here.rows(tables.submissions)
        assert [({}, None), ({"city": "where"}, "spam")] == [
            (msgspec.json.decode(row.mapped), row.held_reason) for row in rows
        ]


async def test_a_form_is_paused_resumed_and_removed(autojump_clock):
    """The last call decides about the next submission; a second time changes nothing."""
    async with tool_town() as here:
        form = await here.answer("form.create", {"name": "Contact us"})
        told = []
        for tool in ("form.pause", "form.pause", "form.resume", "form.resume"):
            status = (await here.answer(tool, {"id": form["id"]}))["status"]
            told.append((status, *await post(here, form)))
        removed_status, removed = await as_person(here, "form.remove", {"id": form["id"]})
        after = await post(here, form)
        gone = [
            (await here.call(tool, {"id": form["id"]})).status_code
            for tool in ("form.get", "form.pause", "form.resume", "form.update")
        ]

        paused, active = ("paused", 400, "unknown_form"), ("active", 200, None)
        assert [paused, paused, active, active] == told
        assert (200, "removed", (400, "unknown_form")) == (removed_status, removed["status"], after)
        assert [404] * 4 == gone
        assert {"forms": []} == await here.answer("form.list")
        assert 2 == len((await here.answer("submission.list", {"formId": form["id"]}))["submissions"])


async def test_a_key_removes_no_form(autojump_clock):
    """That is for a person, or needs one's approval."""
    async with tool_town() as here:
        form = await here.answer("form.create", {"name": "Contact us"})
        refused = await here.call("form.remove", {"id": form["id"]})

        assert (403, "approval_required") == (refused.status_code, refused.json()["code"])


@pytest.mark.parametrize(
    ("given", "pointers"),
    [
        ({"name": " "}, ["/name"]),
        ({"name": ""}, ["/name"]),
        ({"name": "x" * (NAME_CHARS_MAX + 1)}, ["/name"]),
        ({"name": "two\nlines"}, ["/name"]),
        ({"name": None}, ["/name"]),
        ({"fieldMap": {"town": "citty"}}, ["/fieldMap/town"]),
        ({"fieldMap": {"a/b": "citty", "c~d": "company"}}, ["/fieldMap/a~1b", "/fieldMap/c~0d"]),
        ({"fieldMap": {"Town": "city", "town ": "name"}}, ["/fieldMap/town "]),
        ({"fieldMap": {" ": "city"}}, ["/fieldMap"]),
        ({"fieldMap": {"x" * (FORM_FIELD_NAME_CHARS_MAX + 1): "city"}}, ["/fieldMap"]),
        ({"fieldMap": {f"f{n}": "city" for n in range(FORM_FIELDS_MAX + 1)}}, ["/fieldMap"]),
        ({"fieldMap": {"town": None}}, ["/fieldMap/town"]),
        ({"fieldMap": None}, ["/fieldMap"]),
        ({"dealTitle": ""}, ["/dealTitle"]),
        ({"dealTitle": "  "}, ["/dealTitle"]),
        ({"dealTitle": "a\0b"}, ["/dealTitle"]),
        ({"dealTitle": "x" * (DEAL_TEMPLATE_CHARS_MAX + 1)}, ["/dealTitle"]),
        ({"honeypot": "E-Mail"}, ["/honeypot"]),
        ({"honeypot": "town", "fieldMap": {"Town": "city"}}, ["/honeypot"]),
        ({"honeypot": "\0"}, ["/honeypot"]),
        ({"name": " ", "honeypot": "phone", "dealTitle": " "}, ["/dealTitle", "/honeypot", "/name"]),
        ({"formKey": "svcf_mine"}, ["/formKey"]),
    ],
)
async def test_what_would_swallow_enquiries_is_refused_by_its_place(autojump_clock, given, pointers):
    """At creation and at a change alike, and all that is wrong at once."""
    async with tool_town() as here:
        form = await here.answer("form.create", {"name": "Contact us"})
        answers = [
            await here.call("form.create", {"name": "Another"} | given),
            await here.call("form.update", {"id": form["id"]} | given),
        ]

        assert [(422, pointers)] * 2 == [
            (one.status_code, sorted(fault["pointer"] for fault in one.json()["errors"])) for one in answers
        ]
        assert {"forms": [form]} == await here.answer("form.list")


async def test_a_honeypot_cannot_become_a_field_by_a_later_mapping(autojump_clock):
    """What is not named in a change is looked at with what is."""
    async with tool_town() as here:
        form = await here.answer("form.create", SET_UP)
        refused = await here.call("form.update", {"id": form["id"], "fieldMap": {"Fax": "phone"}})

        assert (422, "/honeypot") == (refused.status_code, refused.json()["errors"][0]["pointer"])


async def test_a_mapping_to_a_property_that_is_gone_blocks_no_other_change(autojump_clock):
    """It is reported when the mapping itself is changed."""
    async with tool_town() as here:
        form = await here.answer("form.create", SET_UP)

        def forget_city(tx):
            column = tables.properties.c
            contact = tx.conn.scalar(
                tables.objects.select()
                .with_only_columns(tables.objects.c.id)
                .where(
                    tables.objects.c.organization_id == here.organization.id,
                    tables.objects.c.slug == CONTACT,
                )
            )
            tx.conn.execute(
                tables.properties.update()
                .where(column.object_id == contact, column.slug == "city")
                .values(slug="town")
            )

        await here.store.write(forget_city)
        renamed = await here.call("form.update", {"id": form["id"], "name": "Lamps"})
        mapped = await here.call(
            "form.update", {"id": form["id"], "fieldMap": {"town": "city", "role": "job_title"}}
        )

        assert (200, 422) == (renamed.status_code, mapped.status_code)


async def test_without_the_form_endpoint_nothing_is_opened_and_all_stays_readable(autojump_clock):
    """A form is neither made nor resumed; it is shown, changed, paused and removed."""
    async with tool_town() as here:
        form = await here.answer("form.create", {"name": "Contact us"})
        await post(here, form)
        here.clock.jump(TRIAL_MS)
        await here.answer("form.pause", {"id": form["id"]})
        refused = [
            await here.call("form.create", {"name": "Another"}),
            await here.call("form.resume", {"id": form["id"]}),
        ]
        shown = await here.answer("form.get", {"id": form["id"]})
        changed = await here.answer("form.update", {"id": form["id"], "name": "Lamps"})
        await here.store.write(organizations.update_plan, here.organization.id, plan="pro")
        resumed = await here.answer("form.resume", {"id": form["id"]})

        assert [(403, "plan_required")] * 2 == [(one.status_code, one.json()["code"]) for one in refused]
        assert (1, "Lamps", "active") == (
            len(shown["recentSubmissions"]),
            changed["name"],
            resumed["status"],
        )
        assert ["form.create", "form.resume"] == [
            row.action for row in await here.rows(tables.audit, outcome="refused")
        ]


async def test_without_the_marketing_hub_no_form_is_made(autojump_clock):
    """Whatever the plan."""
    async with tool_town() as here:
        switched = OrganizationChanges(marketing_hub=False)
        await here.store.write(organizations.update_plan, here.organization.id, plan="business")
        await here.store.write(organizations.update, operator_call(here.organization.id), switched)
        refused = await here.call("form.create", {"name": "Contact us"})

        assert (403, "plan_required") == (refused.status_code, refused.json()["code"])


async def test_another_organizations_form_is_not_found(autojump_clock):
    """Whatever is asked of it, and nothing of it changes."""
    async with tool_town() as here:
        other = await here.store.write(provisioning.create, NewOrganization(name="Another"))
        theirs = await here.store.write(forms.create, other, NewForm(name="Theirs"))
        answers = [
            (await here.call(f"form.{verb}", {"id": theirs.id})).status_code
            for verb in ("get", "update", "pause", "resume")
        ]
        removed, _ = await as_person(here, "form.remove", {"id": theirs.id})
        listed = await here.call("submission.list", {"formId": theirs.id})

        assert [404] * 5 == [*answers, removed]
        assert (422, "/formId") == (listed.status_code, listed.json()["errors"][0]["pointer"])
        assert [theirs] == await here.store.read(forms.list_all, other.id)


async def test_there_are_only_so_many_forms(autojump_clock):
    """One more is a conflict, until one is removed."""
    async with tool_town() as here:
        for number in range(FORMS_MAX):
            form = await here.form(name=f"Form {number}")
        full = await here.call("form.create", {"name": "One more"})
        await here.store.write(forms.remove, here.organization.id, form.id)
        again = await here.call("form.create", {"name": "One more"})

        assert ((409, "conflict"), 200) == ((full.status_code, full.json()["code"]), again.status_code)


async def test_forms_need_the_permission(autojump_clock):
    """A Viewer does not even list them."""
    async with tool_town() as here:
        viewer = await here.mint(role_id="viewer")
        answers = [
            await here.call(tool, key=viewer) for tool in ("form.list", "form.create", "submission.list")
        ]

        assert [403] * 3 == [one.status_code for one in answers]


async def test_a_repeated_creation_makes_one_form(autojump_clock):
    """Under one idempotency key both answers have the same form key."""
    async with tool_town() as here:
        first, second = [
            await here.call("form.create", {"name": "Contact us"}, idempotency_key="k-1") for _ in range(2)
        ]

        assert first.content == second.content
        assert 1 == await here.count(tables.forms)
