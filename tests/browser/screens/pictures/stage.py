"""A stage for pictures: the built program, with a town's answers instead of a service.

The page, the policy and the files are those of the shell. What it shows is in `town.json`: answers of the
demo shop, recorded once, so that every text is the same in each run. The style sheet gets a font of the
tests' own, from the own origin, so the policy stays as it is.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from svc.http.screens.assets import STATIC_PATH, built
from svc.http.screens.boot import styles_for
from svc.http.screens.own_paths import WAYS_IN
from svc.http.screens.shell import POLICY

State = Literal["full", "empty", "loading", "failed", "cut off"]

ORIGIN: Final = "http://svc.localhost"
HERE: Final = Path(__file__).parent
AXE: Final = HERE.parents[3] / "screens/node_modules/axe-core/axe.min.js"
"""Which `make screens` installs."""
AXE_PATH: Final = "/axe.js"
TOWN: Final[dict[str, Any]] = json.loads((HERE / "town.json").read_text())
NOW_MS: Final[int] = TOWN["now"]
_COUNTS: Final = {"held", "queued", "live", "total", "count", "waiting"}
_STYLE: Final = """
@font-face { font-family: "Kept Mono"; src: url(/fonts/jetbrains-mono.woff2); font-weight: 100 800 }
:root { --mono: "Kept Mono", monospace }
*, *::before, *::after {
  animation: none !important;
  transition: none !important;
  caret-color: transparent !important;
}
"""
_PAGE: Final = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark"><title>svc</title>
<link rel="icon" href="/docs/icon.svg">{styles}
<script type="module" src="{script}"></script></head><body><div id="app"></div>
<script type="application/json" id="boot">{boot}</script></body></html>"""
_PROBLEM: Final = {
    "type": "/problems/internal",
    "title": "Something failed on our side",
    "status": 500,
    "code": "internal",
    "requestId": "069a1a8445578624fbdda4849007a53a",
}


