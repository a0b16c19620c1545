"""Cells that do not fit: they refuse their lines or are left out, and are told by reason."""

from typing import Any

import pytest

from svc.actors.imports import importer
from svc.domain.identity.callers import operator_call
from svc.domain.imports.limits import IMPORT_FAULT_EXAMPLES_MAX, IMPORT_FAULT_GROUPS_MAX
from svc.domain.records.properties import Property
from svc.storage.identity import roles
from svc.storage.records import properties
from tests.importing import file_of, records_of, run, upload
from tests.tooling import ToolTown, tool_town
from tests.tools.imports.test_imports import counts, csv, imported

BAD = csv(
    "Name,Mail,Company,Founded",
    "Ada,ada@,Acme,2026-01-01",
    "Grace,grace@example.com,Acme,soon",
    "Hedy,hedy@example.com,Nowhere,",
    ",nobody@,,",
    "Ida,ida@example.com,rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA,",
)


async def prepared(here: ToolTown) -> None:
    """An object with a date, and a company by name."""
    founded = Property(slug="founded", label="Founded", type="date")
    await here.store.write(properties.create, here.organization.id, "contact", founded)
    await imported(here, csv("name", "Acme"), "company")


def told(import_: Any, effect: str) -> list[tuple[str, str, int]]:
    """The faults of one effect: column, reason and count."""
    faults = [fault for fault in import_["faults"] if fault["effect"] == effect]
    return [(fault["column"], fault["reason"], fault["count"]) for fault in faults]


async def test_bad_cells_are_left_out_and_their_lines_written(autojump_clock):
    """Whatever finds them: the reading of the cell, the name that it has, or the rules of its property."""
    async with tool_town() as here:
        await prepared(here)
        refused = await imported(here, BAD, dryRun=True)
        await here.answer("import.cancel", {"id": refused["id"]})
        done = await imported(here, BAD, onBadCell="empty")
        records = await records_of(here)

        assert {"refused": 5} == counts(refused)
        assert {"created": 4, "refused": 1, "left_out": 4} == {
            "left_out" if name == "leftOut" else name: count for name, count in counts(done).items()
        }
        assert ["Ada", "Grace", "Hedy", "Ida"] == [record["name"] for record in records]
        assert [{"name", "company", "founded"}, {"name", "email", "company"}] == [
            {*record} for record in records[:2]
        ]
        assert [("Mail", "not a host name", 1)] == told(done, "refused")
        assert {
            ("Mail", "not a host name", 1),
            ("Founded", "must be a date such as 2026-09-18, not `…`", 1),
            (
                "Company",
                "there is no company `…`: make it, or give `makeMissing` (--make-missing company)",
                1,
            ),
            ("Company", "there is no company `…`", 1),
        } == {*told(done, "left_out")}


async def test_a_dry_run_leaves_out_the_same(autojump_clock):
    """And its report says at each line what is left out."""
    async with tool_town() as here:
        await prepared(here)
        uploaded = await upload(here, BAD)
        tried = await run(here, uploaded, onBadCell="empty", dryRun=True)
        report = (await file_of(here, tried["reportPath"])).decode().splitlines()
        done = await run(here, uploaded, onBadCell="empty")

        assert (counts(tried), tried["faults"]) == (counts(done), done["faults"])
        assert "2,created,,left out: email: not a host name" == report[1]


async def test_what_records_are_found_by_is_never_left_out(autojump_clock):
    """A line whose e-mail does not fit would else become a second record of its person."""
    async with tool_town() as here:
        data = csv("email,name,phone", "ada@,Ada,12", "grace@example.com,Grace,12")
        done = await imported(here, data, by="email", onBadCell="empty")

        assert (1, 1, 1) == tuple(done["counts"][name] for name in ("created", "refused", "leftOut"))
        assert [{"name": "Grace", "email": "grace@example.com"}] == await records_of(here)


@pytest.mark.parametrize("batch", [1, 200])
async def test_an_import_that_stops_at_a_refused_line_goes_on_past_bad_cells(
    autojump_clock, monkeypatch, batch
):
    """They refuse no line; where nothing else is left, it stops."""
    monkeypatch.setattr(importer, "IMPORT_BATCH_LINES", batch)
    async with tool_town() as here:
        data = csv("name,email", "Ada,ada@", "Grace,grace@example.com", ",hedy@", "Ida,")
        done = await imported(here, data, onBadCell="empty", onError="stop")

        assert ("failed", 2, 1) == (done["state"], done["counts"]["created"], done["counts"]["leftOut"])
        assert "line 4 was refused: email: not a host name" == done["failure"]


async def test_faults_are_counted_by_reason_with_a_few_examples(autojump_clock, monkeypatch):
    """Over all batches; the largest first. The values are those of the cells."""
    monkeypatch.setattr(importer, "IMPORT_BATCH_LINES", 3)
    lines = [f"{n},person{n}@," for n in range(10)] + [f"{n},,Company {n}" for n in range(4)]
    async with tool_town() as here:
        done = await imported(here, csv("name,Mail,company", *lines, "a,b,c,d"))

        mail, company, cells = done["faults"]
        assert ("Mail", "not a host name", 10) == (mail["column"], mail["reason"], mail["count"])
        assert [(2, "person0@"), (3, "person1@"), (4, "person2@")] == [
            (example["line"], example["value"]) for example in mail["examples"]
        ]
        assert IMPORT_FAULT_EXAMPLES_MAX == len(company["examples"])
        assert ("company", 4, "there is no company `…`") == (
            company["column"],
            company["count"],
            company["reason"].partition(":")[0],
        )
        assert ("", None) == (cells["column"], cells["examples"][0]["value"])


