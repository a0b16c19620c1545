"""One trial of an agent: what a run does, in memory, without anything that writes."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, assert_never

import msgspec
import trio
from sqlalchemy import Connection

from svc.actors.agent import model_calls
from svc.actors.system import System
from svc.domain.agent import runs as rules
from svc.domain.agent.agents import Agent
from svc.domain.agent.limits import AGENT_REPLY_CHARS_MAX
from svc.domain.agent.prompts import tool_answer
from svc.domain.agent.runs import Answer, AskModel, DoCall, HandOver, Step, StepState, ToolCall
from svc.domain.errors import DomainError, Unavailable
from svc.domain.identity.callers import Call
from svc.domain.locale.times import SECOND_MS
from svc.domain.tool_results import ToolResult
from svc.runs.agent import calls, trials
from svc.storage.store import TakesLong
from svc.tools.agent.trials import TrialAnswer, TrialStep, TrialStepState, TryAgent
from svc.tools.catalogue import REGISTRY

_STATES: Final[dict[StepState, TrialStepState]] = {
    "running": "failed",
    "done": "done",
    "waiting": "not_run",
    "refused": "refused",
    "failed": "failed",
}


class Trial:
    """A trial under way: the steps are those of a run, and are nowhere but here."""

    def __init__(self, system: System, call: Call, request: TryAgent) -> None:
        self._system = system
        self._call = call
        self._request = request
        self._units = system.store.of(call.caller.organization_id)
        self._installation = system.installation(REGISTRY)
        self._steps: list[Step] = []
        self._begun_at = trio.current_time()

    async def run(self, wait_gone: Callable[[], Awaitable[object]]) -> TrialAnswer:
        """Have the agent answer; the model is cut off once *wait_gone* returns.

        Raises what `agent.set` refuses, `Unauthenticated`, and `Unavailable`.
        """
        organization_id = self._call.caller.organization_id
        now = self._system.clock.now()
        agent = await self._units.read(trials.begin, now, self._call, self._request)
        async with self._system.agent.runs.of(organization_id):
            self._begun_at = trio.current_time()
            while True:
                move = rules.next_move(self._steps, newest=None)
                match move:
                    case AskModel():
                        reason = await self._ask(agent, wait_gone)
                    case DoCall(call, _):
                        reason = await self._make(agent, call)
                    case Answer(text, _):
                        return self._replied(text)
                    case HandOver(reason):
                        return self._handed_over(reason)
                    case _:
                        assert_never(move)
                if reason is not None:
                    return self._handed_over(reason)

    @property
    def _worked_ms(self) -> int:
        return round((trio.current_time() - self._begun_at) * SECOND_MS)

    async def _ask(self, agent: Agent, wait_gone: Callable[[], Awaitable[object]]) -> str | None:
        """Ask the model; why the trial is over, if it is."""
        limit = rules.model_limit(self._steps, self._worked_ms)
        if limit is not None:
            return limit
        revision = self._system.identity.access_revisions.last
        asked = await self._units.read(
            trials.question,
            self._installation,
            agent,
            self._request.messages,
            tuple(self._steps),
        )
        asked = msgspec.structs.replace(asked, work_ms_left=asked.work_ms_left - self._worked_ms)
        outcome = await model_calls.ask(self._system, asked, revision, wait_gone)
        answer = None if outcome.answer is None else _plain(outcome.answer)
        state: StepState = "failed" if outcome.answer is None else "done"
        self._write("model", state, answer=answer, charged=outcome.charged)
        return outcome.failure

    async def _make(self, agent: Agent, call: ToolCall) -> str | None:
        """Make a call, if it reads; likewise."""
        known = REGISTRY.named(call.name)
        name = call.name if known is None else known.name
        limit = rules.call_limit(self._steps, call, name)
        if limit is not None:
            return limit
        now = self._system.clock.now()

        def make(conn: Connection, *, patient: bool = False) -> ToolResult | dict[str, Any]:
            return trials.make(conn, now, self._installation, agent, call, patient=patient)

        state: StepState
        try:
            try:
                made = await self._units.read(make)
            except TakesLong:
                made = await self._units.read_long(make, patient=True)
        except Unavailable:
            raise
        except DomainError as error:
            state, answer = "refused", calls.problem(error)
        else:
            state = "waiting" if isinstance(made, dict) else "done"
            answer = made if isinstance(made, dict) else tool_answer(made.body)
        self._write("tool", state, tool=name, call_id=call.id, given=rules.input_of(call), answer=answer)
        return None

    def _write(
        self,
        kind: rules.StepKind,
        state: StepState,
        *,
        tool: str | None = None,
        call_id: str | None = None,
        given: Any = None,
        answer: Any = None,
        charged: int = 0,
    ) -> None:
        self._steps.append(
            Step(
                n=len(self._steps),
                kind=kind,
                state=state,
                tool=tool,
                call_id=call_id,
                input=given,
                answer=answer,
                charged=charged,
                at=self._system.clock.now(),
            )
        )

    def _replied(self, text: str) -> TrialAnswer:
        if len(text) > AGENT_REPLY_CHARS_MAX:
            return self._handed_over(
                f"limit: {AGENT_REPLY_CHARS_MAX:,} characters of a reply, not {len(text):,}"
            )
        return TrialAnswer(
            state="replied",
            reply=text,
            reason=None,
            steps=self._shown(),
            charged_micro_credits=rules.charged(self._steps),
        )

    def _handed_over(self, reason: str) -> TrialAnswer:
        return TrialAnswer(
            state="handed_over",
            reply=None,
            reason=reason,
            steps=self._shown(),
            charged_micro_credits=rules.charged(self._steps),
        )

    def _shown(self) -> tuple[TrialStep, ...]:
        return tuple(
            TrialStep(
                kind=step.kind,
                state=_STATES[step.state],
                tool=step.tool,
                input=step.input,
                answer=_answer_of(step),
                charged_micro_credits=step.charged,
            )
            for step in self._steps
        )


def _answer_of(step: Step) -> Any:
    """Of the model, as `agent.run_get` has it: its text, and the names of its calls."""
    if step.kind != "model" or step.state != "done":
        return step.answer
    return {"text": step.said.text, "toolCalls": [call.name for call in step.said.tool_calls]}


def _plain(answer: rules.ModelAnswer) -> Any:
    return msgspec.to_builtins(answer)
