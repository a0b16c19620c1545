"""The session's cookie, and the token that shows a request to be made by the person's own page."""

import hmac
from typing import Final

from svc.domain.errors import Forbidden, Unauthenticated
from svc.domain.sessions import csrf_token

COOKIE: Final = "svc_session"
CSRF_HEADER: Final = "X-CSRF-Token"
CHALLENGE: Final = 'Session realm="svc"'
"""No scheme that browsers know: they would ask for a password by themselves."""


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
