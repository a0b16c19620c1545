"""The operator's commands for the AI gateway; see `svc.tools.operator_commands`."""

from svc.domain.identity.callers import operator_call
from svc.storage import audit
from svc.storage.ai import ledger
from svc.storage.store import Tx
from svc.tools.command import command
from svc.tools.tool import ToolInput, ToolOutput


class GrantCredits(ToolInput, frozen=True, kw_only=True):
    """Credits to be given to an organization."""

    organization_id: str
    amount_micro_credits: int
    note: str | None = None


class GrantedCredits(ToolOutput, frozen=True, kw_only=True):
    """The entry of the ledger, and what is free to spend after it."""

    id: str
    balance_after_micro_credits: int


@command("credits.grant")
def grant_credits(tx: Tx, request: GrantCredits) -> GrantedCredits:
    """Give the organization credits. Raises what `ledger.grant` raises."""
    entry = ledger.grant(tx, request.organization_id, request.amount_micro_credits, request.note)
    audit.note(tx, operator_call(request.organization_id), "credits.grant", entry.id)
    return GrantedCredits(id=entry.id, balance_after_micro_credits=entry.balance_after)
