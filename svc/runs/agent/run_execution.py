"""Execution of runs: units of work, each of which takes a run one step further.

What is asked of the model, and what a tool reads, happens between units: a unit returns what is to be done,
and the next is given the outcome. A call that writes is made in the unit that writes its step.
"""

from typing import Any, NoReturn, assert_never

import msgspec
import structlog
from sqlalchemy import Connection

from svc.domain.agent import runs as rules
from svc.domain.agent.limits import (
    AGENT_REASON_CHARS_MAX,
    AGENT_REPLIES_MAX,
    AGENT_REPLY_CHARS_MAX,
    AGENT_RUN_MICRO_CREDITS_MAX,
    AGENT_WORK_MS_MAX,
)
from svc.domain.agent.prompts import Prompt, tool_answer
from svc.domain.agent.runs import Answer, DoCall, HandOver, Step, StepState, ToolCall
from svc.domain.approvals.cards import AskedByAgent
from svc.domain.errors import DomainError, Unauthenticated, Unavailable
from svc.domain.identity.callers import Call, Caller, Installation
from svc.domain.tool_results import ToolResult
from svc.runs.agent import calls, offers, prompting
from svc.runs.agent.calls import CheckedCall
from svc.runs.agent.run_actions import Action, AnswerOfModel, AnswerOfTool, Ask, GoOn, Idle, Outcome, Read
from svc.storage.agent import agents, cards, due, handovers, runs, steps
from svc.storage.agent.runs import Run
from svc.storage.approvals import approvals
from svc.storage.channels import connections, conversations
from svc.storage.store import Tx
from svc.tools import execution
from svc.tools.inbox import messages
from svc.tools.inbox.messages import WriteReply
from svc.tools.registry import registry_in

log = structlog.get_logger("svc.runs.agent.run_execution")


def advance(
    tx: Tx,
    installation: Installation,
    conversation_id: str,
    outcome: Outcome | None = None,
    *,
    worked_ms: int = 0,
) -> Action:
    """Take the run of a conversation one step further, after the *outcome* of the last action.

    *worked_ms* is how long that took.
    """
    run = runs.find_open(tx.conn, conversation_id)
    if run is None or (run.state == "waiting" and (run.wake_at or 0) > tx.now):
        return Idle(None if run is None else run.wake_at)
    return RunExecution(tx, installation, run).advance(outcome, worked_ms)


def read(
    conn: Connection,
    now: int,
    installation: Installation,
    conversation_id: str,
    action: Read,
    *,
    patient: bool = False,
) -> ToolResult:
    """Run a tool that reads.

    Raises what it refuses, `TakesLong` unless *patient*, and `Unauthenticated` where there is no such run or
    agent any more.
    """
    run = runs.find_open(conn, conversation_id)
    agent = None if run is None else agents.find(conn, run.connection_id)
    if run is None or agent is None or run.id != action.run_id:
        raise Unauthenticated
    conversation = conversations.get(conn, run.organization_id, conversation_id)
    caller = calls.caller_of(conn, agent, conversation.contact_id)
    tool, request = calls.checked(registry_in(installation), caller, action.call)
    call = calls.call_of(installation, caller, run)
    return execution.read(conn, now, tool, call, request, patient=patient)


def fail(tx: Tx, conversation_id: str) -> None:
    """End the run of a conversation at which the program failed, whatever is stored of it."""
    run = runs.find_open(tx.conn, conversation_id)
    if run is not None:
        handovers.hand_over(tx, run, "the program failed at it", state="failed")


class _Ended(Exception):
    """Raised where a run is over, or not wanted any more, once that is written."""


