"""Parts of a call that the tool doors and MCP share: its context, and the headers about budget and name."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from werkzeug.http import http_date

from svc.actors.identity.organization import Admission
from svc.actors.system import System
from svc.domain.errors import Unauthenticated
from svc.domain.identity.callers import Call, DoorName
from svc.domain.limits import CALL_WINDOW_MS
from svc.domain.rate_limits.call_budgets import Allowance
from svc.domain.times import SECOND_MS
from svc.http.fast_path import Answer, Request
from svc.http.request.body import ClientGone
from svc.http.response.answers import Fields
from svc.tools.registry import Registry
from svc.tools.tool import Tool

_WINDOW_SECONDS: Final = CALL_WINDOW_MS // SECOND_MS


def call_of(
    system: System, registry: Registry, admission: Admission, door: DoorName, request: Request
) -> Call:
    """The context in which tools of *registry* run for *request*."""
    return Call(
        caller=admission.caller,
        door=door,
        request_id=request.id.decode(),
        allowed_networks=system.outbound_http.allowed,
        registry=registry,
        models=system.models,
        base_url=system.base_url,
        file_links=system.file_addresses,
    )


async def answer_admitted(
    request: Request,
    admission: Admission,
    answer_call: Callable[[Request, Admission], Awaitable[Answer]],
    problem_for: Callable[[Request, Exception], Answer],
    *fields: tuple[bytes, bytes],
) -> Answer:
    """Answer an admitted call, with the budget's headers and *fields* on success and problem alike.

    Raises `ClientGone` if there is no client to answer, and `Unauthenticated` if the credential has ended
    since: its answer shows no budget.
    """
    budget = budget_headers(admission.allowance)
    try:
        answer = await answer_call(request, admission)
    except (ClientGone, Unauthenticated):
        raise
    except Exception as error:  # noqa: BLE001  # the caller is admitted, so problems show the budget too
        answer = problem_for(request, error)
    return Answer(answer.status, [*answer.headers, *budget, *fields], answer.body)


def budget_headers(allowance: Allowance) -> Fields:
    """The caller's remaining budget, in the older three headers and the newer two (decisions §4)."""
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
