"""The request log when the service is killed between an answer and its batch, or is stopped there."""

import json
import signal
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import Svc
from tests.cli.running import END_SECONDS, TRIES, Service

LOGGED = "SELECT number, request_id FROM requests ORDER BY number"


def call(url: str, key: str, request_id: str) -> None:
    """A call that is answered."""
    headers = {"authorization": f"Bearer {key}", "x-request-id": request_id}
    httpx.post(f"{url}/api/v1/tools/object.list", json={}, headers=headers).raise_for_status()


def logged(service: Service) -> list[str]:
    """The calls in the log, whose numbers count up by one."""
    rows = service.rows(LOGGED)
    assert [*range(1, len(rows) + 1)] == [number for number, _ in rows]
    return [request_id for _, request_id in rows]


def wait_logged(service: Service, url: str, request_id: str) -> None:
    for _ in range(TRIES):
        if request_id in logged(service):
            return
        httpx.get(f"{url}/docs/")  # which gives the service time
    pytest.fail(f"{request_id} is not in the log: {service.errors()}")


def test_a_kill_loses_what_was_not_written_yet_and_a_stop_nothing(tmp_path: Path, svc: Svc) -> None:
    """What was in the log stays, it goes on after that, and the data are whole."""
    service = Service(tmp_path / "data", "--demo")
    try:
        url = service.ready()["Public"]
        key = json.loads((tmp_path / "data/demo.json").read_text())["apiKey"]
        call(url, key, "first")
        wait_logged(service, url, "first")
        call(url, key, "killed")
        service.process.send_signal(signal.SIGKILL)
        service.process.wait(END_SECONDS)
        left = logged(service)
    finally:
        service.close()
    again = Service(tmp_path / "data")
    try:
        call(again.ready()["Public"], key, "stopped")
        assert 0 == again.end()
        found = logged(again)
    finally:
        again.close()

    assert left in (["first"], ["first", "killed"])
    assert [*left, "stopped"] == found
    assert 0 == svc("check").exit_code
