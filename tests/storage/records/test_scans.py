"""Lists without an index, beside what the domain says: the database sorts and filters as Python does."""

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from svc.domain.locale.times import rfc3339
from svc.domain.records.properties import Property
from svc.domain.records.queries import CREATED_AT, UPDATED_AT, Filter, PlainFilter, Sort, parse
from svc.storage.records import objects, properties, records, tables
from svc.storage.records.listing import index_walks, lists, scans
from svc.storage.store import TakesLong
from tests.storage.ledger import API, Ledger, ledger

MANY = 45
TEXTS = [
    "Ada",
    "ada",
    "Äda",
    "STRASSE",
    "straße",
    "ﬁx",
    "FIX",
    "İstanbul",
    "Жук",
    "жаба",
    "\u212aelvin",
    "k",
    "%_",
]
CHOICES = ("New", "Won", "Öde", "lost")
KINDS: dict[str, tuple[Property, list[Any]]] = {
    prop.slug: (prop, values)
    for prop, values in (
        (
            Property(slug="text", label="Text", type="text"),
            [*TEXTS, "z" * 95 + "é", "z" * 95 + "éa", "z" * 97],
        ),
        (Property(slug="story", label="Story", type="long_text"), [f"{text}\n{text * 50}" for text in TEXTS]),
        (
            Property(slug="score", label="Score", type="number"),
            [-3, -0.0, 0, 0.1, 0.5, 2, 1e15, -1e-7, 2.5e-300],
        ),
        (Property(slug="worth", label="Worth", type="amount"), [0.1, 1, 2.25, 19.99, 20]),
        (Property(slug="day", label="Day", type="date"), ["1999-12-31", "2026-01-02", "2026-11-23"]),
        (
            Property(slug="at", label="At", type="datetime"),
            ["2026-01-02T03:04:05.006Z", "1969-01-01T00:00:00.000Z"],
        ),
        (Property(slug="done", label="Done", type="boolean"), [True, False]),
        (Property(slug="state", label="State", type="select", options=CHOICES), [*CHOICES]),
        (
            Property(slug="tags", label="Tags", type="multi_select", options=CHOICES),
            [["New"], ["Öde", "New"], ["lost", "Won"], ["New", "Won", "lost"]],
        ),
        (
            Property(slug="length", label="Length", type="duration"),
            ["PT0S", "PT59S", "PT1M", "PT10M", "PT9M1S", "PT1H", "PT1H1S", "PT10H30M", "PT876000H"],
        ),
        (Property(slug="mail", label="Mail", type="email"), ["ada@example.com", "bob@example.com"]),
        (Property(slug="site", label="Site", type="url"), ["https://example.com/A", "https://example.com/b"]),
    )
}
KEYS = [*KINDS, CREATED_AT, UPDATED_AT]
FILTERS: list[PlainFilter] = [
    msgspec.convert({"property": slug, "op": op, "value": value}, PlainFilter)
    for slug, op, value in (
        *(
            ("text", op, text)
            for op in ("contains", "starts_with", "eq", "neq")
            for text in (*TEXTS, "z" * 96)
        ),
        ("text", "in", ["ADA", "STRASSE"]),
        ("text", "not_in", ["äda", "k"]),
        ("story", "contains", "жабажаба"),
        ("mail", "contains", "ADA@"),
        ("site", "starts_with", "HTTPS://EXAMPLE.com/a"),
        ("tags", "eq", ["Öde", "New"]),
        ("tags", "neq", ["New"]),
        ("tags", "contains", "lost"),
        ("text", "is_empty", None),
        *(("length", op, "PT9M1S") for op in ("eq", "neq", "gt", "gte", "lt", "lte")),
        ("length", "lt", "P1D"),
        ("length", "in", ["PT60M", "PT1H1S"]),
        ("length", "not_in", ["PT1M", "PT10M"]),
        ("length", "is_empty", None),
    )
]


