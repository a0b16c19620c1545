"""`svc erase-person`: all traces of one person are removed, and nothing of anybody else."""

import json
import re
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
import trio
from trio.testing import MockClock

from svc.storage import integrity
from svc.storage.sqlite.offline import read_beside
from tests.cli.conftest import Svc
from tests.cli.running import Service
from tests.erasure import PEOPLE, Somebody, inhabited, moved_out, rows_of

ADA, *OTHERS = PEOPLE
UNITS_LOST = (1, 6, 14)
"""After so many units the command is broken off."""
DERIVED = {"submission_blocks", "search_texts", "relations", "record_keys", "unique_values", "identities"}
COUNTED = {"clock_marks", "event_positions", "file_totals"}
SEEDS = (20_260_918, 7)


def inhabited_at(path: Path, seed: int) -> Path:
    """A data directory in which all of `PEOPLE` have left their traces."""

    async def fill() -> None:
        async with inhabited(seed) as here:
            await moved_out(here, path)

    trio.run(fill, clock=MockClock(autojump_threshold=0))
    return path


@pytest.fixture(scope="module")
def inhabited_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return inhabited_at(tmp_path_factory.mktemp("inhabited") / "data", SEEDS[0])


@pytest.fixture
def people(inhabited_template: Path, data: Path) -> Path:
    """`data`, with traces of all of `PEOPLE`."""
    return Path(shutil.copytree(inhabited_template, data))


def rows(data: Path) -> dict[str, list[str]]:
    with closing(sqlite3.connect(data / "svc.db")) as conn:
        return rows_of(conn)


def found(data: Path, one: Somebody) -> dict[str, list[str]]:
    """The rows in which a mark of the person is, by table."""
    pattern = re.compile("|".join(map(re.escape, one.marks)), re.IGNORECASE)
    return {
        table: some
        for table, all_ in rows(data).items()
        if (some := [row for row in all_ if pattern.search(row)])
    }


def in_files(data: Path, one: Somebody) -> list[str]:
    """Marks of the person in the bytes of the files of the data directory."""
    content = b"\n".join(path.read_bytes() for path in sorted(data.rglob("*")) if path.is_file()).lower()
    return [mark for mark in one.marks if mark.lower().encode() in content]


def erased(svc: Svc, *args: str) -> dict[str, Any]:
    result = svc("erase-person", "--json", *args)
    assert 0 == result.exit_code, result.output
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def faults(data: Path) -> list[str]:
    findings = read_beside(data / "svc.db", lambda conn: list(integrity.check(conn)))
    return [f"{one.promise}: {one.examples}" for one in findings if one.broken]


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_of_a_person_is_left(svc: Svc, data: Path, seed: int) -> None:
    """In no column of any table, nor in any byte of a file; what others left is as it was."""
    people = inhabited_at(data, seed)
    before = {one.name: found(people, one) for one in PEOPLE}
    all_before = rows(people)
    tables_before = set(before[ADA.name])
    assert {"records", "submissions", "messages", "events", "agent_steps", "workflow_runs"} < tables_before
    assert {"files", "file_uses"} & tables_before == {"files"}
    assert len(PEOPLE) == len([path for path in (people / "files").rglob("*") if path.is_file()])
    assert {"webhook_attempts", "idempotency", "views", "approvals", "audit", "visits"} < tables_before
    assert [] == faults(people)

    report = erased(svc, "--email", ADA.email)

    assert {} == found(people, ADA)
    assert [] == in_files(people, ADA)
    assert [] == faults(people)
    after = rows(people)
    ids = re.compile("|".join(report["findings"]["records"]))
    for one in OTHERS:
        for table, of_table in before[one.name].items():
            untouched = [
                row for row in of_table if row not in before[ADA.name].get(table, ()) and not ids.search(row)
            ]
            assert set(untouched) <= set(after[table]), table
    own = _own(all_before, ids)
    for table in set(all_before) - DERIVED - COUNTED:
        alone = [row for row in all_before[table] if row not in before[ADA.name].get(table, ())]
        changed = set(alone) - set(after[table])
        assert not [row for row in changed if not ids.search(row) and not own.search(row)], table
    assert report["findings"]["complete"]
    assert report["findings"]["tables"]


