"""`svc erase-person` and files: what names the person in its contents, and what hangs on their records."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from svc.cli.data_directory import DataDirectory
from svc.storage import provisioning
from svc.storage.files import uses
from svc.storage.files.directory import digests_in, put
from svc.storage.files.uses import FileUse
from svc.storage.identity.organizations import NewOrganization
from svc.storage.records import records
from svc.storage.store import Tx
from tests.cli.conftest import Svc, filled
from tests.files import PNG, a_file
from tests.webhooks import API

ADA = {"name": "Adelaide Quill", "email": "ada.quill@example.com"}
BOB = {"name": "Bo Berg", "email": "bo@example.com"}


class File(NamedTuple):
    """A file, what uses it, and what becomes of it: it is removed, stays and is told of, or nothing."""

    content: bytes
    used_by: tuple[str, ...]
    fate: str | None
    """How its reason begins."""


LONG = b"x " * 700_000
FILES = {
    "a note that nothing uses": File(b"Call Adelaide Quill", (), "removed: its text names"),
    "the same in a far place": File(LONG + b"ada.quill@example.com " + LONG, (), "removed: its text names"),
    "of another alphabet": File("Adelaide Quill ♥".encode("utf-16"), (), "removed: its text names"),
    "of an old system": File("Grüße, Adelaide Quill\n".encode("cp1252"), (), "removed: its text names"),
    "her picture": File(PNG + b"hers", ("ada",), "removed: only the person's"),
    "her letter": File(b"Yours, A.", ("ada",), "removed: only the person's"),
    "a picture of both": File(PNG + b"both", ("ada", "bob"), "stays: others use it"),
    "a letter of both": File(b"To ada.quill@example.com", ("ada", "bob"), "stays: its text names"),
    "what Bo wrote": File(b"I met adelaide quill", ("bob",), "stays: its text names"),
    "a picture of their deal": File(PNG + b"deal", ("deal",), "stays: what uses it led to the person"),
    "a text of their deal": File(b"Two lamps", ("deal",), None),
    "Bo's picture": File(PNG + b"his", ("bob",), None),
    "a price list": File(b"Wall light 120.00", (), None),
}


def fill(tx: Tx, root: Path) -> dict[str, str]:
    """An organization with two contacts, a deal of one of them, and `FILES`; their ids by name."""
    home = provisioning.create(tx, NewOrganization(name="Lamps", country="DE"))
    organization = home.id

    def record(object_type: str, values: dict[str, Any]) -> str:
        return records.create(tx, home, object_type, values, source=API).id

    ids = {"ada": record("contact", ADA), "bob": record("contact", BOB)}
    ids["deal"] = record("deal", {"name": "Lamps", "contact": ids["ada"]})
    for name, file in FILES.items():
        put(root, organization, file.content)
        ids[name] = a_file(tx, organization, file.content, "file.bin").id
        uses.add(tx.conn, [FileUse(ids[name], ids[who], "p", organization, "record") for who in file.used_by])
    return ids


@pytest.fixture
def ids(data: Path) -> dict[str, str]:
    found: dict[str, str] = {}

    def unit(tx: Tx) -> None:
        found.update(fill(tx, DataDirectory(data).files))

    filled(data, unit)
    return found


def report_of(svc: Svc, *args: str) -> dict[str, Any]:
    result = svc("erase-person", "--json", "--email", ADA["email"], *args)
    assert 0 == result.exit_code, result.output
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def fates(report: dict[str, Any], ids: dict[str, str]) -> dict[str, str]:
    names = {id_: name for name, id_ in ids.items()}
    return {
        names[one["id"]]: f"{'removed' if one['removed'] else 'stays'}: {one['why']}"
        for one in report["findings"]["files"]
    }


def left(data: Path) -> set[bytes]:
    root = DataDirectory(data).files
    return {path.read_bytes() for path in root.rglob("*") if path.is_file() and path.stat().st_size}


@pytest.mark.parametrize("dry_run", [True, False])
def test_files_that_have_the_person_are_told(
    svc: Svc, data: Path, ids: dict[str, str], dry_run: bool
) -> None:
    """Beforehand as afterwards: those that go, and those that stay with the reason."""
    told = fates(report_of(svc, *(["--dry-run"] if dry_run else [])), ids)

    wanted = {name: file.fate for name, file in FILES.items() if file.fate is not None}
    assert wanted.keys() == told.keys()
    assert {} == {name: told[name] for name, fate in wanted.items() if not told[name].startswith(fate)}
    gone = set() if dry_run else {name for name, fate in wanted.items() if fate.startswith("removed")}
    assert {file.content for name, file in FILES.items() if name not in gone} == left(data)


def test_given_again_it_tells_of_what_stays_alone(svc: Svc, ids: dict[str, str]) -> None:
    """While the person is known by their address, whose marks are in it; nothing more is removed."""
    report_of(svc)
    again = report_of(svc)

    assert [] == [one for one in again["findings"]["files"] if one["removed"]]
    assert "a letter of both" in fates(again, ids)


def test_it_is_told_in_words(svc: Svc, ids: dict[str, str]) -> None:
    """Each file by its id; and how many could not be looked into."""
    said = svc("erase-person", "--email", ADA["email"], "--dry-run").stdout

    assert f"- the file {ids['a letter of both']} (text/plain, 24 bytes): its text names the person" in said
    assert f"{ids['her picture']} (image/png" in said.partition("What stays:")[0]
    assert "- pictures, documents and archives (3): what is in them is not looked into" in said


def test_a_content_that_the_disk_lost_is_not_looked_into(svc: Svc, data: Path, ids: dict[str, str]) -> None:
    """It is no reason to fail: `svc check` tells of it."""
    root = DataDirectory(data).files
    for path in root.rglob("*"):
        if path.is_file() and path.read_bytes() == FILES["what Bo wrote"].content:
            path.unlink()

    assert "what Bo wrote" not in fates(report_of(svc, "--dry-run"), ids)
    assert len(digests_in(root, next(root.glob("org_*")).name)) == len(FILES) - 1
