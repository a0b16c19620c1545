"""`export.*`: lists written to files by a job, fetched by those who may, and gone after a day."""

import csv
import io
from typing import Any

import httpx
import msgspec
import pytest
import trio

from svc.actors.exports import exporter
from svc.actors.exports.exporter import _PLACE, PLACE_WAIT_MS
from svc.domain.exports.limits import EXPORT_LIFE_MS, EXPORTS_AT_ONCE, EXPORTS_WAITING_MAX
from svc.domain.locale.times import DAY_MS, MINUTE_MS, SECOND_MS
from svc.storage.forms import submissions
from svc.storage.identity import roles
from tests import tables
from tests.people import call_of
from tests.pruning import prune
from tests.tooling import ToolTown, tool_town
from tests.town import a_stored_one

CONTACTS = [
    {"name": "Ada", "email": "ada@example.com", "city": "London"},
    {"name": "=1+1", "email": "bob@example.com", "city": "London"},
    {"name": "Eve", "email": "eve@example.com", "city": "Bonn"},
]
PEOPLE = {"objectType": "contact"}


async def made(here: ToolTown, *several: dict[str, Any]) -> list[str]:
    asked = PEOPLE | {"records": [{"properties": values} for values in several]}
    answer = await here.answer("record.create_many", asked)
    return [one["id"] for one in answer["records"]]


async def done(here: ToolTown, asked: dict[str, Any], *, key: str | None = None) -> Any:
    """The export of *asked*, once it is there."""
    started = await here.answer("export.start", asked, key=key)
    await trio.sleep(1)
    return await here.answer("export.get", {"id": started["id"]}, key=key)


async def fetch(here: ToolTown, export: Any, *, key: str | None = None) -> httpx.Response:
    headers = {"authorization": f"Bearer {key or here.key}"}
    return await here.client.get(export["downloadPath"], headers=headers)


async def key_with(here: ToolTown, *permissions: Any, name: str = "Some") -> str:
    call = call_of(here.owner, here.organization.id)
    role = await here.store.write(roles.create, call, name, permissions)
    return await here.mint(role_id=role.id)


