"""Requests to an ACME directory: bounded in time and bytes, and broken off when nobody waits any more."""

import threading
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any, Final

import requests

from svc.domain.locale.times import SECOND_MS

REQUEST_SECONDS: Final = 20.0
ANSWER_BYTES_MAX: Final = 1024 * 1024
_PIECE_BYTES: Final = 65_536


class GivenUp(Exception):
    """Raised in the thread of an order that nobody waits for any more."""


class AcmeSession(requests.Session):
    """A session of requests that the library sends everything through."""

    def __init__(self, given_up: threading.Event, wall: Callable[[], float] = time.time) -> None:
        super().__init__()
        self.trust_env = False
        self.clock_difference: int | None = None
        """How far this machine's clock is ahead of the directory's, in ms, by its latest answer."""
        self.retry_after: str | None = None
        """The `Retry-After` of the latest answer that was an error."""
        self._given_up = given_up
        self._wall = wall

    def request(self, *args: Any, **kwargs: Any) -> requests.Response:
        """Send a request, and read its answer whole. Raises `GivenUp` and `RequestException`."""
        if self._given_up.is_set():
            raise GivenUp
        kwargs |= {"stream": True, "timeout": REQUEST_SECONDS}
        ends_at = time.monotonic() + REQUEST_SECONDS
        response = super().request(*args, **kwargs)
        with response:
            content = bytearray()
            for piece in response.iter_content(_PIECE_BYTES):
                content += piece
                if len(content) > ANSWER_BYTES_MAX:
                    raise requests.RequestException(f"its answer has more than {ANSWER_BYTES_MAX} bytes")
                if time.monotonic() > ends_at or self._given_up.is_set():
                    raise requests.Timeout(f"its answer took longer than {REQUEST_SECONDS:.0f} seconds")
            response._content = bytes(content)
        self._note(response)
        return response

    def _note(self, response: requests.Response) -> None:
        if not response.ok:
            self.retry_after = response.headers.get("Retry-After")
        try:
            at = parsedate_to_datetime(response.headers["Date"]).timestamp()
        except (KeyError, ValueError, TypeError, OverflowError):
            return
        self.clock_difference = int((self._wall() - at) * SECOND_MS)
