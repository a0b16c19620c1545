"""Approvals that agents asked for and people decided: the next run of the conversation tells the model."""

from contextlib import suppress
from typing import Any

import sqlalchemy as sa

from svc.domain.approvals.cards import AskedByAgent, Card
from svc.domain.errors import NotFound
from svc.storage.agent import runs, tables
from svc.storage.agent.runs import Run
from svc.storage.approvals import approvals, decisions
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_keep

_cards = tables.agent_cards
_INSERT = Statement(insert_or_keep(_cards, ["approval_id"]))
_TELL = Statement(
    sa.update(_cards)
    .where(_cards.c.conversation_id == sa.bindparam("of_conversation"), _cards.c.run_id.is_(None))
    .values(run_id=sa.bindparam("by_run"))
)
_TOLD: Statement[Any] = Statement(
    sa.select(_cards.c.approval_id)
    .where(_cards.c.run_id == sa.bindparam("run_id"))
    .order_by(_cards.c.approval_id)
)


def collect(tx: Tx, organization_id: str) -> None:
    """Have the agents go on whose cards were decided. Those of silenced conversations are kept for later."""
    while found := decisions.collect(tx, organization_id, "agent"):
        for card in found:
            _note(tx, card)


def take(tx: Tx, run: Run) -> None:
    """Have *run*, which begins, tell the cards that were decided."""
    _TELL.run(tx.conn, of_conversation=run.conversation_id, by_run=run.id)


def told(tx: Tx, run: Run) -> list[Card]:
    """The cards that *run* tells."""
    found = []
    for (card_id,) in _TOLD.all(tx.conn, run_id=run.id):
        with suppress(NotFound):  # it may have waited for so long that the card was deleted
            found.append(approvals.get(tx.conn, run.organization_id, card_id, tx.now))
    return found


def _note(tx: Tx, card: Card) -> None:
    asked_by = card.asked_by
    if not isinstance(asked_by, AskedByAgent):
        return
    _INSERT.run(
        tx.conn,
        approval_id=card.id,
        organization_id=card.organization_id,
        conversation_id=asked_by.conversation_id,
        run_id=None,
    )
    runs.note_due(tx, asked_by.conversation_id, at_once=True)
