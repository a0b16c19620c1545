"""`svc run` while its standard error or standard output takes nothing: a full disk, a reader that is gone."""

import json
import os
import select
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.running import ANEW, END_SECONDS, Service

Start = Callable[..., Service]

FULL = Path("/dev/full")


@pytest.fixture
def start(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts the demo, and ends what a test leaves running."""
    monkeypatch.chdir(tmp_path)
    started: list[Service] = []

    def start_one(**kwargs: Any) -> Service:
        started.append(Service(data, "--demo", program=ANEW, **kwargs))
        return started[-1]

    yield start_one
    for one in started:
        one.close()


def full_device() -> tuple[int, ...]:
    if not FULL.exists():
        pytest.skip("this system has no /dev/full")
    return (os.open(FULL, os.O_WRONLY),)


def pipe_without_reader() -> tuple[int, ...]:
    reader, writer = os.pipe()
    os.close(reader)
    return (writer,)


def pipe_not_read() -> tuple[int, ...]:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writer, b"x" * select.PIPE_BUF)
    os.set_blocking(writer, True)
    return writer, reader


@pytest.fixture(params=[full_device, pipe_without_reader, pipe_not_read])
def dead(request: pytest.FixtureRequest) -> Iterator[int]:
    """A file descriptor that takes nothing: writes to it fail, or wait for ever."""
    descriptors = request.param()
    yield descriptors[0]
    for one in descriptors:
        os.close(one)


class Waiting:
    """A pull that waits at the service for a reply to be there."""

    def __init__(self, service: Service) -> None:
        facts = json.loads(service.data.demo.read_text())
        url, connection = httpx.URL(facts["baseUrl"]), facts["pullConnection"]
        self._socket = socket.create_connection((url.host, url.port or 0), END_SECONDS)
        self._answer = self._socket.makefile("rb")
        body = b'{"limit": 50, "waitSeconds": 20}'
        self._socket.sendall(
            b"POST /api/channels/v1/channel.outbox.pull HTTP/1.1\r\nHost: shop\r\n"
            b"Authorization: Bearer %b\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
            % (connection["channelKey"].encode(), len(body))
        )
        # From here on the service has taken the request up.
        assert b"HTTP/1.1 100 Continue\r\n" == self._answer.readline()
        self._socket.sendall(body)

    def answer(self) -> tuple[bytes, Any]:
        """The first line of the answer, and its body."""
        with closing(self._socket), closing(self._answer):
            head, _, body = self._answer.read().lstrip(b"\r\n").partition(b"\r\n\r\n")
        return head.partition(b"\r\n")[0], json.loads(body or b"null")


def submit(facts: dict[str, Any], email: str) -> httpx.Response:
    return httpx.post(f"{facts['baseUrl']}/api/f/s", json={"f": facts["formKey"], "v": {"email": email}})


def test_a_stop_is_in_order_with_a_dead_log(start: Start, dead: int) -> None:
    """With a dead log SIGTERM drains as always: waiting requests are answered, and the exit code is 0."""
    service = start(stderr=dead)
    service.ready()
    waiting = Waiting(service)

    service.process.send_signal(signal.SIGTERM)
    line, body = waiting.answer()

    assert b"HTTP/1.1 200 OK" == line
    assert body["ok"]
    assert 0 == service.process.wait(END_SECONDS)


def test_writes_that_fail_do_not_stop_the_service_with_a_dead_log(start: Start, dead: int) -> None:
    """With a dead log and a full disk every write is refused; once there is room, all is well again."""
    service = start(stderr=dead)
    operator = service.ready()["Operator"]
    facts = json.loads(service.data.demo.read_text())

    with service.full_disk():
        refused = [submit(facts, f"ada{number}@example.com") for number in range(3)]
        unready = httpx.get(f"{operator}/readyz")
    taken = submit(facts, "grace@example.com")
    ready = httpx.get(f"{operator}/readyz")

    assert [(500, "error")] * 3 == [(one.status_code, one.json()["reason"]) for one in refused]
    assert 503 == unready.status_code
    assert (200, {"ok": True}) == (taken.status_code, taken.json())
    assert 200 == ready.status_code
    assert 0 == service.end()


def test_a_service_starts_if_its_output_is_not_read(start: Start, dead: int) -> None:
    """With a dead standard output the service starts all the same, and logs what it could not print."""
    service = start(stdout=dead, stderr=subprocess.PIPE)
    assert service.stderr is not None

    with service.stderr as errors:
        record = json.loads(errors.readline())
        healthy = httpx.get(f"{record['operator'][0]}/healthz")
        assert 0 == service.end()

    assert ("ready, and the standard output takes nothing", 200) == (record["event"], healthy.status_code)


def fail_writes(service: Service, times: int) -> None:
    """Have submissions refused on a full disk, and then one taken."""
    facts = json.loads(service.data.demo.read_text())
    with service.full_disk():
        for number in range(times):
            assert 500 == submit(facts, f"ada{number}@example.com").status_code
    assert 200 == submit(facts, "grace@example.com").status_code


def test_a_disk_that_stays_full_is_logged_once_and_its_end(start: Start) -> None:
    """However many writes fail, the log has the first, and that it is over with how many more there were."""
    service = start(stderr=subprocess.PIPE)
    service.ready()
    assert service.stderr is not None

    fail_writes(service, 30)
    assert 0 == service.end()

    with service.stderr as errors:
        records = [json.loads(line) for line in errors]
    result = [one for one in records if one["event"].startswith("batch")]
    assert [("batch_failed", "error"), ("batches_succeed_again", "info")] == [
        (one["event"], one["level"]) for one in result
    ]
    assert result[1]["more"] >= 29


def test_a_log_on_the_full_disk_counts_its_lost_lines(start: Start) -> None:
    """As soon as there is room, one line has their number, and those that follow are there."""
    service = start()
    service.ready()

    fail_writes(service, 1)
    assert 0 == service.end()

    [lost] = [one for one in service.records() if one["event"] == "log lines were lost"]
    assert lost["lines"] >= 1
    assert ["batches_succeed_again", "stopping", "stopped"] == service.events()[-3:]
