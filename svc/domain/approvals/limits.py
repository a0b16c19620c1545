"""Limits of approvals. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

APPROVAL_SECONDS: Final = 7 * 24 * 60 * 60
"""How long a card waits for a decision, unless a workflow's step says another time."""
APPROVAL_SECONDS_MAX: Final = 31_536_000
"""How long the card of a workflow's step may wait."""
APPROVALS_OF_RUN_MAX: Final = 3
"""Cards that one run of an agent makes."""
APPROVALS_OF_CONVERSATION_MAX: Final = 10
"""Cards of agents that wait in one conversation, so that one stranger does not take all there may be."""
APPROVALS_WAITING_MAX: Final = 200
"""Cards of one organization that wait, of agents and of workflows as many each."""
APPROVAL_INPUT_BYTES_MAX: Final = 64 * 1024
"""The input on a card. Ours: more than a person reads before a decision."""
APPROVAL_REASON_CHARS_MAX: Final = 1_000
"""Why something is asked for, or rejected. Ours."""
APPROVALS_COLLECTED_MAX: Final = 100
"""Decided cards that one unit of work hands back to what asked. Ours."""
