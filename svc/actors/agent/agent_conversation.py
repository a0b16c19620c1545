"""AgentConversation: answers one conversation, one run at a time.

A run is rows, so this actor may crash at any point. A conversation in which nothing is due costs a row: it
has neither actor nor task.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Final, assert_never

import structlog
import trio
from sqlalchemy import Connection

from svc.actors._core import ActorError, Policy, turn
from svc.actors.agent import model_calls
from svc.actors.batch_worker import RETRY_MS, BatchDone, BatchWorker, BatchWorkerState
from svc.actors.records.indexer import Indexer
from svc.domain.agent.prompts import tool_answer
from svc.domain.errors import DomainError, Unavailable
from svc.domain.identity.callers import Installation
from svc.domain.tool_results import ToolResult
from svc.runs.agent import calls, run_execution
from svc.runs.agent.run_actions import Action, AnswerOfTool, Ask, GoOn, Idle, Outcome, Read
from svc.storage.agent import cards, runs
from svc.storage.store import TakesLong, Units
from svc.tools.catalogue import REGISTRY

log = structlog.get_logger("svc.actors.agent.agent_conversation")

_MS: Final = 1_000
_LOOK_SECONDS: Final = 30.0
"""How often a run whose model is asked is looked at without a wakeup."""
_TRIES: Final = 5
"""How often a step is tried whose outcome is in memory alone; after that, the model is asked again."""


def key_of(organization_id: str, conversation_id: str) -> str:
    """The key of a conversation's actor.

    It leads to the organization, so that nothing has to be read to know whose work it is: of thousands of
    messages at once each organization's wait behind its own alone.
    """
    return f"{organization_id}/{conversation_id}"


class AgentConversationState(BatchWorkerState, kw_only=True):
    """The memory of a conversation's agent."""

    collects: bool = False
    """Approvals of the organization were decided that no agent has been told of."""


class AgentConversation(BatchWorker[AgentConversationState]):
    """Answers one conversation. Its key is `key_of` it."""

    # It is woken for each message. It stays for a while, so that a chat does not load it for each of them.
    policy = Policy(mailbox_max=512, idle_seconds=10)

    async def load(self) -> AgentConversationState:
        """Look for a run that an earlier activation left."""
        self.check.after(0)
        return AgentConversationState()

    @turn
    async def collect(self) -> None:
        """Have the agents go on whose approvals were decided, this conversation's among them."""
        self.state.collects = True
        self.state.due = True
        self.work_if_due()

    @property
    def organization_id(self) -> str:
        return self.key.partition("/")[0]

    @property
    def conversation_id(self) -> str:
        return self.key.partition("/")[2]

    @property
    def units(self) -> Units:
        """The store for the units of the conversation's organization."""
        return self.system.store.of(self.organization_id)

    def next_batch(self) -> Callable[[], Awaitable[BatchDone]]:
        collects, self.state.collects = self.state.collects, False
        return partial(self._answer, collects=collects)

    async def _answer(self, *, collects: bool) -> BatchDone:
        """Go on with the run of the conversation until it has ended, or nothing of it is due."""
        organization_id, units = self.organization_id, self.units
        if collects:
            await units.write_behind(cards.collect, organization_id)
        run = await units.read(runs.find_open, self.conversation_id)
        if run is None or (run.wake_at or 0) > self.system.clock.now():
            return BatchDone(next_at=None if run is None else run.wake_at)
        async with self.system.agent.runs.of(organization_id):
            await self.system.agent.pace.wait(organization_id)
            try:
                return await self._run(organization_id, units)
            except Unavailable:
                raise  # tried again soon, after the last step that has ended
            except Exception:
                log.exception("a run of an agent fails", conversation=self.conversation_id)
                await units.write_behind(run_execution.fail, self.conversation_id)
                return BatchDone()

    async def _run(self, organization_id: str, units: Units) -> BatchDone:
        system = self.system
        installation = system.installation(REGISTRY)
        outcome: Outcome | None = None
        worked_ms = 0
        while not system.quiesced:
            # Before the unit: a change of access after it is seen when the model is asked.
            revision = system.identity.access_revisions.last
            action = await self._advance(units, installation, outcome, worked_ms)
            begun_at = trio.current_time()
            match action:
                case Idle(wake_at):
                    return BatchDone(next_at=wake_at)
                case Ask():
                    wait_ended = partial(self._wait_ended, units, action.run_id)
                    outcome = await model_calls.ask(system, action, revision, wait_ended)
                case Read():
                    outcome = await self._read(organization_id, units, installation, action)
                case GoOn():
                    outcome = None
                case _:
                    assert_never(action)
            worked_ms = round((trio.current_time() - begun_at) * _MS)
        return BatchDone()  # the next start goes on

    async def _wait_ended(self, units: Units, run_id: str) -> None:
        """Return once the run has ended, which something else than this task has done."""
        with self.system.wakeups.register(self.conversation_id) as wakeup:
            while True:
                with suppress(Unavailable):
                    run = await units.read(runs.find_open, self.conversation_id)
                    if run is None or run.id != run_id:
                        return
                await wakeup.wait(_LOOK_SECONDS)

    async def _advance(
        self, units: Units, installation: Installation, outcome: Outcome | None, worked_ms: int
    ) -> Action:
        """Take the run a step further; again where the store rejects it, since the outcome has its price."""
        for _ in range(_TRIES):
            try:
                return await units.write_behind(
                    run_execution.advance,
                    installation,
                    self.conversation_id,
                    outcome,
                    worked_ms=worked_ms,
                )
            except Unavailable as error:
                if outcome is None:
                    raise
                log.warning("an outcome of a run is kept, and tried again", why=error)
                await trio.sleep(RETRY_MS / _MS)
        raise Unavailable("the store has rejected a step of an agent's run for too long")

    async def _read(
        self, organization_id: str, units: Units, installation: Installation, action: Read
    ) -> AnswerOfTool:
        """Run a tool that reads; what it refuses is an answer, too."""
        now = self.system.clock.now()

        def read(conn: Connection, *, patient: bool = False) -> ToolResult:
            return run_execution.read(conn, now, installation, self.conversation_id, action, patient=patient)

        named = REGISTRY.named(action.call.name)
        name = action.call.name if named is None else named.name
        try:
            try:
                result = await units.read(read)
            except TakesLong:
                result = await units.read_long(read, patient=True)
        except Unavailable:
            raise
        except DomainError as error:
            return AnswerOfTool(action.run_id, action.call, name, "refused", calls.problem(error))
        self._have_indexed(organization_id, result)
        return AnswerOfTool(action.run_id, action.call, name, "done", tool_answer(result.body))

    def _have_indexed(self, organization_id: str, result: ToolResult) -> None:
        if not (result.unindexed or result.unindexed_submissions):
            return
        try:
            Indexer(self.system, organization_id).index.tell(
                result.unindexed, submissions=result.unindexed_submissions
            )
        except (ActorError, Unavailable) as error:
            log.warning("not told of a missing index", organization=organization_id, why=error)
