"""Bytes in memory, such as the program's small files, with gzip and conditional requests."""

import gzip
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from quart import Response, request

_PROGRAM: Final = Path(__file__).parents[1]
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
_FOR_OTHER_SITES: Final = {
    "Cache-Control": "public, max-age=3600, stale-while-revalidate=86400",
    # Pages that are isolated (COEP), that pin the script's hash (SRI), or load it as a module, can do so.
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Access-Control-Allow-Origin": "*",
}
_GZIPPED_FROM_BYTES: Final = 1_400
"""Shorter bodies fit into one packet uncompressed."""


class StaticBytes:
    """An immutable body with its entity tag, plain and compressed."""

    def __init__(self, body: bytes, content_type: str, headers: Mapping[str, str]) -> None:
        self.body: Final = body
        is_text = not content_type.startswith("font/")
        self._gzipped = gzip.compress(body, mtime=0) if is_text and len(body) > _GZIPPED_FROM_BYTES else None
        self._content_type = content_type
        self._etag = sha256(body).hexdigest()[:32]
        self._headers = {"X-Content-Type-Options": "nosniff", **headers}

    async def answer(self) -> Response:
        """Answer with the body in an accepted coding, or 304 if the client has it."""
        response = Response(self.body, content_type=self._content_type, headers=self._headers)
        etag = self._etag
        if self._gzipped is not None:
            response.vary.add("Accept-Encoding")
            if request.accept_encodings["gzip"]:
                response.set_data(self._gzipped)
                response.content_encoding = "gzip"
                etag += "-gzip"  # each coding has a tag of its own (RFC 9110 section 8.8.3)
        response.set_etag(etag)
        await response.make_conditional(request)
        return response


class StaticFile(StaticBytes):
    """The file *name* of the program, such as `http/sites/static/t.js`."""

    def __init__(self, name: str, headers: Mapping[str, str]) -> None:
        path = _PROGRAM / name
        super().__init__(path.read_bytes(), _TYPES[path.suffix], headers)


class ScriptForOtherSites(StaticBytes):
    """The script *name* of the program, which pages of other sites include.

    It is sent without its indentation, and of the lines that are comments with the first alone.
    """

    def __init__(self, name: str) -> None:
        path = _PROGRAM / name
        first, *lines = [line.strip() for line in path.read_text().splitlines()]
        sent = "\n".join([first, *(line for line in lines if line and not line.startswith("//"))])
        super().__init__(f"{sent}\n".encode(), _TYPES[path.suffix], _FOR_OTHER_SITES)


def names_in(directory: str) -> list[str]:
    """The names of the files in that *directory* of the program."""
    return sorted(path.name for path in (_PROGRAM / directory).iterdir())
