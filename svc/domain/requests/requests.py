"""Lines of the request log: which key called what, when, and how it was answered.

A line has nothing of what was sent or answered but its size: no body, no query, no address.
"""

from typing import Final, Literal

import msgspec

from svc.domain import ids

LogDoor = Literal["tools", "mcp", "gateway", "channels", "files"]
"""Files, and the parts and files of imports and exports, are one door."""

LoggedCallerKind = Literal["key", "grant", "channel_key"]

CLIENT_GONE: Final = "client_gone"
"""The code of a call whose client disconnected before the end of its answer."""
CLIENT_GONE_STATUS: Final = 499
"""The status that such a call has in the log where nothing was answered; no answer ever has it."""

INTERRUPTED: Final = "interrupted"
"""The code of a stream of the gateway that was cut: its key had ended, or the service was stopped."""

FAILED_STATUS_MIN: Final = 400
"""Statuses from this one on say no."""


class LoggedCall(msgspec.Struct, kw_only=True):
    """One line. The writer numbers it."""

    number: int = 0
    """Its place among the lines of its organization, which counts up by one."""
    at: int
    """When it was answered, ms since the epoch; never before the line before it."""
    request_id: str
    door: LogDoor
    caller_kind: LoggedCallerKind
    caller_id: str
    tool: str | None
    """The tool by its name; at other doors what stands for one. None for what is not there."""
    status: int
    code: str | None
    """The code of the problem; None for what succeeded."""
    milliseconds: int
    """From the head of the request to the answer, or to the end of one that was sent in parts."""
    bytes_in: int
    bytes_out: int
    replayed: bool
    """Whether it is the stored answer of the first call under an idempotency key."""

    @property
    def id(self) -> str:
        """`req_…`; ids sort as the lines do."""
        return ids.numbered("req", self.at, self.number)
