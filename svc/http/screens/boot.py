"""The JSON block in the shell: the session, the organization, and the first screen's data."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from svc.http.identity.answers import session_answer
from svc.http.screens.assets import FirstCall, Manifest, ScreenFiles
from svc.services.screens.opened import OpenOrganization, OpenScreen
from svc.version import VERSION

_ESCAPES: Final = {b"<": b"\\u003c", b">": b"\\u003e", b"&": b"\\u0026"}
_SPECIAL: Final = re.compile(b"[<>&]")
_SEGMENT: Final = re.compile(r"\{([a-z]+)\}")
_HOLE: Final = re.compile(r"\{(?P<optional>\?)?(?P<name>[a-z]+)\}")


def boot_json(
    opened: OpenScreen | None,
    data: dict[str, msgspec.Raw],
    *,
    build: str,
    mail: bool,
    next_path: str | None,
) -> bytes:
    """The block's text: JSON, without a character that ends a script or begins a comment in HTML.

    Its `hint` is the number from which the events go on, so that no change falls between page and stream.
    Its `mail` says whether the service sends mail, so that a password can be reset.
    """
    organization = None if opened is None else opened.organization
    boot = {
        "session": None if opened is None else session_answer(opened.csrf_token, opened.profile),
        "organization": None if organization is None else _organization(organization),
        "version": VERSION,
        "build": build,
        "mail": mail,
        "hint": None if organization is None else str(organization.hint),
        "next": next_path,
        "data": data,
    }
    return _SPECIAL.sub(lambda found: _ESCAPES[found[0]], msgspec.json.encode(boot))


def first_calls(manifest: Manifest, path: str, query: Mapping[str, str]) -> list[tuple[str, dict[str, Any]]]:
    """The tools that the screen at *path* asks when it opens, with what the *query* narrows them to."""
    asked: list[tuple[str, dict[str, Any]]] = []
    for screen, segments in _screens_at(manifest, path):
        for call in screen.calls:
            filled = None if any(query.get(name) for name in call.without) else _filled(call, segments, query)
            if filled is not None and (call.tool, filled) not in asked:
                asked.append((call.tool, filled))
    return asked


def scripts_for(manifest: Manifest, path: str) -> list[str]:
    """The files that the screen at *path* needs at once, beside the first script."""
    own = [name for screen, _ in _screens_at(manifest, path) for name in screen.scripts]
    return list(dict.fromkeys([*manifest.preload, *own]))


def styles_for(manifest: Manifest, path: str) -> list[str]:
    """The style sheets of the page at *path*, in the order in which it has them."""
    own = [name for screen, _ in _screens_at(manifest, path) for name in screen.styles]
    return list(dict.fromkeys([manifest.style, *own]))


def _organization(opened: OpenOrganization) -> dict[str, Any]:
    answer: dict[str, Any] = msgspec.to_builtins(opened.answer)
    return answer | {
        "role": opened.role,
        "permissions": sorted(opened.permissions),
        "hubs": ["marketing"] if opened.answer.marketing_hub else [],
        "trialDaysLeft": opened.trial_days_left,
    }


def _screens_at(manifest: Manifest, path: str) -> Iterator[tuple[ScreenFiles, dict[str, str]]]:
    """What is on every screen, and the first screen that fits *path*: that one the browser shows."""
    is_found = False
    for screen in manifest.screens:
        if screen.path == "*":
            yield screen, {}
        elif not is_found and (segments := _segments(screen.path, path)) is not None:
            is_found = True
            yield screen, segments


def _segments(pattern: str, path: str) -> dict[str, str] | None:
    """What stands for each `{name}` of *pattern* in *path*; None where they do not fit."""
    wanted, given = pattern.strip("/").split("/"), path.strip("/").split("/")
    if len(wanted) != len(given):
        return None
    found = {}
    for one, other in zip(wanted, given, strict=True):
        if placeholder := _SEGMENT.fullmatch(one):
            found[placeholder[1]] = other
        elif one != other:
            return None
    return found


def _filled(call: FirstCall, segments: Mapping[str, str], query: Mapping[str, str]) -> dict[str, Any] | None:
    """The input of *call* with its holes filled; None where there is nothing for one that it needs."""
    filled = {}
    for name, value in call.input.items():
        hole = _HOLE.fullmatch(value) if isinstance(value, str) else None
        if hole is None:
            filled[name] = value
        elif given := (query if hole["optional"] else {**query, **segments}).get(hole["name"]):
            filled[name] = given
        elif not hole["optional"]:
            return None
    return filled