@pytest.fixture(scope="module")
def here() -> Iterator[Ledger]:
    """Records with values of every kind, and none of some."""
    chance = random.Random(11)
    with ledger() as here:
        org = here.organization
        here.write(objects.create, org.id, "thing", "Thing", "Things")
        for prop, _ in KINDS.values():
            here.write(properties.create, org.id, "thing", prop)
        for _ in range(MANY):
            given = {
                slug: chance.choice(values) for slug, (_, values) in KINDS.items() if chance.random() < 0.8
            }
            here.write(records.create, org, "thing", {"name": "Thing"} | given, source=API)
        yield here


def expected(here: Ledger, filters: list[Filter], sort: list[Sort]) -> list[str]:
    """The ids of the list, as the domain has it."""
    object_ = objects.get(here.conn, here.organization.id, "thing")
    query = parse(object_.properties, filters, sort, "DE")
    ranked = []
    for row in here.conn.execute(sa.select(tables.records).where(tables.records.c.object_id == object_.id)):
        stored = records.get(here.conn, here.organization.id, "thing", row.id).properties
        values = stored | {CREATED_AT: rfc3339(row.created_at), UPDATED_AT: rfc3339(row.updated_at)}
        if query.holds(values):
            ranked.append((query.order.rank(query.order.sort_keys(values), row.id), row.id))
    return [record_id for _, record_id in sorted(ranked)]


def pages(here: Ledger, filters: list[Filter], sort: list[Sort], limit: int) -> list[str]:
    ids: list[str] = []
    cursor = None
    while True:
        page = lists.list_page(
            here.conn,
            objects.get(here.conn, here.organization.id, "thing"),
            country="DE",
            filters=filters,
            sort=sort,
            cursor=cursor,
            limit=limit,
        )
        ids += [one.id for one in page.records]
        cursor = page.next_cursor
        if cursor is None:
            return ids


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have lists read in parts of some records."""
    monkeypatch.setattr(scans, "QUICK_RECORDS_MAX", 4)
    monkeypatch.setattr(scans, "SCANNED_AT_ONCE", 13)
    monkeypatch.setattr(index_walks, "QUICK_RECORDS_MAX", 4)


@pytest.mark.parametrize("direction", ["asc", "desc"])
@pytest.mark.parametrize("slug", KEYS)
def test_a_list_is_sorted_by_any_kind(here: Ledger, slug: str, direction: Any, small_parts: None):
    """One page after the other, alone and before another key, whatever is missing."""
    for others in ([], [Sort("text", "desc")], [Sort("done"), Sort("score", "desc")]):
        sort = [Sort(slug, direction), *(other for other in others if other.property != slug)]

        assert expected(here, [], sort) == pages(here, [], sort, 7)


@pytest.mark.parametrize(
    "asked", FILTERS, ids=lambda asked: f"{asked.property} {asked.op} {asked.value}"[:40]
)
def test_a_text_is_compared_as_the_domain_does(here: Ledger, asked: PlainFilter, small_parts: None):
    """Whatever its letters; along the times, and sorted."""
    filters = [Filter(asked.property, asked.op, asked.value)]
    for sort in ([], [Sort("score")]):
        assert expected(here, filters, sort) == pages(here, filters, sort, 5)


def test_what_cannot_be_decoded_ends_no_list(here: Ledger, small_parts: None):
    """A row that only the database can read is left out, and what follows is there."""
    first, *others = expected(here, [], [Sort("name"), Sort("score")])
    column = tables.records.c
    with here.conn.begin_nested() as spoilt:
        here.conn.execute(sa.update(tables.records).where(column.id == first).values(properties='["Thing"]'))
        found = pages(here, [], [Sort("name"), Sort("score")], 1)
        spoilt.rollback()

    assert others == found


def test_a_scan_stops_between_two_parts(here: Ledger, small_parts: None):
    """It asks before each part but the first whether it may go on."""
    asked: list[int] = []

    def refuse_the_third() -> None:
        asked.append(1)
        if len(asked) == 3:
            raise TakesLong

    with pytest.raises(TakesLong):
        lists.list_page(
            here.conn,
            objects.get(here.conn, here.organization.id, "thing"),
            country="DE",
            sort=[Sort("score")],
            expect_long=refuse_the_third,
        )
