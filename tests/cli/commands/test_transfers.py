"""`svc import` and `svc export`, on a data directory while no service runs."""

import csv
import io
from pathlib import Path
from typing import Any

import msgspec
import pytest

from svc.cli.commands.records.imports import FileImport
from svc.domain.errors import Conflict
from svc.domain.records.properties import Property
from svc.storage import provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.identity.tables import organizations
from svc.storage.records import objects, properties
from svc.storage.store import Tx
from tests.cli.conftest import Svc, filled

OBJECT = "lamp"
TYPES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("story", "long_text", ()),
    ("price", "amount", ()),
    ("serial", "number", ()),
    ("made", "date", ()),
    ("seen", "datetime", ()),
    ("sold", "boolean", ()),
    ("finish", "select", ("Brass", "=Steel")),
    ("parts", "multi_select", ("Foot", "Arm;left", "Bulb")),
    ("mail", "email", ()),
    ("line", "phone", ()),
    ("page", "url", ()),
    ("shot", "picture", ()),
)
LAMPS: tuple[dict[str, Any], ...] = (
    {"name": "=cmd|' /C calc'!A0", "story": 'He said "no",\nand\r\nleft; so, what?', "price": -0.1},
    {"name": "'=quoted", "price": 12.5, "price_currency": "USD", "serial": 10**15, "parts": ["Arm;left"]},
    {"name": "+49 is no phone", "line": "+4930901820", "mail": "ada@example.com", "parts": ["Foot", "Bulb"]},
    {"name": "Zoë – ½ ✓", "made": "2026-09-18", "seen": "2026-09-18T12:00:00.123Z", "finish": "=Steel"},
    {"name": "-1", "sold": False, "page": "https://x.example/?a=1,2", "shot": "https://x.example/a.png"},
    {"name": "@at", "sold": True, "serial": 1e-07, "story": "x" * 60_000},
)


_OWNED = '{"slug": "hook", "label": "Hook", "labelPlural": "Hooks"}'
_OWNED_PROPERTIES = (
    '{"objectType": "hook", "slug": "lamp", "label": "Lamp", "type": "relation", "options": ["lamp"]}',
    '{"objectType": "hook", "slug": "keeper", "label": "Keeper", "type": "member"}',
)


