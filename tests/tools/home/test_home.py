"""`home.get`: what waits, the last two weeks, what was just done, and first steps."""

from typing import Any, Final

import pytest
import trio
from sqlalchemy import insert, update

from svc.domain.forms.forms import NewForm
from svc.domain.home.limits import HOME_DAY_COUNT_MAX, HOME_RECENT_MAX, HOME_WAITING_MAX
from svc.domain.identity.callers import operator_call
from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, rfc3339
from svc.storage import audit, provisioning
from svc.storage.ai import ledger
from svc.storage.ai import tables as ai_tables
from svc.storage.forms import bounded_counts, forms
from svc.storage.identity import organizations
from svc.storage.identity.organizations import NewOrganization, OrganizationChanges
from svc.storage.imports import tables as import_tables
from svc.storage.store import Tx
from tests import tables
from tests.approvals import a_card
from tests.tooling import ToolTown, tool_town
from tests.tools.records.test_suggestions import suggest
from tests.town import START, submit

ADA: Final = {"objectType": "contact", "properties": {"name": "Ada Lovelace"}}


async def home(here: ToolTown, key: str | None = None) -> Any:
    return await here.answer("home.get", key=key)


async def key_with(here: ToolTown, *permissions: str, **asked: Any) -> str:
    """A key of a new member whose role has these permissions alone."""
    csrf = await here.sign_in()
    name = "-".join(permissions) or "none"
    role = await here.answer_to_person("role.create", {"name": name, "permissions": permissions}, csrf=csrf)
    person = await here.member(f"{name}@example.com", role["id"])
    # Keys are made by those who may, and act for others no further than these may.
    await here.store.write(_raise_role, here.organization.id, person.id, "admin")
    key = await here.mint(person, role_id=role["id"], **asked)
    await here.store.write(_raise_role, here.organization.id, person.id, role["id"])
    return key


def _raise_role(tx: Tx, organization_id: str, person_id: str, role_id: str) -> None:
    tx.conn.execute(
        update(tables.members)
        .where(tables.members.c.organization_id == organization_id, tables.members.c.person_id == person_id)
        .values(role_id=role_id)
    )


def kinds(answer: Any) -> dict[str, int]:
    return {one["kind"]: one["count"] for one in answer["waiting"]}


async def held(here: ToolTown, count: int) -> str:
    """A form with so many submissions that are held; its id."""
    form = await here.form(honeypot="fax")
    for number in range(count):
        sent = {"f": form.form_key, "v": {"email": f"s{number}@example.com", "fax": "spam"}}
        assert 200 == (await here.client.post("/api/f/s", json=sent)).status_code
        await trio.sleep(1)
    return form.id


async def test_nothing_waits_in_a_new_organization(autojump_clock):
    """Its weeks have seven days of zeros, and its first steps are to be taken."""
    async with tool_town() as here:
        answer = await home(here)

    assert [] == answer["waiting"]
    assert [("submissions", 0, 0), ("contacts", 0, 0), ("deals", 0, 0)] == [
        (week["kind"], sum(day["count"] for day in week["days"]), week["before"]) for week in answer["weeks"]
    ]
    assert ["2026-09-12", "2026-09-18"] == [answer["weeks"][0]["days"][place]["date"] for place in (0, 6)]
    assert {
        "form": False,
        "submission": False,
        "contacts": False,
        "key": True,
        "colleague": False,
    } == {step["key"]: step["done"] for step in answer["firstSteps"]}


async def test_held_submissions_wait(autojump_clock):
    """With their number, since the first came, until they are thrown away."""
    async with tool_town() as here:
        await held(here, 3)
        [waiting] = (await home(here))["waiting"]
        rows = await here.rows(tables.submissions)
        await here.answer("submission.discard", {"ids": [row.id for row in rows]})
        after = await home(here)

    assert {
        "kind": "submissions_held",
        "count": 3,
        "oldestAt": rfc3339(rows[0].received_at),
        "path": "/app/submissions?state=Held",
    } == waiting
    assert [] == after["waiting"]
    assert [0] * 7 == [day["count"] for day in after["weeks"][0]["days"]]


async def test_a_queue_that_moves_on_does_not_wait(autojump_clock):
    """One that has not for an hour does."""
    async with tool_town() as here:
        form = await here.form()
        for number in range(60):
            await submit(here.system, form, number)
        soon = await home(here)
        # A queue whose pace has stopped: nothing in this town does that, so its rows say so.
        await here.store.write(_queue_again, START - HOUR_MS)
        later = await home(here)

    assert "submissions_queued" not in kinds(soon)
    assert 60 == kinds(later)["submissions_queued"]


