"""Parts of a call that doors with a key share: admission, context, and the headers about budget and name."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from werkzeug.http import http_date

from svc.actors.identity.organization import Admission
from svc.actors.system import System
from svc.domain.errors import Unauthenticated
from svc.domain.grants.oauth import McpDoorName
from svc.domain.identity.callers import Call, DoorName
from svc.domain.limits import CALL_WINDOW_MS
from svc.domain.locale.times import SECOND_MS
from svc.domain.rate_limits.call_budgets import Allowance
from svc.domain.requests.requests import LogDoor, LoggedCallerKind
from svc.domain.tool_results import ToolResult
from svc.http.fast_path import Answer, PartSender, Request, StreamAnswer
from svc.http.request.bearer import bearer_token
from svc.http.request.body import ClientGone
from svc.http.requests.lines import Line
from svc.http.response.answers import Fields, success
from svc.services.tools import calls as tool_calls
from svc.tools.registry import Registry
from svc.tools.tool import Tool

_WINDOW_SECONDS: Final = CALL_WINDOW_MS // SECOND_MS


async def admit_key(system: System, request: Request, door: LogDoor) -> Admission:
    """Admit a call with the API key of *request*, and count it; from now on it is logged as *door*'s.

    Raises `Unauthenticated`.
    """
    admission = await tool_calls.admit_key(system, bearer_token(request))
    caller = admission.caller
    request.line = Line(system.request_log, door, caller.organization_id, caller.id)
    return admission


async def admit_at_mcp(system: System, request: Request, door: McpDoorName) -> Admission:
    """Admit a call at an MCP door with the key or token of *request*, likewise. Raises `Unauthenticated`."""
    admission = await tool_calls.admit_at_mcp(system, bearer_token(request), door)
    caller = admission.caller
    kind: LoggedCallerKind = "grant" if caller.kind == "grant" else "key"
    request.line = Line(system.request_log, "mcp", caller.organization_id, caller.id, kind)
    return admission


def note_tool(request: Request, tool: Tool[Any, Any] | None) -> None:
    """Have the line of *request* name *tool*, if there is one."""
    if request.line is not None and tool is not None:
        request.line.tool = tool.name


def call_success(request: Request, result: ToolResult) -> Answer:
    """Answer a call with 200, and note in its line whether it was one before."""
    if request.line is not None:
        request.line.replayed = result.replayed
    return success(result.body, replayed=result.replayed)


def call_of(
    system: System, registry: Registry, admission: Admission, door: DoorName, request: Request
) -> Call:
    """The context in which tools of *registry* run for *request*."""
    return Call(
        caller=admission.caller,
        door=door,
        request_id=request.id.decode(),
        installation=system.installation(registry),
        base_url=system.base_url,
        file_links=system.files.addresses,
    )


async def answer_admitted(
    request: Request,
    admission: Admission,
    answer_call: Callable[[Request, Admission], Awaitable[Answer | StreamAnswer]],
    problem_for: Callable[[Request, Exception], Answer],
    *more: tuple[bytes, bytes],
) -> Answer | StreamAnswer:
    """Answer an admitted call, with the budget's headers and *more* on success and problem alike.

    Raises `ClientGone` if there is no client to answer, and `Unauthenticated` if the credential has ended
    since: its answer shows no budget.
    """
    fields = (*budget_headers(admission.allowance), *more)
    try:
        answer = await answer_call(request, admission)
    except (ClientGone, Unauthenticated):
        raise
    except Exception as error:  # noqa: BLE001  # the caller is admitted, so problems show the budget too
        answer = problem_for(request, error)
    if isinstance(answer, Answer):
        return _with(answer, fields)
    write = answer.write

    async def write_admitted(parts: PartSender) -> Answer | None:
        try:
            whole = await write(parts)
        except (ClientGone, Unauthenticated):
            raise
        except Exception as error:
            if parts.begun:
                raise
            whole = problem_for(request, error)
        return None if whole is None else _with(whole, fields)

    return StreamAnswer(answer.status, [*answer.headers, *fields], write_admitted)


def _with(answer: Answer, fields: Fields) -> Answer:
    return Answer(answer.status, [*answer.headers, *fields], answer.body)


def budget_headers(allowance: Allowance) -> Fields:
    """The caller's remaining budget, in the older three headers and the newer two."""
    limit, remaining, reset = allowance.limit, allowance.remaining, allowance.reset_seconds
    return (
        (b"ratelimit-limit", b"%d" % limit),
        (b"ratelimit-remaining", b"%d" % remaining),
        (b"ratelimit-reset", b"%d" % reset),
        (b"ratelimit-policy", b'"default";q=%d;w=%d' % (limit, _WINDOW_SECONDS)),
        (b"ratelimit", b'"default";r=%d;t=%d' % (remaining, reset)),
    )


def deprecation_headers(tool: Tool[Any, Any] | None) -> Fields:
    """When a deprecated name was deprecated, and when it ends (RFC 9745, RFC 8594); empty for other names."""
    if tool is None or tool.deprecated is None:
        return ()
    times = tool.deprecated.times
    return (
        (b"deprecation", b"@%d" % (times.since_at // SECOND_MS)),
        (b"sunset", http_date(times.sunset_at // SECOND_MS).encode()),
        (b"link", b'</docs/deprecations>; rel="deprecation"'),
    )
