"""`svc top`, the command: what it needs, and what it refuses. tests/cli/top has what it shows."""

import socket
import subprocess
import sys
import threading
from pathlib import Path

from svc.cli.top.link import News, ServiceLink, State
from tests.cli.conftest import Svc
from tests.planted import TOKEN, planted


def test_without_a_service_it_says_so(shop: Path, svc: Svc) -> None:
    """And where it looked."""
    result = svc("top")

    assert (1, True) == (result.exit_code, f"no service runs with the data in {shop}" in result.output)


def test_an_address_has_a_scheme(shop: Path, svc: Svc) -> None:
    """So that nothing is sent to the wrong place."""
    result = svc("top", "--server", "localhost:8001")

    assert (1, True) == (result.exit_code, "no address such as http://127.0.0.1:8001" in result.output)


def test_another_token_is_refused_in_a_line(shop: Path, svc: Svc, monkeypatch) -> None:
    """A service elsewhere, by its address: the screen ends, and the command says why."""
    monkeypatch.setenv("TEXTUAL_DRIVER", "textual.drivers.headless_driver:HeadlessDriver")
    monkeypatch.setenv("SVC_OPERATOR__TOKEN", f"another-{TOKEN}")
    with planted() as service:
        result = svc("top", "--server", service.url)

    assert 1 == result.exit_code
    assert "another operator token: set SVC_OPERATOR__TOKEN" in result.output


def test_a_service_has_nothing_of_it_in_memory() -> None:
    """Neither what draws nor the client of WebSockets."""
    program = "import sys, svc.cli.commands.run, svc.cli.commands.top; print([*sys.modules])"
    modules = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, encoding="utf-8"
    ).stdout

    assert "'svc.http.operator.live'" in modules
    assert not [name for name in ("textual", "rich", "trio_websocket", "pygments") if f"'{name}" in modules]


def test_where_nothing_listens_it_tries_again() -> None:
    """And says why, until something does."""
    told: list[News] = []
    heard = threading.Event()

    def tell(news: News) -> None:
        told.append(news)
        heard.set()

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    link = ServiceLink(f"http://127.0.0.1:{port}", TOKEN, tell)
    link.start()
    heard.wait()
    link.stop()

    (state,) = told
    assert isinstance(state, State)
    assert ("away", True) == (state.connection, state.why.endswith("Connection refused"))
