"""Calls of the gateway: reserved before anything is sent, settled once, however they end.

A call's row has numbers, ids, times and how it ended: no text of a request or an answer.
"""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.ai.errors import GatewayError
from svc.domain.ai.exits import Charge, Ended, Exit, charge, metered
from svc.domain.ai.models import Bound, Payer
from svc.domain.ai.money import FREE, Prices
from svc.domain.errors import Unauthenticated
from svc.storage.ai import key_months, ledger, tables
from svc.storage.identity import tables as identity_tables
from svc.storage.rows import Rows, Selection
from svc.storage.sql.expressions import Whole
from svc.storage.statements import Statement
from svc.storage.store import Tx

AGENT: Final = "agent"
"""In the place of a key's id: a call of the agent, which has none, and so no month of its own."""
TRIAL: Final = "trial"
"""In the place of a key's id: a model that a person tries at the screen; likewise."""
_KEYLESS: Final = frozenset({AGENT, TRIAL})


class NewCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call that begins."""

    organization_id: str
    key_id: str
    """`AGENT` or `TRIAL` where there is none."""
    model: str
    streamed: bool
    process: str
    """The run of the program: `new_process` makes its name."""
    started_at: int
    """Ms since the epoch; its month is the one whose budget it counts in."""


class OpenCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call that has a reservation, and is to be settled."""

    id: str
    new: NewCall
    reserved: int | None
    """Micro-credits of the organization; None where none are reserved."""


class Settlement(msgspec.Struct, frozen=True, kw_only=True):
    """How a call ended, to be stored."""

    new: NewCall
    call_id: str | None
    """None for a call without a reservation, which is noted now."""
    exit: Exit
    payer: Payer
    """Of the provider that was asked last."""
    provider: str | None
    prices: Prices = FREE
    """Of that provider."""


class CallEnding(msgspec.Struct, frozen=True, kw_only=True):
    """What a settlement fills in of a call's row; what is left out here is how it begins."""

    payer: Payer
    provider: str | None = None
    ended_at: int | None = None
    ended: Ended | None = None
    estimated: bool = False
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost_micro_credits: int = 0
    charged_micro_credits: int = 0
    uncovered_micro_credits: int = 0


class _Reservation(msgspec.Struct, frozen=True, kw_only=True):
    """What a settlement needs of a call's row."""

    id: str
    organization_id: str
    key_id: str
    started_at: int
    ended_at: int | None
    reserved_micro_credits: int | None
    budgeted_micro_credits: int | None
    cost_micro_credits: int
    charged_micro_credits: int
    uncovered_micro_credits: int


_column = tables.calls.c
_key = identity_tables.api_keys.c
_LIVE_KEY: Final = Statement(
    sa.select(_key.monthly_budget_micro_credits)
    .join(identity_tables.organizations, identity_tables.organizations.c.id == _key.organization_id)
    .where(
        _key.id == sa.bindparam("key_id"),
        _key.organization_id == sa.bindparam("organization_id"),
        _key.revoked_at.is_(None),
        _key.expires_at > sa.bindparam("now"),
        identity_tables.organizations.c.closed_at.is_(None),
    )
)
_CALLS: Final = Rows(
    tables.calls,
    CallEnding,
    beside=["id", *NewCall.__struct_fields__, "reserved_micro_credits", "budgeted_micro_credits"],
)
_RESERVATIONS: Final = Selection(_Reservation, tables.calls)
_GET: Final = _RESERVATIONS.prepared(_RESERVATIONS.select(_column.id == sa.bindparam("id")))
_RESERVE: Final = Statement(
    sa.update(tables.calls)
    .where(_column.id == sa.bindparam("call_id"))
    .values(payer="credits", reserved_micro_credits=sa.bindparam("reserved"))
)
_END: Final = Statement(
    sa.update(tables.calls)
    .where(_column.id == sa.bindparam("call_id"))
    .values({name: sa.bindparam(name) for name in _CALLS.fields})
)


def new_process(tx: Tx) -> str:
    """The name of this run of the program."""
    return tx.new_id("prc")


def reserve(tx: Tx, new: NewCall, bound: Bound, credits_bound: Bound | None) -> OpenCall:
    """Reserve what the call may cost at most: *bound* in its key's budget, *credits_bound* of the credits.

    *credits_bound* is None for a call that an own provider is to serve. Nothing may be sent before this is on
    disk. Raises `Unauthenticated` if the key is live no more, or the organization closed; and `GatewayError`:
    `key_budget_exceeded`, `insufficient_credits`.
    """
    limit = _live_budget(tx, new)
    if limit is not None:
        _check("key_budget_exceeded", bound, limit - key_months.used(tx.conn, new.key_id, new.started_at))
    if credits_bound is not None:
        _check("insufficient_credits", credits_bound, ledger.balance(tx.conn, new.organization_id))
    call_id = tx.new_id("aic")
    budgeted = None if limit is None else bound.micro_credits
    reserved = None if credits_bound is None else credits_bound.micro_credits
    payer: Payer = "organization" if reserved is None else "credits"
    _insert(tx, call_id, new, CallEnding(payer=payer), reserved=reserved, budgeted=budgeted)
    if budgeted:
        key_months.add(tx, new.organization_id, new.key_id, new.started_at, reserved=budgeted)
    if reserved is not None:
        ledger.append(tx, new.organization_id, "reserve", -reserved, call_id=call_id)
    return OpenCall(id=call_id, new=new, reserved=reserved)


