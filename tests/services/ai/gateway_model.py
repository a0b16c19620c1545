"""The plain model of the gateway's money: the table of exits, applied to what its providers have seen.

It knows what came to the providers and from them, what the clients heard, and what has happened to the
process; and of the service only the rows that it has left.
"""

from collections import Counter
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.ai.limits import AI_READ_ON_BYTES_MAX, AI_READ_ON_MS
from svc.domain.ai.models import OwnModel
from svc.domain.ai.money import MICRO, Prices
from svc.domain.identity.callers import operator_call
from svc.domain.locale.times import SECOND_MS
from svc.storage import provisioning
from svc.storage.ai import key_months, ledger, providers, tables
from svc.storage.ai.integrity import INVARIANTS
from svc.storage.ai.providers import NewProvider
from svc.storage.identity import api_keys, organizations
from svc.storage.identity import tables as identity_tables
from svc.storage.identity.api_keys import MintedKey, NewKey
from svc.storage.identity.organizations import NewOrganization, OrganizationChanges
from svc.storage.sqlite.engine import make_engine
from svc.storage.store import Tx
from tests.http.ai.gateway import ANSWER, PRICES, PROMPT
from tests.people import a_member, call_of
from tests.services.ai.gateway_lives import (
    MODELS,
    AskedCall,
    Deed,
    Life,
    MadeCall,
    empty,
    live,
    restored,
    written,
)
from tests.services.ai.provider_scripts import FINISH, PAUSE_SECONDS, SAID, Attempt
from tests.town import START

OWN_PRICES: Final = Prices(3 * MICRO, 3 * MICRO, 3 * MICRO)
BUDGET: Final = 5_000
FREE: Final = {"refused", "unanswered", "lost"}
ENDED_BY: Final[dict[Deed, set[str]]] = {
    "the client leaves": {"left"},
    "the key is revoked": {"revoked", "refused"},
    "a stop": {"stopped"},
    "a full disk": {"refused", "unanswered"},
    "a broken disk": {"refused", "unanswered", "lost"},
    "a crash": {"lost"},
}
"""How a call may end for such a reason, beside how it would have ended."""
EMPTY: Final = empty()


class World:
    """An organization with its keys, over the lives of the process; the model beside it."""

    def __init__(self) -> None:
        self.image, self.now = EMPTY, START
        organization = self.write(lambda tx: provisioning.create(tx, NewOrganization(name="Lamps & Co")))
        self.home = organization.id
        self.owner = self.write(lambda tx: a_member(tx, self.home, "owner@example.com"))
        self.keys = {name: self.mint(name) for name in ("plain", "budgeted")}
        self.granted = 0
        self.charged = 0
        self.used: Counter[str] = Counter()
        """What each key has used this month, by its id."""
        self.ends: Counter[str] = Counter()
        """How many calls have ended in each way."""
        self.last: Any = None
        """The row of the call that was checked last."""

    def write(self, unit: Any) -> Any:
        self.now += 1_000
        self.image, result = written(self.image, self.now, unit)
        return result

    def mint(self, name: str) -> MintedKey:
        budget = BUDGET if name == "budgeted" else None
        new = NewKey(name=name, limited_to="ai.gateway", monthly_budget_micro_credits=budget)
        call = call_of(self.owner, confirmed_at=self.now)
        minted: MintedKey = self.write(lambda tx: api_keys.mint(tx, call, new))
        return minted

    def grant(self, amount: int) -> None:
        self.write(lambda tx: ledger.grant(tx, self.home, amount))
        self.granted += amount

    def set_own(self, *, falls_back: bool) -> None:
        models = tuple(OwnModel(id=model, upstream=model, prices=OWN_PRICES) for model in MODELS)
        new = NewProvider(name="Ours", base_url="http://own", key="sk-own", models=models)

        def set_both(tx: Tx) -> None:
            providers.set_one(tx, self.home, new)
            changes = OrganizationChanges(own_provider_falls_back_to_credits=falls_back)
            organizations.update(tx, operator_call(self.home), changes)

        self.write(set_both)

    def remove_own(self) -> None:
        def remove(tx: Tx) -> None:
            for one in providers.list_all(tx.conn, self.home):
                providers.remove(tx, self.home, one.id)

        self.write(remove)

    def live(self, *calls: AskedCall, seed: int = 0) -> Life:
        """Run a life, and where it leaves open calls another one; check them against the model."""
        life = live(self.image, self.now, self.owner, calls, seed)
        self.image, self.now = life.image, life.now
        if left := _open_calls(life.image):
            assert life.deeds & {"a crash", "a broken disk"}
            again = live(life.image, life.now, self.owner)
            assert left == again.lost
            self.image, self.now = again.image, again.now
        self.check(life)
        return life

    def check(self, life: Life) -> None:
        """Each call of the *life* against the table of exits; then all sums."""
        with make_engine(None).connect() as conn:
            restored(self.image)(conn)
            of_life = sa.select(tables.calls).where(tables.calls.c.process == life.process)
            rows = {row.model: row for row in conn.execute(of_life)}
            assert len(rows) == len(conn.execute(of_life).all())
            for made in life.calls:
                row = rows.pop(made.model, None)
                if row is None:
                    _check_absence(life, made)
                    continue
                _check_end(life, made, row)
                self.last = row
                self.ends[row.ended] += 1
                cost = _check_cost(made, row)
                self.charged += _check_charge(conn, row, cost)
                self.used[row.key_id] += cost
            assert {} == rows
            self._check_sums(conn)
            revoked = conn.scalars(
                sa.select(identity_tables.api_keys.c.id).where(
                    identity_tables.api_keys.c.revoked_at.is_not(None)
                )
            ).all()
        for name, key in self.keys.items():
            if key.id in revoked:
                self.keys[name] = self.mint(name)

    def _check_sums(self, conn: sa.Connection) -> None:
        entry = tables.ledger.c
        sums = conn.execute(sa.select(sa.func.sum(entry.amount), sa.func.min(entry.balance_after))).one()
        assert self.granted - self.charged == (sums[0] or 0) == ledger.balance(conn, self.home)
        assert (sums[1] or 0) >= 0
        for key in self.keys.values():
            assert self.used[key.id] == key_months.used(conn, key.id, self.now)
        assert [] == [(promise, one) for promise, broken in INVARIANTS.items() for one in broken(conn)]


