"""`/debug`: the page of the live view."""

from typing import Final

import msgspec
from quart import Response
from werkzeug.exceptions import NotFound

from svc.http.operator.access import Session
from svc.http.screens.assets import STATIC_PATH, Assets
from svc.http.screens.shell import PAGE_HEADERS

_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>Actors · svc operator</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="preload" href="/look/figtree-5.3-latin.woff2" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="{style}">
<link rel="stylesheet" href="{own_style}">
<script type="module" src="{script}"></script>
</head>
<body>
<div id="debug"></div>
<noscript>The live view needs JavaScript; <a href="/debug/actors">the list of actors</a> does not.</noscript>
<script type="application/json" id="debug-boot">{boot}</script>
</body>
</html>
"""


class DebugPage:
    """Answers with the page; its built files come by the door of the screens'."""

    def __init__(self, assets: Assets) -> None:
        self._assets = assets

    async def show(self, session: Session) -> Response:
        """The page, with the CSRF token of a *session* by cookie."""
        manifest = self._assets.manifest
        if manifest.debug is None:
            raise NotFound
        html = _PAGE.format(
            style=STATIC_PATH + manifest.style,
            own_style=STATIC_PATH + manifest.debug.style,
            script=STATIC_PATH + manifest.debug.script,
            boot=msgspec.json.encode({"csrfToken": session.csrf_token}).decode(),
        )
        return Response(html, content_type="text/html; charset=utf-8", headers=PAGE_HEADERS)
