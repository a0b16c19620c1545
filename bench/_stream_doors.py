"""What other doors feel: those of a record, a form and an embed, and a bridge that replies are pushed to."""

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from statistics import median, quantiles
from typing import Final

import msgspec

from bench._client import Client
from bench._stream_world import StreamWorld

PAUSE_SECONDS: Final = 0.02
PUSH_PAUSE_SECONDS: Final = 0.1
LATE_SECONDS_MAX: Final = 10
_TEXT: Final = re.compile(rb"r-\d+")
"""The text of a reply."""


class Felt(msgspec.Struct, frozen=True, kw_only=True):
    """How long something took in one phase, in ms."""

    what: str
    count: int
    p50_ms: float
    p99_ms: float


class Bridge:
    """A bridge that takes pushes, and notes when each text came."""

    def __init__(self, port: int) -> None:
        self.came: dict[str, float] = {}
        self.url = f"http://127.0.0.1:{port}/pushes"
        came = self.came

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                """Note a push."""
                body = self.rfile.read(int(self.headers["content-length"]))
                now = time.monotonic()
                came.setdefault(_TEXT.findall(body)[0].decode(), now)
                self.send_response(HTTPStatus.OK)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Take pushes in the block."""
        thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._server.shutdown()
            self._server.server_close()


class Doors:
    """The doors of the service at *port*."""

    def __init__(self, port: int, world: StreamWorld, bridge: Bridge) -> None:
        self._port, self._world, self._bridge = port, world, bridge
        self._forms = cycle(world.forms)
        self._texts = 0
        with Client(
            port, f"authorization: Bearer {world.api_key}", "content-type: application/json"
        ) as client:
            _, page = client.post("/api/v1/tools/record.list", b'{"objectType":"contact","limit":1}')
        self._record = msgspec.json.decode(page)["records"][0]["id"]

    def probe(self, seconds: float) -> list[Felt]:
        """Ask all doors for so long, each one request at a time."""
        felt: list[Felt] = []
        work: list[Callable[[float], Felt]] = [self._get, self._form, self._embed, self._push]
        threads = [threading.Thread(target=lambda do=do: felt.append(do(seconds))) for do in work]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if len(felt) < len(work):
            raise SystemExit("a door did not answer as it should; see above")
        return sorted(felt, key=lambda one: one.what)

    def _get(self, seconds: float) -> Felt:
        body = msgspec.json.encode({"objectType": "contact", "id": self._record})
        return self._ask("record.get", seconds, lambda: ("/api/v1/tools/record.get", body))

    def _form(self, seconds: float) -> Felt:
        def post() -> tuple[str, bytes]:
            values = {"name": "Anna Petrova", "email": f"{time.time_ns()}@mail.example", "message": "Hello"}
            return "/api/f/s", msgspec.json.encode({"f": next(self._forms), "v": values})

        return self._ask("form", seconds, post)

    def _embed(self, seconds: float) -> Felt:
        return self._ask("embed", seconds, lambda: (f"/api/e/{self._world.embed_key}", b""), method="GET")

    def _push(self, seconds: float) -> Felt:
        asked: dict[str, float] = {}
        until = time.monotonic() + seconds
        with self._client() as client:
            for conversation in cycle(self._world.conversations):
                if time.monotonic() >= until:
                    break
                self._texts += 1
                text = f"r-{self._texts}"
                body = msgspec.json.encode({"conversationId": conversation, "text": text})
                asked[text] = time.monotonic()
                _check(*client.post("/api/v1/tools/message.reply", body))
                time.sleep(PUSH_PAUSE_SECONDS)
        late = time.monotonic() + LATE_SECONDS_MAX
        while asked.keys() - self._bridge.came.keys() and time.monotonic() < late:
            time.sleep(PAUSE_SECONDS)
        if missing := asked.keys() - self._bridge.came.keys():
            raise SystemExit(
                f"{len(missing)} of {len(asked)} pushes did not come within {LATE_SECONDS_MAX} s"
            )
        return _felt("push", [(self._bridge.came[text] - at) * 1e3 for text, at in asked.items()])

    def _ask(
        self, what: str, seconds: float, ask: Callable[[], tuple[str, bytes]], method: str = "POST"
    ) -> Felt:
        took_ms = []
        until = time.monotonic() + seconds
        with self._client() as client:
            while time.monotonic() < until:
                path, body = ask()
                began = time.perf_counter()
                status, answer = client.ask(method, path, body)
                took_ms.append((time.perf_counter() - began) * 1e3)
                _check(status, answer)
                time.sleep(PAUSE_SECONDS)
        return _felt(what, took_ms)

    def _client(self) -> Client:
        headers = f"authorization: Bearer {self._world.api_key}", "content-type: application/json"
        return Client(self._port, *headers)


def _check(status: int, answer: bytes) -> None:
    if status != HTTPStatus.OK:
        raise SystemExit(f"a door answered {status}: {answer.decode()}")


def _felt(what: str, took_ms: list[float]) -> Felt:
    return Felt(what=what, count=len(took_ms), p50_ms=median(took_ms), p99_ms=quantiles(took_ms, n=100)[98])
