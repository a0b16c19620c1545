"""Limits of agents. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import HOUR_MS, SECOND_MS

AGENT_INSTRUCTIONS_CHARS_MAX: Final = 16_000
AGENT_TOOLS_MAX: Final = 30
AGENT_DAILY_MICRO_CREDITS: Final = 10_000_000
"""What the runs of one connection's agent may take of the credits in a day (UTC), unless it is set."""
AGENT_BEGINS_MS: Final = 2 * SECOND_MS
"""After how long without another message a run begins."""
AGENT_BEGINS_MS_MAX: Final = 10 * SECOND_MS
"""After how long it begins however many messages come."""
AGENT_MODEL_CALLS_MAX: Final = 8
AGENT_TOOL_CALLS_MAX: Final = 16
AGENT_SAME_CALLS_MAX: Final = 2
"""Calls of one tool with the same input, of one run."""
AGENT_WORK_MS_MAX: Final = 120 * SECOND_MS
AGENT_RUN_MICRO_CREDITS_MAX: Final = 1_000_000
AGENT_REPLIES_WINDOW_MS: Final = HOUR_MS
AGENT_REPLIES_MAX: Final = 20
"""Replies of the agent in one conversation within `AGENT_REPLIES_WINDOW_MS`: two programs that answer each
other come to an end."""
AGENT_REPLY_CHARS_MAX: Final = 4_000
AGENT_MESSAGES_READ_MAX: Final = 40
AGENT_MESSAGES_BYTES_MAX: Final = 32 * 1024
"""Of the texts of these messages, together."""
AGENT_TOOL_ANSWER_BYTES_MAX: Final = 8 * 1024
"""What a model is shown of a tool's answer; the run's step keeps as much."""
AGENT_CALL_INPUT_BYTES_MAX: Final = 64 * 1024
"""The arguments of one tool call of a model. Ours: as much as an approval's input."""
AGENT_CALLS_OF_ANSWER_MAX: Final = 16
"""Tool calls of one answer of a model that are read; more are left out. Ours: as many as of a run."""
AGENT_ANSWER_BYTES_MAX: Final = 256 * 1024
"""Of one answer of the model, all of which is decoded."""
AGENT_COMPLETION_TOKENS_MAX: Final = 4_096
"""What one answer of the model may be. Ours: several times a reply."""
AGENT_REASON_CHARS_MAX: Final = 500
"""What is kept of the reason of a hand-over, and of what a model says as it asks for an approval. Ours."""
AGENT_RUNS_AT_ONCE: Final = 32
"""Runs of one organization's agents under way; the others wait for their turn. Ours."""
AGENT_RUNS_AT_ONCE_IN_ALL: Final = 256
"""Runs of all agents under way. Ours: each has a prompt in memory, and a place at a provider for most of its
time. Organizations whose runs wait take turns."""
AGENT_RUNS_SPACING_MS: Final = 25
"""The least time between the beginnings of two runs of one organization. Ours: a thousand that are due at
once are answered within half a minute, and leave the processor to others meanwhile."""
AGENT_RUNS_WAITING_MAX: Final = 100_000
"""Runs that wait for their turn in memory. Ours: beyond, they are tried again later."""
AGENT_TRIAL_MESSAGE_CHARS_MAX: Final = 4_000
"""One message of a trial conversation. Ours: as much as a reply."""
