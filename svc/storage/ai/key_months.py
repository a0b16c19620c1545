"""What each key uses in a month, at list price and whoever pays: its budget counts that."""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.ai.budgets import month_after, month_of
from svc.storage.ai import tables
from svc.storage.identity import tables as identity_tables
from svc.storage.statements import Statement
from svc.storage.store import Tx


class KeyBudget(msgspec.Struct, frozen=True, kw_only=True):
    """The budget of a key in the current month. Amounts are micro-credits."""

    limit: int | None
    """None for a key without a budget."""
    used: int
    """Reservations included."""
    resets_at: int
    """When the next month begins, ms since the epoch."""


_column = tables.key_months.c
_THIS: Final = (_column.key_id == sa.bindparam("of_key"), _column.month == sa.bindparam("of_month"))
_USED: Final = Statement(sa.select(_column.used_micro_credits, _column.reserved_micro_credits).where(*_THIS))
_BEGIN: Final = Statement(sa.insert(tables.key_months))
_ADD: Final = Statement(
    sa.update(tables.key_months)
    .where(*_THIS)
    .values(
        used_micro_credits=_column.used_micro_credits + sa.bindparam("used"),
        reserved_micro_credits=_column.reserved_micro_credits + sa.bindparam("reserved"),
    )
)


def used(conn: sa.Connection, key_id: str, now: int) -> int:
    """What the key has used and reserved in the month of *now*."""
    row = _USED.one(conn, of_key=key_id, of_month=month_of(now))
    return 0 if row is None else int(row.used_micro_credits + row.reserved_micro_credits)


def add(tx: Tx, organization_id: str, key_id: str, at: int, *, used: int = 0, reserved: int = 0) -> None:
    """Add to what the key uses, and has reserved, in the month of *at*."""
    month = month_of(at)
    if not _ADD.changed(tx.conn, of_key=key_id, of_month=month, used=used, reserved=reserved):
        row = {"key_id": key_id, "month": month, "organization_id": organization_id}
        _BEGIN.run(tx.conn, row | {"used_micro_credits": used, "reserved_micro_credits": reserved})


def budget(conn: sa.Connection, key_id: str, now: int) -> KeyBudget:
    """The key's budget as it stands."""
    limit = conn.scalar(
        sa.select(identity_tables.api_keys.c.monthly_budget_micro_credits).where(
            identity_tables.api_keys.c.id == key_id
        )
    )
    return KeyBudget(limit=limit, used=used(conn, key_id, now), resets_at=month_after(now))
