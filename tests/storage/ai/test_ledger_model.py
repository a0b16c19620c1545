"""The ledger against a plain model: whatever happens, every micro-credit is accounted for."""

from collections import Counter
from typing import Final, NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from svc.domain.ai.budgets import month_of
from svc.domain.ai.errors import GatewayError
from svc.domain.ai.exits import FREE_OF_CHARGE, Ended, Exit
from svc.domain.ai.models import Bound, Payer
from svc.domain.ai.money import MICRO, Prices
from svc.domain.ai.usage import Usage
from svc.domain.identity.roles import OWNER
from svc.domain.locale.times import DAY_MS
from svc.storage.ai import calls, key_months, ledger, lost_calls
from svc.storage.ai.calls import AGENT, NewCall, OpenCall, Settlement
from svc.storage.ai.integrity import INVARIANTS
from svc.storage.identity import api_keys
from svc.storage.identity.api_keys import NewKey
from tests.people import a_member, call_of
from tests.storage.ledger import Ledger
from tests.storage.ledger import ledger as database

PRICES: Final = Prices(MICRO, MICRO, MICRO)
"""A micro-credit for each token, so that a call costs as many as it has tokens."""
BUDGET: Final = 60
ENDS: Final[tuple[Ended, ...]] = ("answered", "unanswered", "left", "broken", "refused")


class Reserved(NamedTuple):
    """What the model knows of an open call."""

    call: OpenCall
    credits: int | None
    budget: int


def bound_of(tokens: int) -> Bound:
    return Bound(tokens, 1, 0, PRICES)


