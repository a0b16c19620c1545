"""Many records in one unit of work, beside `sqlite3` inserting the rows that they become."""

import random
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection

from bench._lamps import FAMILY, GIVEN, SEED, database, unit
from bench._report import Target, print_table
from bench._world import workspace
from svc.domain.identity.organizations import Organization
from svc.storage import provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.records import objects, records
from svc.storage.records.writes.items import write_many
from svc.storage.records.writes.ways import Item, WayName
from svc.storage.sqlite.engine import raw

RECORDS: Final = 10_000
UNITS: Final = (100, 1_000)
SINGLE: Final = 300
CPU_US_MAX: Final = 150.0
_API: Final = {"kind": "api"}
_TABLES: Final = ("records", "search_texts", "identities", "events")
_TO_SEARCH_INDEX: Final = """
    INSERT INTO search_index (rowid, words) SELECT id, words FROM search_texts
    WHERE id > (SELECT coalesce(max(id), -1) - :many FROM search_texts)"""


class ManyRow(msgspec.Struct, frozen=True, kw_only=True):
    """CPU time of writing contacts in units of so many."""

    what: str
    unit_records: int
    cpu_us: float
    """Of each record: the median of the units."""


class _Way(NamedTuple):
    what: str
    way: WayName
    by: str | None = None
    again: bool = False
    """Whether the contacts are there before."""


_WAYS: Final = (
    _Way("create", "create"),
    _Way("upsert by e-mail, new", "upsert", "email"),
    _Way("upsert by e-mail, unchanged", "upsert", "email", again=True),
    _Way("match as forms, new", "match"),
    _Way("match as forms, unchanged", "match", again=True),
)


def measure() -> tuple[list[ManyRow], list[Target]]:
    """Print what each way costs, and return it with the target."""
    rows = [_row(way, many) for many in UNITS for way in _WAYS]
    rows += [_by_hand(many) for many in UNITS]
    rows.append(_singles())
    print_table(
        "CPU µs a record: contacts with a name, an e-mail, a phone and two texts",
        ["", *(f"{many:,} a unit" for many in (*UNITS, 1))],
        [[what, *_cells(rows, what)] for what in dict.fromkeys(row.what for row in rows)],
    )
    worst = max(row.cpu_us for row in rows if row.what == "create" and row.unit_records > 1)
    return rows, [
        Target(name="many creates in a unit: CPU a record", figure=worst, bound=CPU_US_MAX, unit="µs")
    ]


def _cells(rows: list[ManyRow], what: str) -> Iterator[str]:
    for many in (*UNITS, 1):
        yield next((f"{row.cpu_us:.0f}" for row in rows if (row.what, row.unit_records) == (what, many)), "")


def _contact(chance: random.Random, number: int) -> dict[str, Any]:
    return {
        "name": f"{chance.choice(GIVEN)} {chance.choice(FAMILY)}",
        "email": f"person{number}@example{number % 50}.com",
        "phone": f"+49301{number:07}",
        "city": f"Town {number % 900}",
        "job_title": f"Clerk of kind {number % 77}",
    }


def _row(how: _Way, many: int) -> ManyRow:
    with workspace() as space, database(space / "svc.db") as conn:
        organization = _organization(conn)
        if how.again:
            _write(conn, organization, how, many)
        return ManyRow(what=how.what, unit_records=many, cpu_us=median(_write(conn, organization, how, many)))


def _organization(conn: Connection) -> Organization:
    with unit(conn) as tx:
        return provisioning.create(tx, NewOrganization(name="Lamps & Co", country="DE"))


def _write(conn: Connection, organization: Organization, how: _Way, many: int) -> list[float]:
    """Write `RECORDS` contacts; CPU µs a record, of each unit."""
    chance = random.Random(SEED)  # the same contacts every time
    took = []
    for first in range(0, RECORDS, many):
        items = [Item(_contact(chance, number)) for number in range(first, first + many)]

        def write(items: list[Item] = items) -> None:
            with unit(conn) as tx:
                object_ = objects.get(conn, organization.id, "contact")
                write_many(tx, organization, object_, how.way, items, by=how.by, source=_API, skip=True)

        took.append(_cpu_us(write) / many)
    return took


def _cpu_us(work: Callable[[], None]) -> float:
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1e6


def _singles() -> ManyRow:
    """As many calls, each in a unit with a commit of its own."""
    with workspace() as space, database(space / "svc.db") as conn:
        organization = _organization(conn)
        chance = random.Random(SEED)
        took = []
        for number in range(SINGLE):
            values = _contact(chance, number)

            def write(values: dict[str, Any] = values) -> None:
                with unit(conn) as tx:
                    records.create(tx, organization, "contact", values, source=_API)

            took.append(_cpu_us(write))
        return ManyRow(what="create", unit_records=1, cpu_us=median(took))


def _by_hand(many: int) -> ManyRow:
    """The rows of the same contacts, inserted by `sqlite3` into a database that has none of them."""
    with workspace() as space:
        with database(space / "svc.db") as conn:
            organization = _organization(conn)
            rows = {table: _rows(conn, table) for table in _TABLES}  # of the organization itself
            before = {table: len(found) for table, found in rows.items()}
            raw(conn).execute("VACUUM INTO ?", [str(space / "empty.db")])
            _write(conn, organization, _WAYS[0], many)
            rows = {table: _rows(conn, table)[before[table] :] for table in _TABLES}
        took = []
        with database(space / "empty.db") as conn:
            for first in range(0, RECORDS, many):
                part = {table: _part(found, first, many) for table, found in rows.items()}
                took.append(_cpu_us(lambda part=part: _insert(conn, part, many)) / many)  # type: ignore[misc]
        return ManyRow(what="sqlite3, the same rows", unit_records=many, cpu_us=median(took))


def _rows(conn: Connection, table: str) -> list[Any]:
    return list(raw(conn).execute(f"SELECT * FROM {table} ORDER BY rowid"))


def _part(found: list[Any], first: int, many: int) -> list[Any]:
    each = len(found) // RECORDS
    return found[first * each : (first + many) * each]


def _insert(conn: Connection, part: dict[str, list[Any]], many: int) -> None:
    sqlite = raw(conn)
    sqlite.execute("BEGIN IMMEDIATE")
    for table, rows in part.items():
        marks = ", ".join("?" * len(rows[0]))
        sqlite.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    sqlite.execute(_TO_SEARCH_INDEX, {"many": many})
    sqlite.execute("COMMIT")
