"""The MCP door: `POST /api/v1/mcp`, and `POST /api/v1/mcp/full` with the flat list of tools.

Stateless: each request is answered with JSON, and no session is kept. A fault in the HTTP request or the key
is answered with a problem, as at the tool doors; a fault in the message with a JSON-RPC error; an error of a
tool with a result that says what to change.

Pages of this machine, such as the inspector's, may call and read the answers (CORS); pages of other sites may
not. A page of a name that was rebound to this machine has that name as its origin, so it stays out. No cookie
opens these doors, so a page can do no more than its token.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import structlog
from werkzeug.exceptions import MethodNotAllowed

from svc.actors.identity.organization import Admission
from svc.actors.system import System
from svc.domain.errors import (
    DomainError,
    Fault,
    Forbidden,
    InvalidInput,
    MalformedJson,
    NeedsPerson,
    Unauthenticated,
    Unavailable,
    UnknownTool,
)
from svc.domain.grants.oauth import McpDoorName
from svc.domain.identity.callers import Call
from svc.domain.input import json as json_input
from svc.domain.limits import TOOL_BODY_BYTES_MAX
from svc.domain.net.origins import origin_is_own
from svc.http.fast_path import Answer, Request, StreamAnswer
from svc.http.grants.places import Issuer
from svc.http.mcp import results, rpc
from svc.http.mcp.descriptors import CALL, CallTool, FlatList, Page, entries
from svc.http.mcp.rpc import Message, Params, RpcError
from svc.http.mcp.versions import CONTRACT, UNDECLARED, VERSIONS, Version, check_envelope, version_of
from svc.http.problems.call_problems import call_problem, log_fault
from svc.http.problems.problems import is_fault, unauthorized
from svc.http.request.json_body import check_type
from svc.http.requests.lines import note_code
from svc.http.response.answers import REPLAYED, Fields, json_answer
from svc.http.response.cors import (
    MAX_AGE,
    allow_methods,
    allow_origin,
    allow_requested_headers,
    expose_headers,
)
from svc.http.response.retry_after import retry_after, wait_ms_of
from svc.http.tools.admission import admit_at_mcp, answer_admitted, call_of, deprecation_headers, note_tool
from svc.services.screens.addresses import note_screen
from svc.services.tools import calls as tool_calls
from svc.tools.finding.finder import nearest
from svc.tools.registry import Registry

log = structlog.get_logger("svc.http.mcp")

PATH: Final = "/api/v1/mcp"
FULL_PATH: Final = "/api/v1/mcp/full"

_ACCEPTED: Final = Answer(202)
_EXPOSED: Final = expose_headers(
    b"WWW-Authenticate, Retry-After, X-Request-Id, RateLimit, RateLimit-Policy, RateLimit-Limit,"
    b" RateLimit-Remaining, RateLimit-Reset, Idempotent-Replayed, Deprecation, Sunset, Link"
)
_VARY: Final = (b"vary", b"Origin")
_call_tool: Final = msgspec.json.Decoder(CallTool)


class McpDoor:
    """Answers at one of the two paths: with the three tools that find others, or with the *flat* list."""

    def __init__(self, system: System, registry: Registry, issuer: Issuer, *, flat: bool = False) -> None:
        self._system = system
        self._issuer = issuer
        self._door: McpDoorName = "mcp_full" if flat else "mcp"
        self._registry = registry
        self._flat = flat
        self._entries = entries(registry)
        self._list = FlatList(registry)

    async def __call__(self, request: Request) -> Answer | StreamAnswer:
        """Answer with the caller's budget where the key is valid, also what is refused whatever the key."""
        page_fields = self._page_fields(request)
        if page_fields and request.method == "OPTIONS":
            return _preflight(request, page_fields)
        refusal = self._refusal(request)
        try:
            admission = await admit_at_mcp(self._system, request, self._door)
        except Unauthenticated:
            if refusal is not None:
                raise refusal from None
            raise
        return await answer_admitted(request, admission, self._answer, self._problem, *page_fields)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """Answer *error* with its problem; faults of this service are logged.

        The 401 names the metadata of this door, from which an app finds out how to ask a person.
        """
        answer = self._problem(request, error)
        return Answer(answer.status, [*answer.headers, *self._page_fields(request)], answer.body)

    def _problem(self, request: Request, error: Exception) -> Answer:
        if not isinstance(error, Unauthenticated):
            return call_problem(log, request, error)
        challenge = (b"www-authenticate", self._issuer.challenge(request, self._door))
        return call_problem(log, request, error, unauthorized(challenge))

    def _refusal(self, request: Request) -> Exception | None:
        """The error for another method than POST, and for a page of another site."""
        if request.method != "POST":
            return MethodNotAllowed(["POST"])
        if request.header(b"origin") is not None and not self._page_fields(request):
            return Forbidden("pages of other sites may not call this")
        return None

    def _page_fields(self, request: Request) -> Fields:
        """The fields that let the page that sent *request* read its answer; none for pages of other sites."""
        origin = request.text("origin")
        if origin is None or not origin_is_own(origin, self._system.base_url):
            return ()
        return allow_origin(origin.encode()), _VARY, _EXPOSED

    async def _answer(self, request: Request, admission: Admission) -> Answer:
        """Check, in this order: budget, HTTP method, origin, what the key allows, media type, size, message.

        Then the message's version and method.
        """
        tool_calls.check_budget(admission)
        refusal = self._refusal(request)
        if refusal is not None:
            raise refusal
        call = call_of(self._system, self._registry, admission, "mcp", request)
        await tool_calls.check_reach(self._system, call)
        check_type(request.text("content-type"))
        body = await request.read(TOOL_BODY_BYTES_MAX)
        try:
            message, repeated = rpc.read(body)
        except RpcError as error:
            return _failure(request, UNDECLARED, rpc.NO_ID, error)
        return await self._reply(request, call, message, repeated)

    async def _reply(
        self, request: Request, call: Call, message: Message, repeated: Sequence[Fault]
    ) -> Answer:
        version = UNDECLARED
        try:
            method = message.method()
            params = message.params() if method else Params()
            version = version_of(request, params.meta.version)
            if repeated:
                faults = rpc.faults_of_arguments(method, repeated)
                text = results.problem_text(params.name or "the tool", InvalidInput(faults))
                note_code(request, InvalidInput.code)
                return json_answer(200, rpc.result(message.reply_id(), results.problem_result(version, text)))
            if method is None:
                return _ACCEPTED
            if version.enveloped:
                check_envelope(request, method, params)
            return await self._result(version, method, params, call, message.reply_id(), request=request)
        except RpcError as error:
            return _failure(request, version, message.reply_id(), error)
        except Unauthenticated:
            raise  # the key was revoked or has expired since it was admitted
        except Unavailable as error:
            note_code(request, error.code)
            wait = retry_after(wait_ms_of(error))
            overloaded = RpcError(rpc.OVERLOADED, f"{error.detail}: try again in {wait[1].decode()} s")
            return json_answer(503, rpc.failure(message.reply_id(), overloaded), wait)
        except Exception as error:  # noqa: BLE001  # the caller gets an answer to its message all the same
            log_fault(log, request, error)
            failed = RpcError(rpc.INTERNAL_ERROR, f"something failed on our side: request {call.request_id}")
            note_code(request, "internal")
            return json_answer(500, rpc.failure(message.reply_id(), failed))

    async def _result(
        self,
        version: Version,
        method: str,
        params: Params,
        call: Call,
        reply_id: bytes,
        *,
        request: Request,
    ) -> Answer:
        if method not in version.methods:
            raise RpcError(
                rpc.METHOD_NOT_FOUND, f"{method[:100]!r} is not answered in version {version.name}"
            )
        if request.line is not None:
            request.line.tool = method
        match method:
            case "tools/call":
                return await self._call(version, params, call, reply_id, request=request)
            case "tools/list":
                result = results.tool_list(version, self._page(call, params))
            case "initialize":
                if params.protocol_version is None:
                    raise RpcError(rpc.INVALID_PARAMS, "`protocolVersion` is missing")
                agreed = VERSIONS.get(params.protocol_version, CONTRACT)
                result = results.initialized(
                    CONTRACT if agreed.enveloped else agreed, self._instructions(call)
                )
            case "server/discover":
                result = results.discovered(version, self._instructions(call))
            case _:
                result = b"{}"
        return json_answer(200, rpc.result(reply_id, result))

    def _page(self, call: Call, params: Params) -> Page:
        if self._flat:
            return self._list.page(call.caller, params.cursor, self._system.clock.now())
        if params.cursor is not None:
            raise RpcError(rpc.INVALID_PARAMS, "this list has no other page")
        return self._entries

    def _instructions(self, call: Call) -> str:
        callable_tools = len(self._list.names(call.caller, self._system.clock.now()))
        return results.instructions(call.caller, callable_tools, len(self._registry), flat=self._flat)

    async def _call(
        self, version: Version, params: Params, call: Call, reply_id: bytes, *, request: Request
    ) -> Answer:
        """Call a tool by its own name, or at `PATH` also through `tool_call`."""
        name, arguments = params.name, params.arguments
        if name is None:
            raise RpcError(rpc.INVALID_PARAMS, "`name` is missing")
        by_entry = name == CALL and not self._flat
        try:
            if by_entry:
                inner = json_input.read_part(_call_tool, rpc.arguments_of(arguments))
                name, arguments = inner.name, inner.arguments
            note_tool(request, self._registry.named(name))
            tool = await tool_calls.find(self._system, self._registry, call, name)
            tool_input = tool.read_part(rpc.arguments_of(arguments))
            result = await tool_calls.run(
                self._system,
                tool,
                call,
                tool_input,
                params.meta.idempotency_key,
                wait_gone=request.wait_client_left,
            )
        except UnknownTool:
            text = results.unknown_text(name, nearest(self._registry, name))
            note_code(request, UnknownTool.code)
            if not by_entry:
                raise RpcError(rpc.INVALID_PARAMS, text) from None
        except MalformedJson as error:
            raise RpcError(rpc.PARSE_ERROR, str(error)) from None
        except DomainError as error:
            if isinstance(error, NeedsPerson):
                await note_screen(self._system, call, name, error, bytes(arguments))
            if is_fault(error) or isinstance(error, Unavailable | Unauthenticated):
                raise
            text = results.problem_text(name, error, self._system.base_url)
            note_code(request, error.code)
        else:
            if request.line is not None:
                request.line.replayed = result.replayed
            headers = [*deprecation_headers(tool), *([REPLAYED] if result.replayed else [])]
            return json_answer(200, rpc.result(reply_id, results.tool_result(version, result)), *headers)
        return json_answer(200, rpc.result(reply_id, results.problem_result(version, text)))


def _failure(request: Request, version: Version, reply_id: bytes, error: RpcError) -> Answer:
    note_code(request, str(error.code))
    return json_answer(version.statuses.get(error.code, 200), rpc.failure(reply_id, error))


def _preflight(request: Request, page_fields: Fields) -> Answer:
    """Let the page send its token, and the headers of its version of the protocol."""
    headers = allow_requested_headers(request.header(b"access-control-request-headers"))
    return Answer(204, [*page_fields, allow_methods(b"POST"), *headers, MAX_AGE])