def _queue_again(tx: Tx, at: int) -> None:
    tx.conn.execute(update(tables.submissions).values(state="queued", queued_at=at))


async def test_counts_stop_at_their_bound(autojump_clock):
    """What waits and what came on a day, however much there is; what was thrown away is not counted."""
    async with tool_town() as here:
        form = await here.form()
        await submit(here.system, form, 1)
        [row] = await here.rows(tables.submissions)
        values = row._asdict()
        await here.store.write(_fill, values, "held", HOME_WAITING_MAX + 5)
        await here.store.write(_fill, values, "discarded", 10)
        await here.store.write(_fill, values, "filed", HOME_DAY_COUNT_MAX)
        answer = await home(here)
        few = await here.store.read(bounded_counts.waiting, here.organization.id, "Held", 7)

    assert HOME_WAITING_MAX == kinds(answer)["submissions_held"]
    assert HOME_DAY_COUNT_MAX == answer["weeks"][0]["days"][-1]["count"]
    assert 7 == few.many


def _fill(tx: Tx, values: dict[str, Any], state: str, count: int) -> None:
    rows = [{**values, "id": tx.new_id("sub"), "state": state} for _ in range(count)]
    tx.conn.execute(insert(tables.submissions), rows)


async def test_open_suggestions_lead_to_the_record_that_waits_for_longest(autojump_clock):
    """Those of deleted records wait for nobody."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        gone, ada = [await here.answer("record.create", ADA) for _ in range(2)]
        for record in (gone, ada, ada):
            await here.store.write(suggest, here.organization.id, record["id"], "city", '"Turin"')
            here.clock.jump(MINUTE_MS)
        await here.answer_to_person("record.delete", {"id": gone["id"]}, csrf=csrf)
        [waiting] = (await home(here))["waiting"]

    assert {
        "kind": "suggestions",
        "count": 2,
        "oldestAt": rfc3339(START + MINUTE_MS),
        "path": f"/app/records/contact/{ada['id']}",
    } == waiting


@pytest.mark.parametrize(
    ("state", "ended", "days", "kind"),
    [
        ("uploading", False, 0, "import_stopped"),
        ("checked", False, 0, "import_stopped"),
        ("running", False, 0, None),
        ("failed", True, 0, "import_failed"),
        ("failed", True, 15, None),
        ("done", True, 0, None),
        ("cancelled", True, 0, None),
    ],
)
async def test_the_newest_import_waits_where_it_stands(autojump_clock, state, ended, days, kind):
    """One that failed for two weeks, one that somebody left for as long as it is open."""
    async with tool_town() as here:
        opened = await here.answer(
            "import.start", {"objectType": "contact", "bytes": 10, "name": "a.csv", "fingerprint": "f"}
        )
        await here.store.write(_leave, opened["id"], state, ended=ended, at=START - days * DAY_MS)
        waiting = (await home(here))["waiting"]

    path = f"/app/settings/objects/contact/import?import={opened['id']}"
    assert ([] if kind is None else [(kind, path)]) == [(one["kind"], one["path"]) for one in waiting]


def _leave(tx: Tx, import_id: str, state: str, *, ended: bool, at: int) -> None:
    values = {"state": state, "updated_at": at, "ended_at": at if ended else None}
    tx.conn.execute(
        update(import_tables.imports).where(import_tables.imports.c.id == import_id).values(**values)
    )


async def test_keys_are_told_of_before_they_end(autojump_clock):
    """Two weeks before, of each kind, with when the first one ends; ended ones no more."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        await here.answer_to_person("serverkey.mint", {"name": "Shop"}, csrf=csrf)
        short = await here.mint(expires_in="30d")
        before = await home(here)
        here.clock.jump(30 * DAY_MS - 14 * DAY_MS)
        [soon] = (await home(here))["waiting"]
        here.clock.jump(14 * DAY_MS)
        after = await home(here)

    assert short != here.key
    assert [] == before["waiting"]
    assert ("api_keys_ending", 1, rfc3339(START + 30 * DAY_MS), "/app/settings/api-keys") == tuple(
        soon[name] for name in ("kind", "count", "oldestAt", "path")
    )
    assert [] == after["waiting"]


async def test_a_week_stands_beside_the_one_before(autojump_clock):
    """By the organization's days, and without what was deleted."""
    async with tool_town() as here:
        await here.store.write(
            organizations.update,
            operator_call(here.organization.id),
            OrganizationChanges(time_zone="Pacific/Auckland"),
        )
        await here.answer("record.create", ADA)
        here.clock.jump(12 * HOUR_MS)  # midnight there
        csrf = await here.sign_in()
        deleted = await here.answer("record.create", ADA)
        await here.answer("record.create", ADA)
        await here.answer_to_person("record.delete", {"id": deleted["id"]}, csrf=csrf)
        here.clock.jump(6 * DAY_MS)
        last = (await home(here))["weeks"][1]
        here.clock.jump(DAY_MS)
        later = (await home(here))["weeks"][1]

    assert ("contacts", 1) == (last["kind"], last["before"])
    assert [("2026-09-19", 1), ("2026-09-25", 0)] == [
        (last["days"][place]["date"], last["days"][place]["count"]) for place in (0, 6)
    ]
    assert (2, 0) == (later["before"], sum(day["count"] for day in later["days"]))