class LedgerMachine(RuleBasedStateMachine):
    """Reserves, falls back, settles, notes, crashes; the model keeps sums alone."""

    open_calls = Bundle("open_calls")

    def __init__(self) -> None:
        super().__init__()
        self._opened = database()
        self.db: Ledger = self._opened.__enter__()
        self.home = self.db.organization.id
        person = self.db.write(a_member, self.home, "owner@example.com", OWNER.id)
        call = call_of(person, self.home, confirmed_at=self.db.now)

        def key(name: str, budget: int | None) -> str:
            new = NewKey(name=name, limited_to="ai.gateway", monthly_budget_micro_credits=budget)
            return self.db.write(api_keys.mint, call, new).id

        self.keys = {"plain": key("plain", None), "budgeted": key("budgeted", BUDGET), "agent": AGENT}
        self.process = self.db.write(calls.new_process)
        self.free = 0
        self.open: dict[str, Reserved] = {}
        self.used: Counter[tuple[str, str]] = Counter()
        self.ended = 0

    def teardown(self) -> None:
        self._opened.__exit__(None, None, None)

    def new_call(self, key: str) -> NewCall:
        return NewCall(
            organization_id=self.home,
            key_id=self.keys[key],
            model="m",
            streamed=True,
            process=self.process,
            started_at=self.db.now,
        )

    def reserved_of(self, key_id: str, month: str) -> int:
        return sum(
            one.budget
            for one in self.open.values()
            if one.call.new.key_id == key_id and month_of(one.call.new.started_at) == month
        )

    def end(self, call: OpenCall, cost: int, charged: int) -> None:
        """The model of an end: what was reserved comes back, less what is charged."""
        known = self.open.pop(call.id)
        self.free += (known.credits or 0) - charged
        self.used[call.new.key_id, month_of(call.new.started_at)] += cost
        self.ended += 1

    @rule(amount=st.integers(1, 50))
    def grant(self, amount: int) -> None:
        self.db.write(ledger.grant, self.home, amount)
        self.free += amount

    @rule(
        target=open_calls,
        key=st.sampled_from(["plain", "budgeted", "agent"]),
        tokens=st.integers(0, 40),
        paid=st.booleans(),
    )
    def reserve(self, key: str, tokens: int, paid: bool) -> OpenCall | None:
        new = self.new_call(key)
        month = month_of(new.started_at)
        left = BUDGET - self.used[new.key_id, month] - self.reserved_of(new.key_id, month)
        refusal = None
        if paid and tokens > self.free:
            refusal = "insufficient_credits"
        if key == "budgeted" and tokens > left:
            refusal = "key_budget_exceeded"
        credits_bound = bound_of(tokens) if paid else None
        if refusal is not None:
            with pytest.raises(GatewayError) as refused:
                self.db.write(calls.reserve, new, bound_of(tokens), credits_bound)
            assert refusal == refused.value.kind
            return None
        call = self.db.write(calls.reserve, new, bound_of(tokens), credits_bound)
        self.open[call.id] = Reserved(call, tokens if paid else None, tokens if key == "budgeted" else 0)
        self.free -= tokens if paid else 0
        return call

    @rule(call=open_calls, tokens=st.integers(0, 40))
    def fall_back(self, call: OpenCall | None, tokens: int) -> None:
        if call is None or call.id not in self.open:
            return
        known = self.open[call.id]
        if known.credits is None and tokens > self.free:
            with pytest.raises(GatewayError, match="The organization has"):
                self.db.write(calls.reserve_credits, known.call, bound_of(tokens))
            return
        current = self.db.write(calls.reserve_credits, known.call, bound_of(tokens))
        if known.credits is None:
            self.open[call.id] = known._replace(call=current, credits=tokens)
            self.free -= tokens

    @rule(
        call=open_calls,
        prompt=st.integers(0, 60),
        ended=st.sampled_from(ENDS),
        payer=st.sampled_from(["organization", "credits"]),
    )
    def settle(self, call: OpenCall | None, prompt: int, ended: Ended, payer: Payer) -> None:
        """Also more than once, and of calls that a crash has settled: that changes nothing."""
        if call is None:
            return
        settlement = Settlement(
            new=call.new,
            call_id=call.id,
            exit=Exit(ended=ended, usage=Usage(prompt, 0, 0)),
            payer=payer,
            provider="p",
            prices=PRICES,
        )
        known = self.open.get(call.id)
        settled = self.db.write(calls.settle, settlement)
        if known is None:
            return
        cost = 0 if ended in FREE_OF_CHARGE else prompt
        takes_credits = payer == "credits" and known.credits is not None
        charged = min(cost, (known.credits or 0) + self.free) if takes_credits else 0
        assert (cost, charged) == (settled.cost, settled.charged)
        assert (cost - charged if takes_credits else 0) == settled.uncovered
        self.end(call, cost, charged)

    @rule(key=st.sampled_from(["plain", "agent"]), prompt=st.integers(0, 60))
    def note(self, key: str, prompt: int) -> None:
        """A call that reserved nothing."""
        new = self.new_call(key)
        settlement = Settlement(
            new=new,
            call_id=None,
            exit=Exit(ended="answered", usage=Usage(prompt, 0, 0)),
            payer="organization",
            provider="prv_1",
            prices=PRICES,
        )
        settled = self.db.write(calls.settle, settlement)
        assert (prompt, 0, 0) == (settled.cost, settled.charged, settled.uncovered)
        self.used[new.key_id, month_of(new.started_at)] += prompt
        self.ended += 1

    @rule(days=st.sampled_from([1, 12]))
    def wait(self, days: int) -> None:
        self.db.now += days * DAY_MS

    @rule()
    def crash_and_start_again(self) -> None:
        self.process = self.db.write(calls.new_process)
        lost = self.db.write(lost_calls.settle_lost, self.db.organization.id, self.process)
        assert len(self.open) == lost
        for known in list(self.open.values()):
            self.end(known.call, 0, 0)

    @invariant()
    def the_ledger_is_the_model(self) -> None:
        assert self.free == ledger.balance(self.db.conn, self.home)
        assert sum(one.credits or 0 for one in self.open.values()) == calls.reserved(self.db.conn, self.home)
        for key_id in self.keys.values():
            month = month_of(self.db.now)
            is_key = key_id != AGENT  # which has no budget, and so no month
            expected = self.used[key_id, month] + self.reserved_of(key_id, month) if is_key else 0
            assert expected == key_months.used(self.db.conn, key_id, self.db.now)

    @invariant()
    def all_promises_hold(self) -> None:
        assert [] == [
            (promise, one) for promise, broken in INVARIANTS.items() for one in broken(self.db.conn)
        ]


@pytest.mark.fuzz
def test_the_ledger_is_the_model() -> None:
    """The sum is what was granted less what was charged, never negative, and no reservation is left."""
    run_state_machine_as_test(
        LedgerMachine, settings=settings(max_examples=60, stateful_step_count=30, deadline=None)
    )
