"""Signing in to the operator's listener: a cookie for the token, what it opens, and what it does not."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
import trio

from svc.actors.kinds import KINDS
from svc.actors.system import System
from svc.domain.identity.limits import PAIR_FAILURES_MAX, SIGN_IN_WINDOW_MS
from svc.http.operator.app import operator_app
from svc.http.operator.sessions import SESSION_COOKIE, SESSION_LIFE_MS, OperatorSessions
from tests.http.asking import client_of
from tests.town import SECRETS, START, town

TOKEN = "a-token-of-the-operator"
BROWSER = {"accept": "text/html"}
WEEK_SECONDS = 7 * 86_400


@asynccontextmanager
async def listener() -> AsyncIterator[tuple[System, httpx.AsyncClient]]:
    """A system, and a browser at its operator's listener."""
    async with town() as here:
        system = System(KINDS, here.store, here.clock, SECRETS)
        async with system.live(), client_of(operator_app(system, TOKEN)) as browser:
            yield system, browser


async def _sign_in(browser: httpx.AsyncClient, token: str = TOKEN, **headers: str) -> httpx.Response:
    return await browser.post("/debug/sign-in", data={"token": token}, headers={**BROWSER, **headers})


async def test_a_browser_is_asked_for_the_token(autojump_clock):
    """The page leads to a form that posts to itself; a program gets its 401."""
    async with listener() as (_, browser):
        led = await browser.get("/debug", headers=BROWSER)
        form = await browser.get("/debug/sign-in", headers=BROWSER)
        program = await browser.get("/debug")

        assert (303, "/debug/sign-in") == (led.status_code, led.headers["location"])
        assert 200 == form.status_code
        assert '<form method="post" action="/debug/sign-in"' in form.text
        assert "form-action 'self'" in form.headers["content-security-policy"]
        assert (401, "Bearer") == (program.status_code, program.headers["www-authenticate"])


async def test_the_token_gets_a_cookie_that_opens_what_it_opens(autojump_clock):
    """The cookie is for this listener alone, out of reach of scripts and of other sites."""
    async with listener() as (_, browser):
        answer = await _sign_in(browser)
        actors = await browser.get("/debug/actors")
        metrics = await browser.get("/metrics")
        again = await browser.get("/debug/sign-in", headers=BROWSER)

        assert (303, "/debug", "no-store") == (
            answer.status_code,
            answer.headers["location"],
            answer.headers["cache-control"],
        )
        attributes = answer.headers["set-cookie"].split("; ")[1:]
        assert {"HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"} <= set(attributes)
        assert "Secure" not in attributes
        assert (200, 200) == (actors.status_code, metrics.status_code)
        assert (303, "/debug") == (again.status_code, again.headers["location"])


async def test_over_tls_the_cookie_stays_there(autojump_clock):
    """Also where a proxy has the certificate: the page that the form was on came by https."""
    async with listener() as (_, browser):
        answer = await _sign_in(browser, origin="https://ops.example")

        assert "Secure" in answer.headers["set-cookie"].split("; ")


async def test_the_cookie_ends_after_twelve_hours(autojump_clock):
    """It holds until then, and not a moment longer."""
    async with listener() as (_, browser):
        await _sign_in(browser)
        await trio.sleep(SESSION_LIFE_MS / 1000 - 1)
        before = await browser.get("/debug/actors")
        await trio.sleep(1)
        after = await browser.get("/debug/actors")

        assert (200, 401) == (before.status_code, after.status_code)


def _of_another_token() -> str:
    return OperatorSessions("another-token").issue(START)


def _prolonged() -> str:
    end, _, signature = OperatorSessions(TOKEN).issue(START).partition(".")
    return f"{int(end) + 1}.{signature}"