async def test_what_was_done_is_told_in_words(autojump_clock):
    """By whom, what, to what, and where it is; several of one kind in a row as one."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        ada = await here.answer("record.create", ADA)
        await here.answer("note.create", {"recordId": ada["id"], "title": "Call", "body": "Called back"})
        form = await here.answer_to_person("form.create", {"name": "Contact us"}, csrf=csrf)
        for name in ("Bob", "Cyd", "Dan"):
            await here.answer("record.create", {"objectType": "company", "properties": {"name": name}})
        for city in ("Kiel", "Turin"):
            await here.answer("record.update", {"id": ada["id"], "properties": {"city": city}})
        acts = (await home(here))["recent"]

    assert [
        ("A key", "changed the contact Ada Lovelace", f"/app/records/contact/{ada['id']}"),
        ("A key", "created 3 companies", "/app/records/company"),
        ("Owner", "created the form Contact us", f"/app/forms/{form['id']}"),
        ("A key", "wrote a note on the contact Ada Lovelace", f"/app/records/contact/{ada['id']}"),
        ("A key", "created the contact Ada Lovelace", f"/app/records/contact/{ada['id']}"),
    ] == [(act["who"]["name"], act["what"], act["path"]) for act in acts[:5]]


async def test_what_is_gone_has_no_name_and_leads_nowhere(autojump_clock):
    """It is told of all the same."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        ada = await here.answer("record.create", ADA)
        await here.answer_to_person("record.delete", {"id": ada["id"]}, csrf=csrf)
        first, second, *_ = (await home(here))["recent"]

    assert ("deleted a record", None) == (first["what"], first["path"])
    assert ("created a record", None) == (second["what"], second["path"])


async def test_no_more_acts_are_listed_than_fit(autojump_clock):
    """The newest ones."""
    async with tool_town() as here:
        for number in range(HOME_RECENT_MAX + 5):
            tool = "form.create" if number % 2 else "embed.create"
            await here.answer(tool, {"name": f"Number {number}"})
        acts = (await home(here))["recent"]

    assert HOME_RECENT_MAX == len(acts)
    assert "created the embed Number 24" == acts[0]["what"]


async def test_each_sees_what_they_may_list(autojump_clock):
    """Part by part: by the permission of the tool that lists it."""
    async with tool_town() as here:
        await held(here, 1)
        ada = await here.answer("record.create", ADA)
        await here.store.write(suggest, here.organization.id, ada["id"], "city", '"Turin"')
        await here.answer("form.create", {"name": "Orders"})
        await here.mint(expires_in="30d")
        here.clock.jump(17 * DAY_MS)
        seen = {
            permission: await home(here, await key_with(here, *permission))
            for permission in ((), ("records.read",), ("forms",), ("security",))
        }

    assert {
        (): {},
        ("records.read",): {"suggestions": 1},
        ("forms",): {"submissions_held": 1},
        ("security",): {"api_keys_ending": 1},
    } == {permission: kinds(answer) for permission, answer in seen.items()}
    assert {
        (): [],
        ("records.read",): ["contacts", "deals"],
        ("forms",): ["submissions"],
        ("security",): [],
    } == {permission: [week["kind"] for week in answer["weeks"]] for permission, answer in seen.items()}
    assert [] == seen[()]["recent"]
    assert {"created the contact Ada Lovelace"} == {act["what"] for act in seen["records.read",]["recent"]}
    assert {"created the form Orders"} == {act["what"] for act in seen["forms",]["recent"]}
    assert {"An API key"} == {act["who"]["name"] for act in seen["forms",]["recent"]}
    # The trail shows that there was a record, and not what it is called.
    assert "created a record" in {act["what"] for act in seen["security",]["recent"]}


async def test_a_key_for_home_alone_sees_none_of_its_parts(autojump_clock):
    """What it may not list it is not shown by another way."""
    async with tool_town() as here:
        await held(here, 1)
        narrow = await here.mint(tools=("home.get",))
        wider = await here.mint(tools=("home.get", "submission.list"))
        alone, with_list = await home(here, narrow), await home(here, wider)

    assert {"waiting": [], "weeks": [], "recent": [], "firstSteps": None} == alone
    assert {"submissions_held": 1} == kinds(with_list)
    assert ["submissions"] == [week["kind"] for week in with_list["weeks"]]


