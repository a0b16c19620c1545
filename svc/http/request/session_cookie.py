"""The session cookie, and the CSRF token that goes with it."""

import hmac
from typing import Final

from svc.domain.errors import Forbidden, Unauthenticated
from svc.domain.identity.sessions import csrf_token

SESSION_COOKIE: Final = "svc_session"
BROWSER_COOKIE: Final = "svc_browser"
"""Marks a known browser: see `svc.domain.identity.known_browsers`."""
CSRF_HEADER: Final = "X-CSRF-Token"
CHALLENGE: Final = 'Session realm="svc"'
"""A scheme that browsers do not know, so that they show no password dialog of their own."""


def cookie_name(name: str, *, encrypted: bool) -> str:
    """The name of a cookie, with the prefix `__Host-` over an *encrypted* connection.

    Browsers accept that prefix from this host alone and over TLS alone. The plain name is not read there,
    because another host of the domain, or an attacker on an unencrypted network, could have set it.
    """
    return f"__Host-{name}" if encrypted else name


def session_token(cookie: str | None) -> str:
    """The session's token. Raises `Unauthenticated` without a cookie."""
    if cookie is None:
        raise Unauthenticated
    return cookie


def guarded_token(cookie: str | None, csrf: str | None) -> str:
    """The session's token, for a request with the CSRF token *csrf*.

    Raises `Unauthenticated` without a cookie, and `Forbidden` if *csrf* is missing, or is another session's.
    """
    token = session_token(cookie)
    if not hmac.compare_digest((csrf or "").encode(), csrf_token(token).encode()):
        raise Forbidden(f"the header {CSRF_HEADER} is missing, or is not this session's")
    return token
