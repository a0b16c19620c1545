"""The doors of tools: `POST /api/v1/tools/<name>` with an API key, `POST /app/api/tools/<name>` signed in.

They differ in authentication; an admitted call is the same at both.
"""

from contextlib import suppress
from typing import Any, Final, Protocol

import structlog
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.sansio.http import parse_cookie

from svc.actors.identity.organization import Admission
from svc.actors.system import System
from svc.domain.errors import DomainError, NeedsPerson
from svc.domain.identity.callers import Call, DoorName
from svc.domain.limits import TOOL_BODY_BYTES_MAX
from svc.domain.requests.requests import LogDoor
from svc.http.fast_path import Answer, Request, StreamAnswer
from svc.http.problems.call_problems import call_problem
from svc.http.problems.problems import UNAUTHORIZED, problem
from svc.http.request.client_address import address_of
from svc.http.request.json_body import read_json
from svc.http.request.organization import organization_in
from svc.http.request.session_cookie import (
    CHALLENGE,
    CSRF_HEADER,
    SESSION_COOKIE,
    cookie_name,
    guarded_token,
    session_token,
)
from svc.http.request.transport import Transport
from svc.http.response.answers import NO_STORE
from svc.http.tools.admission import (
    admit_key,
    answer_admitted,
    call_of,
    call_success,
    deprecation_headers,
    note_tool,
)
from svc.services.screens.addresses import note_screen
from svc.services.tools import calls as tool_calls
from svc.tools.registry import Registry
from svc.tools.tool import Tool

log = structlog.get_logger("svc.http.tools")

API_PATH: Final = "/api/v1/tools/"
APP_PATH: Final = "/app/api/tools/"

SESSION_UNAUTHORIZED: Final = problem(
    "unauthorized", None, headers=[(b"www-authenticate", CHALLENGE.encode()), NO_STORE]
)
"""The answer to a person without a session."""


class Gate(Protocol):
    """Admits callers at one of the doors."""

    door: DoorName
    unauthorized: Answer
    """The answer to a failed authentication."""

    async def admit(self, request: Request) -> Admission:
        """Authenticate the caller.

        Raises `Unauthenticated` if the credential is missing or not valid, and `Forbidden` if the caller may
        not use this door.
        """
        ...


class KeyGate:
    """Admits by API key."""

    door: DoorName = "api"
    unauthorized = UNAUTHORIZED

    def __init__(self, system: System, logged_as: LogDoor = "tools") -> None:
        self._system = system
        self._logged_as: LogDoor = logged_as

    async def admit(self, request: Request) -> Admission:
        """Authenticate the key. Raises `Unauthenticated` if the key is missing or not valid."""
        return await admit_key(self._system, request, self._logged_as)


class SessionGate:
    """Admits by session cookie, and by CSRF token unless the door only reads.

    Calls are uses of the session, unless they are not made *by_hand*.
    """

    door: DoorName = "app"
    unauthorized = SESSION_UNAUTHORIZED

    def __init__(
        self, system: System, transport: Transport, *, reads: bool = False, by_hand: bool = True
    ) -> None:
        self._system = system
        self._transport = transport
        self._reads = reads
        self._by_hand = by_hand

    async def admit(self, request: Request) -> Admission:
        """Authenticate the person, in the organization that the request names or else in their home.

        Raises:
            Unauthenticated: there is no valid session.
            InvalidInput: the request names more than one organization.
            Forbidden: the CSRF token is missing, or the person is not a member there.
        """
        encrypted = self._transport.is_encrypted(request.scheme, request.client, request.headers)
        name = cookie_name(SESSION_COOKIE, encrypted=encrypted)
        cookie = parse_cookie(request.text("cookie")).get(name)
        token = (
            session_token(cookie) if self._reads else guarded_token(cookie, request.text(CSRF_HEADER.lower()))
        )
        address = address_of(request.client, request.headers, self._transport.trusted_proxies)
        return await tool_calls.admit_person(
            self._system, token, organization_in(request), address, by_hand=self._by_hand
        )


class ToolDoor:
    """Answers calls below one path, whose last segment names the tool."""

    def __init__(self, system: System, registry: Registry, gate: Gate) -> None:
        self._system = system
        self._registry = registry
        self._gate = gate

    async def __call__(self, request: Request) -> Answer | StreamAnswer:
        admission = await self._gate.admit(request)
        tool = self._registry.named(_name_in(request))
        note_tool(request, tool)
        deprecation = deprecation_headers(tool)
        return await answer_admitted(request, admission, self._answer, self.problem_for, *deprecation)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """Answer *error* with its problem; faults of this service are logged."""
        return call_problem(log, request, error, self._gate.unauthorized)

    async def _answer(self, request: Request, admission: Admission) -> Answer:
        """Check, in this order: budget, method, tool, permission, media type, size, shape."""
        tool_calls.check_budget(admission)
        if request.method != "POST":
            raise MethodNotAllowed(["POST"])
        call = call_of(self._system, self._registry, admission, self._gate.door, request)
        name, body = _name_in(request), b""
        try:
            tool = await tool_calls.find(self._system, self._registry, call, name)
            body = await read_json(request, TOOL_BODY_BYTES_MAX)
            return await self._run(request, call, tool, body)
        except NeedsPerson as error:
            with suppress(DomainError, HTTPException):  # the refusal counts, whatever its body is
                body = body or await request.read(TOOL_BODY_BYTES_MAX)
            await note_screen(self._system, call, name, error, body)
            raise

    async def _run(self, request: Request, call: Call, tool: Tool[Any, Any], body: bytes) -> Answer:
        tool_input = tool.read(body)
        result = await tool_calls.run(
            self._system,
            tool,
            call,
            tool_input,
            request.text("idempotency-key"),
            wait_gone=request.wait_client_left,
        )
        return call_success(request, result)


def _name_in(request: Request) -> str:
    return request.path.rpartition("/")[2]
