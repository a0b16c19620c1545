"""`request.list`: what keys have called, and how it was answered."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Final, Literal

from svc.domain.identity.callers import Call, Caller
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import Timestamp, moment_ms, rfc3339
from svc.domain.requests.requests import LogDoor, LoggedCall, LoggedCallerKind
from svc.storage import key_names
from svc.storage.identity import api_keys
from svc.storage.requests import requests
from svc.storage.requests.requests import CallFilter
from svc.storage.store import View
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads

_KeyId = Annotated[
    str,
    about(
        description="The id of the key: an API or gateway key's, or a bridge's channel key's.",
        examples=["key_01K5D3V7Q2M8Z4X6C9B1N0T5RA"],
    ),
]
_Tool = Annotated[
    str,
    about(
        description="The tool by its name. At other doors what stands for one: `file.upload`, `tools/list`,"
        " `chat/completions`, `channel.message.receive`.",
        examples=["record.get"],
    ),
]
_Status = Annotated[int, about(description="That status.", ge=100, le=599, examples=[422])]
_StatusClass = Annotated[
    Literal["4xx", "5xx"], about(description="All that were refused, or all that failed on our side.")
]


class RequestAnswer(ToolOutput, frozen=True, kw_only=True):
    """One call. Neither what was sent nor what was answered is kept."""

    id: Annotated[str, about(examples=["req_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
    at: Annotated[Timestamp, about(description="When it was answered.")]
    request_id: Annotated[str, about(description="The answer's `X-Request-Id`.")]
    door: Annotated[
        LogDoor,
        about(description="The way in. `files` are the doors of imports' and exports' files as well."),
    ]
    caller_kind: LoggedCallerKind
    caller_id: _KeyId
    key_name: Annotated[
        str | None, about(description="What the key is called; a channel key as its connection.")
    ]
    tool: Annotated[_Tool | None, about(description="Null where there is no such tool.")]
    status: Annotated[
        int,
        about(
            description="The status of the answer; 499 where the client disconnected before there was one."
        ),
    ]
    code: Annotated[
        str | None,
        about(
            description="The code of the problem; null for what succeeded. In MCP a tool's problem is"
            " answered with 200, and has its code here."
        ),
    ]
    milliseconds: Annotated[
        int,
        about(description="From the request's head to the answer; of a stream, to its end.", ge=0),
    ]
    bytes_in: Annotated[int, about(description="The size of the request's body.", ge=0)]
    bytes_out: Annotated[int, about(description="The size of the answer's body.", ge=0)]
    replayed: Annotated[
        bool,
        about(description="Whether it was the stored answer of the first call under an idempotency key."),
    ]


EXAMPLE: Final = RequestAnswer(
    id="req_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    at="2026-09-21T16:05:00.000Z",
    request_id="3f1c9a62d0b84e7c",
    door="tools",
    caller_kind="key",
    caller_id="key_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    key_name="Warehouse",
    tool="record.get",
    status=200,
    code=None,
    milliseconds=2,
    bytes_in=66,
    bytes_out=412,
    replayed=False,
)


def answer_of(call: LoggedCall, names: Mapping[str, str]) -> RequestAnswer:
    """A call of the log, whose key is one of *names*."""
    return RequestAnswer(
        id=call.id,
        at=rfc3339(call.at),
        request_id=call.request_id,
        door=call.door,
        caller_kind=call.caller_kind,
        caller_id=call.caller_id,
        key_name=names.get(call.caller_id),
        tool=call.tool,
        status=call.status,
        code=call.code,
        milliseconds=call.milliseconds,
        bytes_in=call.bytes_in,
        bytes_out=call.bytes_out,
        replayed=call.replayed,
    )


class ListRequests(ToolInput, frozen=True, kw_only=True):
    """Which calls to list: all that is given must hold."""

    key_id: _KeyId | None = None
    person_id: (
        Annotated[
            str,
            about(
                description="Calls of the keys that act as this person.",
                examples=["usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA"],
            ),
        ]
        | None
    ) = None
    tool: _Tool | None = None
    status: _Status | _StatusClass | None = None
    since: Annotated[datetime, about(tz=True, description="From this time on: RFC 3339.")] | None = None
    until: Annotated[datetime, about(tz=True, description="Before this time: RFC 3339.")] | None = None
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class RequestList(ToolOutput, frozen=True, kw_only=True):
    """A page of calls."""

    requests: Annotated[tuple[RequestAnswer, ...], about(description="The newest first.")]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "request.list",
    needs=None,
    example=ListRequests(key_id=EXAMPLE.caller_id, status="4xx"),
    answer=RequestList(requests=(EXAMPLE,), next_cursor=None),
)
def list_some(view: View, call: Call, request: ListRequests) -> RequestList:
    """List the calls that keys have made in the last seven days, the newest first.

    Calls of API keys, gateway keys and channel keys, at the Tool API, MCP, the gateway, the channel doors and
    the doors of files; not those of screens, forms and embeds. Without the permission `settings`, only those
    of the caller's own keys. A call is listed about a second after it was answered. Of an organization the
    newest million are kept.
    """
    organization_id = call.caller.organization_id
    page = requests.list_page(
        view,
        organization_id,
        CallFilter(
            caller_ids=_callers(view, call.caller, request),
            tool=request.tool,
            status=requests.status_range(request.status),
            since=None if request.since is None else moment_ms(request.since),
            until=None if request.until is None else moment_ms(request.until),
        ),
        request.cursor,
        request.limit,
    )
    names = key_names.names_of(view.conn, organization_id, {one.caller_id for one in page.calls})
    return RequestList(
        requests=tuple(answer_of(one, names) for one in page.calls), next_cursor=page.next_cursor
    )


def _callers(view: View, caller: Caller, request: ListRequests) -> tuple[str, ...] | None:
    """The keys whose calls are listed; None for all of the organization's."""
    wanted = None if request.key_id is None else {request.key_id}
    people = {request.person_id, None if "settings" in caller.permissions else caller.person_id or ""}
    for person_id in people - {None}:
        own = {*api_keys.ids_of_person(view.conn, caller.organization_id, str(person_id))}
        wanted = own if wanted is None else wanted & own
    return None if wanted is None else tuple(sorted(wanted))
