"""What strangers cost who ask without any key for what is not there: the same again, or made up anew.

Run it as `python -m bench._abuse_strangers`. CPU is the server's, all threads, for each answer.
"""

import http.client
import time
from collections.abc import Callable
from contextlib import closing
from typing import Final, NamedTuple

from bench._machine import Server, free_port, is_ready, program, running, stand_aside
from bench._report import print_table
from bench._world import make_world, workspace
from svc.domain.crypto.keys import API_KEY, EMBED_KEY, FORM_KEY, new_key
from svc.domain.randomness import SYSTEM

REQUESTS: Final = 1_500
"""Of each kind, over one connection."""
WARM_UP: Final = 50
LONG: Final = "a." * 118
SECONDS_MAX: Final = 20
"""For each kind."""


class Stranger(NamedTuple):
    """What is asked for; *ask* makes the next request: method, path, body, headers."""

    what: str
    ask: Callable[[], tuple[str, str, bytes | None, dict[str, str]]]
    status: int


def _view(host: Callable[[], str]) -> Callable[[], tuple[str, str, bytes | None, dict[str, str]]]:
    return lambda: ("POST", "/api/t", b'{"url":"https://%b/"}' % host().encode(), {})


def _post(key: Callable[[], str]) -> Callable[[], tuple[str, str, bytes | None, dict[str, str]]]:
    return lambda: ("POST", "/api/f/s", b'{"f":"%b","v":{"email":"a@b.example"}}' % key().encode(), {})


def _preflight(key: Callable[[], str]) -> Callable[[], tuple[str, str, bytes | None, dict[str, str]]]:
    return lambda: ("OPTIONS", f"/api/f/s?f={key()}", None, {"origin": "https://a.example"})


def _embed(key: Callable[[], str]) -> Callable[[], tuple[str, str, bytes | None, dict[str, str]]]:
    return lambda: ("GET", f"/api/e/{key()}", None, {})


def _tool(key: Callable[[], str]) -> Callable[[], tuple[str, str, bytes | None, dict[str, str]]]:
    return lambda: ("POST", "/api/v1/tools/object.list", b"{}", {"authorization": f"Bearer {key()}"})


def _strangers() -> list[Stranger]:
    form, embed, api = new_key(FORM_KEY, SYSTEM), new_key(EMBED_KEY, SYSTEM), new_key(API_KEY, SYSTEM)
    count = iter(range(10**9))
    return [
        Stranger("a form key that cannot be one: no look-up", _post(lambda: "x"), 400),
        Stranger("page views of one unknown host", _view(lambda: "nobody.example"), 204),
        Stranger("page views of unknown hosts", _view(lambda: f"n{next(count)}.example"), 204),
        Stranger(
            "page views of unknown long hosts",
            _view(lambda: f"{LONG}n{next(count)}.example"),
            204,
        ),
        Stranger("posts to one unknown form", _post(lambda: form), 400),
        Stranger("posts to unknown forms", _post(lambda: new_key(FORM_KEY, SYSTEM)), 400),
        Stranger("preflights for one unknown form", _preflight(lambda: form), 403),
        Stranger("one unknown embed", _embed(lambda: embed), 404),
        Stranger("unknown embeds", _embed(lambda: new_key(EMBED_KEY, SYSTEM)), 404),
        Stranger("one unknown API key", _tool(lambda: api), 401),
    ]


def run() -> None:
    """Measure and print."""
    with workspace() as space:
        data = space / "data"
        make_world(data, organizations_count=20, forms_count=20)
        stand_aside()
        port, operator_port = free_port(), free_port()
        with running(
            program(data, port, operator_port),
            port,
            log=space / "svc.log",
            ready=lambda: is_ready(operator_port, data),
        ) as server:
            rows = [_measured(server, one) for one in _strangers()]
    print_table("Asked for what is not there", ["", "CPU µs each", "requests"], rows)


def _measured(server: Server, stranger: Stranger) -> list[str | float]:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)) as connection:
        for _ in range(WARM_UP):
            _ask(connection, stranger)
        before, until = server.cpu_seconds(), time.monotonic() + SECONDS_MAX
        done = 0
        while done < REQUESTS and time.monotonic() < until:
            _ask(connection, stranger)
            done += 1
        cpu = server.cpu_seconds() - before
    return [stranger.what, cpu / done * 1e6, str(done)]


def _ask(connection: http.client.HTTPConnection, stranger: Stranger) -> None:
    method, path, body, headers = stranger.ask()
    connection.request(method, path, body, {"content-type": "application/json"} | headers)
    answer = connection.getresponse()
    answer.read()
    if answer.status != stranger.status:
        raise SystemExit(f"{stranger.what}: {answer.status}, and not {stranger.status}")


if __name__ == "__main__":
    run()
