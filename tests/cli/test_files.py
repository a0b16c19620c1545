"""Files of a running service: kept through `kill -9` and a full disk, in backups, and known to `check`."""

import hashlib
import json
import os
import signal
import socket
import tarfile
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from svc.storage.files.directory import digests_in, organizations_in, path_of, put
from svc.storage.files.integrity import LEFT_OVER_MS
from tests.cli.conftest import Svc
from tests.cli.running import END_SECONDS, TRIES, Service
from tests.files import PNG

ROWS = "SELECT organization_id, digest FROM files WHERE digest IS NOT NULL ORDER BY 1, 2"


@pytest.fixture
def services(data: Path) -> Iterator[list[Service]]:
    """Services that ran on `data`; they are ended with the test."""
    started: list[Service] = []
    yield started
    for service in started:
        service.close()


def start(services: list[Service], data: Path) -> tuple[Service, httpx.Client]:
    service = Service(data, "--demo")
    services.append(service)
    url = service.ready()["Public"]
    key = json.loads(service.data.demo.read_text())["apiKey"]
    return service, httpx.Client(
        base_url=url, headers={"authorization": f"Bearer {key}"}, timeout=END_SECONDS
    )


def on_disk(root: Path) -> list[tuple[str, str]]:
    return [(of, digest) for of in organizations_in(root) for digest in digests_in(root, of)]


def wait_until_swept(service: Service, client: httpx.Client) -> None:
    """Return once the disk has what the rows have, and nothing that was broken off."""
    root = service.data.files
    for _ in range(TRIES):
        if on_disk(root) == service.rows(ROWS) and not list((root / "incoming").iterdir()):
            return
        client.get("/t.js")
    pytest.fail("the files are still not swept")


class Sender(threading.Thread):
    """Uploads one new content after the other, until it gets no answer."""

    def __init__(self, client: httpx.Client, answers: threading.Semaphore) -> None:
        super().__init__()
        self.kept: dict[str, bytes] = {}
        self._client, self._answers = client, answers

    def run(self) -> None:
        for count in range(TRIES):
            content = PNG + f"{count}".encode() * 10_000
            try:
                answer = self._client.post("/api/v1/files", content=content)
            except httpx.HTTPError:
                return
            self.kept[answer.json()["fileId"]] = content
            self._answers.release()


def test_what_was_answered_survives_a_kill(services: list[Service], data: Path, svc: Svc) -> None:
    """Every answered file is there, byte for byte; what was on its way is swept, and nothing is left over."""
    service, client = start(services, data)
    answers = threading.Semaphore(0)
    sender = Sender(client, answers)
    url = client.base_url
    with client, closing(socket.create_connection((url.host, url.port or 0), END_SECONDS)) as half:
        head = (
            f"POST /api/v1/files HTTP/1.1\r\nHost: a\r\nAuthorization: {client.headers['authorization']}\r\n"
        )
        half.sendall(head.encode() + b"Content-Length: 2000000\r\n\r\n" + bytes(1_000_000))
        sender.start()
        for _ in range(20):
            assert answers.acquire(timeout=END_SECONDS)
        assert -signal.SIGKILL == service.end(signal.SIGKILL)
        sender.join(END_SECONDS)
    assert list((service.data.files / "incoming").iterdir())
    organization = json.loads(service.data.demo.read_text())["organizationId"]
    put(service.data.files, organization, b"a content whose row was not committed")

    assert 0 == svc("check").exit_code
    again, client = start(services, data)
    with client:
        wait_until_swept(again, client)
        for file_id, content in sender.kept.items():
            assert content == client.get(f"/api/v1/files/{file_id}").content
    assert 0 == again.end()
    assert 0 == svc("check").exit_code


def test_a_full_disk_refuses_uploads_and_nothing_else_is_lost(
    services: list[Service], data: Path, svc: Svc
) -> None:
    """Uploads are answered 503 until there is room; what was there is served meanwhile."""
    service, client = start(services, data)
    with client:
        first = client.post("/api/v1/files", content=PNG).json()["fileId"]
        with service.full_disk():
            refused = client.post("/api/v1/files", content=os.urandom(1_000_000))
            served = client.get(f"/api/v1/files/{first}")
        kept = client.post("/api/v1/files", content=PNG + b"2")

        assert (503, "overloaded") == (refused.status_code, refused.json()["code"])
        assert "retry-after" in refused.headers
        assert str(data) not in refused.text
        assert (200, 200) == (served.status_code, kept.status_code)
        wait_until_swept(service, client)
    assert 0 == service.end()
    assert 0 == svc("check").exit_code


