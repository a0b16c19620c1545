"""The tracker, from a browser's request to what is kept of it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import trio
import trio.testing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from svc.actors.sites.site_traffic import SiteTraffic
from svc.domain.net.client_addresses import parse_networks
from svc.domain.sites.limits import (
    SITE_VISITS_MAX,
    VISIT_BODY_BYTES_MAX,
    VISIT_TITLE_CHARS_MAX,
    VISIT_URL_CHARS_MAX,
    VISITOR_KEY_DAYS,
    VISITOR_VISITS_MAX,
)
from svc.http.app import public_app
from svc.logging.throttled import LOG_SECONDS
from svc.storage.sites import sites
from tests import tables
from tests.http.asking import ADDRESS, client_of
from tests.town import Town, town

PAGE: Final = "https://lamps.example/brass"


class Tracked:
    """A town with a tracked site, and a browser on it."""

    def __init__(self, here: Town, browser: httpx.AsyncClient) -> None:
        self.here = here
        self.browser = browser

    async def tell(self, content: bytes | None = None, /, **told: Any) -> httpx.Response:
        """Report a view of `PAGE`, with the members in *told* replaced."""
        headers = {"content-type": "text/plain;charset=UTF-8"} | told.pop("headers", {})
        body = json.dumps({"url": PAGE} | told).encode() if content is None else content
        return await self.browser.post("/api/t", content=body, headers=headers)

    async def visits(self) -> list[Any]:
        return await self.here.rows(tables.visits)


@asynccontextmanager
async def tracked(*trusted_proxies: str) -> AsyncIterator[Tracked]:
    async with town() as here, here.live_system() as system:
        await here.store.write(sites.create, here.organization.id, "lamps.example")
        app = public_app(system, trusted_proxies=parse_networks(trusted_proxies))
        async with client_of(app) as browser:
            yield Tracked(here, browser)


async def test_a_page_view_is_kept(autojump_clock):
    """A view is on disk once it is answered, without the address and with nothing private of the URLs."""
    async with tracked() as site:
        answer = await site.tell(
            url="https://www.lamps.example/brass?utm_source=letter&token=secret#x",
            referrer="https://search.example/?q=private",
            title="Brass lamps",
        )

        [visit] = await site.visits()
        assert (204, b"") == (answer.status_code, answer.content)
        assert (
            "https://www.lamps.example/brass?utm_source=letter",
            "https://search.example/",
            "Brass lamps",
        ) == (visit.url, visit.referrer, visit.title)
        assert ADDRESS not in str(visit)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff",
        b"[]",
        b"null",
        b"{}",
        b'{"url": 1}',
        b'{"url": "/brass"}',
        b'{"url": "file:///etc/passwd"}',
        b'{"url": "https://lamps.example:99999/"}',
        b'{"url": "https://ada:secret@lamps.example/"}',
        b'{"url": "https://lamps.example/", "title": 5}',
        b'{"url": "https://lamps.example/", "title": "a\\u0000b"}',
        b'{"url": "https://lamps.example/", "title": "\\ud800"}',
        b'{"url": "https://lamps.example/' + b"x" * 2_000 + b'"}',
        b'{"a": ' + b"[" * 4_000,
        b'{"url": "https://somewhere-else.example/"}',
        b'{"url": "https://lamps.example.evil.example/"}',
        b'{"url": "https://lamps.example/a", "url": "https://lamps.example/b"}',
    ],
)
async def test_what_is_no_view_of_a_tracked_page_is_passed_over(autojump_clock, body):
    """Whatever else comes is answered 204 as well, leaves nothing behind, and is not worth a log line."""
    async with tracked() as site:
        with capture_logs() as logged:
            answer = await site.tell(body)

        assert 204 == answer.status_code
        assert [] == await site.visits()
        assert [] == [line for line in logged if line["log_level"] != "info"]


async def test_an_untracked_host_costs_no_actor(autojump_clock):
    """Made-up hosts do not stay in memory."""
    async with town() as here, here.live_system() as system, client_of(public_app(system)) as browser:
        for number in range(50):
            await browser.post("/api/t", json={"url": f"https://{number}.example/"})
        await trio.testing.wait_all_tasks_blocked()

        assert [] == system.actors(SiteTraffic.__name__)


async def test_the_limit_of_a_body_is_exact(autojump_clock):
    """4,096 bytes are read, and one more is not."""
    async with tracked() as site:
        body = json.dumps({"url": PAGE}).encode()

        longest = await site.tell(body.ljust(VISIT_BODY_BYTES_MAX))
        too_long = await site.tell(body.ljust(VISIT_BODY_BYTES_MAX + 1))

        assert [204, 204] == [longest.status_code, too_long.status_code]
        assert 1 == len(await site.visits())


@pytest.mark.parametrize(
    ("origin", "kept"),
    [
        (None, True),
        ("https://lamps.example", True),
        ("https://www.lamps.example", True),
        ("http://lamps.example:8080", True),
        ("https://shop.lamps.example", False),
        ("https://evil.example", False),
        ("null", False),
        ("http://[", False),
    ],
)
async def test_a_page_reports_only_its_own_host(autojump_clock, origin, kept):
    """A view reported by a page of another host is not kept; without an origin there was no page."""
    async with tracked() as site:
        answer = await site.tell(headers={} if origin is None else {"origin": origin})

        assert (204, kept) == (answer.status_code, len(await site.visits()) == 1)
        assert origin == answer.headers.get("access-control-allow-origin")


async def test_no_browser_has_to_complain(autojump_clock):
    """Beacons with cookies, beacons as JSON, isolated pages: all find the headers they look for."""
    async with tracked() as site:
        origin = {"origin": "https://lamps.example"}

        preflight = await site.browser.options("/api/t", headers=origin)
        beacon = await site.tell(headers=origin | {"content-type": "application/json"})

        assert [204, 204] == [preflight.status_code, beacon.status_code]
        for answer in (preflight, beacon):
            assert "https://lamps.example" == answer.headers["access-control-allow-origin"]
            assert "true" == answer.headers["access-control-allow-credentials"]
            assert "origin" == answer.headers["vary"]
            assert "cross-origin" == answer.headers["cross-origin-resource-policy"]
        assert ("POST", "content-type", "86400") == tuple(
            preflight.headers[f"access-control-{name}"]
            for name in ("allow-methods", "allow-headers", "max-age")
        )
        assert 1 == len(await site.visits())


async def test_faster_than_anyone_reads_is_not_counted(autojump_clock):
    """A visitor has 60 views a minute; those beyond are answered alike, and a minute later it goes on."""
    async with tracked() as site:
        answers = [await site.tell() for _ in range(VISITOR_VISITS_MAX + 1)]
        in_a_minute = len(await site.visits())
        await trio.sleep(60)
        await site.tell()

        assert {204} == {answer.status_code for answer in answers}
        assert VISITOR_VISITS_MAX == in_a_minute
        assert VISITOR_VISITS_MAX + 1 == len(await site.visits())


async def test_failures_are_nothing_to_a_browser(autojump_clock):
    """When a view cannot be kept the answer is the same, and the log has the reason."""
    async with tracked() as site:
        await site.here.store.write(lambda tx: tables.visits.drop(tx.conn))
        with capture_logs() as logged:
            after_a_crash = await site.tell()
            await trio.sleep(LOG_SECONDS)
            await site.here.store.aclose()
            without_a_store = await site.tell()

        assert [204, 204] == [after_a_crash.status_code, without_a_store.status_code]
        reasons = [line["latest"] for line in logged if line["event"] == "page views were not kept"]
        assert ["ActorCrashed", "StoreClosed"] == [type(why).__name__ for why in reasons]


async def test_a_submission_attaches_the_visits_that_led_to_it(autojump_clock):
    """The visitor whom a server names is the one whose browser looked around behind the same proxy."""
    async with tracked("192.0.2.0/24") as site:
        form = await site.here.form()
        await site.tell(headers={"x-forwarded-for": "198.51.100.9", "user-agent": "Browser"})
        await site.tell(headers={"x-forwarded-for": "198.51.100.10", "user-agent": "Browser"})

        answer = await site.browser.post(
            "/api/f/s",
            json={"f": form.form_key, "v": {"email": "ada@example.com"}},
            headers={"x-visitor-ip": "198.51.100.9", "x-visitor-ua": "Browser"},
        )
        await trio.sleep(1)

        [contact] = await site.here.rows(tables.records)
        assert 200 == answer.status_code
        assert [contact.id, None] == [visit.record_id for visit in await site.visits()]


async def test_other_methods_are_not_allowed(autojump_clock):
    """The door is for POST."""
    async with tracked() as site:
        answer = await site.browser.get("/api/t")

        assert (405, "POST, OPTIONS") == (answer.status_code, answer.headers["allow"])


urls = st.text() | st.text().map(lambda rest: f"https://lamps.example/{rest}")
views = st.fixed_dictionaries({"url": urls}, optional={"referrer": st.text(), "title": st.none() | st.text()})


@pytest.mark.fuzz
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=views.map(lambda view: json.dumps(view).encode()) | st.binary(max_size=200))
async def test_the_answer_is_always_204(autojump_clock, body):
    """No text that a browser may send makes the door fail, or store what cannot be stored."""
    async with tracked() as site:
        with capture_logs() as logged:
            answer = await site.tell(body)

        assert 204 == answer.status_code
        assert [] == [line for line in logged if line["log_level"] in {"warning", "error"}]
        for visit in await site.visits():
            assert "\0" not in f"{visit.url}{visit.referrer}{visit.title}"


async def test_the_script_is_small_and_sent_once(autojump_clock):
    """`/t.js` is under 1 KB, may be loaded by any page, and is not sent again to a browser that has it."""
    async with tracked() as site:
        script = await site.browser.get("/t.js")
        again = await site.browser.get("/t.js", headers={"if-none-match": script.headers["etag"]})

        assert (200, "text/javascript; charset=utf-8") == (script.status_code, script.headers["content-type"])
        assert len(script.content) < 1_000
        assert (304, b"") == (again.status_code, again.content)
        for answer in (script, again):
            assert "public, max-age=3600, stale-while-revalidate=86400" == answer.headers["cache-control"]
            assert "nosniff" == answer.headers["x-content-type-options"]
            assert "cross-origin" == answer.headers["cross-origin-resource-policy"]
            assert "*" == answer.headers["access-control-allow-origin"]


async def test_the_script_keeps_nothing_in_the_browser(autojump_clock):
    """It touches neither cookies nor storage, and leaves no global behind."""
    async with tracked() as site:
        script = (await site.browser.get("/t.js")).text

        for word in ("cookie", "Storage", "indexedDB", "window.", "globalThis", "var "):
            assert word not in script


def test_the_limits_are_documented():
    """docs/sites-and-visits.md shows the numbers that count."""
    documented = (Path(__file__).parents[3] / "docs" / "sites-and-visits.md").read_text()

    for number, unit in (
        (VISIT_BODY_BYTES_MAX, "bytes"),
        (VISIT_URL_CHARS_MAX, "characters"),
        (VISIT_TITLE_CHARS_MAX, "characters"),
        (VISITOR_VISITS_MAX, "a minute"),
        (VISITOR_KEY_DAYS, "days"),
    ):
        assert f"{number:,} {unit}" in documented
    assert f"{SITE_VISITS_MAX:,}" in documented
