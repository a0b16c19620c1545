"""Imports for benches: a file of contacts, and the job of a server that reads it."""

import base64
import csv
import hashlib
import time
from pathlib import Path
from typing import Any, Final

import msgspec

from bench._client import Client
from bench._machine import Server
from bench._neighbours import World
from svc.domain.imports.limits import IMPORT_PART_BYTES

LINES: Final = 100_000
HEADINGS: Final = ("name", "email", "city", "job_title")
BUDGET: Final = 100_000
POLL_SECONDS: Final = 0.25
PATIENCE_SECONDS: Final = 600


def contacts(path: Path, mark: str) -> Path:
    """A file of `LINES` contacts that have *mark* in their names."""
    with path.open("w", newline="") as written:
        lines = csv.writer(written)
        lines.writerow(HEADINGS)
        lines.writerows(
            (f"Anna Petrova {mark} {number}", f"{mark}{number}@mail.example", "Kiel", "Engineer")
            for number in range(LINES)
        )
    return path


class Job:
    """An import by a key of the first organization."""

    def __init__(self, server: Server, world: World) -> None:
        self._server = server
        self._key = f"authorization: Bearer {world.flooding_keys[0]}"

    def call(self, tool: str, **body: Any) -> Any:
        with Client(self._server.port, "content-type: application/json", self._key) as client:
            status, answer = client.post(f"/api/v1/tools/{tool}", msgspec.json.encode(body))
        if status != 200:
            raise SystemExit(f"{tool}: {status} {answer.decode()}")
        return msgspec.json.decode(answer)

    def upload(self, file: Path) -> Any:
        opened = self.call("import.start", objectType="contact", bytes=file.stat().st_size)
        with file.open("rb") as content, Client(self._server.port, self._key) as client:
            number = 0
            while part := content.read(IMPORT_PART_BYTES):
                digest = base64.b64encode(hashlib.sha256(part).digest()).decode()
                status, answer = client.post(
                    f"{opened['uploadPath']}{number}", part, f"content-digest: sha-256=:{digest}:"
                )
                if status != 200:
                    raise SystemExit(f"part {number}: {status} {answer.decode()}")
                number += 1
        return opened

    def wait(self) -> float:
        """Wait for its end; the most memory that the server had meanwhile, in MiB."""
        most = 0.0
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            most = max(most, self._server.rss_mib())
            found = self.call("import.get")
            if found["state"] == "done":
                return most
            if found["state"] != "running":
                raise SystemExit(f"the import is {found['state']}: {found['failure']}")
            time.sleep(POLL_SECONDS)
        raise SystemExit("the import did not end")
