"""`svc run` on a disk without a byte left: it starts, reads, says so, and writes once there is room."""

import json
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from svc.cli.data_directory import KEY_BYTES
from svc.storage.migrations import migrate
from svc.storage.private_files import create_private
from tests.cli.running import END_SECONDS, Service
from tests.small_disk import SmallDisk, small_disk
from tests.storage.keeping import KEPT

Start = Callable[..., Service]
ROOM_SECONDS = 1


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", 16) as disk:
        yield disk


@pytest.fixture
def start(disk: SmallDisk) -> Iterator[Start]:
    """Starts the demo on the disk, and ends what a test leaves running."""
    started: list[Service] = []

    def start_one(*args: str) -> Service:
        started.append(Service(disk.place / "data", *args, inside=disk.inside))
        return started[-1]

    yield start_one
    for one in started:
        one.close()


class Demo:
    """A client of the demo on *disk*."""

    def __init__(self, disk: SmallDisk, service: Service) -> None:
        urls = service.ready()
        facts = json.loads(disk.outside(service.data.demo).read_bytes())
        self.facts: dict[str, Any] = facts
        self._urls = urls
        self._authorized = {"Authorization": f"Bearer {facts['apiKey']}"}

    def call(self, tool: str, **arguments: Any) -> httpx.Response:
        url = f"{self._urls['Public']}/api/v1/tools/{tool}"
        return httpx.post(url, headers=self._authorized, json=arguments)

    def write(self) -> httpx.Response:
        return self.call("record.create", objectType="contact", properties={"name": "Grace Hopper"})

    def ready(self) -> httpx.Response:
        return httpx.get(f"{self._urls['Operator']}/readyz")


@pytest.mark.parametrize("ended", [signal.SIGKILL, signal.SIGTERM], ids=["by_a_crash", "well"])
def test_a_service_starts_reads_and_says_so_on_a_full_disk(disk: SmallDisk, start: Start, ended: int) -> None:
    """However it ended before: nothing is written until there is room, and then all is as ever."""
    service = start("--demo")
    demo = Demo(disk, service)
    assert 200 == demo.write().status_code
    disk.fill()
    assert 503 == demo.write().status_code
    assert 200 == demo.call("record.list", objectType="contact").status_code
    service.end(ended)
    disk.fill()

    for _ in range(2):
        again = start("--demo")
        demo = Demo(disk, again)
        listed = demo.call("record.list", objectType="contact")
        refused, unready = demo.write(), demo.ready()
        assert (200, 503, 503) == (listed.status_code, refused.status_code, unready.status_code)
        assert "the data cannot be written" in refused.json()["detail"]
        assert "the data cannot be written: the disk is full" == unready.json()["checks"]["store"]["why"]
        [said] = [one for one in again.records() if one["event"].startswith("the disk is full")][-1:]
        assert str(disk.place / "data") == said["directory"]
        again.end(ended)
        disk.fill()

    last = start("--demo")
    demo = Demo(disk, last)
    disk.make_room()
    assert (200, 200) == (demo.write().status_code, demo.ready().status_code)
    assert 0 == last.end()


def put(disk: SmallDisk, *, landed: str) -> None:
    """Put data that an earlier version has written on *disk*."""
    data = disk.outside(disk.place / "data")
    data.mkdir(mode=0o700)
    create_private(data / "secret.key", b"k" * KEY_BYTES)
    create_private(data / "operator.token", b"a-token-of-the-operators-own")
    written = disk.place.with_name("landed.db")  # SQLite takes no path through another process
    with closing(sqlite3.connect(written)) as database:
        database.executescript((KEPT / f"{landed}.sql").read_text())
    create_private(data / "svc.db", written.read_bytes())


@pytest.mark.parametrize(
    ("landed", "room", "said"),
    [
        (None, 0, "secret.key: No space left on device"),
        (migrate.known_revisions()[-1], 0, "svc.db.lock: No space left on device"),
        (
            migrate.known_revisions()[-1],
            40_000,
            "svc.db cannot be used: the data cannot be written: the disk is full",
        ),
        ("0020", 80_000, "svc.db cannot be migrated: database or disk is full"),
    ],
    ids=["the_first", "without_a_reserve", "with_room_to_open_it", "with_a_migration"],
)
def test_a_start_that_has_no_room_names_the_file(
    disk: SmallDisk, start: Start, landed: str | None, room: int, said: str
) -> None:
    """One line and exit 1; the data are as they were, and the next start with room has all of them."""
    if landed is not None:
        put(disk, landed=landed)
    disk.fill(but=room)

    service = start()
    ended = service.process.wait(4 * END_SECONDS)  # it may begin a migration first

    [line] = [one for one in service.errors().splitlines() if not one.startswith("{")]
    assert (1, "Error: ") == (ended, line[:7])
    assert said in line
    disk.make_room()
    again = start()
    again.ready()
    assert 0 == again.end()
