"""What the suite asks and is answered, as JSON lines; ids, tokens and the order of tasks follow from a seed.

It is a program of its own, run in a checkout over that checkout's suite:

    python …/bench/_answer_recorder.py FILE PYTEST-ARGUMENT…

Requests are recorded where all of them come by, however a test sends them: at `FastPath`. Time is the tests'
mock clock's; in tests over real sockets, which have none, it stands still.
"""

import json
import random
import secrets
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from random import Random
from typing import Any, Final, TextIO
from unittest.mock import patch

import httpx
import pytest
import trio
from trio.testing import MockClock

BYTES: Final = 32
"""What `secrets.token_bytes` returns where it is not told."""
_LEFT_OUT: Final = frozenset({b"authorization", b"cookie", b"x-csrf-token", b"host", b"content-length"})
"""Headers of requests that have secrets and addresses of one run, or follow from the rest."""


class SeededBytes:
    """Randomness by a seed. Each length is a sequence of its own: one more key changes no id."""

    def __init__(self) -> None:
        self.begin("")

    def begin(self, seed: str) -> None:
        """Start anew from *seed*."""
        self._seed = seed
        self._drawn: Counter[int] = Counter()

    def __call__(self, nbytes: int | None = None) -> bytes:
        count = BYTES if nbytes is None else nbytes
        self._drawn[count] += 1
        return Random(f"{self._seed} {count} {self._drawn[count]}").randbytes(count)


class AnswerRecorder:
    """A plugin of pytest that writes a line for each request of each test."""

    def __init__(self, to: TextIO, source: SeededBytes) -> None:
        self._to = to
        self._source = source
        self._test = ""
        self._requests = 0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Seed each test by its name."""
        self._test, self._requests = item.nodeid, 0
        self._source.begin(item.nodeid)
        random.seed(item.nodeid)
        with (
            patch("trio._core._run._ALLOW_DETERMINISTIC_SCHEDULING", new=True),
            patch("trio._core._run._r", new=Random(item.nodeid)),
        ):
            return (yield)

    def recorded(self, app: Any) -> Any:
        """An ASGI application's unbound `__call__` that does what *app* does, and writes what passes."""

        async def call(this: Any, scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] != "http":
                await app(this, scope, receive, send)
                return
            self._requests += 1
            place = {"test": self._test, "number": self._requests}
            asked, answer, head = bytearray(), bytearray(), {"status": 0, "headers": []}

            async def receives() -> Any:
                message = await receive()
                asked.extend(message.get("body", b""))
                return message

            async def sends(message: Any) -> None:
                if message["type"] == "http.response.start":
                    head.update(message)
                answer.extend(message.get("body", b""))
                await send(message)

            try:
                await app(this, scope, receives, sends)
            finally:
                line = place | _request(scope, asked) | _answer(head, answer)
                self._to.write(json.dumps(line) + "\n")

        return call


def _request(scope: Any, asked: bytearray) -> dict[str, Any]:
    fields = dict(scope["headers"])
    query = _text(scope.get("query_string", b""))
    return {
        "method": scope["method"],
        "path": _text(scope.get("raw_path") or scope["path"].encode()) + (f"?{query}" if query else ""),
        "caller": "key" if b"authorization" in fields else "person" if b"cookie" in fields else "nobody",
        "fields": sorted(
            [_text(name), _text(value)] for name, value in fields.items() if name not in _LEFT_OUT
        ),
        "asked": _text(asked),
    }


def _answer(head: Any, answer: bytearray) -> dict[str, Any]:
    headers = sorted([_text(name), _text(value)] for name, value in head["headers"])
    return {"status": head["status"], "headers": headers, "answer": _text(_unpacked(head, bytes(answer)))}


def _unpacked(head: Any, answer: bytes) -> bytes:
    try:
        return httpx.Response(200, headers=head["headers"], content=answer).content
    except httpx.DecodingError:  # it broke off
        return answer


def _text(data: bytes | bytearray) -> str:
    return data.decode(errors="backslashreplace")


def main(to: Path, arguments: list[str]) -> int:
    """Run the tests of *arguments*, and write what they ask *to* a file. Returns pytest's exit code."""
    source = SeededBytes()
    secrets.token_bytes = source
    from svc.clock import VirtualClock  # noqa: PLC0415  # the program takes its randomness when it is imported
    from svc.http.fast_path import FastPath  # noqa: PLC0415

    now = VirtualClock.now

    def now_or_start(clock: VirtualClock) -> int:
        return now(clock) if isinstance(trio.lowlevel.current_clock(), MockClock) else clock._start

    with to.open("w", encoding="utf-8") as file:
        recorder = AnswerRecorder(file, source)
        with (
            patch.object(VirtualClock, "now", now_or_start),
            patch.object(FastPath, "__call__", recorder.recorded(FastPath.__call__)),
        ):
            return pytest.main(["-q", "-n0", "-p", "no:cacheprovider", *arguments], plugins=[recorder])


if __name__ == "__main__":
    sys.path[0] = str(Path.cwd())  # the checkout, instead of this file's directory
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