def rows_of(answer: httpx.Response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"), newline="")))


async def test_records_are_written_as_they_are_listed(autojump_clock):
    """Filtered, in the order and with the fields that were asked; what a spreadsheet would run is guarded."""
    async with tool_town() as here:
        await made(here, *CONTACTS)
        asked = PEOPLE | {
            "filters": [{"any": [{"property": "city", "op": "is_not_empty"}]}],
            "search": "lon",
            "sort": [{"property": "name", "direction": "desc"}],
            "fields": ["city", "name"],
            "bom": True,
        }
        export = await done(here, asked)
        answer = await fetch(here, export)
        listed = await here.answer("record.list", _listed(asked))

        rows = rows_of(answer)
        assert ("done", 2, len(answer.content)) == (export["state"], export["rows"], export["bytes"])
        assert f"/api/v1/exports/{export['id']}/file" == export["downloadPath"]
        assert answer.text.startswith("\ufeffid,city,name,version,createdAt,updatedAt\r\n")
        assert ["Ada", "'=1+1"] == [row["name"] for row in rows]
        assert [record["id"] for record in listed["records"]] == [row["id"] for row in rows]
        assert "text/csv; charset=utf-8" == answer.headers["content-type"]
        assert f'attachment; filename="contact-{export["id"]}.csv"' == answer.headers["content-disposition"]
        assert "no-store" == answer.headers["cache-control"]


def _listed(asked: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if name != "bom"}


async def test_lines_of_json_are_the_records_as_tools_answer_them(autojump_clock):
    """The newest first, as lists show them."""
    async with tool_town() as here:
        await made(here, *CONTACTS)
        export = await done(here, PEOPLE | {"format": "ndjson"})
        answer = await fetch(here, export)
        listed = await here.answer("record.list", PEOPLE)

        assert listed["records"] == [msgspec.json.decode(line) for line in answer.content.splitlines()]
        assert "application/x-ndjson" == answer.headers["content-type"]


async def test_submissions_have_a_column_for_each_field_that_was_sent(autojump_clock):
    """Whatever form they are of; those that were thrown away are left out."""
    async with tool_town() as here:
        form = await here.form()
        ids = [
            await here.store.write(_sent, form, {"lamp": "-2", "name": "Ada"}),
            await here.store.write(_sent, form, {"wish": "x"}),
            await here.store.write(_sent, form, {"wish": "spam"}, spam=True),
        ]
        await trio.sleep(1)
        await here.answer("submission.discard", {"id": ids[2]})
        key = await key_with(here, "forms")
        export = await done(here, {"what": "submissions"}, key=key)
        rows = rows_of(await fetch(here, export, key=key))

        assert ids[1::-1] == [row["id"] for row in rows]
        assert [("", "x"), ("-2", "")] == [(row["fields.lamp"], row["fields.wish"]) for row in rows]
        assert [form.id] * 2 == [row["formId"] for row in rows]


def _sent(tx: Any, form: Any, fields: dict[str, Any], *, spam: bool = False) -> str:
    stored = msgspec.structs.replace(a_stored_one(form, spam=spam), fields=fields)
    created: str = submissions.create(tx, stored)
    return created


async def test_the_trail_is_for_security_alone(autojump_clock):
    """Each list needs its own permission; nothing is started without it."""
    async with tool_town() as here:
        reader = await key_with(here, "records.read", "forms")
        refused = [
            await here.call("export.start", {"what": "audit"}, key=reader),
            await here.call("export.start", PEOPLE, key=await key_with(here, "forms", name="Forms")),
        ]
        export = await done(here, {"what": "audit", "format": "ndjson"})
        lines = [msgspec.json.decode(line) for line in (await fetch(here, export)).content.splitlines()]
        trail = await here.answer("audit.list", {"limit": 200})

        assert [403, 403] == [answer.status_code for answer in refused]
        # The trail was read before this call of `export.get`, and after that of `export.start`.
        assert trail["entries"] == lines
        assert "export.start" == lines[0]["action"]


async def test_a_file_is_for_who_started_it_and_for_security(autojump_clock):
    """To all others there is no such export; a person has what their key has started."""
    async with tool_town() as here:
        await made(here, *CONTACTS)
        mine = await key_with(here, "records.read", name="Mine")
        other = await key_with(here, "records.read", "forms", name="Other")
        export = await done(here, PEOPLE, key=mine)
        seen = [(await fetch(here, export, key=key)).status_code for key in (mine, other, here.key)]
        unseen = [
            await here.call(tool, {"id": export["id"]}, key=other) for tool in ("export.get", "export.cancel")
        ]
        lists = [
            [one["id"] for one in (await here.answer("export.list", key=key))["exports"]]
            for key in (mine, other, here.key)
        ]
        csrf = await here.sign_in()
        shown = await here.answer_to_person("export.get", {"id": export["id"]}, csrf=csrf)
        by_person = await here.client.get(shown["downloadPath"])
        without = await here.client.get(export["downloadPath"], headers={"authorization": "Bearer x"})

        assert [200, 404, 200] == seen
        assert [404, 404] == [answer.status_code for answer in unseen]
        assert [[export["id"]], [], [export["id"]]] == lists
        assert f"/app/api/exports/{export['id']}/file" == shown["downloadPath"]
        assert (200, 401) == (by_person.status_code, without.status_code)
        assert 3 == len(rows_of(by_person))


def busy(here: ToolTown) -> None:
    """Have as many exports under way elsewhere as may be."""
    for _ in range(EXPORTS_AT_ONCE):
        here.system.exports.at_once.try_acquire(_PLACE)


def free(here: ToolTown) -> None:
    for _ in range(EXPORTS_AT_ONCE):
        here.system.exports.at_once.release(_PLACE)


async def test_few_exports_wait_and_each_may_be_cancelled(autojump_clock):
    """Without a file then; the others are made one after the other."""
    async with tool_town() as here:
        await made(here, *CONTACTS)
        busy(here)
        ids = [(await here.answer("export.start", PEOPLE))["id"] for _ in range(EXPORTS_WAITING_MAX)]
        full = await here.call("export.start", PEOPLE)
        cancelled = await here.answer("export.cancel", {"id": ids[1]})
        again = await here.answer("export.cancel", {"id": ids[1]})
        file = await here.client.get(
            f"/api/v1/exports/{ids[1]}/file", headers={"authorization": f"Bearer {here.key}"}
        )
        free(here)
        await trio.sleep(2 * PLACE_WAIT_MS / SECOND_MS)
        listed = (await here.answer("export.list"))["exports"]
        late = await here.call("export.cancel", {"id": ids[0]})

        assert (409, "conflict") == (full.status_code, full.json()["code"])
        assert ("cancelled", None) == (cancelled["state"], cancelled["downloadPath"])
        assert cancelled == again
        assert (409, 409) == (file.status_code, late.status_code)
        assert ids[::-1] == [one["id"] for one in listed]
        assert ["done"] * 3 + ["cancelled", "done"] == [one["state"] for one in listed]


async def test_who_loses_the_right_loses_the_export(autojump_clock):
    """It is judged again when the job begins."""
    async with tool_town() as here:
        await made(here, *CONTACTS)
        key = await here.answer_to_person(
            "apikey.mint", {"name": "Sync", "expiresIn": "30d"}, csrf=await here.sign_in()
        )
        busy(here)
        export = await here.answer("export.start", PEOPLE, key=key["key"])
        csrf = await here.sign_in()
        await here.answer_to_person("apikey.revoke", {"id": key["id"]}, csrf=csrf)
        free(here)
        await trio.sleep(2 * PLACE_WAIT_MS / SECOND_MS)
        failed = await here.answer("export.get", {"id": export["id"]})

        assert ("failed", None) == (failed["state"], failed["downloadPath"])
        assert "the key that started it has no access to the organization any more" == failed["failure"]


@pytest.mark.parametrize(
    ("limit", "reason"),
    [("EXPORT_ROWS_MAX", "it has more than 2 rows"), ("EXPORT_BYTES_MAX", "it has more than 2 bytes")],
)
async def test_an_export_that_is_too_large_fails(autojump_clock, monkeypatch, limit: str, reason: str):
    """And says what to do; nothing of its file is left."""
    monkeypatch.setattr(exporter, limit, 2)
    async with tool_town() as here:
        await made(here, *CONTACTS)
        export = await done(here, PEOPLE)

        assert ("failed", f"{reason}: narrow it by filters") == (export["state"], export["failure"])
        assert [] == await here.system.exports.contents.organizations()


async def test_a_file_is_gone_after_a_day(autojump_clock):
    """With its export; until then it is there."""
    async with tool_town() as here:
        await made(here, *CONTACTS)
        export = await done(here, PEOPLE)
        here.clock.jump(EXPORT_LIFE_MS - 2 * MINUTE_MS)
        await here.store.write(prune)
        await trio.sleep(MINUTE_MS / SECOND_MS)
        there = await fetch(here, export)
        here.clock.jump(2 * MINUTE_MS)
        await here.store.write(prune)
        await trio.sleep(2 * MINUTE_MS / SECOND_MS)
        gone = await fetch(here, export)

        assert DAY_MS == EXPORT_LIFE_MS
        assert (200, 404) == (there.status_code, gone.status_code)
        assert [] == await here.system.exports.contents.organizations()
        assert 0 == await here.count(tables.exports)


async def test_all_faults_of_an_export_are_told_at_once(autojump_clock):
    async with tool_town() as here:
        refused = [
            await here.call("export.start", asked)
            for asked in (
                {},
                {"what": "audit", **PEOPLE, "fields": ["name"]},
                PEOPLE
                | {
                    "filters": [{"property": "nam", "op": "eq", "value": "x"}],
                    "sort": [{"property": "nome"}],
                    "fields": ["emial"],
                },
                PEOPLE | {"format": "ndjson", "bom": True},
            )
        ]
        unknown = await here.call("export.start", {"objectType": "contacts"})

        assert [
            ["/objectType"],
            ["/objectType", "/fields"],
            ["/filters/0/property", "/sort/0/property", "/fields/0"],
            ["/bom"],
        ] == [[fault["pointer"] for fault in answer.json()["errors"]] for answer in refused]
        assert 404 == unknown.status_code


async def test_the_log_of_requests_is_written_to_a_file(autojump_clock):
    """With names of keys; filtered as its list is."""
    async with tool_town() as here:
        await here.call("object.list")
        await here.call("record.get", {"objectType": "contact", "id": "rec_1"})
        await here.system.request_log.write()
        refused = {"property": "status", "op": "eq", "value": "4xx"}
        everything = await done(here, {"what": "requests", "format": "csv"})
        some = await done(here, {"what": "requests", "format": "ndjson", "filters": [refused]})
        rows = rows_of(await fetch(here, everything))
        [line] = [msgspec.json.decode(one) for one in (await fetch(here, some)).text.splitlines()]

        assert [("record.get", "404", "A key"), ("object.list", "200", "A key")] == [
            (row["tool"], row["status"], row["keyName"]) for row in rows
        ]
        assert ("record.get", 404, "not_found", False) == tuple(
            line[name] for name in ("tool", "status", "code", "replayed")
        )
        listed = (await here.answer("request.list", {"status": "4xx"}))["requests"]
        assert [line] == listed


async def test_only_settings_export_the_log_of_requests(autojump_clock):
    """It has the calls of everybody's keys."""
    async with tool_town() as here:
        key = await key_with(here, "records.read")
        refused = await here.call("export.start", {"what": "requests"}, key=key)

        assert (403, "forbidden") == (refused.status_code, refused.json()["code"])


async def test_the_trail_and_submissions_are_filtered_as_well(autojump_clock):
    """By members of their lists; times from one on, and before another."""
    async with tool_town() as here:
        form, other = await here.form(), await here.form()
        await here.store.write(submissions.create, a_stored_one(form))
        await here.store.write(submissions.create, a_stored_one(other))
        await made(here, CONTACTS[0])
        by_form = await done(
            here,
            {"what": "submissions", "filters": [{"property": "formId", "op": "eq", "value": form.id}]},
        )
        by_action = await done(
            here,
            {"what": "audit", "filters": [{"property": "action", "op": "eq", "value": "record.create_many"}]},
        )
        never = await done(
            here,
            {"what": "audit", "filters": [{"property": "at", "op": "lt", "value": "2020-01-01T00:00:00Z"}]},
        )

        assert [form.id] == [row["formId"] for row in rows_of(await fetch(here, by_form))]
        assert ["record.create_many"] == [row["action"] for row in rows_of(await fetch(here, by_action))]
        assert 0 == never["rows"]


@pytest.mark.parametrize(
    ("what", "filter_", "pointer"),
    [
        ("requests", {"property": "stats", "op": "eq", "value": 1}, "/filters/0/property"),
        ("requests", {"property": "status", "op": "gte", "value": 400}, "/filters/0/op"),
        ("requests", {"property": "status", "op": "eq", "value": "2xx"}, "/filters/0/value"),
        ("requests", {"property": "at", "op": "eq", "value": "2026-01-01T00:00:00Z"}, "/filters/0/op"),
        ("audit", {"property": "at", "op": "gte", "value": "2026-01-01"}, "/filters/0/value"),
        ("audit", {"any": [{"property": "action", "op": "eq", "value": "x"}]}, "/filters/0/any"),
        ("submissions", {"property": "state", "op": "eq", "value": "Lost"}, "/filters/0/value"),
    ],
)
async def test_a_filter_that_a_list_has_not_is_named(what: str, filter_: Any, pointer: str, autojump_clock):
    """With its place, before anything is written."""
    async with tool_town() as here:
        refused = await here.call("export.start", {"what": what, "filters": [filter_]})

        assert (422, [pointer]) == (
            refused.status_code,
            [fault["pointer"] for fault in refused.json()["errors"]],
        )
