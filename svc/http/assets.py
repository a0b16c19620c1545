"""Small files that come with the program: held in memory, and sent only to who lacks them."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from quart import Response, request

_DIRECTORY: Final = Path(__file__).with_name("static")
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class Asset:
    """The file *name* of the package's `static` directory."""

    def __init__(self, name: str, headers: Mapping[str, str]) -> None:
        path = _DIRECTORY / name
        self._body = path.read_bytes()
        self._content_type = _TYPES[path.suffix]
        self._etag = sha256(self._body).hexdigest()[:32]
        self._headers = {"X-Content-Type-Options": "nosniff", **headers}

    async def answer(self) -> Response:
        """A view of it: the file, or 304 for who has it already."""
        response = Response(self._body, content_type=self._content_type, headers=self._headers)
        response.set_etag(self._etag)
        await response.make_conditional(request)
        return response


def names_in(directory: str) -> list[str]:
    """The names of the files in that *directory* of `static`."""
    return sorted(path.name for path in (_DIRECTORY / directory).iterdir())
