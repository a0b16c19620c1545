"""The service is killed or stopped within calls of the gateway, and started again: credits stay exact."""

import json
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.cli.running import END_SECONDS, Service
from tests.http.ai.gateway import HEAD, chunk, event

GRANTED = 100_000_000
CONFIGURATION = """
[[ai.providers]]
name = "slow"
base_url = "http://127.0.0.1:{port}/v1"

[[ai.models]]
id = "slow"
providers = ["slow"]
input = 1
output = 2
context_tokens = 10000
output_tokens_max = 1000
"""


@contextmanager
def slow_provider() -> Iterator[int]:
    """A provider that sends one event and then nothing, and its port."""
    kept = []
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                kept.append(connection)
                connection.recv(65_536)
                connection.sendall(HEAD + chunk(event()))

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
    thread.join(END_SECONDS)
    for connection in kept:
        connection.close()


@pytest.mark.parametrize(("number", "ended"), [(signal.SIGKILL, "lost"), (signal.SIGTERM, "stopped")])
def test_no_reservation_is_left(tmp_path: Path, number: int, ended: str) -> None:
    """A killed call costs nothing, which the next start settles; a stopped one its estimate."""
    with slow_provider() as port:
        configuration = tmp_path / "svc.toml"
        configuration.write_text(CONFIGURATION.format(port=port) + "\n[server]\ngraceful_seconds = 1\n")
        args = ("--demo", "--config", str(configuration))
        service = Service(tmp_path / "data", *args)
        try:
            service.ready()
            facts = json.loads(service.data.demo.read_text())
            body = {"model": "slow", "stream": True, "messages": [{"role": "user", "content": "Hello"}]}
            headers = {"authorization": f"Bearer {facts['gatewayKey']}"}
            url = f"{facts['baseUrl']}/api/ai/v1/chat/completions"
            with httpx.stream("POST", url, json=body, headers=headers, timeout=END_SECONDS) as answer:
                parts = answer.iter_raw()
                assert event() == next(parts)
                [(reserved,)] = service.rows("SELECT amount FROM ai_ledger WHERE kind = 'reserve'")
                assert reserved < 0
                if number == signal.SIGTERM:
                    service.process.send_signal(number)
                    assert b'"overloaded"' in b"".join(parts)
                    service.process.wait(END_SECONDS)
                else:
                    service.end(number)
        finally:
            service.close()
        again = Service(tmp_path / "data", *args)
        try:
            again.ready()
            calls = again.rows("SELECT ended, charged_micro_credits FROM ai_calls")
            [(total,)] = again.rows("SELECT sum(amount) FROM ai_ledger")
            again.end()
        finally:
            again.close()

    [(how, charged)] = calls
    assert ended == how
    assert (charged > 0) is (ended == "stopped")
    assert GRANTED - charged == total
