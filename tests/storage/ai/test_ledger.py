"""The ledger refuses by itself what would break it, and what is granted is checked."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from svc.domain.ai.exits import Exit
from svc.domain.ai.models import Bound
from svc.domain.ai.money import MICRO, Prices
from svc.domain.ai.usage import Usage
from svc.domain.errors import Conflict, InvalidInput, NotFound
from svc.storage import integrity, provisioning
from svc.storage.ai import calls, ledger, lost_calls, tables
from svc.storage.ai.calls import AGENT, NewCall, Settlement
from svc.storage.identity.organizations import NewOrganization
from svc.storage.migrations import migrate
from svc.storage.sqlite.engine import make_engine
from svc.storage.sqlite.schema_changes import schema_change
from tests.storage.ledger import Ledger
from tests.storage.ledger import ledger as database

PRICES = Prices(MICRO, MICRO, MICRO)


@pytest.fixture
def db() -> Iterator[Ledger]:
    with database() as opened:
        opened.write(ledger.grant, opened.organization.id, 100)
        yield opened


def new_call(db: Ledger, process: str = "prc_1") -> NewCall:
    return NewCall(
        organization_id=db.organization.id,
        key_id=AGENT,
        model="m",
        streamed=False,
        process=process,
        started_at=db.now,
    )


def reserve(db: Ledger, tokens: int, process: str = "prc_1") -> calls.OpenCall:
    bound = Bound(tokens, 1, 0, PRICES)
    return db.write(calls.reserve, new_call(db, process), bound, bound)


def broken(db: Ledger) -> list[str]:
    """The promises that do not hold."""
    return [finding.promise for finding in integrity.check(db.conn) if finding.broken]


def insert(db: Ledger, **values: Any) -> None:
    """An entry as no function of the program makes it."""
    row = {
        "id": "led_7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "organization_id": db.organization.id,
        "at": db.now,
        "kind": "grant",
        "amount": 5,
        "balance_after": 105,
        "call_id": None,
        "note": None,
    }
    db.write(lambda tx: tx.conn.execute(tables.ledger.insert().values(row | values)))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ai_ledger SET note = 'another'",
        "UPDATE ai_ledger SET amount = amount",
        "DELETE FROM ai_ledger",
        pytest.param(
            "REPLACE INTO ai_ledger SELECT id, organization_id, at, kind, 5, 5, call_id, note FROM ai_ledger",
            marks=pytest.mark.sqlite,
        ),
    ],
)
def test_an_entry_is_never_changed_nor_deleted(db: Ledger, statement: str):
    """The schema says so, whoever asks."""
    before = db.rows(tables.ledger)

    with pytest.raises(IntegrityError):
        db.write(lambda tx: tx.conn.exec_driver_sql(statement))

    assert before == db.rows(tables.ledger)


@pytest.mark.parametrize(
    "values",
    [
        {"balance_after": 104},
        {"balance_after": 106},
        {"amount": -101, "balance_after": -1},
        {"id": "led_0"},
        {"kind": "gift"},
        {"amount": 0, "balance_after": 100},
        {"amount": -5, "balance_after": 95},
        {"kind": "reserve", "amount": -5, "balance_after": 95},
        {"kind": "settle"},
        {"kind": "reserve", "amount": -5, "balance_after": 95, "call_id": "aic_unknown"},
        {"organization_id": "org_unknown", "balance_after": 5},
    ],
)
def test_an_entry_that_makes_no_sense_is_refused(db: Ledger, values: dict[str, Any]):
    """A wrong sum, less than nothing, an order of its own, a wrong sign, a call that is not there."""
    with pytest.raises(IntegrityError):
        insert(db, **values)

    insert(db)
    assert 105 == ledger.balance(db.conn, db.organization.id)


def test_a_call_has_one_reservation_and_one_settlement(db: Ledger):
    """A second of either is refused, by unique index."""
    call = reserve(db, 10)
    with pytest.raises(IntegrityError):
        insert(db, kind="reserve", amount=-1, balance_after=89, call_id=call.id)
    insert(db, kind="settle", amount=1, balance_after=91, call_id=call.id)
    with pytest.raises(IntegrityError):
        insert(db, id="led_7ZZZZZZZZZZZZZZZZZZZZZZZZ~", kind="settle", balance_after=96, call_id=call.id)


def test_each_organization_has_a_ledger_of_its_own(db: Ledger):
    """With its own balance and its own order."""
    other = db.write(provisioning.create, NewOrganization(name="Other"), starting_micro_credits=7)
    db.write(ledger.grant, db.organization.id, 1)

    assert (101, 7) == tuple(ledger.balance(db.conn, id_) for id_ in (db.organization.id, other.id))
    [entry] = ledger.list_page(db.conn, other.id).entries
    assert ("grant", 7, 7, "Starting credits") == (entry.kind, entry.amount, entry.balance_after, entry.note)


def test_the_statement_is_listed_by_pages(db: Ledger):
    """The newest first; what comes meanwhile neither skips nor repeats an entry."""
    for amount in range(1, 6):
        db.write(ledger.grant, db.organization.id, amount)
    first = ledger.list_page(db.conn, db.organization.id, limit=4)
    db.write(ledger.grant, db.organization.id, 9)
    second = ledger.list_page(db.conn, db.organization.id, limit=4, cursor=first.next_cursor)

    assert [5, 4, 3, 2, 1, 100] == [entry.amount for entry in first.entries + second.entries]
    assert second.next_cursor is None


@pytest.mark.parametrize(
    ("amount", "note", "error"),
    [
        (0, None, InvalidInput),
        (-1, None, InvalidInput),
        (1, "x" * 501, InvalidInput),
        (1, "a\u202eb", InvalidInput),
        (10**15, None, Conflict),
    ],
)
def test_a_grant_that_cannot_be_is_refused(db: Ledger, amount: int, note: str | None, error: type[Exception]):
    """Nothing, less than that, a note that is none, more than an organization may have."""
    with pytest.raises(error):
        db.write(ledger.grant, db.organization.id, amount, note)
    with pytest.raises(NotFound):
        db.write(ledger.grant, "org_unknown", 1)

    assert 100 == ledger.balance(db.conn, db.organization.id)


def test_what_is_uncovered_is_noted_and_not_owed(db: Ledger):
    """A provider that counts more than it was sent takes what is free, and no more."""
    call = reserve(db, 10)
    other = reserve(db, 85)
    settlement = Settlement(
        new=call.new,
        call_id=call.id,
        exit=Exit(ended="answered", usage=Usage(1_000, 0, 0)),
        payer="credits",
        provider="p",
        prices=PRICES,
    )
    settled = db.write(calls.settle, settlement)

    assert (1_000, 15, 985) == (settled.cost, settled.charged, settled.uncovered)
    assert (0, 85) == (
        ledger.balance(db.conn, db.organization.id),
        calls.reserved(db.conn, db.organization.id),
    )
    assert [] == broken(db)
    assert other.id != call.id


def test_what_an_earlier_process_left_is_lost(db: Ledger):
    """It is given back whole; what this process has open stays."""
    left = reserve(db, 10)
    own = reserve(db, 20, "prc_2")
    before = broken(db)
    lost = db.write(lost_calls.settle_lost, db.organization.id, "prc_2")
    rows = {row.id: (row.ended, row.charged_micro_credits) for row in db.rows(tables.calls)}

    assert ["no AI call of an earlier process is open"] == before
    assert [] == broken(db)
    assert (1, 80) == (lost, ledger.balance(db.conn, db.organization.id))
    assert {left.id: ("lost", 0), own.id: (None, 0)} == rows


UNGUARDED = {
    "sqlite": ("DROP TRIGGER ai_ledger_no_delete", "DROP TRIGGER ai_ledger_no_update"),
    "postgresql": ("ALTER TABLE ai_ledger DISABLE TRIGGER ai_ledger_append_only",),
}
"""What takes the guard of the ledger away."""


@pytest.mark.parametrize(
    ("statement", "promise"),
    [
        (
            "UPDATE ai_calls SET charged_micro_credits = 1",
            "every AI call has one reservation at most, and one settlement that fits when it has ended",
        ),
        (
            "UPDATE ai_calls SET reserved_micro_credits = NULL",
            "every AI call has one reservation at most, and one settlement that fits when it has ended",
        ),
        (
            "DELETE FROM ai_ledger WHERE kind = 'grant'",
            "the sum of each ledger is its last balance",
        ),
        (
            "UPDATE ai_ledger SET amount = amount + 1 WHERE kind = 'grant'",
            "every entry of a ledger follows from the one before, and none leaves less than nothing",
        ),
        (
            "INSERT INTO ai_key_months SELECT 'key_1', '2026-09', organization_id, 0, 4 FROM ai_calls",
            "every key has reserved in its budget what its calls under way have",
        ),
    ],
)
def test_the_check_names_what_is_broken(db: Ledger, statement: str, promise: str):
    """By hand, past the program and with the schema's own guard taken away."""
    db.write(
        calls.settle,
        Settlement(
            new=new_call(db),
            call_id=reserve(db, 10).id,
            exit=Exit(ended="answered", usage=Usage(3, 0, 0)),
            payer="credits",
            provider="p",
            prices=PRICES,
        ),
    )
    intact = broken(db)
    for command in (*UNGUARDED[db.conn.dialect.name], statement):
        db.conn.exec_driver_sql(command)

    assert [] == intact
    assert promise in broken(db)


@pytest.mark.sqlite
def test_the_migration_makes_the_same_guards():
    """The triggers of the tables are those of the migrations, to the letter."""

    def triggers(conn: Any) -> list[tuple[str, str]]:
        query = (
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'ai_%' ORDER BY name"
        )
        return [(row.name, row.sql) for row in conn.exec_driver_sql(query) if row.name.startswith("ai_")]

    with make_engine(None).connect() as conn, schema_change(conn):
        migrate.upgrade(conn)
        migrated = triggers(conn)
    with database() as db:
        assert migrated == triggers(db.conn)
        assert 3 == len(migrated)
