"""Cards as they are stored: asked for once, within limits, kept and forgotten."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from sqlalchemy import update

from svc.domain.approvals import cards
from svc.domain.approvals.cards import AskedByAgent, AskedByWorkflow, Card
from svc.domain.approvals.limits import (
    APPROVAL_INPUT_BYTES_MAX,
    APPROVAL_REASON_CHARS_MAX,
    APPROVALS_OF_CONVERSATION_MAX,
    APPROVALS_OF_RUN_MAX,
    APPROVALS_WAITING_MAX,
)
from svc.domain.changes import ApprovalDecided, EventsDue, ResourceChanged
from svc.domain.errors import Conflict, InvalidInput, NotFound, Unreadable
from svc.domain.locale.times import DAY_MS, SECOND_MS
from svc.storage.approvals import approvals, decisions
from svc.storage.approvals.approvals import Visible
from svc.storage.approvals.tables import approvals as table
from svc.storage.store import Tx, View
from svc.storage.tables import audit, events
from tests.approvals import REASON, a_card, agent_call, asked_in
from tests.pruning import prune
from tests.storage.ledger import Ledger, ledger

DELETE = "record.delete"


class Here(Ledger):
    """A ledger in which an agent asks."""

    def card(self, body: Any = None, tool: str = DELETE, **of: str) -> Card:
        return self.write(a_card, self.organization.id, tool, body or {"id": "rec_1"}, **of)

    def ask(self, asked_by: cards.AskedBy, **asked: Any) -> Card:
        """A card of whichever asker."""
        tool, body = (DELETE, b"{}") if isinstance(asked_by, AskedByAgent) else (None, None)
        call = agent_call(self.organization.id)
        return self.write(
            approvals.ask, call, asked_by, tool, asked.pop("body", body), **{"reason": REASON} | asked
        )

    def get(self, card: Card) -> Card:
        return approvals.get(self.conn, self.organization.id, card.id, self.now)

    def decide(self, card: Card) -> list[Any]:
        """Approve it; what is announced."""

        def unit(tx: Tx) -> list[Any]:
            decisions.decide(tx, cards.rejected(card, "usr_1", tx.now))
            return tx.changes

        return self.write(unit)

    def listed(self, state: Any = None, **visible: Any) -> list[str]:
        """The ids of the cards, by which tools may be seen."""
        which = Visible(**({"tools": (DELETE,)} | visible))
        view = View(self.conn, self.now)
        return [card.id for card in approvals.list_page(view, self.organization.id, which, state=state)[0]]


@pytest.fixture
def here() -> Iterator[Here]:
    with ledger() as opened:
        yield Here(opened.conn)


def test_a_card_is_what_was_asked(here: Here) -> None:
    """With the exact input, and seven days to decide."""
    card = here.card({"id": "rec_1", "ifVersion": 3})
    found = here.get(card)

    assert card == found
    assert b'{"id":"rec_1","ifVersion":3}' == found.input
    assert found.created_at + 7 * DAY_MS == found.expires_at
    assert ("waiting", DELETE, REASON, "agr_1") == (
        found.state,
        found.tool,
        found.reason,
        found.asked_by.run_id,
    )


def test_a_new_card_is_an_event_of_its_conversation_and_audited(here: Here) -> None:
    """The event has neither input nor reason: they are for those who may run the tool."""
    card = here.card()
    [event] = here.rows(events, type="approval.created")
    data = msgspec.json.decode(event.data)
    [line] = here.rows(audit, action="approval.ask")

    assert isinstance(card.asked_by, AskedByAgent)
    assert card.asked_by.conversation_id == event.subject
    assert {"approvalId", "tool", "askedBy", "expiresAt", "source"} == set(data)
    assert (card.id, DELETE, msgspec.to_builtins(card.asked_by)) == (
        data["approvalId"],
        data["tool"],
        data["askedBy"],
    )
    assert ("agent", card.id, "done") == (line.caller_kind, line.target, line.outcome)


def test_the_same_input_of_a_conversation_is_the_same_card_while_one_waits(here: Here) -> None:
    """However its JSON is written; another tool, input or conversation is another card."""
    first = here.card({"id": "rec_1", "ifVersion": 3})
    again = here.card({"ifVersion": 3, "id": "rec_1"}, run="agr_2")
    others = [
        here.card({"id": "rec_1", "ifVersion": 4}),
        here.card({"id": "rec_1", "ifVersion": 3}, tool="form.remove"),
        here.card({"id": "rec_1", "ifVersion": 3}, chat="chat-2", run="agr_3"),
    ]

    assert first == again
    assert 4 == len({first.id, *(card.id for card in others)})
    assert 4 == len(here.rows(events, type="approval.created"))


def test_a_card_that_was_decided_or_has_expired_is_asked_for_anew(here: Here) -> None:
    first = here.card()
    here.decide(first)
    second = here.card()
    here.now += 7 * DAY_MS
    third = here.card()

    assert 3 == len({first.id, second.id, third.id})
    assert "expired" == here.get(second).state


def test_a_run_of_an_agent_asks_for_a_few_things_only(here: Here) -> None:
    """The same card once more is no further one; another run may ask again."""
    made = [here.card({"id": f"rec_{n}"}) for n in range(APPROVALS_OF_RUN_MAX)]

    with pytest.raises(Conflict, match="at most 3 approvals"):
        here.card({"id": "rec_9"})
    assert made[0] == here.card({"id": "rec_0"})
    assert "agr_2" == here.card({"id": "rec_9"}, run="agr_2").asked_by.run_id


def test_a_stranger_does_not_take_all_cards_of_an_organization(here: Here) -> None:
    """A few wait in a conversation, whichever runs asked; those of other conversations go on."""
    made = [here.card({"id": f"rec_{n}"}, run=f"agr_{n}") for n in range(APPROVALS_OF_CONVERSATION_MAX)]

    with pytest.raises(Conflict, match="10 approvals wait in this conversation already"):
        here.card({"id": "one more"}, run="agr_more")
    assert "waiting" == here.card({"id": "one more"}, chat="chat-2", run="agr_2").state
    here.decide(made[0])
    assert "waiting" == here.card({"id": "one more"}, run="agr_more").state


def test_so_many_cards_wait_in_an_organization(here: Here) -> None:
    """Of agents and workflows as many each, so that neither keeps the other from asking."""
    for n in range(APPROVALS_WAITING_MAX):
        run = here.write(asked_in, here.organization.id, f"chat-{n}", f"agr_{n}")
        here.ask(run, body=msgspec.json.encode({"id": f"rec_{n}"}))

    with pytest.raises(Conflict, match="200 approvals that agents asked for wait already"):
        here.card({"id": "one more"}, chat="one more", run="agr_more")
    assert "waiting" == here.ask(AskedByWorkflow(workflow_id="wfl_1", run_id="run_1")).state
    here.now += 7 * DAY_MS
    assert "agr_more" == here.card({"id": "one more"}, run="agr_more").asked_by.run_id


def test_a_card_has_a_bounded_reason_and_input(here: Here) -> None:
    """Both faults are told at once, and nothing is made."""
    asked_by = here.write(asked_in, here.organization.id)
    long = msgspec.json.encode({"id": "x" * APPROVAL_INPUT_BYTES_MAX})

    with pytest.raises(InvalidInput) as refused:
        here.ask(asked_by, body=long, reason="x" * (APPROVAL_REASON_CHARS_MAX + 1))
    assert ["/reason", ""] == [fault.pointer for fault in refused.value.faults]
    assert [] == here.rows(table)


def test_a_workflows_card_waits_as_long_as_it_says(here: Here) -> None:
    """It has no tool, and its event is about the run."""
    asked_by = AskedByWorkflow(workflow_id="wfl_1", run_id="run_1")
    card = here.ask(asked_by, seconds=60)
    [event] = here.rows(events, type="approval.created")

    assert card == here.get(card)
    assert (None, None, card.created_at + 60 * SECOND_MS) == (card.tool, card.input, card.expires_at)
    assert "run_1" == event.subject


def test_a_list_has_what_is_visible_in_a_state(here: Here) -> None:
    """What has expired by the clock is listed as such."""
    deleted, removed = here.card(), here.card(tool="form.remove")
    flow = here.ask(AskedByWorkflow(workflow_id="wfl_1", run_id="run_1"))
    here.decide(removed)

    assert [deleted.id] == here.listed()
    assert [flow.id, deleted.id] == here.listed(of_workflows=True)
    assert [removed.id, deleted.id] == here.listed(others_but=("site.remove",))
    assert [] == here.listed(tools=())
    assert [deleted.id] == here.listed("waiting")
    assert [removed.id] == here.listed("rejected", others_but=())
    here.now += 7 * DAY_MS
    assert [] == here.listed("waiting", of_workflows=True, others_but=())
    assert [flow.id, deleted.id] == here.listed("expired", of_workflows=True, others_but=())


def test_a_decision_is_announced_and_collected_once(here: Here) -> None:
    """Each asker collects its own; what was not collected is found again after a crash."""
    card = here.card()
    flow = here.ask(AskedByWorkflow(workflow_id="wfl_1", run_id="run_1"))
    assert isinstance(card.asked_by, AskedByAgent)
    home = here.organization.id

    told = [here.decide(card), here.decide(flow)]

    assert [ApprovalDecided(home, card.id, card.asked_by.conversation_id, "agr_1")] == told[0]
    assert [ApprovalDecided(home, flow.id, None, "run_1")] == told[1]
    assert [home] == decisions.organizations_with_uncollected(here.conn, "agent")
    assert [card.id] == [one.id for one in here.write(decisions.collect, home, "agent")]
    assert [] == here.write(decisions.collect, home, "agent")
    assert [] == decisions.organizations_with_uncollected(here.conn, "agent")
    assert ["rejected"] == [one.state for one in here.write(decisions.collect, home, "workflow")]


def test_a_withdrawn_card_has_expired(here: Here) -> None:
    """It is not decided, so that nothing is told to what asked; one that was decided stays so."""
    card, decided = here.card(), here.card({"id": "rec_2"})
    here.decide(decided)
    runs = table.select().with_only_columns(table.c.run_id)
    here.write(decisions.withdraw, runs)

    assert ["expired", "rejected"] == [here.get(one).state for one in (card, decided)]
    with pytest.raises(Conflict, match="has expired"):
        cards.check_waiting(here.get(card), here.now)


def test_cards_are_kept_as_long_as_what_else_has_ended(here: Here) -> None:
    """Those that are still needed stay: not collected, or of a run that has yet to see that it expired."""
    done, uncollected, lapsed = here.card(), here.card({"id": "rec_2"}), here.card({"id": "rec_3"})
    flow = here.ask(AskedByWorkflow(workflow_id="wfl_1", run_id="run_1"))
    here.decide(done)
    here.write(decisions.collect, here.organization.id, "agent")
    here.decide(uncollected)
    here.now += 30 * DAY_MS

    assert not here.write(prune)
    assert [uncollected.id, lapsed.id, flow.id] == [row.id for row in here.rows(table)]
    here.now += 7 * DAY_MS
    here.write(prune)
    assert [uncollected.id, flow.id] == [row.id for row in here.rows(table)]


def test_a_card_of_another_organization_is_none(here: Here) -> None:
    with pytest.raises(NotFound):
        approvals.get(here.conn, "org_other", here.card().id, here.now)


@pytest.mark.sqlite  # PostgreSQL keeps out what is no JSON
def test_a_card_that_cannot_be_read_fails_alone(here: Here) -> None:
    """A list leaves it out, and a look at it says so."""
    broken, whole = here.card(), here.card({"id": "rec_2"})
    here.conn.execute(update(table).where(table.c.id == broken.id).values(error="{"))

    with pytest.raises(Unreadable):
        here.get(broken)
    assert [whole.id] == here.listed()


def test_asking_wakes_only_what_dispatches_its_event(here: Here) -> None:
    """Screens that show it are told, too; nothing waits for a card itself, which is a row with a time."""
    here.write(asked_in, here.organization.id)

    def unit(tx: Tx) -> list[Any]:
        a_card(tx, here.organization.id, DELETE, {"id": "rec_1"})
        return [change for change in tx.changes if not isinstance(change, ResourceChanged)]

    assert [EventsDue(here.organization.id)] == here.write(unit)
