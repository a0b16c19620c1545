"""The door of presence: `POST /app/api/presence`, for pages that have a conversation open."""

from http import HTTPStatus
from typing import Final

import msgspec
from werkzeug.exceptions import MethodNotAllowed

from svc.actors.identity.organization import Admission
from svc.domain.inbox.presence import Activity
from svc.domain.input import json as json_input
from svc.http.fast_path import Answer, Request
from svc.http.request.json_body import read_json
from svc.http.response.answers import json_answer
from svc.http.tools.gated_door import GatedDoor
from svc.services.screens import presence
from svc.services.tools import calls as tool_calls

PATH: Final = "/app/api/presence"
_BODY_BYTES_MAX: Final = 1_024


class OwnPresence(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """What the caller does at a conversation; null as they leave it."""

    conversation_id: str
    activity: Activity | None


class OtherPerson(msgspec.Struct, frozen=True):
    """Somebody else who has it open."""

    id: str
    name: str
    activity: Activity


class OtherPeople(msgspec.Struct, frozen=True):
    """Who else has it open."""

    people: list[OtherPerson]


_decoder: Final = msgspec.json.Decoder(OwnPresence)
_encode: Final = msgspec.json.Encoder().encode


class PresenceDoor(GatedDoor):
    """Notes that somebody looks at a conversation or writes in it, and tells who else does."""

    async def answer_call(self, request: Request, admission: Admission) -> Answer:
        """Check, in this order: budget, method, size, shape, right, conversation."""
        tool_calls.check_budget(admission)
        if request.method != "POST":
            raise MethodNotAllowed(["POST"])
        own = json_input.read(_decoder, await read_json(request, _BODY_BYTES_MAX))
        others = await presence.note(self._system, admission.caller, own.conversation_id, own.activity)
        people = OtherPeople([OtherPerson(one.id, one.name, one.activity) for one in others])
        return json_answer(HTTPStatus.OK, _encode(people))