def _organizations(tx: Tx) -> None:
    for name, locale in (("Here", "de_DE"), ("There", "en_US")):
        organization = provisioning.create(tx, NewOrganization(name=name, country="DE", locale=locale))
        objects.create(tx, organization.id, OBJECT, "Lamp", "Lamps")
        for slug, kind, options in TYPES:
            new = Property(slug=slug, label=slug.title(), type=kind, options=options)  # type: ignore[arg-type]
            properties.create(tx, organization.id, OBJECT, new)


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of an exported file, without ids and times."""
    with io.StringIO(path.read_text("utf-8-sig"), newline="") as text:
        rows = list(csv.DictReader(text))
    return [
        {name: cell for name, cell in row.items() if name not in {"id", "createdAt", "updatedAt"}}
        for row in rows
    ]


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_what_was_exported_is_the_same_elsewhere(data, tmp_path, svc: Svc, form):
    """Imported into another organization and exported again: byte for byte, but for ids and times."""
    filled(data, _organizations)
    listed = svc("org", "list").output
    here, there = [word for word in listed.split() if word.startswith("org_")]
    first, second = tmp_path / f"first.{form}", tmp_path / f"second.{form}"
    source = tmp_path / "source.ndjson"
    source.write_bytes(b"".join(msgspec.json.encode({"properties": lamp}) + b"\n" for lamp in LAMPS))

    results = [
        svc("import", OBJECT, str(source), "--organization", here),
        svc("export", OBJECT, str(first), "--organization", here, "--bom"),
        svc("import", OBJECT, str(first), "--organization", there),
        svc("export", OBJECT, str(second), "--organization", there, "--bom"),
    ]

    assert [0] * 4 == [result.exit_code for result in results], [result.output for result in results]
    if form == "csv":
        assert len(LAMPS) == len(rows_of(first))
        assert rows_of(first) == rows_of(second)
        assert not any(cell.startswith(("=", "@")) for row in rows_of(first) for cell in row.values())
        assert len(first.read_bytes()) == len(second.read_bytes())
    else:
        told = [
            [msgspec.json.decode(line)["properties"] for line in path.read_bytes().splitlines()]
            for path in (first, second)
        ]
        assert len(LAMPS) == len(told[0])
        assert told[0] == told[1]


def test_what_relations_lead_to_is_found_elsewhere(data, tmp_path, svc: Svc):
    """With `--names`, by the record's name and the member's e-mail; without, by ids of here alone."""
    filled(data, _organizations)
    here, there = [word for word in svc("org", "list").output.split() if word.startswith("org_")]
    for organization in (here, there):
        svc("call", "object.create", _OWNED, "--organization", organization)
        for body in _OWNED_PROPERTIES:
            made = svc("call", "property.create", body, "--organization", organization)
            assert 0 == made.exit_code, made.output
        svc("user", "create", "ada@example.com", "--name", "Ada", "--organization", organization)
    lamps, hooks = tmp_path / "lamps.csv", tmp_path / "hooks.csv"
    lamps.write_text("name\n=Arc\nBow\n")
    hooks.write_text("name,lamp,keeper\nFirst,'=Arc,ada@example.com\nSecond,Bow,\n")
    first, second, ids = (tmp_path / f"{name}.csv" for name in ("first", "second", "ids"))
    results = [
        svc("import", OBJECT, str(lamps), "--organization", here),
        svc("import", OBJECT, str(lamps), "--organization", there),
        svc("import", "hook", str(hooks), "--organization", here),
        svc("export", "hook", str(first), "--organization", here, "--names"),
        svc("export", "hook", str(ids), "--organization", here),
        svc("import", "hook", str(first), "--organization", there),
        svc("export", "hook", str(second), "--organization", there, "--names"),
    ]
    refused = svc("import", "hook", str(ids), "--organization", there)
    no_csv = svc("export", "hook", str(tmp_path / "hooks.ndjson"), "--organization", here, "--names")

    assert [0] * 7 == [result.exit_code for result in results], [result.output for result in results]
    assert [("'=Arc", "ada@example.com"), ("Bow", "")] == [
        (row["lamp"], row["keeper"]) for row in rows_of(first)
    ]
    assert rows_of(first) == rows_of(second)
    assert (1, 2) == (refused.exit_code, no_csv.exit_code)


def test_refused_lines_are_told_and_written(shop, svc: Svc, tmp_path):
    """It ends with 1; the lines that were taken stay, and the others are mended in their file."""
    file = tmp_path / "contacts.csv"
    file.write_text("Who;Mail;Town\nAda;ada@example.com;London\nGrace;grace@;Paris\n")

    result = svc("import", "contact", str(file), "--map", "Who=name", "--map", "Town=")
    refused = tmp_path / "contacts.refused.csv"
    refused.write_text(refused.read_text().replace("grace@", "grace@example.com"))
    again = svc("import", "contact", str(refused), "--map", "Who=name")
    exported = svc("export", "contact", "--filter", "email eq grace@example.com")

    assert 1 == result.exit_code
    assert "line 3: email: not a host name" in result.output
    assert "Town is left out" in result.output
    assert 0 == again.exit_code, again.output
    assert ["Grace", "Paris"] == [exported.output.splitlines()[1].split(",")[place] for place in (1, 7)]


def test_a_dry_run_writes_its_report_and_nothing_else(shop, svc: Svc, tmp_path):
    """And the next import may begin at once."""
    file, report = tmp_path / "contacts.csv", tmp_path / "report.csv"
    file.write_text("name,email\nAda,ada@example.com\nAda L,ada@example.com\n")

    dry = svc("import", "contact", str(file), "--by", "email", "--dry-run", "--report", str(report))
    none = svc("export", "contact").output
    wet = svc("import", "contact", str(file), "--by", "email")

    assert (0, 0) == (dry.exit_code, wet.exit_code), dry.output + wet.output
    assert ["2,created,,", "3,updated,,"] == report.read_text().splitlines()[1:]
    assert 1 == len(none.splitlines())
    assert "Ada L" in svc("export", "contact").output


def test_bad_cells_and_the_order_of_dates_are_chosen(shop, svc: Svc, tmp_path):
    """An unclear order is told with two lines; cells that are left out, and many refused lines, by reason."""
    filled(shop, _add_date)
    file, many = tmp_path / "contacts.csv", tmp_path / "many.csv"
    file.write_text("name,email,born\nAda,ada@,03/04/1985\nGrace,grace@,05/06/1986\n")
    many.write_text("name,email\n" + "".join(f"{n},person{n}@\n" for n in range(12)))

    unclear = svc("import", "contact", str(file))
    done = svc("import", "contact", str(file), "--dates", "dmy", "--on-bad-cell", "empty")
    refused = svc("import", "contact", str(many))

    assert (1, 0, 1) == (unclear.exit_code, done.exit_code, refused.exit_code), done.output
    assert "line 2, `03/04/1985`, is 1985-04-03 or 1985-03-04" in unclear.output
    assert "2 cells were left out" in done.output
    assert "2 × email: not a host name (lines 2, 3)" in done.output
    assert "12 × email: not a host name (lines 2, 3, 4, …)" in refused.output
    assert "1985-04-03" in svc("export", "contact").output


def _add_date(tx: Tx) -> None:
    [organization] = tx.conn.execute(organizations.select()).all()
    properties.create(tx, organization.id, "contact", Property(slug="born", label="Born", type="date"))


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (["import", "contact", "none.csv"], 2, "does not exist"),
        (["import", "contract", "x.csv"], 1, "there is no object `contract`"),
        (["import", "contact", "x.csv", "--by", "city"], 1, "records are not looked up by `city`"),
        (["import", "contact", "x.csv", "--map", "Nmae=name"], 1, "the file has no column `Nmae`"),
        (["import", "contact", "x.csv", "--map", "name"], 2, 'a mapping is "Heading=property"'),
        (["import", "contact", "empty.csv"], 1, "is empty"),
        (["import", "contact", "x.csv", "--server", "http://127.0.0.1:9"], 1, "set SVC_KEY"),
        (["export", "contact", "--filter", "city"], 2, "is no filter"),
        (["export", "contact", "--filter", "twon eq Leeds"], 1, "`twon` is no property"),
        (["export", "contact", "no/such/place.csv"], 1, "cannot be written"),
    ],
)
def test_mistakes_are_told(shop, svc: Svc, tmp_path, args, code, told):  # noqa: PLR0917  # fixtures
    """In one line; 2 for the command line, 1 for all else."""
    (tmp_path / "x.csv").write_text("name\nAda\n")
    (tmp_path / "empty.csv").touch()

    result = svc(*args)

    assert (code, True) == (result.exit_code, told in result.output), result.output


def test_a_file_given_again_is_told_as_done(shop, svc: Svc, tmp_path):
    """Its lines are not doubled, unless `--again` says so; read in another way it is another."""
    file = tmp_path / "contacts.csv"
    file.write_text("name,email\nAda,ada@example.com\nGrace,grace@\n")

    results = [
        svc("import", "contact", str(file)),
        svc("import", "contact", str(file), "--on-error", "stop"),
        svc("import", "contact", str(file), "--dry-run"),
        svc("import", "contact", str(file), "--by", "email"),
    ]
    before = svc("export", "contact").output
    again = svc("import", "contact", str(file), "--again")

    told = [result.output for result in results]
    assert [1] * 5 == [result.exit_code for result in (*results, again)], told
    assert "was imported before" in told[1]
    assert told[0].partition("LINES")[2] == told[1].partition("LINES")[2]
    assert not any("was imported before" in one for one in (told[0], *told[2:], again.output))
    assert (2, 3) == (len(before.splitlines()), len(svc("export", "contact").output.splitlines()))


class _StartedByAnother:
    """An installation at which another client starts the import of the same file first."""

    def __init__(self) -> None:
        self.called: list[str] = []

    async def call(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        self.called.append(name)
        if name == "import.start" and "id" in body:
            raise Conflict("it is running")
        state = "running" if name == "import.get" else "uploaded"
        return {"id": "imp_1", "state": state, "nextPart": None, "endedAt": None, "columns": {}}


async def test_the_same_command_given_twice_at_once_is_one_import(tmp_path):
    """The second waits for what the first has started, and does not cancel it."""
    file = tmp_path / "contacts.csv"
    file.write_text("name\nAda\n")
    installation = _StartedByAnother()

    begun = await FileImport("contact", file, "csv", {}, {}, again=False).begin(installation)  # type: ignore[arg-type]

    assert "running" == begun["state"]
    assert ["import.start", "import.start", "import.get"] == installation.called
