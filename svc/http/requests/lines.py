"""The line that a call leaves in the request log: begun at admission, added with the answer."""

from typing import Protocol

import trio

from svc.actors.requests.request_log import RequestLog
from svc.domain.locale.times import SECOND_MS
from svc.domain.requests.requests import LogDoor, LoggedCall, LoggedCallerKind


class Answered(Protocol):
    """What a line takes from the request itself."""

    @property
    def id(self) -> bytes: ...

    @property
    def began_at(self) -> float: ...

    @property
    def bytes_in(self) -> int: ...


class Logged(Protocol):
    """What may leave a line."""

    line: "Line | None"


def note_code(request: Logged, code: str) -> None:
    """Have the line of *request*, if it leaves one, say why it was refused."""
    if request.line is not None:
        request.line.code = code


class Line:
    """The line of one request. Doors fill in *tool*, *code* and *replayed* as they come to know them."""

    __slots__ = (
        "_caller_id",
        "_caller_kind",
        "_door",
        "_log",
        "_organization_id",
        "code",
        "replayed",
        "tool",
    )

    def __init__(
        self,
        log: RequestLog,
        door: LogDoor,
        organization_id: str,
        caller_id: str,
        caller_kind: LoggedCallerKind = "key",
    ) -> None:
        self._log = log
        self._door = door
        self._organization_id = organization_id
        self._caller_id = caller_id
        self._caller_kind = caller_kind
        self.tool: str | None = None
        """A name of ours, never one that a client has made up: that could be anything."""
        self.code: str | None = None
        self.replayed = False

    def add(self, request: Answered, status: int, bytes_out: int) -> None:
        """Add it to the log: *request* was answered."""
        log = self._log
        line = LoggedCall(
            at=log.now(),
            request_id=request.id.decode(),
            door=self._door,
            caller_kind=self._caller_kind,
            caller_id=self._caller_id,
            tool=self.tool,
            status=status,
            code=self.code,
            milliseconds=round((trio.current_time() - request.began_at) * SECOND_MS),
            bytes_in=request.bytes_in,
            bytes_out=bytes_out,
            replayed=self.replayed,
        )
        log.add(self._organization_id, line)