@pytest.mark.parametrize("cookie", ["", "1.2", ".", "soon.never", _of_another_token(), _prolonged()])
async def test_a_cookie_that_is_not_ours_opens_nothing(autojump_clock, cookie):
    """That of another token, that with another end, and anything else."""
    async with listener() as (_, browser):
        browser.cookies.set(SESSION_COOKIE, cookie)

        assert 401 == (await browser.get("/debug/actors")).status_code


async def test_a_wrong_token_is_told(autojump_clock):
    """On the form, without a cookie."""
    async with listener() as (_, browser):
        answer = await _sign_in(browser, "a guess")

        assert 401 == answer.status_code
        assert "This is not the operator’s token." in answer.text
        assert "set-cookie" not in answer.headers


async def test_guesses_are_paced(autojump_clock):
    """After ten wrong ones not even the right one is looked at from there; a while later it is."""
    async with listener() as (_, browser):
        for _ in range(PAIR_FAILURES_MAX):
            assert 401 == (await _sign_in(browser, "a guess")).status_code

        refused = await _sign_in(browser)
        with_token = await browser.get("/debug/actors", headers={"authorization": f"Bearer {TOKEN}"})
        await trio.sleep(int(refused.headers["retry-after"]))
        admitted = await _sign_in(browser)

        assert (429, 200, 303) == (refused.status_code, with_token.status_code, admitted.status_code)
        assert 0 < int(refused.headers["retry-after"]) <= SIGN_IN_WINDOW_MS // 1000


async def test_what_changes_something_needs_the_csrf_token(autojump_clock):
    """By the cookie; the bearer token is enough by itself."""
    async with listener() as (_, browser):
        cookie = (await _sign_in(browser)).cookies[SESSION_COOKIE]
        csrf = OperatorSessions(TOKEN).csrf_token(cookie)
        body = {"name": "Quay", "owner": "ada@quay.example"}

        without = await browser.post("/commands/nothing", json=body)
        with_another = await browser.post("/commands/nothing", json=body, headers={"x-csrf-token": csrf[:-1]})
        with_it = await browser.post("/commands/nothing", json=body, headers={"x-csrf-token": csrf})
        browser.cookies.clear()
        by_bearer = await browser.post(
            "/commands/nothing", json=body, headers={"authorization": f"Bearer {TOKEN}"}
        )

        assert (403, "forbidden") == (without.status_code, without.json()["code"])
        assert 403 == with_another.status_code
        assert (404, 404) == (with_it.status_code, by_bearer.status_code)


async def test_signing_out_deletes_the_cookie(autojump_clock):
    """It asks for the CSRF token as well, so that no other site signs an operator out."""
    async with listener() as (_, browser):
        cookie = (await _sign_in(browser)).cookies[SESSION_COOKIE]
        csrf = OperatorSessions(TOKEN).csrf_token(cookie)

        refused = await browser.post("/debug/sign-out")
        done = await browser.post("/debug/sign-out", headers={"x-csrf-token": csrf})
        after = await browser.get("/debug/actors")

        assert (403, 204, 401) == (refused.status_code, done.status_code, after.status_code)


async def test_the_form_takes_no_long_body(autojump_clock):
    """It is open to anyone who can reach the listener."""
    async with listener() as (_, browser):
        answer = await _sign_in(browser, "x" * 5_000)

        assert 413 == answer.status_code


@pytest.mark.parametrize("path", ["/debug/sign-in/", "/debug/sign-out", "/debug//sign-in", "/app/staticx"])
async def test_nothing_else_is_open(autojump_clock, path):
    """Only the form itself needs no token."""
    async with listener() as (_, browser):
        assert 401 == (await browser.post(path)).status_code


def test_a_csrf_token_is_not_the_cookie_s_signature():
    """Neither can be made of the other."""
    sessions = OperatorSessions(TOKEN)
    cookie = sessions.issue(START)

    assert re.fullmatch(r"[0-9a-f]{64}", sessions.csrf_token(cookie))
    assert sessions.csrf_token(cookie) not in cookie
