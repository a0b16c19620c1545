"""The lines of an export of the request log."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.locale.times import rfc3339
from svc.domain.requests.requests import LoggedCall
from svc.storage.requests import requests
from svc.storage.requests.requests import CALLS, CallFilter

HEADINGS: Final = (
    "id",
    "at",
    "requestId",
    "door",
    "callerKind",
    "callerId",
    "keyName",
    "tool",
    "status",
    "code",
    "milliseconds",
    "bytesIn",
    "bytesOut",
    "replayed",
)
NamesOf = Callable[[sa.Connection, str, Collection[str]], Mapping[str, str]]
"""The names of keys, by their ids."""


def parts(
    conn: sa.Connection, organization_id: str, filter_: CallFilter, names_of: NamesOf, rows: int
) -> Iterator[list[dict[str, Any]]]:
    """The calls of *filter_*, the newest first, *rows* at a time, as `request.list` shows them."""
    select = requests.newest_first(conn, organization_id, filter_)
    names: dict[str, str] = {}
    for some in conn.execute(select, execution_options={"yield_per": rows}).partitions():
        calls = [CALLS.make(row) for row in some]
        unknown = {call.caller_id for call in calls} - names.keys()
        if unknown:
            names |= dict.fromkeys(unknown, "") | dict(names_of(conn, organization_id, unknown))
        yield [_shown(call, names[call.caller_id] or None) for call in calls]


def _shown(call: LoggedCall, key_name: str | None) -> dict[str, Any]:
    return {
        "id": call.id,
        "at": rfc3339(call.at),
        "requestId": call.request_id,
        "door": call.door,
        "callerKind": call.caller_kind,
        "callerId": call.caller_id,
        "keyName": key_name,
        "tool": call.tool,
        "status": call.status,
        "code": call.code,
        "milliseconds": call.milliseconds,
        "bytesIn": call.bytes_in,
        "bytesOut": call.bytes_out,
        "replayed": call.replayed,
    }