def _own(before: dict[str, list[str]], records: re.Pattern[str]) -> re.Pattern[str]:
    """Ids of what is the person's own by its texts, or by an id of theirs."""
    own = records
    for tables in (
        ("conversations", "submissions"),
        ("agent_runs", "workflow_runs", "webhook_deliveries", "messages"),
    ):
        found = {
            id_
            for table in tables
            for row in before[table]
            if own.search(row) or any(mark in row for mark in ADA.marks)
            for id_ in re.findall(r"(?:cnv|sub|agr|run|dlv|msg)_\w{26}", row)
        }
        own = re.compile("|".join([own.pattern, *found]))
    return own


def test_it_is_noted_without_the_person(svc: Svc, people: Path) -> None:
    """The trail says that a person was erased, when, and by the operator; programs hear of a deletion."""
    report = erased(svc, "--email", ADA.email)

    after = rows(people)
    noted = [row for row in after["audit"] if "person.erase" in row]
    heard = [row for row in after["events"] if "record.deleted" in row and '"version":0' in row]
    assert len(report["findings"]["records"]) == len(noted)
    assert 1 == len(heard)
    assert '"properties":{}' in heard[0]


def test_given_again_it_finds_nothing_more(svc: Svc, people: Path) -> None:
    """By the e-mail, the phone, or the record, whose id is all that is left."""
    report = erased(svc, "--email", ADA.email)
    after = rows(people)

    for args in (
        ["--email", ADA.email],
        ["--phone", ADA.phone],
        ["--record", report["findings"]["records"][0]],
    ):
        again = erased(svc, *args)
        assert [] == again["findings"]["tables"], args
    assert {table: after[table] for table in after if table != "clock_marks"} == {
        table: some for table, some in rows(people).items() if table != "clock_marks"
    }


@pytest.mark.parametrize("by", ["--phone", "--record"])
def test_each_way_leads_to_the_same_person(svc: Svc, people: Path, by: str) -> None:
    """A phone in the form of the country, or the contact, as an e-mail does."""
    with closing(sqlite3.connect(people / "svc.db")) as conn:
        [(record_id,)] = conn.execute(
            "SELECT record_id FROM identities WHERE value = ? LIMIT 1", (ADA.email,)
        )
    value = {"--phone": ADA.written_phone, "--record": record_id}[by]

    erased(svc, by, value)

    assert {} == found(people, ADA)
    assert all(found(people, one) for one in OTHERS)


def test_a_dry_run_changes_nothing(svc: Svc, people: Path) -> None:
    """It counts what there is, and every row stays."""
    before = rows(people)

    report = erased(svc, "--email", ADA.email, "--dry-run")

    assert before == rows(people)
    counted = {one["table"]: one["found"] for one in report["findings"]["tables"]}
    assert counted["submissions"] >= 3
    assert {0} == {
        one[did] for one in report["findings"]["tables"] for did in ("deleted", "emptied", "changed")
    }


