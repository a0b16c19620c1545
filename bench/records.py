"""Records of one organization: lists, searches and writes at 10,000, 100,000 and 1,000,000.

Each size is a database of its own; the functions of storage are called as a unit of work calls them, with
the commit counted where there is one. The filters and sorts are on custom properties, whose indexes are
made first, as the program makes them after the first list that wants them.

An aggregate is measured beside the same SQL written by hand, and a page with expanded relations beside the
plain page, each pair in turns. What the first lists cost, and what others feel of the indexes that they want
and of pruning, is measured over the store as it is served.
"""

import random
import time
from collections.abc import Callable
from statistics import median
from typing import Any, Final

import msgspec
from sqlalchemy import Connection

from bench import _first_lists, _many_records
from bench._lamps import FAMILY, GIVEN, KINDS, SEED, SIZES, database, fill, lamp, unit
from bench._report import Target, print_table, print_targets, save
from bench._world import workspace
from svc.domain.identity.callers import Installation, operator_call
from svc.domain.identity.organizations import Organization
from svc.domain.records.properties import Property
from svc.domain.records.queries import Filter, PlainFilter, Sort
from svc.storage.records import objects, properties, records
from svc.storage.records.listing import lists as record_lists
from svc.storage.records.listing import search as record_search
from svc.storage.store import Tx
from svc.tools import execution
from svc.tools.catalogue import REGISTRY

CALLS: Final = 200
LIST_TIMES_MAX: Final = 1.5
SEARCH_TIMES_MAX: Final = 3.0
EXPAND_TIMES_MAX: Final = 1.4
SQL_TIMES_MAX: Final = 1.5
_API: Final = {"kind": "api"}