def reserve_credits(tx: Tx, call: OpenCall, credits_bound: Bound) -> OpenCall:
    """Reserve credits for a call that goes on from an own provider to the service's.

    Raises `Unauthenticated` and `GatewayError`, as `reserve` does.
    """
    if call.reserved is not None:
        return call
    _live_budget(tx, new := call.new)
    _check("insufficient_credits", credits_bound, ledger.balance(tx.conn, new.organization_id))
    reserved = credits_bound.micro_credits
    _RESERVE.run(tx.conn, call_id=call.id, reserved=reserved)
    ledger.append(tx, new.organization_id, "reserve", -reserved, call_id=call.id)
    return msgspec.structs.replace(call, reserved=reserved)


def settle(tx: Tx, settlement: Settlement) -> Charge:
    """Store how a call ended, charge it, and give back the rest of what it reserved.

    A call that is settled already stays as it is, so this may be tried again.
    """
    call_id = settlement.call_id
    if call_id is None:
        return _note(tx, settlement)
    row = _GET.one(tx.conn, {"id": call_id})
    if row is None:
        raise LookupError(f"there is no call {call_id} to settle")
    if row.ended_at is not None:
        return Charge(row.cost_micro_credits, row.charged_micro_credits, row.uncovered_micro_credits)
    return _settle(tx, row, settlement)


def reserved(conn: sa.Connection, organization_id: str) -> int:
    """The credits that calls under way have reserved, in micro-credits."""
    total: int | None = conn.scalar(
        sa.select(Whole(_column.reserved_micro_credits)).where(
            _column.organization_id == organization_id, _column.ended_at.is_(None)
        )
    )
    return total or 0


def _live_budget(tx: Tx, new: NewCall) -> int | None:
    """The budget of the call's key, if it has one. Raises `Unauthenticated` if the key is not live."""
    if new.key_id in _KEYLESS:
        return None
    key = _LIVE_KEY.one(tx.conn, key_id=new.key_id, organization_id=new.organization_id, now=tx.now)
    if key is None:
        raise Unauthenticated
    budget: int | None = key.monthly_budget_micro_credits
    return budget


def _check(kind: str, bound: Bound, free: int) -> None:
    """Raises `GatewayError` of that *kind* where *bound* is more than what is *free*."""
    needed, free = bound.micro_credits, max(0, free)
    if needed <= free:
        return
    whose = "The key's budget of this month has" if kind == "key_budget_exceeded" else "The organization has"
    fitting = bound.fitting(free)
    advice = (
        f"The largest `max_completion_tokens` that fits is {fitting}."
        if fitting
        else "No `max_completion_tokens` makes it fit."
    )
    message = f"This call may cost up to {needed} micro-credits. {whose} {free} left. {advice}"
    raise GatewayError(kind, message, param="max_completion_tokens" if fitting else None)


def _insert(
    tx: Tx, call_id: str, new: NewCall, ending: CallEnding, *, reserved: int | None, budgeted: int | None
) -> None:
    _CALLS.insert(
        tx.conn,
        ending,
        id=call_id,
        reserved_micro_credits=reserved,
        budgeted_micro_credits=budgeted,
        **msgspec.structs.asdict(new),
    )


def _note(tx: Tx, settlement: Settlement) -> Charge:
    """Store a call that has ended and that nothing was reserved for. It takes no credits."""
    new = settlement.new
    ending, paid = _ended(settlement, tx.now, bound=None, free=0)
    _insert(tx, tx.new_id("aic"), new, ending, reserved=None, budgeted=None)
    if paid.cost and new.key_id not in _KEYLESS:
        key_months.add(tx, new.organization_id, new.key_id, new.started_at, used=paid.cost)
    return paid


def _settle(tx: Tx, row: _Reservation, settlement: Settlement) -> Charge:
    bound = row.reserved_micro_credits
    ending, paid = _ended(
        settlement,
        tx.now,
        bound=bound if settlement.payer == "credits" else None,
        free=ledger.balance(tx.conn, row.organization_id),
    )
    if bound is not None:
        ledger.append(tx, row.organization_id, "settle", bound - paid.charged, call_id=row.id)
    budgeted = row.budgeted_micro_credits or 0
    if (budgeted or paid.cost) and row.key_id not in _KEYLESS:
        key_months.add(
            tx, row.organization_id, row.key_id, row.started_at, used=paid.cost, reserved=-budgeted
        )
    _END.run(tx.conn, _CALLS.values(ending) | {"call_id": row.id})
    return paid


def _ended(
    settlement: Settlement, ended_at: int, *, bound: int | None, free: int
) -> tuple[CallEnding, Charge]:
    """How a call ended, and what it is charged."""
    usage, estimated = metered(settlement.exit)
    paid = charge(settlement.prices, usage, bound=bound, free=free)
    ending = CallEnding(
        provider=settlement.provider,
        payer=settlement.payer,
        ended_at=ended_at,
        ended=settlement.exit.ended,
        estimated=estimated,
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=usage.cached_tokens,
        completion_tokens=usage.completion_tokens,
        cost_micro_credits=paid.cost,
        charged_micro_credits=paid.charged,
        uncovered_micro_credits=paid.uncovered,
    )
    return ending, paid
