"""What `svc check` says of approvals: nothing of whole ones, and each promise of one that is broken."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from sqlalchemy import delete, update

from svc.domain.approvals import cards
from svc.domain.approvals.cards import AskedByWorkflow
from svc.domain.errors import NotFound
from svc.domain.identity.callers import Call
from svc.storage import audit, integrity
from svc.storage.approvals import approvals, decisions
from svc.storage.approvals.tables import approvals as table
from svc.storage.store import Tx
from svc.storage.tables import audit as trail
from tests.approvals import REASON, a_card, agent_call
from tests.people import a_member, call_of
from tests.storage.ledger import Ledger, ledger

DECIDED = "every approval that was decided says by whom and when, and no other does"
AUDITED = "every decision on an approval is in the audit trail, with what asked for it"
ANSWERED = "an approval has the answer of its tool where it is approved, and its refusal where it failed"
ASKED = "every agent's approval is of a tool and a conversation, every workflow's of a run alone"
AWAITED = "every approval that a workflow's run waits for is there, and every one that waits has such a run"


def _fill(tx: Tx, organization_id: str) -> None:
    """A card in each state."""
    person = a_member(tx, organization_id, "owner@example.com")
    made = [a_card(tx, organization_id, "record.delete", {"id": n}, run=f"agr_{n}") for n in range(4)]
    asking = AskedByWorkflow(workflow_id="wfl_1", run_id="run_1")
    ended = approvals.ask(tx, agent_call(organization_id), asking, None, None, reason=REASON)
    decisions.withdraw(tx, table.select().with_only_columns(table.c.run_id).where(table.c.id == ended.id))
    call = call_of(person, organization_id)
    for card, decided in (
        (made[0], cards.approved(made[0], person.id, tx.now, answer=b"{}")),
        (made[1], cards.rejected(made[1], person.id, tx.now)),
        (made[2], cards.failed(made[2], person.id, tx.now, NotFound("gone"))),
    ):
        decisions.decide(tx, decided)
        asked = _asked(call, card)
        match decided.state:
            case "approved":
                audit.note(tx, asked, "approval.approve", card.id)
            case "rejected":
                audit.note(tx, asked, "approval.reject", card.id)
            case _:
                audit.note_refusal(tx, asked, "approval.approve", "not_found", card.id)


def _asked(call: Call, card: cards.Card) -> Call:
    return msgspec.structs.replace(call, asked_by=msgspec.to_builtins(card.asked_by))


@pytest.fixture
def here() -> Iterator[Ledger]:
    with ledger() as opened:
        opened.write(_fill, opened.organization.id)
        yield opened


def broken(here: Ledger) -> set[str]:
    return {one.promise for one in integrity.check(here.conn) if one.broken}


def test_whole_cards_keep_every_promise(here: Ledger) -> None:
    """In whichever state."""
    assert {"waiting", "approved", "rejected", "failed", "expired"} == {row.state for row in here.rows(table)}
    assert set() == broken(here)


@pytest.mark.parametrize(
    ("state", "changes", "promises"),
    [
        ("approved", {"decided_by": None}, {DECIDED}),
        ("waiting", {"decided_at": 1}, {DECIDED}),
        ("waiting", {"uncollected_since": 1}, {DECIDED}),
        ("waiting", {"state": "approved"}, {DECIDED, AUDITED, ANSWERED}),
        ("rejected", {"state": "failed"}, {AUDITED, ANSWERED}),
        ("failed", {"error": None}, {ANSWERED}),
        ("approved", {"answer": None}, {ANSWERED}),
        ("waiting", {"answer": "{}"}, {ANSWERED}),
        ("waiting", {"tool": None}, {ASKED}),
        ("waiting", {"conversation_id": None}, {ASKED}),
        ("expired", {"workflow_id": None}, {ASKED}),
        ("expired", {"input": "{}"}, {ASKED}),
        ("expired", {"state": "waiting"}, {AWAITED}),
        pytest.param(
            "waiting",
            {"input": "{"},
            {"everything that is stored can be read"},
            marks=pytest.mark.sqlite,  # PostgreSQL keeps out what is no JSON
        ),
    ],
)
def test_a_broken_card_is_named(here: Ledger, state: str, changes: Any, promises: set[str]) -> None:
    here.conn.execute(update(table).where(table.c.state == state).values(**changes))

    assert promises == broken(here)


def test_a_decision_without_its_line_in_the_trail_is_named(here: Ledger) -> None:
    """Each of the three kinds."""
    here.conn.execute(delete(trail).where(trail.c.action.in_(("approval.approve", "approval.reject"))))
    [found] = [one for one in integrity.check(here.conn) if one.broken]

    assert (AUDITED, 3) == (found.promise, found.broken)
