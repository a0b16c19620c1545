"""The MCP door: `POST /api/v1/mcp`, and `POST /api/v1/mcp/full` with the flat list of tools.

Stateless: each request is answered with JSON, and no session is kept. A fault in the HTTP request or the key
is answered with a problem, as at the tool doors; a fault in the message with a JSON-RPC error; an error of a
tool with a result that says what to change.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import structlog
from werkzeug.exceptions import MethodNotAllowed

from svc.actors.identity.organization import Admission
from svc.actors.system import System
from svc.domain import json_input
from svc.domain.errors import (
    DomainError,
    Fault,
    Forbidden,
    InvalidInput,
    MalformedJson,
    Unauthenticated,
    Unavailable,
    UnknownTool,
)
from svc.domain.identity.callers import Call
from svc.domain.limits import TOOL_BODY_BYTES_MAX
from svc.domain.net.origins import origin_is_own
from svc.http.fast_path import Answer, Request
from svc.http.mcp import results, rpc
from svc.http.mcp.descriptors import CALL, CallTool, FlatList, Page, entries
from svc.http.mcp.rpc import Message, Params, RpcError
from svc.http.mcp.versions import CONTRACT, UNDECLARED, VERSIONS, Version, check_envelope, version_of
from svc.http.problems.call_problems import call_problem, log_fault
from svc.http.problems.problems import is_fault
from svc.http.request.bearer import bearer_token
from svc.http.request.json_body import check_type
from svc.http.response.answers import REPLAYED, json_answer
from svc.http.response.retry_after import retry_after, wait_ms_of
from svc.http.tools.admission import answer_admitted, call_of, deprecation_headers
from svc.services import tool_calls
from svc.tools.finding.finder import nearest
from svc.tools.registry import Registry

log = structlog.get_logger("svc.http.mcp")

PATH: Final = "/api/v1/mcp"
FULL_PATH: Final = "/api/v1/mcp/full"

_ACCEPTED: Final = Answer(202)
_call_tool: Final = msgspec.json.Decoder(CallTool)


class McpDoor:
    """Answers at one of the two paths: with the three tools that find others, or with the *flat* list."""

    def __init__(self, system: System, registry: Registry, *, flat: bool = False) -> None:
        self._system = system
        self._registry = registry
        self._flat = flat
        self._entries = entries(registry)
        self._list = FlatList(registry)

    async def __call__(self, request: Request) -> Answer:
        if request.method != "POST":
            raise MethodNotAllowed(["POST"])
        origin = request.text("origin")
        if origin is not None and not origin_is_own(origin, self._system.base_url):
            raise Forbidden("pages of other sites may not call this")
        admission = await tool_calls.admit_key(self._system, bearer_token(request))
        return await answer_admitted(request, admission, self._answer, self.problem_for)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """Answer *error* with its problem; faults of this service are logged."""
        return call_problem(log, request, error)

    async def _answer(self, request: Request, admission: Admission) -> Answer:
        """Check, in this order: budget, what the key allows, media type, size, message, version, method."""
        tool_calls.check_budget(admission)
        call = call_of(self._system, self._registry, admission, "mcp", request)
        await tool_calls.check_reach(self._system, call)
        check_type(request.text("content-type"))
        body = await request.read(TOOL_BODY_BYTES_MAX)
        try:
            message, repeated = rpc.read(body)
        except RpcError as error:
            return _failure(UNDECLARED, rpc.NO_ID, error)
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
                return json_answer(200, rpc.result(message.reply_id(), results.problem_result(version, text)))
            if method is None:
                return _ACCEPTED
            if version.enveloped:
                check_envelope(request, method, params)
            return await self._result(version, method, params, call, message.reply_id(), request=request)
        except RpcError as error:
            return _failure(version, message.reply_id(), error)
        except Unauthenticated:
            raise  # the key was revoked or has expired since it was admitted
        except Unavailable as error:
            wait = retry_after(wait_ms_of(error))
            overloaded = RpcError(rpc.OVERLOADED, f"{error.detail}: try again in {wait[1].decode()} s")
            return json_answer(503, rpc.failure(message.reply_id(), overloaded), wait)
        except Exception as error:  # noqa: BLE001  # the caller gets an answer to its message all the same
            log_fault(log, request, error)
            failed = RpcError(rpc.INTERNAL_ERROR, f"something failed on our side: request {call.request_id}")
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
            if not by_entry:
                raise RpcError(rpc.INVALID_PARAMS, text) from None
        except MalformedJson as error:
            raise RpcError(rpc.PARSE_ERROR, str(error)) from None
        except DomainError as error:
            if is_fault(error) or isinstance(error, Unavailable | Unauthenticated):
                raise
            text = results.problem_text(name, error)
        else:
            headers = [*deprecation_headers(tool), *([REPLAYED] if result.replayed else [])]
            return json_answer(200, rpc.result(reply_id, results.tool_result(version, result)), *headers)
        return json_answer(200, rpc.result(reply_id, results.problem_result(version, text)))


def _failure(version: Version, reply_id: bytes, error: RpcError) -> Answer:
    return json_answer(version.statuses.get(error.code, 200), rpc.failure(reply_id, error))
