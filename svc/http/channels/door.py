"""The channel doors for the bridges of messengers: `POST /api/channels/v1/<door>` with a channel key."""

from typing import Final

import structlog
from werkzeug.exceptions import MethodNotAllowed

from svc.actors.system import System
from svc.domain.channels.limits import CHANNEL_BODY_BYTES_MAX
from svc.http.fast_path import Answer, Request
from svc.http.problems.call_problems import call_problem
from svc.http.request.bearer import bearer_token
from svc.http.request.json_body import read_json
from svc.http.requests.lines import Line
from svc.http.tools.admission import call_success
from svc.services.channels import calls as channel_calls

log = structlog.get_logger("svc.http.channels")

PATH: Final = "/api/channels/v1/"


class ChannelDoor:
    """Answers calls below `PATH`, whose last segment names the channel door."""

    def __init__(self, system: System) -> None:
        self._system = system

    async def __call__(self, request: Request) -> Answer:
        """Check, in this order: key, rate, method, door name, media type, size, shape."""
        bridge = await channel_calls.admit(self._system, bearer_token(request))
        name = request.path.removeprefix(PATH)
        line = request.line = Line(
            self._system.request_log, "channels", bridge.organization_id, bridge.id, "channel_key"
        )
        line.tool = name if channel_calls.is_door(name) else None
        await channel_calls.count_call(self._system, bridge)
        if request.method != "POST":
            raise MethodNotAllowed(["POST"])
        channel_calls.check_door(name)
        message = channel_calls.read(name, await read_json(request, CHANNEL_BODY_BYTES_MAX))
        stored = await channel_calls.call(
            self._system,
            bridge,
            name,
            message,
            key=request.text("idempotency-key"),
            wait_gone=request.wait_client_left,
        )
        return call_success(request, stored)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """Answer *error* with its problem; faults of this service are logged."""
        return call_problem(log, request, error)
