"""The service and its commands over a PostgreSQL database."""

import json
import stat
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from svc.storage.files.directory import put
from tests.cli.conftest import Svc
from tests.cli.running import Service
from tests.postgresql_server import Server, running_server

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as server:
        yield server


def test_a_service_serves_over_it_and_commands_reach_it(
    server: Server, svc: Svc, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An organization is made through the running service, is there after a restart, and needs its key."""
    url = server.create_database("served", "TEMPLATE template0")
    monkeypatch.setenv("SVC_DATA__DATABASE", url)
    with closing(Service(data)) as service:
        public = service.ready()["Public"]
        made = svc("setup", "--name", "Lamps", "--email", "anna@example.com", "--json")
        assert 0 == made.exit_code, made.output
        key = json.loads(made.stdout)["key"]
        headers = {"Authorization": f"Bearer {key}"}
        values = {"objectType": "contact", "properties": {"name": "Ada", "email": "ada@example.com"}}
        created = httpx.post(f"{public}/api/v1/tools/record.create", json=values, headers=headers)
        assert 200 == created.status_code, created.text
        found = svc("doctor")
        assert "/served can be used." in found.stdout
        assert 0 == service.end(), service.errors()

    with closing(Service(data)) as service:
        public = service.ready()["Public"]
        listed = httpx.post(
            f"{public}/api/v1/tools/record.list", json={"objectType": "contact"}, headers=headers
        )
        assert [created.json()["id"]] == [record["id"] for record in listed.json()["records"]]
        assert 0 == service.end(), service.errors()
    assert not (data / "svc.db").exists()

    (data / "secret.key").unlink()
    with closing(Service(data)) as service:
        assert service.process.wait(60)
        assert "Put the key back" in service.errors()
    assert not (data / "secret.key").exists()


def test_a_rehearsal_of_migrations_is_refused(svc: Svc, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line, without the password, and before anything is connected to."""
    monkeypatch.setenv("SVC_DATA__DATABASE", "postgresql://anna:hidden@db.invalid/svc")
    refused = svc("upgrade")
    [line] = refused.stderr.splitlines()

    assert 0 != refused.exit_code
    assert "svc upgrade is of the embedded database alone" in line
    assert "the data is in postgresql://db.invalid/svc: " in line
    assert "the next start migrates it" in line
    assert "hidden" not in line


def test_a_backup_and_a_dump_bring_everything_back(
    server: Server, svc: Svc, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key, the configuration and the contents of files are in the one, and the data in the other."""
    configuration = tmp_path / "svc.toml"
    configuration.write_text('[log]\nformat = "json"\n')
    monkeypatch.setenv("SVC_DATA__DATABASE", server.create_database("kept", "TEMPLATE template0"))
    made = svc("setup", "--name", "Lamps", "--email", "anna@example.com", "--json")
    assert 0 == made.exit_code, made.output
    content = put(data / "files", json.loads(made.stdout)["organizationId"], b"a lamp")
    before = svc("org", "list").stdout
    dump = server.dump("kept")
    backup = tmp_path / "backup.tar"
    done = svc("backup", str(backup), "--config", str(configuration))

    assert 0 == done.exit_code, done.output
    assert "and 1 contents of files" in done.stderr
    assert "run `pg_dump" in done.stderr
    assert 0o600 == stat.S_IMODE(backup.stat().st_mode)
    again = svc("backup", str(backup))
    assert (1, True) == (again.exit_code, "is there already" in again.stderr)

    url, other = server.create_database("back", "TEMPLATE template0"), tmp_path / "other"
    server.restore(dump, "back")
    monkeypatch.setenv("SVC_DATA__DATABASE", url)
    restored = svc("restore", str(backup), "--data", str(other))

    assert 0 == restored.exit_code, restored.output
    assert "pg_restore --no-owner" in restored.stderr
    assert before == svc("org", "list", "--data", str(other)).stdout
    assert 0 == svc("check", "--data", str(other)).exit_code
    assert (data / "secret.key").read_bytes() == (other / "secret.key").read_bytes()
    assert configuration.read_bytes() == (other / "svc.toml").read_bytes()
    assert b"a lamp" in {path.read_bytes() for path in (other / "files").rglob(f"*{content.digest[2:]}")}

    over = svc("restore", str(backup), "--data", str(other))
    assert (1, True) == (over.exit_code, "--force" in over.stderr)
    assert 0 == svc("restore", str(backup), "--data", str(other), "--force").exit_code
    assert (other / "before-restore-1" / "secret.key").exists()


def test_a_backup_goes_back_to_where_it_was_made(
    svc: Svc, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One with its data is not restored beside a database, and one without is not restored alone."""
    assert 0 == svc("setup", "--name", "Lamps", "--email", "anna@example.com").exit_code
    assert 0 == svc("backup", str(tmp_path / "embedded.tar")).exit_code
    monkeypatch.setenv("SVC_DATA__DATABASE", "postgresql://anna:hidden@db.invalid/svc")
    assert 0 == svc("backup", str(tmp_path / "beside.tar")).exit_code
    of_embedded = svc("restore", str(tmp_path / "embedded.tar"))
    monkeypatch.delenv("SVC_DATA__DATABASE")
    of_beside = svc("restore", str(tmp_path / "beside.tar"))

    for refused, why in ((of_embedded, "svc move --to"), (of_beside, "has no data, which was in")):
        [line] = refused.stderr.splitlines()
        assert 1 == refused.exit_code
        assert why in line
        assert "postgresql://db.invalid/svc" in line
        assert "hidden" not in line


def test_a_damaged_backup_of_what_is_beside_brings_nothing_back(
    svc: Svc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte that changed is noticed before anything is written."""
    assert 0 == svc("setup", "--name", "Lamps", "--email", "anna@example.com").exit_code
    monkeypatch.setenv("SVC_DATA__DATABASE", "postgresql://db.invalid/svc")
    backup, other = tmp_path / "beside.tar", tmp_path / "other"
    assert 0 == svc("backup", str(backup)).exit_code
    with tarfile.open(backup) as archive:
        begins = archive.getmember("secret.key").offset_data
    stored = bytearray(backup.read_bytes())
    stored[begins + 3] ^= 1
    backup.write_bytes(stored)
    refused = svc("restore", str(backup), "--data", str(other))

    assert (1, True) == (refused.exit_code, "secret.key is not as it was written" in refused.stderr)
    assert not other.exists()


def test_the_address_is_never_printed(svc: Svc, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by `svc config`, nor by what is wrong with it."""
    monkeypatch.setenv("SVC_DATA__DATABASE", "postgresql://anna:hidden@db.invalid/svc")
    assert "hidden" not in svc("config").output
    for wrong in (
        "postgresql://anna:se/secret@db/svc",
        "postgresql://anna:12/secret@db/svc",
        "mysql://a:secret@b/c",
    ):
        monkeypatch.setenv("SVC_DATA__DATABASE", wrong)
        refused = svc("config")
        assert 0 != refused.exit_code
        assert "secret" not in refused.output


def test_backups_by_schedule_are_refused_with_it(
    svc: Svc, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """They would be of a file that has no data."""
    monkeypatch.setenv("SVC_DATA__DATABASE", "postgresql://db.invalid/svc")
    monkeypatch.setenv("SVC_BACKUP__DIRECTORY", str(tmp_path))
    assert "backups of data.database are made by PostgreSQL's own programs" in svc("config").output