def test_a_backup_has_the_files(services: list[Service], data: Path, svc: Svc, tmp_path: Path) -> None:
    """Of a running service: they are those of the copied rows, and come back byte for byte."""
    service, client = start(services, data)
    backup, other = tmp_path / "backup.tar", tmp_path / "other"
    with client:
        content = os.urandom(300_000)
        file_id = client.post("/api/v1/files", content=content).json()["fileId"]
        made = svc("backup", str(backup))
        exported = svc("export", "--all", str(tmp_path / "export"))
    digest = hashlib.sha256(content).hexdigest()
    assert 0 == exported.exit_code
    assert content == (tmp_path / "export" / "contents" / digest).read_bytes()
    assert file_id in (tmp_path / "export" / "files.ndjson").read_text()
    assert 0 == service.end()

    restored = svc("restore", str(backup), "--data", str(other))

    assert (0, 0) == (made.exit_code, restored.exit_code), made.output + restored.output
    assert on_disk(data / "files") == on_disk(other / "files")
    [organization] = organizations_in(other / "files")
    assert content == path_of(other / "files", organization, digest).read_bytes()
    assert 0 == svc("check", "--data", str(other)).exit_code
    with tarfile.open(backup) as tar:
        assert ["files.json", "SHA256SUMS"] == tar.getnames()[-2:]
    _damaged_backups_replace_nothing(svc, backup, other)
    _a_missing_content_is_told(svc, data, tmp_path, path_of(data / "files", organization, digest))


def _damaged_backups_replace_nothing(svc: Svc, backup: Path, other: Path) -> None:
    """Cut off behind the database, without a file, with another content under a name."""

    def rewritten(name: str, change: Any) -> Path:
        to = backup.with_name(name)
        with tarfile.open(backup) as old, tarfile.open(to, "w") as new:
            for member in old:
                body = old.extractfile(member)
                assert body is not None
                if change(member.name) == "left out":
                    continue
                if change(member.name) == "other":
                    member.size = 0
                    new.addfile(member)
                else:
                    new.addfile(member, body)
        return to

    def kept(path: str) -> bool:
        return path in {"svc.db", "secret.key", "files.json"}

    for name, change in {
        "no-end.tar": lambda path: "left out" if path == "files.json" else "",
        "no-files.tar": lambda path: "" if kept(path) else "left out",
        "other.tar": lambda path: "" if kept(path) else "other",
    }.items():
        result = svc("restore", str(rewritten(name, change)), "--force", "--data", str(other))

        assert 1 == result.exit_code
        assert "Traceback" not in result.output
        assert not (other / "before-restore-1").exists()


def _a_missing_content_is_told(svc: Svc, data: Path, tmp_path: Path, missing: Path) -> None:
    """By a check and by a backup, which has all the rest; and a content of no file by a check."""
    missing.unlink()
    left_over = put(data / "files", missing.parent.parent.name, b"left over")
    path = path_of(data / "files", missing.parent.parent.name, left_over.digest)
    old = path.stat().st_mtime - LEFT_OVER_MS / 1_000 - 10
    os.utime(path, (old, old))

    checked = svc("check")
    made = svc("backup", str(tmp_path / "incomplete.tar"))
    restored = svc("restore", str(tmp_path / "incomplete.tar"), "--data", str(tmp_path / "third"))

    assert (1, 1, 0) == (checked.exit_code, made.exit_code, restored.exit_code)
    assert "1 broken  every file's content is on the disk" in checked.stdout
    assert "1 broken  no content is on the disk for days that no file has" in checked.stdout
    assert str(missing) in checked.stdout
    assert str(path) in checked.stdout
    assert "1 files are missing" in made.stderr
    assert "1 files were missing when the backup was made" in restored.stderr
