"""Trials: a conversation with an agent as it would be set, of which nothing is kept but its cost.

Tools that read run, with the rights that the agent would have. Calls of tools that write are checked, shown
and not made; the model is told so.
"""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection

from svc.domain.agent.agents import Agent
from svc.domain.agent.limits import AGENT_RUN_MICRO_CREDITS_MAX, AGENT_WORK_MS_MAX
from svc.domain.agent.prompts import Prompt, PromptMessage, last_said
from svc.domain.agent.runs import Step, ToolCall, charged
from svc.domain.identity.callers import Call, Installation
from svc.domain.tool_results import ToolResult
from svc.runs.agent import calls, offers, prompting
from svc.runs.agent.run_actions import Ask
from svc.storage.store import View
from svc.tools import execution
from svc.tools.agent import trials as trial_tools
from svc.tools.agent.trials import TrialMessage, TryAgent
from svc.tools.registry import registry_in

RUN: Final = "trial"
"""Stands for the run's id, which a trial has not."""
NOT_RUN: Final[dict[str, Any]] = {
    "notRun": True,
    "detail": "This is a trial: the call is right, and was not made. Go on as if it had been.",
}
NOT_ASKED: Final[dict[str, Any]] = {
    "notRun": True,
    "detail": "This is a trial: a person would be asked, and would decide later. Do not call it again.",
}


def begin(conn: Connection, now: int, call: Call, request: TryAgent) -> Agent:
    """The agent that is tried. Raises what `agent.set` refuses."""
    return trial_tools.agent_of(View(conn, now), call, request)


def question(
    conn: Connection,
    installation: Installation,
    agent: Agent,
    messages: Sequence[TrialMessage],
    steps: Sequence[Step],
) -> Ask:
    """What the model is asked after *steps*; the caller says how long it may take.

    Raises `Unauthenticated` where the agent may do nothing any more.
    """
    caller = calls.caller_of(conn, agent, None)
    n = len(steps)
    running = Step(n=n, kind="model", state="running", at=agent.updated_at)
    said = [
        PromptMessage(id=f"{place:04}", ours=message.by == "agent", text=message.text)
        for place, message in enumerate(messages)
    ]
    prompt = Prompt(
        instructions=prompting.instructions_of(conn, agent, caller),
        said=last_said(said),
        decided=(),
        steps=(*steps, running),
    )
    return Ask(
        run_id=RUN,
        n=n,
        caller=caller,
        model=agent.model,
        prompt=prompt,
        tools=offers.offered(registry_in(installation), caller),
        work_ms_left=AGENT_WORK_MS_MAX,
        micro_credits_left=AGENT_RUN_MICRO_CREDITS_MAX - charged(steps),
    )


def make(
    conn: Connection,
    now: int,
    installation: Installation,
    agent: Agent,
    call: ToolCall,
    *,
    patient: bool = False,
) -> ToolResult | dict[str, Any]:
    """Make a call that reads; of one that writes, what the model is told in place of an answer.

    Raises what the tool refuses, and `TakesLong` unless *patient*.
    """
    caller = calls.caller_of(conn, agent, None)
    tool, request = calls.checked(registry_in(installation), caller, call)
    if tool.effect != "reads":
        return NOT_ASKED if tool.runs == "approval" else NOT_RUN
    by = Call(caller=caller, door="inside", installation=installation)
    return execution.read(conn, now, tool, by, request, patient=patient)
