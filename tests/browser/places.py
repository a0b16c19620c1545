"""What a browser can visit: a real service with its demo, and a website of a third party."""

import atexit
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread
from typing import Any, Final, TypeVar

from playwright.sync_api import Page

from svc.config.settings import CALLS_PER_MINUTE_MAX
from tests.forked import Forked

T = TypeVar("T")

WAIT_SECONDS: Final = 20


class Service:
    """A running service with its demo."""

    def __init__(self, data: Path) -> None:
        self.database = data / "svc.db"
        self.facts: dict[str, Any] = json.loads((data / "demo.json").read_text())
        self.url: str = self.facts["baseUrl"]
        [(self._submission, self._visit)] = self.rows(
            "SELECT (SELECT max(id) FROM submissions), (SELECT max(id) FROM visits)"
        )

    def rows(self, sql: str, *parameters: object) -> list[Any]:
        """What is on disk now."""
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as database:
            return database.execute(sql, parameters).fetchall()

    def submissions(self) -> list[tuple[str, dict[str, Any], str]]:
        """State, fields and contact of each submission since the demo was opened."""
        found = self.rows(
            "SELECT state, fields, contact_id FROM submissions WHERE id > ? ORDER BY id",
            self._submission,
        )
        return [(state, json.loads(fields), contact) for state, fields, contact in found]

    def filed(self) -> list[tuple[str, dict[str, Any], str]]:
        """The `submissions`, once there are some and all are filed."""
        return wait_for(
            self.submissions, lambda found: bool(found) and all(state == "filed" for state, *_ in found)
        )

    def visits(self) -> list[Any]:
        """Address, referrer, title and record of each page view since the demo was opened."""
        return self.rows(
            "SELECT url, referrer, title, record_id FROM visits WHERE id > ? ORDER BY id",
            self._visit,
        )


@contextmanager
def service_with_demo(directory: Path, **settings: str) -> Iterator[Service]:
    """A service of its own in *directory*, on ports that the system chose; it stops as it should.

    *settings* are those of its environment.
    """
    directory.mkdir(exist_ok=True)
    shutil.copytree(_filled(), directory / "data")
    with _running(directory, **settings) as service:
        yield service


@cache
def _filled() -> Path:
    """The data of a demo that was started once: to fill it is most of the work of a first start."""
    directory = Path(mkdtemp(prefix="demo-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    with _running(directory):
        pass
    return directory / "data"


@contextmanager
def _running(directory: Path, **settings: str) -> Iterator[Service]:
    data, log = directory / "data", directory / "log"
    binds = ["--bind", "127.0.0.1:0", "--operator-bind", "127.0.0.1:0"]
    with log.open("w") as stderr:
        # Tests click a hundred times faster than the person whose budget of calls they use.
        environment = {
            **os.environ,
            "SVC_TOOLS__CALLS_PER_MINUTE": str(CALLS_PER_MINUTE_MAX),
            **settings,
        }
        process = Forked("run", "--demo", "--data", str(data), *binds, stderr=stderr, env=environment)
    try:
        assert "ready" in process.stdout.readline(), log.read_text()
        yield Service(data)
    finally:
        process.terminate()
        process.wait(WAIT_SECONDS)
    assert 0 == process.returncode, log.read_text()


class Receiver:
    """A server to which deliveries are posted: what it answers next, and what it got."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/deliveries"
        self.status = 200
        self.body = "thanks"
        self.got: list[tuple[dict[str, str], bytes]] = []
        """Headers and body of each request."""


@contextmanager
def receiver_elsewhere() -> Iterator[Receiver]:
    """A receiver of deliveries, on a port of its own."""

    class Deliveries(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.got.append((dict(self.headers.items()), body))
            answer = receiver.body.encode()
            self.send_response(receiver.status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *args: object) -> None:
            """Not of interest."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Deliveries) as server:
        receiver = Receiver(server.server_port)
        serving = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        serving.start()
        yield receiver
        server.shutdown()
        serving.join()


class Website:
    """A website: its pages and scripts by their paths, and the headers that they all have."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.pages: dict[str, str] = {"/favicon.ico": ""}
        self.headers: dict[str, str] = {}

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"


@contextmanager
def website_elsewhere() -> Iterator[Website]:
    """A website on a port of its own, and so of another origin than the service."""

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            html = site.pages.get(path)
            kind = "javascript" if path.endswith(".js") else "html"
            self.send_response(404 if html is None else 200)
            for name, value in site.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", f"text/{kind}; charset=utf-8")
            self.end_headers()
            self.wfile.write((html or "").encode())

        def log_message(self, *args: object) -> None:
            """Not of interest."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        site = Website(server.server_port)
        serving = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        serving.start()
        yield site
        server.shutdown()
        serving.join()


def wait_for(look: Callable[[], T], is_it: Callable[[T], bool]) -> T:
    """What *look* finds, once *is_it* says so; fails with the last find when that never comes."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_it(found := look()):
        assert time.monotonic() < deadline, found
        time.sleep(0.02)
    return found


def complaints(page: Page) -> list[str]:
    """A list to which everything is added that the browser complains of on *page*, from now on."""
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: heard.append(str(error)))
    return heard
