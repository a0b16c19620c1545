"""`POST /app/api/agent-trial` and `POST /app/api/model-trial`: signed-in people try an agent, or a model.

They are no tools, since a model is asked on the way: that takes seconds, and no unit of work waits for it.
"""

from typing import Final

import msgspec
from werkzeug.exceptions import MethodNotAllowed

from svc.actors.identity.organization import Admission
from svc.domain.input import json as json_input
from svc.domain.limits import TOOL_BODY_BYTES_MAX
from svc.http.fast_path import Answer, Request
from svc.http.request.json_body import read_json
from svc.http.response.answers import success
from svc.http.tools.gated_door import GatedDoor
from svc.services.ai import trials
from svc.services.tools import calls as tool_calls
from svc.tools.agent.trials import TryAgent
from svc.tools.ai.trials import TryModel

AGENT_PATH: Final = "/app/api/agent-trial"
MODEL_PATH: Final = "/app/api/model-trial"

_AGENT: Final = msgspec.json.Decoder(TryAgent)
_MODEL: Final = msgspec.json.Decoder(TryModel)
_encode: Final = msgspec.json.Encoder().encode


class _TrialDoor(GatedDoor):
    async def body_of(self, request: Request, admission: Admission) -> bytes:
        """The body of a trial, once budget and method are checked."""
        tool_calls.check_budget(admission)
        if request.method != "POST":
            raise MethodNotAllowed(["POST"])
        return await read_json(request, TOOL_BODY_BYTES_MAX)


class AgentTrialDoor(_TrialDoor):
    """Has an agent answer a trial conversation."""

    async def answer_call(self, request: Request, admission: Admission) -> Answer:
        """Check, in this order: budget, method, media type, size, shape, rights; then ask the model."""
        asked = json_input.read(_AGENT, await self.body_of(request, admission))
        call = self.call_of(request, admission)
        answer = await trials.try_agent(self._system, call, asked, request.wait_client_left)
        return success(_encode(answer), replayed=False)


class ModelTrialDoor(_TrialDoor):
    """Asks a model something short."""

    async def answer_call(self, request: Request, admission: Admission) -> Answer:
        """Check as above; then ask the model."""
        asked = json_input.read(_MODEL, await self.body_of(request, admission))
        call = self.call_of(request, admission)
        answer = await trials.try_model(self._system, call, asked, request.wait_client_left)
        return success(_encode(answer), replayed=False)