class Stage:
    """What is shown now, and by which port."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.is_viewer = False
        self.extra_style = ""
        """Rules that the style sheet has beside its own."""
        self._state: State = "full"
        self._released = Event()

    @property
    def state(self) -> State:
        return self._state

    @state.setter
    def state(self, state: State) -> None:
        """Show *state* from the next request on; questions that were kept waiting end."""
        self._state = state
        self._released.set()
        self._released = Event()

    def wait(self) -> None:
        """Return when there is another state."""
        self._released.wait()


def browser_arguments(port: int) -> list[str]:
    """What makes Chromium find the stage under a name that stays the same, and draw alike everywhere."""
    mapped = f"--host-resolver-rules=MAP svc.localhost:80 127.0.0.1:{port}"
    return [mapped, "--font-render-hinting=none", "--disable-lcd-text", "--force-color-profile=srgb"]


def answer_to(tool: str, question: str) -> Any:
    """The answer of the town to that question, or else to another one of *tool*; None where it has none."""
    answers = TOWN["answers"]
    exact = answers.get(f"{tool} {question}")
    return exact or next((known for asked, known in answers.items() if asked.split(" ")[0] == tool), None)


def emptied(answer: Any) -> Any:
    """*answer* of an organization that has nothing yet: days stay, without anything on them."""
    found: dict[str, Any] = {
        name: [] if isinstance(value, list) else 0 if name in _COUNTS else value
        for name, value in answer.items()
    }
    return (
        found | {"days": [{**day, "submissions": 0} for day in answer["days"]]} if "days" in answer else found
    )


def _organization(*, is_viewer: bool) -> Any:
    known = TOWN["boot"]["organization"]
    return {**known, "role": "viewer", "permissions": ["records.read"]} if is_viewer else known


def _page(stage: Stage, path: str) -> bytes:
    manifest = built().manifest
    is_way_in = path in WAYS_IN
    boot = {
        "session": None if is_way_in else TOWN["boot"]["session"],
        "organization": None if is_way_in else _organization(is_viewer=stage.is_viewer),
        "mail": path == "/app/account/profile",
        "data": TOWN["answers"] if stage.state == "full" and not is_way_in else {},
    }
    block = json.dumps(boot).replace("<", "\\u003c")
    sheets = [f'<link rel="stylesheet" href="{STATIC_PATH}{name}">' for name in styles_for(manifest, path)]
    return _PAGE.format(boot=block, styles="".join(sheets), script=STATIC_PATH + manifest.script).encode()


class _Door(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stage: Stage

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path.startswith(STATIC_PATH):
            file = built().files[path.removeprefix(STATIC_PATH)]
            is_style = path.endswith(".css")
            plain = file.plain + (_STYLE + self.stage.extra_style).encode() if is_style else file.plain
            self._send(plain, file.content_type.decode(), forever=not is_style)
        elif path.startswith("/fonts/"):
            self._send((HERE / path[1:]).read_bytes(), "font/woff2", forever=True)
        elif path.startswith("/look/"):
            self._send(
                (files("svc.http.look") / "static" / path[6:]).read_bytes(), "font/woff2", forever=True
            )
        elif path == AXE_PATH:
            self._send(AXE.read_bytes(), "text/javascript", forever=True)
        elif path == "/docs/icon.svg":
            icon = (files("svc.http.docs") / "static/icon.svg").read_bytes()
            self._send(icon, "image/svg+xml", forever=True)
        elif path == "/app/api/events":
            self._begin("text/event-stream", None)
            self.stage.wait()
            self.close_connection = True
        elif path == "/docs/titles.json":
            self._answer({"guides": TOWN["guides"]})
        elif path.startswith("/app/api/"):
            self._answer(TOWN["sessions"] if path.endswith("/sessions") else TOWN["boot"]["session"])
        else:
            self._send(_page(self.stage, path), "text/html; charset=utf-8")

    def do_POST(self) -> None:
        question = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        path = urlsplit(self.path).path
        tool = path.rpartition("/")[2]
        if path.startswith("/app/api/tools/"):
            found = answer_to(tool, question)
            assert found is not None, f"the town has no answer to {tool} {question}"
            self._answer(found)
        elif path == "/app/api/authorization":
            self._answer(TOWN["authorization"] | TOWN["apps"].get(json.loads(question)["request"], {}))
        elif path == "/app/api/link":
            self._link(json.loads(question)["token"])
        else:
            self._answer(TOWN["boot"]["session"])

    def _link(self, token: str) -> None:
        """What the link called *token* is for; one that the town does not know works no more."""
        known = TOWN["links"].get(token)
        if known is not None:
            self._answer(known)
        else:
            gone = _PROBLEM | {"type": "/problems/not_found", "status": 404, "code": "not_found"}
            self._send(json.dumps(gone).encode(), "application/problem+json", status=404)

    def _answer(self, full: Any) -> None:
        """Answer *full* in the way of the state."""
        state = self.stage.state
        if state == "loading":
            self.stage.wait()
            self.close_connection = True
        elif state == "cut off":
            self.close_connection = True
        elif state == "failed":
            self._send(json.dumps(_PROBLEM).encode(), "application/problem+json", status=500)
        else:
            self._send(json.dumps(emptied(full) if state == "empty" else full).encode(), "application/json")

    def _send(self, body: bytes, content_type: str, *, status: int = 200, forever: bool = False) -> None:
        self._begin(content_type, len(body), status=status, forever=forever)
        self.wfile.write(body)

    def _begin(
        self, content_type: str, length: int | None, *, status: int = 200, forever: bool = False
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "max-age=31536000, immutable" if forever else "no-store")
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Not of interest."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *args: object) -> None:
        """A browser that goes on to the next scene waits for no answer."""


@contextmanager
def open_stage() -> Iterator[Stage]:
    """A stage on a port of its own."""

    class Door(_Door):
        pass

    with _Server(("127.0.0.1", 0), Door) as server:
        Door.stage = stage = Stage(server.server_port)
        serving = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        serving.start()
        yield stage
        stage.state = "cut off"
        server.shutdown()
        serving.join()
