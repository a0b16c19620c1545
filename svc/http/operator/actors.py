"""Views of actors: all of them, one with all that is known of it, and its turns as they end."""

from collections.abc import AsyncIterator
from typing import Annotated, Any, Final

import msgspec
import trio
from quart import Response, request
from werkzeug.exceptions import NotFound

from svc.actors._core import ActorError, ActorInspection, ActorStatistics, Selection
from svc.actors._core.recorder import TurnRecord
from svc.actors._core.statistics import Phase
from svc.actors._core.survey import LISTED_MAX, Sort
from svc.actors._core.tracing import TURNS_MAX, TracedTurn
from svc.actors.system import System
from svc.domain.errors import DomainError, InvalidValue
from svc.domain.input.near_names import hint, shown
from svc.http.operator.answers import json_answer, to_json
from svc.http.problems.problems import problem_response
from svc.http.quart_app import current_request
from svc.services.operator import actor_actions

SNAPSHOT_SECONDS: Final = 1.0
"""How long an actor may take to show its state; after that it is listed without."""

TRACE_SECONDS_MAX: Final = 60


class ActorFilter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The query of `/debug/actors`: which actors, in which order."""

    kind: str | None = None
    phase: Phase | None = None
    key: str = ""
    sort: Sort = "mailbox"
    limit: Annotated[int, msgspec.Meta(ge=1, le=LISTED_MAX)] = 50


class TraceRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The query of `/debug/trace/<kind>/<key>`: when it ends, whichever comes first."""

    turns: Annotated[int, msgspec.Meta(ge=1, le=TURNS_MAX)] = 50
    seconds: Annotated[float, msgspec.Meta(gt=0, le=TRACE_SECONDS_MAX)] = 30


def row(actor: ActorStatistics) -> dict[str, Any]:
    """*actor* as a row of a list."""
    shown_: dict[str, Any] = to_json(actor)
    del shown_["latency"]  # longer than the rest of the row
    return shown_


class ActorViews:
    """The views. None but `show`, for the state, sends an actor a message."""

    def __init__(self, system: System) -> None:
        self._system = system

    async def list(self) -> Response:
        """All kinds, and the first of the matching actors in the order of the query."""
        try:
            actor_filter = msgspec.convert(request.args.to_dict(), ActorFilter, strict=False)
            self._check_kind(actor_filter.kind)
        except (msgspec.ValidationError, InvalidValue) as error:
            return problem_response("validation_failed", current_request().id, str(error))
        survey = await self._system.survey(Selection(**msgspec.structs.asdict(actor_filter)))
        return json_answer(
            {
                "draining": self._system.draining,
                "kinds": to_json(survey.kinds),
                "total": survey.total,
                "actors": [row(actor) for actor in survey.actors],
            }
        )

    async def show(self, kind: str, key: str) -> Response:
        """One live or quarantined actor, with its state if it answers in time."""
        inspection = self._system.inspect(kind, key)
        if inspection is None:
            raise NotFound
        state, why = await self._state(inspection.statistics)
        return json_answer({**self.inspected(inspection), "state": state, "stateMissing": why})

    async def passivate(self, kind: str, key: str) -> Response:
        """Passivate an idle actor. Raises `Conflict`."""
        return json_answer({"audited": await actor_actions.act(self._system, "passivate", kind, key)})

    async def restart(self, kind: str, key: str) -> Response:
        """Restart an actor, in whatever it is. Raises `Conflict`."""
        return json_answer({"audited": await actor_actions.act(self._system, "restart", kind, key)})

    async def release(self, kind: str, key: str) -> Response:
        """End a quarantine. Raises `Conflict`."""
        return json_answer({"audited": await actor_actions.act(self._system, "release", kind, key)})

    async def trace(self, kind: str, key: str) -> Response:
        """The next turns of an actor, a line of JSON each as they end; the last line is the actor itself.

        It need not be active yet. 503 while as many traces run as may.
        """
        try:
            asked = msgspec.convert(request.args.to_dict(), TraceRequest, strict=False)
            self._check_kind(kind)
        except (msgspec.ValidationError, InvalidValue) as error:
            return problem_response("validation_failed", current_request().id, str(error))
        self._system.traces.check_room()
        return Response(
            self._traced(kind, key, asked),
            content_type="application/x-ndjson",
            headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"},
        )

    async def _traced(self, kind: str, key: str, asked: TraceRequest) -> AsyncIterator[bytes]:
        ends_at = trio.current_time() + asked.seconds
        with self._system.traces.open(kind, key, asked.turns) as turns:
            while True:
                turn: TracedTurn | None = None
                with trio.move_on_at(ends_at):
                    turn = await anext(turns, None)
                if turn is None:
                    break
                yield msgspec.json.encode({"turn": self._turn(turn)}) + b"\n"
        inspection = self._system.inspect(kind, key)
        yield msgspec.json.encode({"actor": inspection and self.inspected(inspection)}) + b"\n"

    def inspected(self, inspection: ActorInspection) -> dict[str, Any]:
        """*inspection* as JSON, with times by the clock."""
        shown_: dict[str, Any] = to_json(inspection)
        shown_["turns"] = [self._turn(turn) for turn in inspection.turns]
        if inspection.crash is not None:
            crash = shown_["crash"]
            crash["at"] = self._at(inspection.crash.at)
            crash["turns"] = [self._turn(turn) for turn in inspection.crash.turns]
        return shown_

    def _turn(self, turn: TurnRecord | TracedTurn) -> dict[str, Any]:
        shown_ = {
            "turn": turn.turn,
            "at": self._at(turn.ended_at),
            "requestId": turn.request_id,
            "waitMs": round(turn.wait_seconds * 1000, 3),
            "runMs": round(turn.run_seconds * 1000, 3),
            "outcome": turn.outcome,
        }
        return {**shown_, "arguments": turn.arguments} if isinstance(turn, TracedTurn) else shown_

    def _at(self, at: float) -> int:
        """Trio's time *at*, as milliseconds of the clock."""
        return self._system.clock.now() - round((trio.current_time() - at) * 1000)

    def _check_kind(self, kind: str | None) -> None:
        """Raises `InvalidValue`, which names the nearest, if *kind* does not exist."""
        kinds = self._system.kinds
        if kind is not None and kind not in kinds:
            raise InvalidValue(f"there is no kind {shown(kind)}{hint(kind, kinds)}")

    async def _state(self, seen: ActorStatistics) -> tuple[Any, str | None]:
        """The state of the actor that was *seen*, or the reason why there is none.

        An actor that is stuck gets no message, since each would stay in its mailbox.
        """
        live = self._system.actor(seen.kind, seen.key)
        if live is None or seen.phase not in {"waiting", "running"}:
            return None, f"it is {seen.phase}"
        if (seen.turn_age_seconds or 0) < SNAPSHOT_SECONDS:
            with trio.move_on_after(SNAPSHOT_SECONDS):
                try:
                    return await live.snapshot(), None
                except (ActorError, DomainError) as error:
                    return None, type(error).__name__
        return None, f"no answer within {SNAPSHOT_SECONDS:g} s"
