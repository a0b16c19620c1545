"""`svc run` where the system allows few open files: what waits is closed for what asks."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx
import pytest

from tests.cli.running import Service

DESCRIPTORS: Final = 64
IDLE: Final = 2 * DESCRIPTORS
PROGRAM: Final = f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({DESCRIPTORS}, {DESCRIPTORS}))
from svc.cli import main
main()
"""
ASKED_BEFORE: Final = b"GET /robots.txt HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.fixture
def service(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.chdir(tmp_path)
    for key in ("HEAD_SECONDS", "KEEP_ALIVE_SECONDS"):  # nothing else closes them
        monkeypatch.setenv(f"SVC_SERVER__{key}", "600")
    started = Service(data, program=("-c", PROGRAM))
    yield started
    started.close()


@pytest.mark.parametrize(
    ("sent", "addresses"),
    [
        pytest.param(b"", 50, id="silent"),
        pytest.param(ASKED_BEFORE, 1, id="idle, of one address"),
        pytest.param(ASKED_BEFORE[:-2], 1, id="half a head, of one address"),
    ],
)
def test_idle_connections_make_room(service: Service, sent: bytes, addresses: int) -> None:
    """With twice as many of them as descriptors, the next request is answered, and the operator's, too."""
    urls = service.ready()
    public = urlsplit(urls["Public"])

    with ExitStack() as idle:
        for number in range(IDLE):
            own = (f"127.0.1.{1 + number % addresses}", 0)
            one = socket.create_connection((public.hostname, public.port), timeout=30, source_address=own)
            idle.enter_context(one).sendall(sent)
        asked = [httpx.get(f"{urls['Public']}/robots.txt", timeout=30).status_code for _ in range(5)]
        token = service.data.operator_token.read_text().strip()
        operator = httpx.get(
            f"{urls['Operator']}/readyz", headers={"authorization": f"Bearer {token}"}, timeout=30
        )

    assert [200] * 5 == asked
    assert 200 == operator.status_code


def test_the_connections_are_fitted_to_the_descriptors(service: Service) -> None:
    """One line at the start says how many connections there may be, and what would allow them all."""
    service.ready()
    [line] = [one for one in service.records() if "connections_max" in one["event"]]

    assert (DESCRIPTORS, 1_400, DESCRIPTORS // 3) == (line["may"], line["needs"], line["connections"])