@pytest.mark.parametrize("units", UNITS_LOST)
def test_broken_off_it_goes_on(svc: Svc, people: Path, units: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed after any unit, the command given again erases the rest, with nothing broken in between."""
    from svc.cli.operator_calls import Operator

    run, left = Operator.run, iter(range(units))

    def killed(*args: Any) -> Any:
        next(left)  # StopIteration ends the command where a signal would
        return run(*args)

    with monkeypatch.context() as patched:
        patched.setattr(Operator, "run", killed)
        assert 0 != svc("erase-person", "--email", ADA.email).exit_code
    assert [] == faults(people)

    erased(svc, "--email", ADA.email)

    assert {} == found(people, ADA)
    assert [] == in_files(people, ADA)
    assert [] == faults(people)


def test_a_person_without_a_contact_is_erased(svc: Svc, people: Path) -> None:
    """Whoever is in a held submission alone is found by its e-mail."""
    stranger = f"other-{OTHERS[0].email}"
    assert any(stranger in row for row in rows(people)["submissions"])

    report = erased(svc, "--email", stranger)

    assert [] == report["findings"]["records"]
    assert not [row for table in rows(people).values() for row in table if stranger in row]
    assert [row for row in rows(people)["audit"] if "person.erase" in row]


def test_a_phone_of_several_is_refused(svc: Svc, people: Path) -> None:
    """A phone that two contacts have leads to neither; named by its record, one goes, the other keeps it."""
    made = svc(
        "call",
        "record.create",
        json.dumps({"objectType": "contact", "properties": {"name": "Mrs Other", "phone": ADA.phone}}),
    )
    other = json.loads(made.stdout)["id"]

    refused = svc("erase-person", "--phone", ADA.phone)
    erased(svc, "--email", ADA.email)

    assert 1 == refused.exit_code
    assert other in refused.stderr
    assert [row for row in rows(people)["records"] if other in row and ADA.phone in row]
    assert not [row for row in rows(people)["submissions"] if f'"{ADA.email}"' in row]


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        ((), 2, "say --email, --phone or --record"),
        (("--email", "nobody"), 1, "must be an e-mail address"),
        (("--phone", "12"), 1, "phone"),
        (("--record", "rec_01J00000000000000000000001"), 1, "there is no record"),
    ],
)
def test_bad_input(svc: Svc, people: Path, args: tuple[str, ...], code: int, said: str) -> None:
    """What names nobody is refused, and nothing is changed."""
    result = svc("erase-person", *args)

    assert code == result.exit_code
    assert said in result.stderr


def test_an_unknown_address_finds_nothing(svc: Svc, people: Path) -> None:
    """No trace is no error: the report says so, and the trail has no entry of it."""
    report = erased(svc, "--email", "nobody@example.net")

    assert ([], []) == (report["findings"]["records"], report["findings"]["tables"])
    assert not [row for row in rows(people)["audit"] if "person.erase" in row]


def test_an_erased_record_does_not_come_back(svc: Svc, people: Path) -> None:
    """Neither by `record.restore` nor in a list."""
    report = erased(svc, "--email", ADA.email)
    for record_id in report["findings"]["records"]:
        restored = svc("call", "record.restore", json.dumps({"id": record_id}))
        assert 1 == restored.exit_code
        assert "was erased" in restored.stderr
    listed = json.loads(svc("call", "submission.list", '{"limit":200}').stdout)["submissions"]
    erased_ids = [row.partition("'")[2][:30] for row in rows(people)["submissions"] if "'erased'" in row]

    assert erased_ids
    assert not {one["id"] for one in listed}.intersection(erased_ids)
    for submission_id in erased_ids:
        assert 1 == svc("submission", "show", submission_id).exit_code


def test_it_works_beside_the_service(svc: Svc, people: Path) -> None:
    """The service erases what the command finds, goes on, and is sound; the free space alone has to wait."""
    with closing(Service(people)) as service:
        urls = service.ready()
        report = erased(svc, "--email", ADA.email)
        assert {} == found(people, ADA)
        assert 200 == httpx.get(f"{urls['Operator']}/readyz").status_code
        assert ["free space of the database"] == [
            one["what"] for one in report["stays"] if "free space" in one["what"]
        ]
        assert 0 == service.end(signal.SIGTERM)
        assert not [mark for mark in ADA.marks if mark in service.errors()]
    assert [] == faults(people)

    again = erased(svc, "--email", ADA.email)

    assert [] == again["findings"]["tables"]
    assert not [one for one in again["stays"] if "free space" in one["what"]]
    assert [] == in_files(people, ADA)
