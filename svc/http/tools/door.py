"""The doors of tools: `POST /api/v1/tools/<name>` with an API key, `POST /app/api/tools/<name>` signed in.

They differ in whom they let in and as whom; from there on a call is the same at both.
"""

from collections.abc import Sequence
from typing import Any, Final, Protocol

import structlog
from werkzeug.exceptions import MethodNotAllowed
from werkzeug.http import http_date
from werkzeug.sansio.http import parse_cookie

from svc.actors.identity.organization import Admission
from svc.actors.system import System
from svc.domain.errors import DomainError, Unauthenticated
from svc.domain.identity.callers import Call, DoorName
from svc.domain.limits import CALL_WINDOW_MS, TOOL_BODY_BYTES_MAX
from svc.domain.rate_limits.budgets import Allowance
from svc.domain.times import SECOND_MS
from svc.http.fast_path import Answer, Request
from svc.http.problems.problems import UNAUTHORIZED, is_fault, problem, problem_for
from svc.http.request.bearer import bearer_token
from svc.http.request.body import ClientGone
from svc.http.request.session_cookie import CHALLENGE, CSRF_HEADER, SESSION_COOKIE, cookie_name, guarded_token
from svc.http.request.transport import Transport
from svc.services import tool_calls
from svc.tools.registry import Registry
from svc.tools.tool import Tool

log = structlog.get_logger("svc.http.tools")

API_PATH: Final = "/api/v1/tools/"
APP_PATH: Final = "/app/api/tools/"
ORGANIZATION_HEADER: Final = "X-Organization-Id"

_Headers = Sequence[tuple[bytes, bytes]]

JSON: Final = (b"content-type", b"application/json")
OWN: Final = (b"cache-control", b"no-store")
"""What one caller is answered is nobody else's."""
REPLAYED: Final = (b"idempotent-replayed", b"true")
_WINDOW_SECONDS: Final = CALL_WINDOW_MS // SECOND_MS


class Gate(Protocol):
    """Lets callers in at one of the doors."""

    door: DoorName
    unauthorized: Answer
    """The answer to who is not let in."""

    async def admit(self, request: Request) -> Admission:
        """Who asks. Raises `Unauthenticated` and other refusals."""
        ...


class KeyGate:
    """Lets in whoever has an API key."""

    door: DoorName = "api"
    unauthorized = UNAUTHORIZED

    def __init__(self, system: System) -> None:
        self._system = system

    async def admit(self, request: Request) -> Admission:
        """The key's caller. Raises `Unauthenticated`."""
        return await tool_calls.admit_key(self._system, bearer_token(request))


class SessionGate:
    """Lets in who is signed in, on their own page."""

    door: DoorName = "app"
    unauthorized = problem(
        "unauthorized",
        None,
        headers=[(b"www-authenticate", CHALLENGE.encode()), (b"cache-control", b"no-store")],
    )

    def __init__(self, system: System, transport: Transport) -> None:
        self._system = system
        self._transport = transport

    async def admit(self, request: Request) -> Admission:
        """The person, in the organization that the request names or else at home.

        Raises `Unauthenticated`, and `Forbidden` without the CSRF token or where they are no member.
        """
        encrypted = self._transport.is_encrypted(request.scheme, request.client, request.headers)
        name = cookie_name(SESSION_COOKIE, encrypted=encrypted)
        cookie = parse_cookie(request.text("cookie")).get(name)
        token = guarded_token(cookie, request.text(CSRF_HEADER.lower()))
        organization_id = request.text(ORGANIZATION_HEADER.lower())
        return await tool_calls.admit_person(self._system, token, organization_id)


