"""Walks along an index, beside a plain model: pages of any size, of groups of filters in any order."""

import random
from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from svc.domain.locale.times import rfc3339
from svc.domain.records.queries import CREATED_AT, UPDATED_AT, Filter, PlainFilter, Sort
from svc.storage.pages import Total
from svc.storage.records import objects, properties, records
from svc.storage.records.listing import counts, index_builds, index_walks, list_plans, lists
from tests.record_model import FILTERS, PROPERTIES, SCORES, SORTS, Model, holds, listed
from tests.storage.ledger import API, START, Ledger, ledger

MANY = 36
Known = tuple[Ledger, Model]

_TIMES = st.builds(
    PlainFilter,
    st.sampled_from([CREATED_AT, UPDATED_AT]),
    st.sampled_from(["eq", "neq", "gt", "gte", "lt", "lte"]),
    st.integers(0, MANY + 5).map(lambda second: rfc3339(START + second * 1_000)),
)
_EDGES = st.builds(
    PlainFilter,
    st.just("score"),
    st.sampled_from(["eq", "gt", "lte", "is_empty"]),
    st.sampled_from(SCORES),
).map(lambda plain: PlainFilter(plain.property, plain.op, None if plain.op == "is_empty" else plain.value))
"""Several of these in a group leave ranges with gaps between them."""
_GROUPS = st.one_of(
    FILTERS,
    st.lists(st.one_of(_TIMES, _EDGES), min_size=1, max_size=5).map(lambda some: Filter(any=tuple(some))),
)


@pytest.fixture(scope="module")
def known() -> Iterator[Known]:
    """Records that are all indexed, and the model of them."""
    chance = random.Random(5)
    with ledger() as here:
        org = here.organization
        here.write(objects.create, org.id, "thing", "Thing", "Things")
        for prop in PROPERTIES:
            here.write(properties.create, org.id, "thing", prop)
        model: Model = {}
        for number in range(MANY):
            values: dict[str, Any] = {"name": chance.choice(["Ada", "Bob", "Zoë"])}
            values |= {"score": chance.choice(SCORES)} if number % 4 else {}
            values |= {"tag": chance.choice(["New", "Won", "Lost"])} if number % 3 else {}
            record = here.write(records.create, org, "thing", values, source=API)
            times = {CREATED_AT: rfc3339(record.created_at), UPDATED_AT: rfc3339(record.updated_at)}
            model[record.id] = values | times
        of = objects.get(here.conn, org.id, "thing")
        here.write(index_builds.want, org.id, [prop.id for prop in of.properties.values()])
        while here.write(index_builds.build, org.id):
            pass
        yield here, model


@pytest.mark.fuzz
@pytest.mark.parametrize("segments_max", [0, 16])
@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(filters=st.lists(_GROUPS, max_size=3), sorts=SORTS, limit=st.integers(3, 20))
def test_pages_neither_skip_nor_repeat(
    known: Known,
    segments_max: int,
    filters: list[Filter],
    sorts: list[Sort],
    limit: int,
) -> None:
    """With the gaps between ranges left out or walked, and pages that end early; a total is of all."""
    here, model = known
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(list_plans, "FILTERED_FIRST_MAX", 0)  # never fetched and sorted
        patch.setattr(index_walks, "EXAMINED_MAX", 11)
        patch.setattr(index_walks, "_CHUNK_MAX", 5)
        patch.setattr(index_walks, "_SEGMENTS_MAX", segments_max)
        ids: list[str] = []
        cursor = total = None
        while True:
            page = lists.list_page(
                here.conn,
                objects.get(here.conn, here.organization.id, "thing"),
                country="DE",
                filters=filters,
                sort=sorts,
                cursor=cursor,
                limit=limit,
                total=cursor is None,
            )
            total = page.total or total
            assert len(page.records) <= limit
            ids += [one.id for one in page.records]
            cursor = page.next_cursor
            if cursor is None:
                break

    expected = listed(model, filters, sorts)
    assert expected == ids
    assert Total(len(expected), exact=True) == total
    counted = counts.count(here.conn, here.organization.id, "thing", country="DE", filters=filters)
    assert len(expected) == counted.many


def test_only_what_may_match_is_walked(known: Known) -> None:
    """Ranges that are far apart are walked one after the other, not what lies between them."""
    here, model = known
    ends = Filter(any=(PlainFilter("score", "lt", 0), PlainFilter("score", "gt", 100)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(list_plans, "FILTERED_FIRST_MAX", 0)
        patch.setattr(index_walks, "EXAMINED_MAX", 30)
        page = lists.list_page(
            here.conn,
            objects.get(here.conn, here.organization.id, "thing"),
            country="DE",
            filters=[ends],
            sort=[Sort("score")],
            limit=50,
        )

    both = [values["score"] for values in model.values() if _holds(ends, values)]
    assert sorted(both) == [one.properties["score"] for one in page.records]
    assert page.next_cursor is None


def _holds(group: Filter, values: dict[str, Any]) -> bool:
    return any(holds(plain, values.get(plain.property)) for plain in group.plain())