Work = Callable[[Tx, Organization, random.Random], Any]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What one kind of call took at one size."""

    what: str
    records: int
    p50_ms: float
    p99_ms: float


def _list(filters: list[Filter], sort: list[Sort]) -> Work:
    return lambda tx, organization, _: record_lists.list_page(
        tx.conn, objects.get(tx.conn, organization.id, "lamp"), country="DE", filters=filters, sort=sort
    )


def _rare(tx: Tx, organization: Organization, chance: random.Random) -> Any:
    asked = [Filter("serial", "eq", chance.randrange(5_000))]
    work = _list(asked, [Sort("price", "desc")])
    return work(tx, organization, chance)


def _search(tx: Tx, organization: Organization, chance: random.Random) -> Any:
    query = f"{chance.choice(GIVEN)} {chance.choice(FAMILY)[:-1]}"
    return record_search.search(tx.conn, organization.id, query, object_slug="lamp")


def _search_common(tx: Tx, organization: Organization, chance: random.Random) -> Any:
    return record_search.search(tx.conn, organization.id, chance.choice(KINDS), object_slug="lamp")


def _create(tx: Tx, organization: Organization, chance: random.Random) -> Any:
    return records.create(tx, organization, "lamp", lamp(chance, chance.randrange(10**6)), source=_API)


def _tool(name: str, **asked: Any) -> Work:
    tool = REGISTRY[name]
    request = tool.read(msgspec.json.encode({"objectType": "lamp", **asked}))

    def work(tx: Tx, organization: Organization, _: random.Random) -> Any:
        call = operator_call(organization.id, installation=Installation(registry=REGISTRY))
        return execution.read(tx.conn, tx.now, tool, call, request, patient=True)

    return work


_BY_HAND: Final = """
    SELECT json_extract(properties, '$.region'), sum(json_extract(properties, '$.price')) FROM records
    WHERE object_id = (SELECT id FROM objects WHERE organization_id = ? AND slug = 'lamp')
    AND deleted_at IS NULL AND json_extract(properties, '$.made') >= '2020-01-01' GROUP BY 1"""


def _sql(tx: Tx, organization: Organization, _: random.Random) -> Any:
    return tx.conn.exec_driver_sql(_BY_HAND, (organization.id,)).all()


def _give_makers(tx: Tx, organization: Organization) -> None:
    """Have the newest lamps lead to a company each."""
    maker = Property(slug="maker", label="Maker", type="relation", options=("company",))
    properties.create(tx, organization.id, "lamp", maker)
    for lamp_ in record_lists.list_page(
        tx.conn, objects.get(tx.conn, organization.id, "lamp"), country="DE"
    ).records:
        name = {"name": f"Makers of {lamp_.id}", "city": "Leeds"}
        company = records.create(tx, organization, "company", name, source=_API)
        records.update(tx, organization, "lamp", lamp_.id, {"maker": company.id}, source=_API)


PLAIN: Final = "record.list, newest first"
EXPANDED: Final = "record.list, a relation expanded"
TEXTS: Final = "record.list, with texts"
TOTAL: Final = "record.list, with a total"
AGGREGATE: Final = "record.aggregate, a filter and a group"
BY_HAND: Final = "the same SQL by hand"
PAIRS: Final[dict[str, Work]] = {
    PLAIN: _tool("record.list"),
    EXPANDED: _tool("record.list", expand=["maker"]),
    TEXTS: _tool("record.list", texts=True),
    TOTAL: _tool("record.list", total=True, filters=[{"property": "region", "op": "eq", "value": "East"}]),
    AGGREGATE: _tool(
        "record.aggregate",
        filters=[{"property": "made", "op": "gte", "value": "2020-01-01"}],
        groupBy=["region"],
        measures=[{"op": "sum", "property": "price"}],
    ),
    BY_HAND: _sql,
}
"""Measured in turns."""
_SLOW: Final = {AGGREGATE, BY_HAND}
_SLOW_CALLS: Final = 5


WORKS: Final[dict[str, Work]] = {
    "list, newest first": _list([], []),
    "list, filter and sort": _list([Filter("region", "eq", "East")], [Sort("price", "desc")]),
    "list, range and sort": _list([Filter("price", "gte", 500)], [Sort("made", "asc")]),
    "list, one in 5,000": _rare,
    "list, one of two by a group": _list(
        [Filter(any=(PlainFilter("region", "eq", "East"), PlainFilter("price", "gte", 900)))],
        [Sort("price", "desc")],
    ),
    "search, two words": _search,
    "search, common word": _search_common,
    "create": _create,
}
_BOUNDS: Final = {
    "list, one of two by a group": LIST_TIMES_MAX,
    "list, filter and sort": LIST_TIMES_MAX,
    "create": LIST_TIMES_MAX,
    "search, two words": SEARCH_TIMES_MAX,
    "search, common word": SEARCH_TIMES_MAX,
}


def main() -> None:
    """Measure every kind of call at every size, and say which targets hold."""
    rows: list[Row] = []
    for size in SIZES:
        with workspace() as space, database(space / "svc.db") as conn:
            began = time.monotonic()
            organization = fill(conn, size)
            print(f"{size:,} records made and indexed in {time.monotonic() - began:.0f} s", flush=True)
            rows += [_measure(conn, organization, what, size) for what in WORKS]
            with unit(conn) as tx:
                _give_makers(tx, organization)
            rows += _measure_in_turns(conn, organization, size)
    found = {(row.what, row.records): row for row in rows}
    print_table(
        "p50 (p99) in ms, by records of the organization",
        ["", *(f"{size:,}" for size in SIZES), "largest : smallest"],
        [
            [
                what,
                *(f"{found[what, size].p50_ms:.2f} ({found[what, size].p99_ms:.2f})" for size in SIZES),
                _times(found, what),
            ]
            for what in [*WORKS, *PAIRS]
        ],
    )
    most = SIZES[-1]
    targets = [
        Target(name=f"{what}: p50, times", figure=_times(found, what), bound=bound)
        for what, bound in _BOUNDS.items()
    ]
    many, more = _many_records.measure()
    first_lists, of_first_lists = _first_lists.measure()
    targets += [*more, *of_first_lists]
    targets += [
        Target(
            name=f"{what}: p50 : {peer} of {most:,}",
            figure=found[what, most].p50_ms / found[peer, most].p50_ms,
            bound=bound,
        )
        for what, peer, bound in ((EXPANDED, PLAIN, EXPAND_TIMES_MAX), (AGGREGATE, BY_HAND, SQL_TIMES_MAX))
    ]
    print_targets(targets)
    save("records", {"calls": rows, "many": many, "first lists": first_lists}, targets)


def _times(found: dict[tuple[str, int], Row], what: str) -> float:
    return found[what, SIZES[-1]].p50_ms / found[what, SIZES[0]].p50_ms


def _measure(conn: Connection, organization: Organization, what: str, size: int) -> Row:
    chance = random.Random(SEED)  # the same calls at every size
    took: list[float] = []
    for _ in range(CALLS):
        began = time.perf_counter()
        with unit(conn) as tx:
            WORKS[what](tx, organization, chance)
        took.append((time.perf_counter() - began) * 1e3)
    took.sort()
    return Row(what=what, records=size, p50_ms=median(took), p99_ms=took[int(CALLS * 0.99)])


def _measure_in_turns(conn: Connection, organization: Organization, size: int) -> list[Row]:
    chance = random.Random(SEED)
    took: dict[str, list[float]] = {what: [] for what in PAIRS}
    for turn in range(CALLS):
        for what, work in PAIRS.items():
            if what in _SLOW and turn > _SLOW_CALLS:
                continue
            began = time.perf_counter()
            with unit(conn) as tx:
                work(tx, organization, chance)
            if turn:  # the first has to read the pages of the file
                took[what].append((time.perf_counter() - began) * 1e3)
    return [
        Row(what=what, records=size, p50_ms=median(ms), p99_ms=sorted(ms)[int(len(ms) * 0.99)])
        for what, ms in took.items()
    ]
