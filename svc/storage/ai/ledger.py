"""The ledger of credits: entries are appended, and their sum is what is free to spend."""

from typing import Final, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.ai.limits import AI_BALANCE_CREDITS_MAX, AI_NOTE_CHARS_MAX
from svc.domain.ai.money import MICRO, credits_text
from svc.domain.errors import Conflict, Fault, InvalidInput
from svc.domain.limits import LIST_ROWS
from svc.domain.mail.letters import MailData
from svc.domain.mail.limits import CREDITS_LOW_PART
from svc.domain.text import inert_text
from svc.storage.ai import tables
from svc.storage.identity import organizations
from svc.storage.mail import notices
from svc.storage.mail.notices import Notice
from svc.storage.pages import Keyset
from svc.storage.rows import Rows
from svc.storage.sql.expressions import Whole
from svc.storage.statements import Statement
from svc.storage.store import Tx

EntryKind = Literal["grant", "reserve", "settle"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry. Amounts are micro-credits, times ms since the epoch."""

    id: str
    organization_id: str
    at: int
    kind: EntryKind
    amount: int
    balance_after: int
    """The sum of all entries up to this one."""
    call_id: str | None
    note: str | None


class EntryPage(msgspec.Struct, frozen=True):
    """Entries, the newest first, and where the next page begins, if there is one."""

    entries: list[Entry]
    next_cursor: str | None


_ENTRIES: Final = Rows(tables.ledger, Entry)
_BALANCE: Final = Statement(
    sa.select(tables.ledger.c.balance_after)
    .where(tables.ledger.c.organization_id == sa.bindparam("organization_id"))
    .order_by(tables.ledger.c.id.desc())
    .limit(1)
)
_GRANT: Final = Statement(
    sa.select(tables.ledger.c.id, tables.ledger.c.at, tables.ledger.c.balance_after)
    .where(
        tables.ledger.c.organization_id == sa.bindparam("organization_id"),
        # As literal SQL, so that the partial index is used.
        sa.text("ai_ledger.kind = 'grant'"),
    )
    .order_by(tables.ledger.c.id.desc())
    .limit(1)
)


def balance(conn: sa.Connection, organization_id: str) -> int:
    """What the organization is free to spend, in micro-credits."""
    last = _BALANCE.one(conn, organization_id=organization_id)
    return 0 if last is None else int(last.balance_after)


def append(
    tx: Tx,
    organization_id: str,
    kind: EntryKind,
    amount: int,
    *,
    call_id: str | None = None,
    note: str | None = None,
) -> Entry:
    """Append an entry. The schema refuses one that leaves less than nothing."""
    entry = Entry(
        id=tx.new_id("led"),
        organization_id=organization_id,
        at=tx.now,
        kind=kind,
        amount=amount,
        balance_after=balance(tx.conn, organization_id) + amount,
        call_id=call_id,
        note=note,
    )
    _ENTRIES.insert(tx.conn, entry)
    if kind == "settle":
        notices.tell(tx, organization_id, "credits.low", lambda: _low_notices(tx.conn, entry))
    return entry


def grant(tx: Tx, organization_id: str, amount: int, note: str | None = None) -> Entry:
    """Give the organization *amount* micro-credits.

    Raises:
        NotFound: there is no such organization.
        InvalidInput: it is nothing that is given, or the note is no plain text, or too long.
        Conflict: it would have more than it may.
    """
    organizations.get(tx.conn, organization_id)
    if amount <= 0:
        raise InvalidInput([Fault("/amountMicroCredits", "invalid_value", "give more than nothing")])
    if note is not None and (len(note) > AI_NOTE_CHARS_MAX or inert_text(note) != note):
        what = f"a note is plain text of at most {AI_NOTE_CHARS_MAX} characters"
        raise InvalidInput([Fault("/note", "invalid_value", what)])
    if balance(tx.conn, organization_id) + amount > AI_BALANCE_CREDITS_MAX * MICRO:
        raise Conflict(f"an organization has at most {credits_text(AI_BALANCE_CREDITS_MAX * MICRO)} credits")
    return append(tx, organization_id, "grant", amount, note=note or None)


def list_page(
    conn: sa.Connection, organization_id: str, *, limit: int = LIST_ROWS, cursor: str | None = None
) -> EntryPage:
    """A page of the organization's ledger, the newest first. Raises `InvalidInput` for a foreign cursor."""
    column = tables.ledger.c
    keyset = Keyset(["ai.statement"], cursor, limit)
    entries = _ENTRIES.select(column.organization_id == organization_id)
    rows, next_cursor = keyset.fetch(conn, entries, column.id, newest_first=True)
    return EntryPage([*map(_ENTRIES.make, rows)], next_cursor)


def low_since(conn: sa.Connection, organization_id: str) -> int | None:
    """When credits were last given, if few of them are left; None where enough are, or none ever were."""
    low = _low(conn, organization_id, balance(conn, organization_id))
    return None if low is None else low.given_at


class _Low(NamedTuple):
    """Credits that run low: less than a fifth of those after the last grant are left."""

    grant_id: str
    given_at: int
    left: int


def _low(
    conn: sa.Connection, organization_id: str, free: int, *, but_call_id: str | None = None
) -> _Low | None:
    """Whether few credits are left, of which *free* are not reserved; *but_call_id* has ended."""
    grant = _GRANT.one(conn, organization_id=organization_id)
    if grant is None or free * CREDITS_LOW_PART >= grant.balance_after:
        return None
    # What calls under way have reserved is mostly given back.
    reserved = sa.select(Whole(tables.calls.c.reserved_micro_credits)).where(
        tables.calls.c.organization_id == organization_id, sa.text("ai_calls.ended_at IS NULL")
    )
    if but_call_id is not None:
        reserved = reserved.where(tables.calls.c.id != but_call_id)
    left = free + (conn.scalar(reserved) or 0)
    return None if left * CREDITS_LOW_PART >= grant.balance_after else _Low(grant.id, grant.at, left)


def _low_notices(conn: sa.Connection, entry: Entry) -> list[Notice]:
    """The notice that few credits are left after *entry*."""
    low = _low(conn, entry.organization_id, entry.balance_after, but_call_id=entry.call_id)
    return [] if low is None else [Notice(low.grant_id, MailData(micro_credits=low.left))]
