"""The AI gateway: `POST /api/ai/v1/chat/completions`, `GET …/models` and `GET …/key`, with a gateway key.

Any other address below is told in the same shape what there is.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import msgspec
import structlog
from werkzeug.exceptions import MethodNotAllowed

from svc.actors.ai.completion_calls import StreamCut
from svc.actors.identity.organization import Admission
from svc.actors.system import System
from svc.domain.ai.errors import GatewayError
from svc.domain.ai.limits import AI_BODY_BYTES_MAX
from svc.domain.errors import Unauthenticated
from svc.domain.identity.callers import Caller
from svc.domain.requests.requests import INTERRUPTED
from svc.http.ai.errors import answer_of, error_answer, log_fault
from svc.http.fast_path import Answer, PartSender, Request, StreamAnswer
from svc.http.request.body import ClientGone
from svc.http.requests.lines import note_code
from svc.http.response.answers import NO_STORE, Fields, json_answer
from svc.http.tools.admission import admit_key, budget_headers
from svc.services.ai import completions
from svc.services.tools import calls as tool_calls

log = structlog.get_logger("svc.http.ai")

COMPLETIONS_PATH: Final = "/api/ai/v1/chat/completions"
MODELS_PATH: Final = "/api/ai/v1/models"
MODEL_PATHS: Final = f"{MODELS_PATH}/"
"""Followed by a model's id, which may have slashes."""
KEY_PATH: Final = "/api/ai/v1/key"
PATHS: Final = "/api/ai/v1/"

_UNKNOWN_ADDRESS: Final = GatewayError(
    "unknown_url",
    f"There is nothing at this address. There is POST {COMPLETIONS_PATH}, GET {MODELS_PATH}, one of them at"
    f" GET {MODEL_PATHS}ID, and GET {KEY_PATH}. A client that asks another address has a setting for chat"
    " completions.",
)
_EVENTS: Final = (b"content-type", b"text/event-stream; charset=utf-8")


class _GatewayDoor:
    """What the gateway's doors share: admission, budget, errors."""

    method: str
    logged_as: str
    """What stands for the tool in the request log: the address below the gateway's."""

    def __init__(self, system: System) -> None:
        self._system = system

    async def __call__(self, request: Request) -> Answer | StreamAnswer:
        """Check, in this order: key, budget, method, what the key is for; then answer."""
        admission = await admit_key(self._system, request, "gateway")
        if request.line is not None:
            request.line.tool = self.logged_as
        budget = budget_headers(admission.allowance)
        try:
            tool_calls.check_budget(admission)
            self._check_method(request)
            await completions.check_reach(self._system, admission, request.id.decode())
            return await self._answer(request, admission, budget)
        except (ClientGone, Unauthenticated):
            raise
        except Exception as error:  # noqa: BLE001  # the caller is admitted, so errors show the budget too
            return _with(self.problem_for(request, error), budget)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """Answer *error* in the shape of chat-completions clients; faults of this service are logged."""
        return error_answer(log, request, error)

    def _check_method(self, request: Request) -> None:
        if request.method != self.method:
            raise MethodNotAllowed([self.method])

    async def _answer(self, request: Request, admission: Admission, budget: Fields) -> Answer | StreamAnswer:
        raise NotImplementedError


class CompletionsDoor(_GatewayDoor):
    """Completes chats."""

    method = "POST"
    logged_as = "chat/completions"

    async def _answer(self, request: Request, admission: Admission, budget: Fields) -> StreamAnswer:
        """Read and check the request; what it asks for is written as it comes."""
        caller = admission.caller
        size = completions.room_for(_length(request), AI_BODY_BYTES_MAX)
        with self._held(caller, size):
            body = await request.read(AI_BODY_BYTES_MAX)
            asked = await completions.read_request(self._system, body)

        async def write(parts: PartSender) -> Answer | None:
            try:
                # Nothing runs between the check and this, so the places are still there.
                with self._held(caller, len(body)):
                    answer = await completions.complete(self._system, caller, asked, parts)
            except (ClientGone, Unauthenticated):
                raise
            except StreamCut:
                note_code(request, INTERRUPTED)
                raise ClientGone from None
            except Exception as error:  # noqa: BLE001  # what it says may be of the request: see `log_fault`
                if parts.begun:
                    log_fault(log, request, error)
                    note_code(request, "internal")
                    raise ClientGone from None
                return _with(self.problem_for(request, error), budget)
            return None if answer is None else json_answer(answer.status, answer.body, *budget)

        return StreamAnswer(200, [_EVENTS, NO_STORE, *budget], write)

    @contextmanager
    def _held(self, caller: Caller, size: int) -> Iterator[None]:
        """A place among the calls under way, and the memory for a body of *size*. Raises `Unavailable`."""
        places, bodies = self._system.stream_places.gateway, self._system.ai.bodies
        with places.hold(caller.organization_id), bodies.hold(caller.organization_id, size):
            yield


class ModelsDoor(_GatewayDoor):
    """Lists the models that a key may name."""

    method = "GET"
    logged_as = "models"

    async def _answer(self, request: Request, admission: Admission, budget: Fields) -> Answer:  # noqa: ARG002
        page = await completions.list_models(self._system, admission.caller)
        return json_answer(200, msgspec.json.encode(page), *budget)


class ModelDoor(_GatewayDoor):
    """Shows one model that a key may name."""

    method = "GET"
    logged_as = "models"

    async def _answer(self, request: Request, admission: Admission, budget: Fields) -> Answer:
        model_id = request.path.removeprefix(MODEL_PATHS)
        entry = await completions.get_model(self._system, admission.caller, model_id)
        return json_answer(200, msgspec.json.encode(entry), *budget)


class UnknownAddressDoor:
    """Tells which addresses there are, with a key or without."""

    async def __call__(self, request: Request) -> Answer:  # noqa: ARG002  # every door's
        """The same for every address."""
        return answer_of(_UNKNOWN_ADDRESS)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """As at the gateway's other doors."""
        return error_answer(log, request, error)


class KeyDoor(_GatewayDoor):
    """Tells what is left to spend with a key."""

    method = "GET"
    logged_as = "key"

    async def _answer(self, request: Request, admission: Admission, budget: Fields) -> Answer:  # noqa: ARG002
        left = await completions.key_left(self._system, admission.caller)
        return json_answer(200, msgspec.json.encode(left), *budget)


def _length(request: Request) -> int | None:
    """The body's length as its head has it; None for one that is sent in chunks."""
    length = request.header(b"content-length")
    if length is None:
        return None
    return int(length) if length.isdigit() else None


def _with(answer: Answer, fields: Fields) -> Answer:
    return Answer(answer.status, [*answer.headers, *fields], answer.body)
