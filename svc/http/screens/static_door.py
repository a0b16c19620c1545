"""`GET /app/static/<name>`: the built files of the screens, from memory."""

from typing import Final

import structlog
from werkzeug.exceptions import MethodNotAllowed, NotFound

from svc.http.fast_path import Answer, Request
from svc.http.problems.call_problems import call_problem
from svc.http.response.answers import NOSNIFF, Fields
from svc.http.response.conditional import GZIP, accepts_gzip
from svc.http.screens.assets import STATIC_PATH, Assets

log = structlog.get_logger("svc.http.screens")

_FIELDS: Final[Fields] = (
    (b"cache-control", b"public, max-age=31536000, immutable"),
    (b"vary", b"Accept-Encoding"),
    (b"cross-origin-resource-policy", b"same-origin"),
    NOSNIFF,
)


class StaticDoor:
    """Answers with the files of *assets*."""

    def __init__(self, assets: Assets) -> None:
        self._files = assets.files

    async def __call__(self, request: Request) -> Answer:
        if request.method not in {"GET", "HEAD"}:
            raise MethodNotAllowed(["GET", "HEAD"])
        file = self._files.get(request.path[len(STATIC_PATH) :])
        if file is None:
            raise NotFound
        fields = [(b"content-type", file.content_type), *_FIELDS]
        if accepts_gzip(request.header(b"accept-encoding")):
            return Answer(200, [*fields, GZIP], file.gzipped)
        return Answer(200, fields, file.plain)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """Answer *error* with its problem; faults of this service are logged."""
        return call_problem(log, request, error)