def _open_calls(image: bytes) -> int:
    with make_engine(None).connect() as conn:
        restored(image)(conn)
        return len(conn.execute(sa.select(tables.calls.c.id).where(tables.calls.c.ended_at.is_(None))).all())


def _check_absence(life: Life, made: MadeCall) -> None:
    """A call is not noted if nothing was reserved for it nor sent; or if it cost no credits and was lost."""
    assert not made.attempts or life.deeds & {"a crash", "a broken disk"}
    assert made.outcome is None or not made.outcome.startswith("answered") or life.deeds & {"a broken disk"}


def _check_end(life: Life, made: MadeCall, row: Any) -> None:
    """It ended as its last provider's answer has it, or as something that has happened."""
    expected = _expected_end(made)
    interrupting = {end for deed in life.deeds - {"the client leaves"} for end in ENDED_BY[deed]}
    if made.asked.cut is not None and made.asked.cut.deed == "the client leaves":
        interrupting.add("left")
    assert row.ended in {expected} | interrupting
    if row.ended == expected and row.ended not in interrupting and made.attempts:
        assert made.attempts[-1].is_over or made.attempts[-1].result == "refused"
    providers_asked = [one.candidate.provider for one in made.attempts]
    assert len(set(providers_asked)) == len(providers_asked)
    assert all(one.result == "next" for one in made.attempts[:-1])
    if made.outcome == "answered 200":
        assert "answered" == row.ended or (row.ended == "lost" and "a broken disk" in life.deeds)


def _expected_end(made: MadeCall) -> str:
    if not made.attempts:
        return "refused"
    last = made.attempts[-1]
    if last.result not in {"next", "last"}:
        return last.result
    refused = made.outcome in {"insufficient_credits", "overloaded", "unavailable"}
    return "refused" if refused and not last.is_sent else "unanswered"


def _check_cost(made: MadeCall, row: Any) -> int:
    """By the last usage that came, else by what was asked and came; nothing for an exit without an answer."""
    last = made.attempts[-1] if made.attempts else None
    if row.ended == "left" and last is not None and FINISH in last.came:
        assert not (row.estimated and _tells_usage_soon(last))
    if row.ended in FREE or last is None or not last.is_sent:
        assert (0, False) == (row.cost_micro_credits, row.estimated)
        return 0
    prompt, completion, estimated = _metered(last, stream=made.asked.stream)
    prices = PRICES if last.candidate.payer == "credits" else OWN_PRICES
    cost = (prompt * prices.input + completion * prices.output) // MICRO  # whole: both are whole credits
    assert (cost, estimated) == (row.cost_micro_credits, row.estimated)
    assert (last.candidate.payer, last.candidate.provider) == (row.payer, row.provider)
    return cost


def _tells_usage_soon(attempt: Attempt) -> bool:
    """Whether usage follows the finish of the answer within what is read on of it."""
    parts = [part for part in SAID[attempt.said].parts if isinstance(part, bytes)]
    size = sum(map(len, parts))
    seconds = len(parts) * PAUSE_SECONDS
    is_read = seconds < AI_READ_ON_MS / SECOND_MS and size <= AI_READ_ON_BYTES_MAX
    return is_read and b'"usage"' in b"".join(parts)


def _metered(attempt: Attempt, *, stream: bool) -> tuple[int, int, bool]:
    """The tokens of what has come whole: as the provider counts them, else four bytes a token."""
    *whole, _ = attempt.came.split(b"\n\n") if stream else [attempt.came, b""]
    data = [one.removeprefix(b"data: ") for one in whole if not one.startswith(b":")]
    came = [msgspec.json.decode(one) for one in data if one not in {b"", b"[DONE]"}]
    usage = [one["usage"] for one in came if one.get("usage")]
    if usage:
        return usage[-1]["prompt_tokens"], usage[-1]["completion_tokens"], False
    holders = [
        choice.get("delta") or choice.get("message") or {}
        for one in came
        for choice in one.get("choices", ())
    ]
    text = sum(len(ANSWER) for holder in holders if holder.get("content"))
    return -(-(len("user") + len(PROMPT)) // 4) + 4, -(-text // 4), True


def _check_charge(conn: sa.Connection, row: Any, cost: int) -> int:
    """One settlement for what was reserved: it gives back all but the cost, or takes all there is."""
    entries = {
        one.kind: one
        for one in conn.execute(sa.select(tables.ledger).where(tables.ledger.c.call_id == row.id))
    }
    charged: int = row.charged_micro_credits
    if row.reserved_micro_credits is None:
        assert (0, {}) == (charged, entries)
        return 0
    assert {"reserve", "settle"} == set(entries)
    assert -row.reserved_micro_credits == entries["reserve"].amount
    assert row.reserved_micro_credits - charged == entries["settle"].amount
    takes_credits = row.payer == "credits"
    assert (cost if takes_credits else 0) == charged + row.uncovered_micro_credits
    assert not row.uncovered_micro_credits or entries["settle"].balance_after == 0
    return charged
