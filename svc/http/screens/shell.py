"""The shell: the one page of the screens, at `/app/` and every address of a screen below it."""

import re
from hashlib import sha256
from typing import Final
from urllib.parse import quote

import msgspec
from quart import Blueprint, Response, redirect, request
from quart.typing import ResponseReturnValue
from werkzeug.routing import PathConverter

from svc.actors.system import System
from svc.domain.errors import Unauthenticated
from svc.http.quart_app import QuartApp, current_request
from svc.http.request.client_address import address_of
from svc.http.request.session_cookie import SESSION_COOKIE, cookie_name, session_token
from svc.http.request.transport import Transport
from svc.http.screens import boot
from svc.http.screens.assets import STATIC_PATH, Assets
from svc.http.screens.own_paths import SCREENS, SIGN_IN, WAYS_IN, own_path
from svc.services.screens import opened as opened_screens
from svc.services.screens.opened import OpenScreen
from svc.tools.registry import Registry

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types svc"
)
"""A test compares it word for word: a looser policy is a decision, and no slip."""
_SAFE: Final = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"}
"""Of every answer at an address of a screen, refusals and redirections included."""
PAGE_HEADERS: Final = {
    **_SAFE,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "Vary": "Cookie",
}
"""Of a page that runs scripts, and has something of whoever opens it."""
_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>svc</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="preload" href="/look/figtree-5.3-latin.woff2" as="font" type="font/woff2" crossorigin>
{styles}{preloads}<script type="module" src="{script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>The screens need JavaScript. The <a href="/docs">guides</a> do not.</noscript>
<script type="application/json" id="boot">"""
_END: Final = b"</script>\n</body>\n</html>\n"


_BELOW: Final = r"(?!(?:api|static)(?:/|$))"
"""What is below `/app/`, but for the JSON doors and the built files."""
_SCREEN: Final = re.compile(rf"/$|/app$|/app/{_BELOW}")


class ScreenPath(PathConverter):
    """A path below `/app/` that is a screen's: all but those of the JSON doors and of the built files."""

    regex = rf"{_BELOW}.*?"


def shell_pages(
    app: QuartApp, system: System, transport: Transport, registry: Registry, assets: Assets
) -> Blueprint:
    """The blueprint of the shell, and of `/`, which leads there."""
    app.url_map.converters["screen"] = ScreenPath
    shell = Shell(system, transport, registry, assets)
    pages = Blueprint("screens", __name__)
    app.after_request(_with_policy)
    pages.add_url_rule("/", "front", _to_screens)
    pages.add_url_rule("/app", "without_slash", _to_screens)
    pages.add_url_rule(SCREENS, "first", shell.show)
    pages.add_url_rule(f"{SCREENS}<screen:path>", "screen", shell.show, strict_slashes=False)
    return pages


class Shell:
    """Answers with the page, and the data that it begins with."""

    def __init__(self, system: System, transport: Transport, registry: Registry, assets: Assets) -> None:
        """Raises `KeyError` where the manifest names a tool that there is not."""
        self._system = system
        self._transport = transport
        self._registry = registry
        self._manifest = manifest = assets.manifest
        self._build = sha256(msgspec.json.encode(manifest)).hexdigest()[:16]
        for call in (call for screen in manifest.screens for call in screen.calls):
            if registry[call.tool].effect != "reads":
                raise ValueError(f"{call.tool} changes something, and a page that opens may not")

    async def show(self, path: str = "") -> ResponseReturnValue:
        """Answer a signed-in person with the screen's page, and another browser with where to sign in."""
        here = f"{SCREENS}{path}"
        try:
            token = session_token(self._cookie())
            opened = await opened_screens.open_screen(
                self._system, token, request.args.get("org"), self._address()
            )
        except Unauthenticated:
            if here.rstrip("/") not in WAYS_IN:
                return _see_other(_sign_in_address(_asked_path()))
            return self._page(here, None, {})
        if here.rstrip("/") == SIGN_IN:
            return _see_other(own_path(request.args.get("next")) or SCREENS)
        data: dict[str, msgspec.Raw] = {}
        if opened.organization is not None:
            data = await opened_screens.first_answers(
                self._system,
                self._registry,
                opened.organization.admission,
                boot.first_calls(self._manifest, here, request.args.to_dict()),
                current_request().id.decode(),
            )
        return self._page(here, opened, data)

    def _page(self, here: str, opened: OpenScreen | None, data: dict[str, msgspec.Raw]) -> Response:
        manifest = self._manifest
        sheets = boot.styles_for(manifest, here)
        styles = "".join(f'<link rel="stylesheet" href="{STATIC_PATH}{name}">\n' for name in sheets)
        preloads = "".join(
            f'<link rel="modulepreload" href="{STATIC_PATH}{name}">\n'
            for name in boot.scripts_for(manifest, here)
        )
        head = _PAGE.format(styles=styles, script=STATIC_PATH + manifest.script, preloads=preloads)
        block = boot.boot_json(
            opened,
            data,
            build=self._build,
            mail=self._system.mail.mailing.server is not None,
            next_path=own_path(request.args.get("next")) if opened is None else None,
        )
        return Response(
            head.encode() + block + _END, content_type="text/html; charset=utf-8", headers=PAGE_HEADERS
        )

    def _address(self) -> str:
        peer, headers = current_request().peer, list(request.scope["headers"])
        return address_of(peer, headers, self._transport.trusted_proxies)

    def _cookie(self) -> str | None:
        peer, headers = current_request().peer, list(request.scope["headers"])
        encrypted = self._transport.is_encrypted(request.scheme, peer, headers)
        return request.cookies.get(cookie_name(SESSION_COOKIE, encrypted=encrypted))


async def _with_policy(answer: Response) -> Response:
    """Give *answer* what every answer at a screen's address has; one to another method has it from here."""
    if _SCREEN.match(request.path):
        for name, value in _SAFE.items():
            answer.headers.setdefault(name, value)
    return answer


async def _to_screens() -> ResponseReturnValue:
    return _see_other(SCREENS)


def _sign_in_address(wanted: str | None) -> str:
    if wanted is None or wanted == SCREENS:
        return SIGN_IN
    return f"{SIGN_IN}?next={quote(wanted, safe='')}"


def _asked_path() -> str | None:
    """The path and query of the request, as they were sent, if they are a screen's."""
    raw: bytes = request.scope.get("raw_path") or quote(request.path).encode()
    query: bytes = request.query_string
    asked = raw.partition(b"?")[0] + (b"?" + query if query else b"")
    return own_path(asked.decode("latin-1"))


def _see_other(target: str) -> ResponseReturnValue:
    answer = redirect(target, 303)
    answer.headers["Cache-Control"] = "no-store"
    return answer
