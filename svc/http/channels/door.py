"""The channel doors: `POST /api/channels/v1/<door>` with a channel key, for the bridges of messengers."""

from typing import Final

import structlog
from werkzeug.exceptions import MethodNotAllowed

from svc.actors.system import House
from svc.domain.errors import Unauthenticated
from svc.domain.limits import CHANNEL_BODY_BYTES_MAX
from svc.http.fast_path import Answer, HotRequest
from svc.http.problems.problems import UNAUTHORIZED, is_fault, refusal
from svc.http.request.bearer import bearer_token
from svc.http.tools.door import answered, read_json
from svc.services import channel_calls as channels

log = structlog.get_logger("svc.http.channels")

PATH: Final = "/api/channels/v1/"


class ChannelDoor:
    """Answers below `PATH`: what follows it is the name of a door."""

    def __init__(self, house: House) -> None:
        self._house = house

    async def __call__(self, request: HotRequest) -> Answer:
        """The order of the checks: key, pace, method, door, type, size, shape."""
        bridge = await channels.admit(self._house, bearer_token(request))
        await channels.count_call(self._house, bridge)
        if request.method != "POST":
            raise MethodNotAllowed(["POST"])
        name = request.path.removeprefix(PATH)
        channels.check_door(name)
        told = channels.read(name, await read_json(request, CHANNEL_BODY_BYTES_MAX))
        kept = await channels.call(
            self._house,
            bridge,
            name,
            told,
            key=request.text("idempotency-key"),
            wait_gone=request.wait_client_left,
        )
        return answered(kept.body, replayed=kept.replayed)

    def refuse(self, request: HotRequest, error: Exception) -> Answer:
        """The problem that *error* is."""
        if isinstance(error, Unauthenticated):
            return UNAUTHORIZED
        if is_fault(error):
            log.error("a call failed", path=request.path, request_id=request.id.decode(), exc_info=error)
        return refusal(error, request.id)
