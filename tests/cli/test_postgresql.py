"""The service and its commands over a PostgreSQL database."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

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


@pytest.mark.parametrize(
    ("command", "instead"),
    [
        (("backup", "file"), "run pg_dump"),
        (("restore", "file"), "pg_restore"),
        (("upgrade",), "the next start migrates it"),
    ],
)
def test_commands_of_the_file_say_so(
    command: tuple[str, ...], instead: str, svc: Svc, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one line, without the password, and before anything is connected to."""
    monkeypatch.setenv("SVC_DATA__DATABASE", "postgresql://anna:hidden@db.invalid/svc")
    refused = svc(*command)
    [line] = refused.stderr.splitlines()

    assert 0 != refused.exit_code
    assert f"svc {command[0]} is of the embedded database alone" in line
    assert "the data is in postgresql://db.invalid/svc: " in line
    assert instead in line
    assert "hidden" not in line


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
