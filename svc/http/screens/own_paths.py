"""Where a sign-in may lead: own paths of screens, and nowhere else."""

import re
from typing import Final
from urllib.parse import unquote

from svc.domain.identity.limits import NEXT_PATH_CHARS_MAX
from svc.domain.identity.people import INVITATION_PATH, WELCOME_PATH
from svc.domain.mail.letters import PROOF_PATH, RESET_PATH

SCREENS: Final = "/app/"
SIGN_IN: Final = "/app/sign-in"
FORGOT: Final = "/app/forgot"
WAYS_IN: Final = frozenset({SIGN_IN, WELCOME_PATH, INVITATION_PATH, FORGOT, RESET_PATH, PROOF_PATH})
"""The screens for people who are not signed in."""
_NO_SCREENS: Final = ("/app/api/", "/app/static/")
_PLAIN: Final = re.compile(r"/app/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*")
"""What a path with a query is written with (RFC 3986); no `#`, no backslash, no control character."""


def own_path(wanted: str | None) -> str | None:
    """*wanted*, if it is the path of a screen, with or without a query; None for everything else.

    Every address is written in one way here, so there is nothing to be normalized: a path with `//`, with a
    dot segment (plain or encoded) or with an encoded slash is none of ours.
    """
    if not wanted or len(wanted) > NEXT_PATH_CHARS_MAX or not _PLAIN.fullmatch(wanted):
        return None
    path = wanted.partition("?")[0]
    read = unquote(path)
    if read.count("/") != path.count("/") or "//" in read or "\\" in read or not read.isprintable():
        return None
    if any(segment in {".", ".."} for segment in read.split("/")):
        return None
    if f"{read.rstrip('/')}/".startswith(_NO_SCREENS) or read.rstrip("/") in WAYS_IN:
        return None
    return wanted
