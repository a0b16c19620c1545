"""The states of a card: what decisions and the clock make of it."""

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from svc.domain.approvals.cards import (
    DECIDED,
    AskedByAgent,
    AskedByWorkflow,
    Card,
    approved,
    as_of,
    check_waiting,
    failed,
    kind_of,
    rejected,
    state_at,
)
from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound

NOW = 1_800_000_000_000
LIFE = 1_000
AGENT = AskedByAgent(connection_id="con_1", conversation_id="cnv_1", run_id="agr_1")
CARD = Card(
    id="apr_1",
    organization_id="org_1",
    state="waiting",
    tool="record.delete",
    input=b'{"id":"rec_1"}',
    reason="The customer asks for it.",
    asked_by=AGENT,
    created_at=NOW,
    expires_at=NOW + LIFE,
)


def test_an_approved_card_has_the_answer_of_its_tool():
    card = approved(CARD, "usr_1", NOW + 1, answer=b"{}")

    assert ("approved", "usr_1", NOW + 1, b"{}", None) == (
        card.state,
        card.decided_by,
        card.decided_at,
        card.answer,
        card.error,
    )


def test_a_failed_card_has_the_refusal_with_its_faults():
    card = failed(CARD, "usr_1", NOW + 1, InvalidInput([Fault("/id", "missing", "is required")]))
    gone = failed(CARD, "usr_1", NOW + 1, NotFound("there is no such record"))

    assert ("failed", None) == (card.state, card.answer)
    assert {
        "code": "validation_failed",
        "detail": "/id: is required",
        "errors": [{"pointer": "/id", "code": "missing", "detail": "is required"}],
    } == card.error
    assert {"code": "not_found", "detail": "there is no such record"} == gone.error


def test_a_rejected_card_says_why():
    card = rejected(CARD, "usr_1", NOW + 1, reason="Not yet")

    assert ("rejected", "Not yet", None, None) == (card.state, card.rejection_reason, card.answer, card.error)


@pytest.mark.parametrize(
    ("after", "state"), [(LIFE - 1, "waiting"), (LIFE, "expired"), (LIFE + 1, "expired")]
)
def test_a_card_expires_by_the_clock(after: int, state: str):
    """At the very millisecond; nothing has to be written for it."""
    assert state == state_at(CARD, NOW + after) == as_of(CARD, NOW + after).state
    assert "approved" == state_at(approved(CARD, "usr_1", NOW), NOW + after)


def test_a_decided_card_says_so_when_it_is_decided_again():
    with pytest.raises(Conflict, match="decided already: it is rejected"):
        check_waiting(rejected(CARD, "usr_1", NOW), NOW)
    with pytest.raises(Conflict, match="has expired"):
        check_waiting(CARD, NOW + LIFE)


def test_what_asked_is_an_agent_or_a_workflow():
    assert ["agent", "workflow"] == [
        kind_of(one) for one in (AGENT, AskedByWorkflow(workflow_id="wfl_1", run_id="run_1"))
    ]


class Cards(RuleBasedStateMachine):
    """One card, decided by several people in any order, while time goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.card, self.now = CARD, NOW
        self.decisions = 0

    def decide(self, made: Any) -> None:
        waits = self.card.state == "waiting" and self.now < self.card.expires_at
        try:
            self.card = made()
        except Conflict:
            assert not waits
        else:
            assert waits
            self.decisions += 1

    @rule(ms=st.integers(1, LIFE))
    def pass_time(self, ms: int) -> None:
        self.now += ms

    @rule(by=st.sampled_from(["usr_1", "usr_2"]))
    def approve(self, by: str) -> None:
        self.decide(lambda: approved(self.card, by, self.now, answer=b"{}"))

    @rule(by=st.sampled_from(["usr_1", "usr_2"]))
    def fail(self, by: str) -> None:
        self.decide(lambda: failed(self.card, by, self.now, Conflict("taken")))

    @rule(by=st.sampled_from(["usr_1", "usr_2"]))
    def reject(self, by: str) -> None:
        self.decide(lambda: rejected(self.card, by, self.now))

    @invariant()
    def is_decided_once_at_most(self) -> None:
        card, state = self.card, state_at(self.card, self.now)
        assert self.decisions == (state in DECIDED)
        assert (state in DECIDED) == (card.decided_by is not None) == (card.decided_at is not None)
        assert (card.answer is not None) == (state == "approved")
        assert (card.error is not None) == (state == "failed")
        assert (state == "expired") == (self.decisions == 0 and self.now >= card.expires_at)


TestCards = Cards.TestCase
TestCards.settings = settings(max_examples=60, deadline=None)
