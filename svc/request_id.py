"""The id of the request that a task works for, to whatever depth it asks, tells, stores and logs.

Doors set it; the actor runtime hands it on with each message, to the turn and to the tasks that it starts.
The store hands it to the thread that works for it, and to what hears of the commit.
"""

from contextvars import ContextVar
from types import TracebackType

_request_id: ContextVar[bytes | None] = ContextVar("request_id", default=None)


def set_request_id(request_id: bytes | None) -> None:
    """From now on the current task, and what it starts, works for that request; None for no request."""
    _request_id.set(request_id)


def request_id() -> bytes | None:
    """1 to 128 visible ASCII characters, or None outside of requests, such as in a timer's turn."""
    return _request_id.get()


class working_for:  # noqa: N801  # used as a function; a class costs a quarter of `@contextmanager`
    """Within the block, work for that request, in this thread; None for no request."""

    __slots__ = ("_request_id", "_token")

    def __init__(self, request_id: bytes | None) -> None:
        self._request_id = request_id

    def __enter__(self) -> None:
        self._token = _request_id.set(self._request_id)

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        _request_id.reset(self._token)
