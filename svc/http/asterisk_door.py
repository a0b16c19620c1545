"""The door of `OPTIONS *`, which asks about the server as a whole (RFC 9110 section 9.3.7)."""

from http import HTTPStatus
from typing import Final

from svc.http.fast_path import Answer, Request

PATH: Final = "*"
_METHODS: Final = b"GET, HEAD, POST, OPTIONS"


class AsteriskDoor:
    """Answers with the methods that the doors of this server have; the server lets no other method in."""

    async def __call__(self, request: Request) -> Answer:  # noqa: ARG002  # the server let it in
        return Answer(HTTPStatus.NO_CONTENT, [(b"allow", _METHODS)])

    def problem_for(self, request: Request, error: Exception) -> Answer:  # noqa: ARG002  # there is none
        """500."""
        return Answer(HTTPStatus.INTERNAL_SERVER_ERROR)
