"""JSON bodies: the check of `Content-Type`, and reading within a limit."""

from typing import Final

from svc.domain.errors import DomainError
from svc.http.fast_path import Request

NO_INPUT: Final = b"{}"
"""Stands for a missing body, so that a tool without required input can be called without one."""
_JSON: Final = "application/json"


class NotJson(DomainError):
    """Raised for a body whose `Content-Type` is not JSON."""

    code = "unsupported_media_type"


async def read_json(request: Request, limit_bytes: int) -> bytes:
    """The body, declared as JSON; `{}` where there is none.

    Raises:
        NotJson: the body is not declared as JSON.
        HTTPException: as `Request.read` raises.
        ClientGone: as `Request.read` raises.
    """
    content_type = request.text("content-type")
    if content_type is not None or request.header(b"content-length") not in {None, b"0"}:
        check_type(content_type)
    body = await request.read(limit_bytes)
    if body and content_type is None:
        check_type(content_type)
    return body or NO_INPUT


def check_type(content_type: str | None) -> None:
    """Raises `NotJson` unless *content_type* is JSON, with any parameters."""
    # Werkzeug's parser would read the parameters too, which no door here looks at.
    if content_type != _JSON and (content_type or "").partition(";")[0].strip().lower() != _JSON:
        raise NotJson("send `Content-Type: application/json`")
