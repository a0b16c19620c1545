"""The JSON block in the shell: the session, the organization, and the first screen's data."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from svc.http.identity.answers import session_answer
from svc.http.screens.assets import FirstCall, Manifest
from svc.services.opened_screens import OpenOrganization, OpenScreen
from svc.version import VERSION

_ESCAPES: Final = {b"<": b"\\u003c", b">": b"\\u003e", b"&": b"\\u0026"}
_SPECIAL: Final = re.compile(b"[<>&]")
_PLACEHOLDER: Final = re.compile(r"\{([a-z]+)\}")


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


def first_calls(manifest: Manifest, path: str, query: dict[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The tools that the screen at *path* asks when it opens.

    Where the *query* has more than the organization, the screen asks for something of its own.
    """
    for screen in manifest.screens:
        found = {} if screen.path == "*" else _segments(screen.path, path)
        if found is not None and (screen.path == "*" or not query.keys() - {"org"}):
            for call in screen.calls:
                yield call.tool, _filled(call, found)


def scripts_for(manifest: Manifest, path: str) -> list[str]:
    """The files that the screen at *path* needs at once, beside the first script."""
    own = [
        name
        for screen in manifest.screens
        if screen.path != "*" and _segments(screen.path, path) is not None
        for name in screen.scripts
    ]
    return list(dict.fromkeys([*manifest.preload, *own]))


def _organization(opened: OpenOrganization) -> dict[str, Any]:
    answer: dict[str, Any] = msgspec.to_builtins(opened.answer)
    return answer | {
        "role": opened.role,
        "permissions": sorted(opened.permissions),
        "hubs": ["marketing"] if opened.answer.marketing_hub else [],
        "trialDaysLeft": opened.trial_days_left,
    }


def _segments(pattern: str, path: str) -> dict[str, str] | None:
    """What stands for each `{name}` of *pattern* in *path*; None where they do not fit."""
    wanted, given = pattern.strip("/").split("/"), path.strip("/").split("/")
    if len(wanted) != len(given):
        return None
    found = {}
    for one, other in zip(wanted, given, strict=True):
        if placeholder := _PLACEHOLDER.fullmatch(one):
            found[placeholder[1]] = other
        elif one != other:
            return None
    return found


def _filled(call: FirstCall, found: dict[str, str]) -> dict[str, Any]:
    """The input of *call*, with what was *found* in place of `{name}`."""
    return {name: _filled_value(value, found) for name, value in call.input.items()}


def _filled_value(value: Any, found: dict[str, str]) -> Any:
    placeholder = _PLACEHOLDER.fullmatch(value) if isinstance(value, str) else None
    return found.get(placeholder[1], value) if placeholder else value
