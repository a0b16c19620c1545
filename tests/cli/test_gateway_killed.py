"""The service is killed or stopped within calls of the gateway, and started again: credits stay exact."""

import json
import signal
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

import httpx
import pytest
import trio

from tests.cli.conftest import Svc
from tests.cli.running import END_SECONDS, Service
from tests.http.ai.gateway import COST, HEAD, PROMPT, STREAMED, chunk, event, responds, whole
from tests.http.ai.test_exits import ANSWER_COST, PROMPT_COST
from tests.receivers import read_request, receiver

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


FIFTY: Final = 50
MESSAGE: Final = {"role": "user", "content": PROMPT}
ENOUGH: Final = 25
"""So many calls have ended when the service is killed; the others are under way."""
SERVED: Final[dict[str, tuple[bytes, bool, str, int]]] = {
    "whole": (responds(whole()), False, "answered", COST),
    "whole-no-usage": (responds(whole(usage=None)), False, "answered", PROMPT_COST + ANSWER_COST),
    "streamed": (STREAMED, True, "answered", COST),
    "fails": (responds(b"", 500), True, "unanswered", 0),
    "no-completion": (responds(b"<html>"), False, "unanswered", 0),
    "breaks": (HEAD + chunk(event()), True, "broken", PROMPT_COST + ANSWER_COST),
    "left": (HEAD + chunk(event()), True, "left", PROMPT_COST + ANSWER_COST),
    "held": (HEAD + chunk(event()), True, "lost", 0),
    "silent": (b"", False, "lost", 0),
    "half": (responds(whole())[:-30], False, "lost", 0),
}
"""By the model: what the provider sends, whether the call is streamed, how it ends, and its charge."""
MODELS: Final = """
[[ai.models]]
id = "{model}"
providers = ["slow"]
input = 1
output = 2
context_tokens = 10000
output_tokens_max = 1000
"""


async def _provide(stream: trio.abc.Stream) -> None:
    """Answer each call as its model has it; some send no more, and keep the connection."""
    while request := await read_request(stream):
        model = json.loads(request.partition(b"\r\n\r\n")[2])["model"]
        await stream.send_all(SERVED[model][0])
        if model == "breaks":
            return
        if model in {"left", "held", "silent", "half"}:
            await stream.receive_some(1)
            return


class _Clients:
    """Clients of one service, which may die."""

    def __init__(self, service: Service) -> None:
        facts = json.loads(service.data.demo.read_text())
        self._url = httpx.URL(facts["baseUrl"])
        self._key = facts["gatewayKey"]
        self.ended = 0
        self.enough = trio.Event()

    async def call(self, model: str) -> None:
        """Call *model*, and read its answer to the end; of `left`, only the beginning."""
        body = json.dumps({"model": model, "stream": SERVED[model][1], "messages": [MESSAGE]})
        head = (
            f"POST /api/ai/v1/chat/completions HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
            f"Authorization: Bearer {self._key}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        stream = await trio.open_tcp_stream(self._url.host, self._url.port or 80)
        async with stream:
            await stream.send_all((head + body).encode())
            with suppress(trio.BrokenResourceError):
                while await stream.receive_some(65_536) and model != "left":
                    pass
        self.ended += 1
        if self.ended == ENOUGH:
            self.enough.set()


async def test_fifty_mixed_calls_and_a_kill_leave_exact_credits(data: Path, svc: Svc) -> None:
    """Each is charged as the table of exits has it, or lost and free; the service that follows goes on."""
    async with receiver(_provide) as url:
        configuration = data.parent / "gateway.toml"
        port = httpx.URL(url).port
        configuration.write_text(
            CONFIGURATION.format(port=port) + "".join(MODELS.format(model=model) for model in SERVED)
        )
        args = ("--demo", "--config", str(configuration))
        service = Service(data, *args)
        again: Service | None = None
        try:
            await trio.to_thread.run_sync(service.ready)
            clients = _Clients(service)
            with trio.fail_after(END_SECONDS):
                async with trio.open_nursery() as nursery:
                    for number in range(FIFTY):
                        nursery.start_soon(clients.call, [*SERVED][number % len(SERVED)])
                    await clients.enough.wait()
                    service.end(signal.SIGKILL)
            again = Service(data, *args)
            await trio.to_thread.run_sync(again.ready)
            after_kill = _ends(again)
            clients = _Clients(again)
            with trio.fail_after(END_SECONDS):
                async with trio.open_nursery() as nursery:
                    for model in ("whole", "streamed", "fails", "breaks", "left"):
                        nursery.start_soon(clients.call, model)
            await trio.to_thread.run_sync(again.end)
            ends = _ends(again)
            [(balance, least)] = again.rows("SELECT sum(amount), min(balance_after) FROM ai_ledger")
        finally:
            service.close()
            if again is not None:
                again.close()

    for model, ended, charged in ends:
        assert (ended, charged) in {SERVED[model][2:], ("lost", 0)}, model
    left = FIFTY // len(SERVED)  # clients that have left, of which the service may not have known yet
    assert ENOUGH - left <= sum(ended != "lost" for _, ended, _ in after_kill.elements())
    assert {"held", "silent", "half"} <= {model for model, ended, _ in after_kill if ended == "lost"}
    assert 5 == sum((ends - after_kill).values())
    assert GRANTED - sum(charged for _, _, charged in ends.elements()) == balance
    assert least >= 0
    assert 0 == svc("check").exit_code


def _ends(service: Service) -> Counter[tuple[str, str, int]]:
    return Counter(
        (model, ended, charged)
        for model, ended, charged in service.rows("SELECT model, ended, charged_micro_credits FROM ai_calls")
    )