async def test_steps_are_ticked_until_none_is_left(autojump_clock):
    """Each by what it makes; after that there are none."""
    async with tool_town() as here:
        form_id = await held(here, 1)
        await here.member("second@example.com", "viewer")
        before = (await home(here))["firstSteps"]
        for _ in range(10):
            await here.answer("record.create", ADA)
        after = (await home(here))["firstSteps"]

    assert {"form", "submission", "key", "colleague"} == {step["key"] for step in before if step["done"]}
    assert f"/app/forms/{form_id}?tab=install" == before[1]["path"]
    assert after is None


async def test_an_organization_is_new_for_two_months(autojump_clock):
    """After that, what was not done is not wanted."""
    async with tool_town() as here:
        here.clock.jump(60 * DAY_MS - 1)
        new = await home(here)
        here.clock.jump(1)
        old = await home(here)

    assert new["firstSteps"]
    assert old["firstSteps"] is None


async def test_steps_are_those_that_one_can_take(autojump_clock):
    """By the permission of the tool that takes them, though some are taken by people alone."""
    async with tool_town() as here:
        steps = {
            permission: (await home(here, await key_with(here, *permission)))["firstSteps"]
            for permission in ((), ("records.read",), ("records.write",), ("forms",), ("settings",))
        }

    assert {
        (): None,
        ("records.read",): None,
        ("records.write",): ["contacts"],
        ("forms",): ["form", "submission"],
        ("settings",): None,  # somebody is there by then
    } == {permission: found and [step["key"] for step in found] for permission, found in steps.items()}


async def test_nothing_of_others_is_shown(autojump_clock):
    """Neither counted nor told of."""
    async with tool_town() as here:
        other = await here.store.write(provisioning.create, NewOrganization(name="Other"))
        theirs = await here.store.write(forms.create, other, NewForm(name="Theirs"))
        await submit(here.system, await here.form(), 1)
        [row] = await here.rows(tables.submissions)
        values = row._asdict() | {"organization_id": other.id, "form_id": theirs.id}
        await here.store.write(_fill, values, "held", 3)
        await here.store.write(audit.note, operator_call(other.id), "form.create", theirs.id)
        await here.store.write(audit.note, operator_call(here.organization.id), "form.update", theirs.id)
        counted = await here.store.read(bounded_counts.waiting, other.id, "Held", HOME_WAITING_MAX)
        answer = await home(here)

    assert 3 == counted.many
    assert {} == kinds(answer)
    assert 1 == sum(day["count"] for day in answer["weeks"][0]["days"])
    assert "created the form Theirs" not in {act["what"] for act in answer["recent"]}
    assert "changed a form" == answer["recent"][0]["what"]


async def test_approvals_wait_for_those_who_may_decide(autojump_clock):
    """They come first, with a link to their screen; who may run none of their tools is not told."""
    async with tool_town() as here:
        await here.store.write(a_card, here.organization.id, "record.delete", {"id": "rec_1"})
        answer = await home(here)
        others = await home(here, await key_with(here, "forms"))

    [cards] = [one for one in answer["waiting"] if one["kind"] == "approvals"]
    assert (1, rfc3339(START), "/app/approvals") == (cards["count"], cards["oldestAt"], cards["path"])
    assert "approvals" == answer["waiting"][0]["kind"]
    assert "approvals" not in kinds(others)


async def test_credits_that_run_low_are_told_of(autojump_clock):
    """Less than a fifth of what there was after the last grant is low; a new grant ends it."""
    async with tool_town() as here:
        none = await home(here)
        await here.store.write(ledger.grant, here.organization.id, 100)
        enough = await home(here)
        call_id = await a_call(here)
        await here.store.write(ledger.append, here.organization.id, "reserve", -81, call_id=call_id)
        low = await home(here)
        await here.store.write(ledger.grant, here.organization.id, 1_000)
        again = await home(here)

    told = ["credits_low" in kinds(one) for one in (none, enough, low, again)]
    assert [False, False, True, False] == told


async def a_call(here: ToolTown) -> str:
    """A call that has ended, which an entry of the ledger may name."""
    await here.store.write(_insert_call, here.organization.id)
    return "aic_1"


def _insert_call(tx: Tx, organization_id: str) -> None:
    tx.conn.execute(
        insert(ai_tables.calls).values(
            id="aic_1",
            organization_id=organization_id,
            key_id="agent",
            model="fake",
            payer="credits",
            streamed=False,
            process="test",
            started_at=tx.now,
            ended_at=tx.now,
            ended="answered",
        )
    )
