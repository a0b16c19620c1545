"""The session's cookie, and the token that shows a request to be made by the person's own page."""

import hmac
from typing import Final

from svc.domain.errors import Forbidden, Unauthenticated
from svc.domain.identity.sessions import csrf_token

SESSION_COOKIE: Final = "svc_session"
BROWSER_COOKIE: Final = "svc_browser"
"""What a browser is known by: see `svc.domain.identity.known_browsers`."""
CSRF_HEADER: Final = "X-CSRF-Token"
CHALLENGE: Final = 'Session realm="svc"'
"""No scheme that browsers know: they would ask for a password by themselves."""


def cookie_name(name: str, *, encrypted: bool) -> str:
    """The name that a cookie has over a connection which is *encrypted*, or is not.

    Over TLS browsers take `__Host-` from this very host alone, by TLS. The plain name is no session there:
    whoever has another host of the domain, or the network while it is not encrypted, could have set it.
    """
    return f"__Host-{name}" if encrypted else name


def session_token(cookie: str | None) -> str:
    """The session's token. Raises `Unauthenticated` where there is none."""
    if cookie is None:
        raise Unauthenticated
    return cookie


def guarded_token(cookie: str | None, csrf: str | None) -> str:
    """The session's token, where *csrf* is what only the person's own page knows. Raises `Forbidden` else."""
    token = session_token(cookie)
    if not hmac.compare_digest((csrf or "").encode(), csrf_token(token).encode()):
        raise Forbidden(f"the header {CSRF_HEADER} is missing, or is not this session's")
    return token