async def test_reasons_that_are_too_many_count_as_others(autojump_clock):
    """So that what is stored stays small."""
    headings = [f"Day {n}" for n in range(IMPORT_FAULT_GROUPS_MAX + 5)]
    async with tool_town() as here:
        for n in range(len(headings)):
            prop = Property(slug=f"day_{n}", label=f"Day {n}", type="date")
            await here.store.write(properties.create, here.organization.id, "contact", prop)
        done = await imported(here, csv(",".join(headings), ",".join("soon" for _ in headings)))

        assert IMPORT_FAULT_GROUPS_MAX + 1 == len(done["faults"])
        assert [5] == [fault["count"] for fault in done["faults"] if fault["reason"] == "other reasons"]


async def test_cells_are_shown_to_those_who_may_read_records(autojump_clock):
    """A caller who may only write sees reasons and lines."""
    async with tool_town() as here:
        done = await imported(here, csv("name,email", "Ada,ada@"))
        owner = operator_call(here.organization.id)
        writer = await here.store.write(roles.create, owner, "Writer", ["records.write"])
        key = await here.mint(role_id=writer.id)
        seen = await here.answer("import.get", {"id": done["id"]}, key=key)

        assert ["ada@"] == [one["value"] for one in done["faults"][0]["examples"]]
        assert [(2, None)] == [(one["line"], one["value"]) for one in seen["faults"][0]["examples"]]


@pytest.mark.parametrize(
    ("dates", "order", "days"),
    [
        (["25/03/2026", "03/04/2026"], "dmy", ["2026-03-25", "2026-04-03"]),
        (["03/25/2026", "03/04/2026"], "mdy", ["2026-03-25", "2026-03-04"]),
        (["3.4.2026", "5.6.26"], "dmy", ["2026-04-03", "2026-06-05"]),
        (["99/11/30", "10/11/12"], "ymd", ["1999-11-30", "2010-11-12"]),
        (["2026-09-18", "05/05/2026"], None, ["2026-09-18", "2026-05-05"]),
    ],
)
async def test_the_order_of_dates_is_told_by_the_file(autojump_clock, dates, order, days):
    """By a day above 12, or the points between the numbers; what means one day in any order needs none."""
    async with tool_town() as here:
        await prepared(here)
        done = await imported(here, csv("Name,Founded", *(f"{n},{day}" for n, day in enumerate(dates))))

        assert (order, {"created": 2}) == (done["dates"], counts(done))
        assert days == [record["founded"] for record in await records_of(here)]


@pytest.mark.parametrize(
    ("dates", "detail"),
    [
        (
            ["05/05/2026", "03/04/2026", "06/07/2026"],
            (
                "it is unclear whether the day or the month comes first:"
                " line 3, `03/04/2026`, is 2026-04-03 or 2026-03-04;"
                " line 4, `06/07/2026`, is 2026-07-06 or 2026-06-07. Give `dates`: `dmy`, `mdy` or `ymd`"
            ),
        ),
        (
            ["25/03/2026", "03/25/2026"],
            (
                "the dates are written in several orders: line 2, `25/03/2026`, is 2026-03-25;"
                " line 3, `03/25/2026`, is 2026-03-25. Give `dates`: `dmy`, `mdy` or `ymd`"
            ),
        ),
    ],
)
async def test_an_unclear_order_of_dates_is_asked_for(autojump_clock, dates, detail):
    """With two lines; given, it is kept to, and what it does not read is refused."""
    async with tool_town() as here:
        await prepared(here)
        data = csv("Name,Founded", *(f"{n},{day}" for n, day in enumerate(dates)))
        uploaded = await upload(here, data)
        problem = await here.call("import.start", {"id": uploaded["id"]})
        unmapped = await run(here, uploaded, columns={"Name": "name"}, dryRun=True)
        done = await run(here, uploaded, dates="mdy")

        assert (422, [("/dates", detail)]) == (
            problem.status_code,
            [(fault["pointer"], fault["detail"]) for fault in problem.json()["errors"]],
        )
        assert "checked" == unmapped["state"]
        assert "mdy" == done["dates"]
        assert all(record["founded"][:4] == "2026" for record in await records_of(here))


async def test_a_date_that_comes_too_late_to_tell_is_refused_alone(autojump_clock, monkeypatch):
    """Behind the lines that are looked at: a cell that means one day is read, any other is refused."""
    monkeypatch.setattr("svc.storage.imports.slices.IMPORT_DATES_LINES_MAX", 1)
    async with tool_town() as here:
        await prepared(here)
        done = await imported(here, csv("Name,Founded", "Ada,", "Grace,25/03/2026", "Hedy,03/04/2026"))

        assert ({"created": 2, "refused": 1}, None) == (counts(done), done["dates"])
        assert ["Founded: may be 2026-04-03 or 2026-03-04: give `dates` (--dates)"] == (
            done["refusals"][0]["reasons"]
        )