class RunExecution:
    """One run, in one unit of work."""

    def __init__(self, tx: Tx, installation: Installation, run: Run) -> None:
        self._tx = tx
        self._installation = installation
        self._registry = registry_in(installation)
        self._run = run
        self._agent = agents.find(tx.conn, run.connection_id)
        self._conversation = conversations.get(tx.conn, run.organization_id, run.conversation_id)
        self._steps = steps.load(tx.conn, run.id)

    def advance(self, outcome: Outcome | None, worked_ms: int) -> Action:
        """Note the *outcome*, look whether the run is still wanted, and do what is next."""
        try:
            self._note(outcome, worked_ms)
            self._check_wanted()
            if self._run.state == "waiting":
                self._begin()
            if isinstance(outcome, AnswerOfModel) and outcome.failure is not None and self._is_of(outcome):
                self._hand_over(outcome.failure)
            return self._do(self._caller())
        except _Ended:
            return GoOn()

    def _is_of(self, outcome: Outcome) -> bool:
        return outcome.run_id == self._run.id

    def _note(self, outcome: Outcome | None, worked_ms: int) -> None:
        """Write what came of the last action, if it is of this run, and not written yet."""
        if outcome is None or not self._is_of(outcome):
            return
        charged = outcome.charged if isinstance(outcome, AnswerOfModel) else 0
        self._run = runs.note_work(self._tx, self._run, worked_ms, charged)
        if isinstance(outcome, AnswerOfTool):
            last = max(step.n for step in self._steps if step.kind == "model")
            if all(step.call_id != outcome.call.id for step in self._steps if step.n > last):
                self._write_call(outcome.call, outcome.tool, outcome.state, outcome.answer)
            return
        if charged and self._agent is not None:
            agents.spend(self._tx, self._agent, charged)
        step = self._steps[outcome.n]
        if step.state == "running":
            answer = None if outcome.answer is None else msgspec.to_builtins(outcome.answer)
            state: StepState = "failed" if outcome.answer is None else "done"
            self._write(msgspec.structs.replace(step, state=state, answer=answer, charged=charged))

    def _check_wanted(self) -> None:
        """End the run where nobody waits for its reply any more."""
        conversation, agent = self._conversation, self._agent
        if conversation.silence is not None:
            self._end("silenced", conversation.silence.by)
        if agent is None or not agent.enabled:
            self._end("stopped", "the agent is off")
        if connections.find(self._tx.conn, self._run.connection_id).status == "removed":
            self._end("stopped", "the connection was removed")
        if conversation.status == "closed" or conversation.kind != "direct":
            self._end("stopped", "the conversation was closed, or is no direct one")

    def _begin(self) -> None:
        self._run = runs.begin(self._tx, self._run)
        cards.take(self._tx, self._run)
        if runs.has_replied_enough(self._tx.conn, self._run.conversation_id, self._tx.now):
            self._hand_over(f"limit: {AGENT_REPLIES_MAX} replies in an hour")

    def _caller(self) -> Caller:
        assert self._agent is not None  # noqa: S101  # the run would not be wanted
        try:
            return calls.caller_of(self._tx.conn, self._agent, self._conversation.contact_id)
        except Unauthenticated:
            self._hand_over("the person who set the agent is no active member any more, or its role is gone")

    def _do(self, caller: Caller) -> Action:
        newest = due.newest_message(self._tx.conn, self._conversation)
        match rules.next_move(self._steps, newest=newest):
            case rules.AskModel(n):
                return self._ask(caller, n)
            case DoCall(call, because):
                return self._call(caller, call, because)
            case Answer(text, _):
                self._reply(caller, text)
            case HandOver(reason):
                self._hand_over(reason)
            case move:
                assert_never(move)
        return GoOn()

    def _ask(self, caller: Caller, n: int) -> Ask:
        agent, conn = self._agent, self._tx.conn
        assert agent is not None  # noqa: S101  # the run would not be wanted
        left = agent.daily_micro_credits - agents.spent(conn, agent.connection_id, self._tx.now)
        limit = rules.model_limit(self._steps, self._run.worked_ms)
        if limit is not None or left <= 0:
            self._hand_over(limit or f"limit: {agent.daily_micro_credits:,} micro-credits in a day")
        said = prompting.said_in(conn, self._conversation)
        asked, read_to = {"messages": len(said)}, said[-1].id if said else None
        # Again where the model was asked before a crash: what has come since is read now.
        self._write(Step(n=n, kind="model", state="running", input=asked, read_to=read_to, at=self._tx.now))
        prompt = Prompt(
            instructions=prompting.instructions_of(conn, agent, caller),
            said=said,
            decided=tuple(
                prompting.decided(self._registry, caller, card) for card in cards.told(self._tx, self._run)
            ),
            steps=tuple(self._steps[: n + 1]),
        )
        return Ask(
            run_id=self._run.id,
            n=n,
            caller=caller,
            model=agent.model,
            prompt=prompt,
            tools=offers.offered(self._registry, caller),
            work_ms_left=AGENT_WORK_MS_MAX - self._run.worked_ms,
            micro_credits_left=min(left, AGENT_RUN_MICRO_CREDITS_MAX - self._run.charged_micro_credits),
        )

    def _call(self, caller: Caller, call: ToolCall, because: str) -> Action:
        known = self._registry.named(call.name)
        name = call.name if known is None else known.name
        limit = rules.call_limit(self._steps, call, name)
        if limit is not None:
            self._hand_over(limit)
        try:
            made = calls.checked(self._registry, caller, call)
            if made.tool.effect == "reads":
                return Read(self._run.id, call)
            with self._tx.savepoint():
                state, answer = self._effect(caller, call, made, because)
        except Unavailable:
            raise  # the unit is tried again later
        except DomainError as error:
            state, answer = "refused", calls.problem(error)
        self._write_call(call, name, state, answer)
        return GoOn()

    def _effect(
        self, caller: Caller, call: ToolCall, made: CheckedCall, because: str
    ) -> tuple[StepState, Any]:
        """Make a call that writes; or ask a person for it."""
        by = calls.call_of(self._installation, caller, self._run)
        if made.tool.runs != "approval":
            answer = execution.perform(self._tx, made.tool, by, made.request)
            return "done", tool_answer(msgspec.json.encode(answer))
        asked_by = AskedByAgent(
            connection_id=self._run.connection_id,
            conversation_id=self._run.conversation_id,
            run_id=self._run.id,
        )
        reason = because.strip()[:AGENT_REASON_CHARS_MAX] or "The agent gave no reason."
        card = approvals.ask(self._tx, by, asked_by, made.tool.name, call.arguments.encode(), reason=reason)
        detail = "A person is asked, and decides later. You are told then: do not call it again."
        return "waiting", {"approvalId": card.id, "state": card.state, "detail": detail}

    def _reply(self, caller: Caller, text: str) -> None:
        """Write the reply and end the run, in this very unit, which has seen that it is still wanted."""
        if len(text) > AGENT_REPLY_CHARS_MAX:
            self._hand_over(f"limit: {AGENT_REPLY_CHARS_MAX:,} characters of a reply, not {len(text):,}")
        call: Call = calls.call_of(self._installation, caller, self._run)
        request = WriteReply(conversation_id=self._run.conversation_id, text=text)
        try:
            with self._tx.savepoint():
                answer = execution.perform(self._tx, messages.reply, call, request)
        except Unavailable:
            raise  # the unit is tried again later
        except DomainError as error:
            self._hand_over(f"the reply was refused: {error}"[:AGENT_REASON_CHARS_MAX])
        message_id: str = answer.id  # type: ignore[attr-defined]  # the tool's own answer
        self._write_end("reply", {"text": text}, {"messageId": message_id})
        runs.end(self._tx, self._run, "replied", message_id=message_id)

    def _write_call(self, call: ToolCall, tool: str, state: StepState, answer: Any) -> None:
        self._write(
            Step(
                n=len(self._steps),
                kind="tool",
                state=state,
                tool=tool,
                call_id=call.id,
                input=rules.input_of(call),
                answer=answer,
                at=self._tx.now,
            )
        )

    def _write_end(self, kind: rules.StepKind, asked: dict[str, Any], answer: dict[str, Any] | None) -> None:
        n = len(self._steps)
        self._write(Step(n=n, kind=kind, state="done", input=asked, answer=answer, at=self._tx.now))

    def _write(self, step: Step) -> None:
        steps.write(self._tx, self._run, step)
        self._steps[step.n : step.n + 1] = [step]

    def _end(self, state: rules.RunState, reason: str) -> NoReturn:
        """End the run. Raises `_Ended`."""
        runs.end(self._tx, self._run, state, reason)
        raise _Ended

    def _hand_over(self, reason: str) -> NoReturn:
        """End the run, and hand the conversation over. Raises `_Ended`."""
        self._write_end("handover", {"reason": reason}, None)
        handovers.hand_over(self._tx, self._run, reason)
        raise _Ended
