"""Who may use the operator's listener: programs by the token, browsers by a cookie that they get for it."""

import hmac
from typing import Final
from urllib.parse import urlsplit

import msgspec
from quart import Response, redirect, request
from quart.typing import ResponseReturnValue
from quart.wrappers.base import BaseRequestWebsocket
from werkzeug.datastructures import Headers
from werkzeug.wrappers import Response as WerkzeugResponse

from svc.actors.system import System
from svc.domain.errors import Forbidden
from svc.domain.identity.sign_in_pace import SignInPace
from svc.domain.locale.times import SECOND_MS
from svc.http.docs.pages import Pages
from svc.http.operator.sessions import SESSION_COOKIE, SESSION_LIFE_MS, OperatorSessions
from svc.http.quart_app import current_request
from svc.http.request.bearer import token_of
from svc.http.request.session_cookie import CSRF_HEADER

DEBUG_PATH: Final = "/debug"
SIGN_IN_PATH: Final = "/debug/sign-in"

_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_ACCOUNT: Final = "operator"
_FORM_BYTES_MAX: Final = 4_096
_HEADERS: Final = {
    # Without an `Origin`, which `no-referrer` takes from a form, it is not known that a browser came by TLS.
    "Referrer-Policy": "same-origin",
}


class Session(msgspec.Struct, frozen=True):
    """What a request was let in by. Of a cookie, it has the end and the CSRF token."""

    ends_at: int | None = None
    csrf_token: str | None = None


class Access:
    """Verifies tokens and cookies, and signs browsers in."""

    def __init__(self, system: System, token: str, pages: Pages) -> None:
        self._clock = system.clock
        self._token = token
        self._sessions = OperatorSessions(token)
        self._pages = pages
        # In memory, with the limits of sign-ins: an operator has to come in while the data cannot be read.
        self._pace = SignInPace()

    def session(self, asked: BaseRequestWebsocket) -> Session | None:
        """What *asked* is let in by; None if by nothing."""
        if self._is_token(token_of(asked.headers.get("Authorization", ""))):
            return Session()
        cookie = asked.cookies.get(SESSION_COOKIE, "")
        ends_at = self._sessions.ends_at(cookie, self._clock.now())
        return None if ends_at is None else Session(ends_at, self._sessions.csrf_token(cookie))

    def check_csrf(self, session: Session) -> None:
        """Raises `Forbidden` if the request changes something, by a cookie, without its CSRF token."""
        if session.csrf_token is None or request.method in _READS:
            return
        sent = request.headers.get(CSRF_HEADER, "")
        if not hmac.compare_digest(sent.encode(), session.csrf_token.encode()):
            raise Forbidden(f"the header {CSRF_HEADER} is missing, or is not this session's")

    async def show_form(self) -> ResponseReturnValue:
        """The page that asks for the token; with a session, the way to what it opens."""
        if self.session(current_request()) is not None:
            return _see_other(DEBUG_PATH)
        return await self._form()

    async def sign_in(self) -> ResponseReturnValue:
        """Give the browser its cookie, if the form has the token. Guesses are paced as those of passwords."""
        current_request().max_content_length = _FORM_BYTES_MAX
        now, address = self._clock.now(), current_request().peer
        next_try_at = self._pace.next_try_at(_ACCOUNT, address, now)
        if next_try_at is not None:
            seconds = -(-(next_try_at - now) // SECOND_MS)
            answer = await self._form(429, "Too many attempts failed. Try again later.")
            answer.headers["Retry-After"] = str(seconds)
            return answer
        if not self._is_token((await request.form).get("token", "").strip()):
            self._pace.add(_ACCOUNT, address, now)
            return await self._form(401, "This is not the operator’s token.")
        signed_in = _see_other(DEBUG_PATH)
        signed_in.set_cookie(
            SESSION_COOKIE,
            self._sessions.issue(now),
            max_age=SESSION_LIFE_MS // SECOND_MS,
            httponly=True,
            samesite="Strict",
            secure=_is_encrypted(request.scheme, request.headers),
        )
        return signed_in

    async def sign_out(self) -> Response:
        """Delete the browser's cookie."""
        signed_out = Response(b"", status=204, headers={"Cache-Control": "no-store"})
        encrypted = _is_encrypted(request.scheme, request.headers)
        signed_out.delete_cookie(SESSION_COOKIE, httponly=True, samesite="Strict", secure=encrypted)
        return signed_out

    async def _form(self, status: int = 200, fault: str | None = None) -> Response:
        answer = await self._pages.show_uncached("docs/operator_sign_in.html", status, fault=fault)
        answer.headers.update(_HEADERS)
        return answer

    def _is_token(self, sent: str | None) -> bool:
        """Compared in constant time."""
        return sent is not None and hmac.compare_digest(sent.encode(), self._token.encode())


def is_own_origin(headers: Headers) -> bool:
    """Whether a WebSocket is opened by a page of this listener, or by a program, which sends no `Origin`."""
    origin = headers.get("Origin")
    return origin is None or urlsplit(origin).netloc == headers.get("Host", "")


def _is_encrypted(scheme: str, headers: Headers) -> bool:
    """Whether the browser came by TLS, be it to a proxy: then the page that it posts from did as well."""
    return scheme == "https" or headers.get("Origin", "").startswith("https://")


def _see_other(target: str) -> WerkzeugResponse:
    answer = redirect(target, 303)
    answer.headers["Cache-Control"] = "no-store"
    return answer
