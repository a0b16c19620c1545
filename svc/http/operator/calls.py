"""Calls of the command line to the running service: tools in the operator's name, and commands.

`POST /tools/<name>?organization=ID`, `POST /commands/<name>` and `POST /credits` on the operator's listener,
whose token authorizes all of them. Bodies and answers are JSON, errors are problems, as at the Tool API.
"""

from typing import Any, cast

import msgspec
from quart import Response, request

from svc.actors.system import System
from svc.domain.errors import Fault, InvalidInput, NotFound
from svc.domain.input.near_names import guess, shown
from svc.http.quart_app import current_request
from svc.http.request.json_body import NO_INPUT
from svc.services.tools import calls as tool_calls
from svc.tools.ai.operator_commands import grant_credits
from svc.tools.catalogue import REGISTRY
from svc.tools.command import Command
from svc.tools.operator_catalogue import COMMANDS


class OperatorCalls:
    """The views that run tools and commands."""

    def __init__(self, system: System) -> None:
        self._system = system

    async def call_tool(self, name: str) -> Response:
        """Run a tool in the organization of the query. Raises the tool's `DomainError`, or `UnknownTool`."""
        system = self._system
        organization_id = request.args.get("organization")
        if not organization_id:
            raise InvalidInput([Fault("", "missing", "say which `organization` in the query")])
        request_id = current_request().id.decode()
        call = await tool_calls.admit_operator(system, organization_id, request_id)
        tool = await tool_calls.find(system, REGISTRY, call, name)
        result = await tool_calls.run(system, tool, call, tool.read(await _body()))
        return _json(result.body)

    async def run_command(self, name: str) -> Response:
        """Run a command in one unit of work. Raises the command's `DomainError`, or `NotFound`."""
        command = COMMANDS.get(name)
        if command is None:
            raise NotFound(f"there is no command {shown(name)}{guess(name, list(COMMANDS))}")
        return await self._run(command)

    async def grant_credits(self) -> Response:
        """Give an organization credits. Raises the `DomainError` of the command `credits.grant`."""
        return await self._run(grant_credits)

    async def _run(self, command: Command[Any, Any]) -> Response:
        command_input = command.read(await _body())
        units = command.units(self._system.store, command_input)
        return _json(msgspec.json.encode(await units.write(command, command_input)))


async def _body() -> bytes:
    return cast("bytes", await request.get_data()) or NO_INPUT


def _json(body: bytes) -> Response:
    return Response(body, content_type="application/json", headers={"Cache-Control": "no-store"})
