"""The page of the live view, and its built files."""

import gzip
import re

import httpx
import msgspec
import pytest
from werkzeug.exceptions import NotFound

from svc.http.app import quart_app
from svc.http.fast_path import Routes
from svc.http.operator.access import Session
from svc.http.operator.page import DebugPage
from svc.http.quart_doors import add_doors
from svc.http.screens.assets import STATIC_PATH, Assets, Manifest, PageFiles, StaticFile
from svc.http.screens.shell import POLICY
from svc.http.screens.static_door import StaticDoor
from tests.http.asking import client_of

SCRIPT = b"alert(1)"
FILES = {"debug.js": StaticFile(b"text/javascript; charset=utf-8", gzip.compress(SCRIPT, mtime=0))}
DEBUG = PageFiles(script="debug.js", style="debug.css")


def _assets(debug: PageFiles | None = DEBUG) -> Assets:
    manifest = Manifest(script="a.js", style="a.css", icons="i.svg", files=("debug.js",), debug=debug)
    return Assets(manifest, FILES)


def _page(debug: PageFiles | None = DEBUG) -> DebugPage:
    return DebugPage(_assets(debug))


def _files() -> httpx.AsyncClient:
    """A client of the built files, as the operator's listener serves them: by Quart, which has its doors."""
    app = quart_app()
    add_doors(app, Routes({STATIC_PATH: StaticDoor(_assets())}))
    return client_of(app)


async def test_the_page_runs_its_own_script_alone(autojump_clock):
    """With the policy of the screens, nothing of their frame, and the CSRF token of its session."""
    answer = await _page().show(Session(1, "c5rf"))

    html = await answer.get_data(as_text=True)
    assert POLICY == answer.headers["content-security-policy"]
    assert ("no-store", "Cookie") == (answer.headers["cache-control"], answer.headers["vary"])
    assert ["/app/static/debug.js"] == re.findall(r'<script type="module" src="(.+?)"', html)
    assert "/app/static/a.js" not in html
    assert {"/app/static/a.css", "/app/static/debug.css"} <= set(re.findall(r'href="(.+?)"', html))
    [boot] = re.findall(r'<script type="application/json" id="debug-boot">(.+?)</script>', html)
    assert {"csrfToken": "c5rf"} == msgspec.json.decode(boot)


async def test_files_are_sent_as_they_are_accepted(autojump_clock):
    """Compressed or plain, for good, since their names change with them."""
    async with _files() as listener:
        zipped = await listener.get("/app/static/debug.js", headers={"accept-encoding": "gzip"})
        plain = await listener.get("/app/static/debug.js", headers={"accept-encoding": "identity"})

    assert ("gzip", SCRIPT) == (zipped.headers["content-encoding"], zipped.content)
    assert (False, SCRIPT) == ("content-encoding" in plain.headers, plain.content)
    assert "immutable" in plain.headers["cache-control"]


async def test_what_is_not_built_is_not_found(autojump_clock):
    """A file that there is not, and the page where the build lacks it."""
    async with _files() as listener:
        assert 404 == (await listener.get("/app/static/other.js")).status_code
    with pytest.raises(NotFound):
        await _page(None).show(Session())