class ToolDoor:
    """Answers below one path: what follows it is the name of a tool."""

    def __init__(self, system: System, registry: Registry, gate: Gate) -> None:
        self._system = system
        self._registry = registry
        self._gate = gate

    async def __call__(self, request: Request) -> Answer:
        admission = await self._gate.admit(request)
        budget = budget_headers(admission.allowance)
        try:
            answer = await self._answer(request, admission)
        except (ClientGone, Unauthenticated):  # nobody is there any more, or nobody that we know
            raise
        except Exception as error:  # noqa: BLE001  # an answer to who was let in tells what is left
            answer = self.problem_for(request, error)
        age = deprecation_headers(self._registry.named(_name_in(request)))
        return Answer(answer.status, [*answer.headers, *budget, *age], answer.body)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """The problem that *error* is."""
        if isinstance(error, Unauthenticated):
            return self._gate.unauthorized
        if is_fault(error):
            log.error("a call failed", path=request.path, request_id=request.id.decode(), exc_info=error)
        return problem_for(error, request.id)

    async def _answer(self, request: Request, admission: Admission) -> Answer:
        """The order of the checks: budget, method, tool, right, type, size, shape."""
        tool_calls.check_budget(admission)
        if request.method != "POST":
            raise MethodNotAllowed(["POST"])
        call = Call(
            caller=admission.caller,
            door=self._gate.door,
            request_id=request.id.decode(),
            allowed_networks=self._system.outbound_http.allowed,
            registry=self._registry,
        )
        tool = await tool_calls.find(self._system, self._registry, call, _name_in(request))
        asked = tool.read(await read_json(request, TOOL_BODY_BYTES_MAX))
        done = await tool_calls.run(self._system, tool, call, asked, request.text("idempotency-key"))
        return success(done.body, replayed=done.replayed)


def success(body: bytes, *, replayed: bool) -> Answer:
    """The good answer to a call, which says so where it is that of the first call under its key."""
    return Answer(200, [JSON, OWN, REPLAYED] if replayed else [JSON, OWN], body)


def _name_in(request: Request) -> str:
    return request.path.rpartition("/")[2]


NO_INPUT: Final = b"{}"
"""What no body at all stands for: a tool that needs nothing is called without one."""


class NotJson(DomainError):
    """Raised for a body that does not say that it is JSON."""

    code = "unsupported_media_type"


async def read_json(request: Request, limit_bytes: int) -> bytes:
    """The body, which says that it is JSON; `{}` where there is none.

    Raises `NotJson`, and what `Request.read` raises.
    """
    untyped = request.header(b"content-type") is None
    if not untyped or request.header(b"content-length") not in {None, b"0"}:
        check_type(request)
    body = await request.read(limit_bytes)
    if body and untyped:
        check_type(request)
    return body or NO_INPUT


def check_type(request: Request) -> None:
    """Raises `NotJson`."""
    given = request.header(b"content-type")
    if (
        given != b"application/json"
        and (given or b"").partition(b";")[0].strip().lower() != b"application/json"
    ):
        raise NotJson("send `Content-Type: application/json`")


def budget_headers(allowance: Allowance) -> _Headers:
    """What is left of the caller's budget, in the older three headers and the newer two (decisions §4)."""
    limit, remaining, reset = allowance.limit, allowance.remaining, allowance.reset_seconds
    return (
        (b"ratelimit-limit", b"%d" % limit),
        (b"ratelimit-remaining", b"%d" % remaining),
        (b"ratelimit-reset", b"%d" % reset),
        (b"ratelimit-policy", b'"default";q=%d;w=%d' % (limit, _WINDOW_SECONDS)),
        (b"ratelimit", b'"default";r=%d;t=%d' % (remaining, reset)),
    )


def deprecation_headers(tool: Tool[Any, Any] | None) -> _Headers:
    """That a name goes, and when (RFC 9745, RFC 8594); nothing for one that stays."""
    if tool is None or tool.deprecated is None:
        return ()
    since_at, sunset_at = tool.deprecated.since_at, tool.deprecated.sunset_at
    return (
        (b"deprecation", b"@%d" % (since_at // SECOND_MS)),
        (b"sunset", http_date(sunset_at // SECOND_MS).encode()),
        (b"link", b'</docs/deprecations>; rel="deprecation"'),
    )
