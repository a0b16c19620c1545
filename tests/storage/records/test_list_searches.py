"""Lists with a search: words beside filters and orders, in pages, totals, counts and aggregates."""

from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from svc.domain.records.aggregates import Measure, parse_aggregation
from svc.domain.records.properties import Property
from svc.domain.records.queries import Filter, Sort, parse
from svc.domain.records.text_search import fit, sought
from svc.storage.records import objects, properties, records
from svc.storage.records.listing import aggregates, counts, index_builds, list_plans, lists
from svc.storage.records.listing.search import word_search
from svc.storage.records.listing.search_words import BLOCK_ROWS
from svc.storage.records.writes.items import write_many
from svc.storage.records.writes.ways import Item
from tests.storage.ledger import API, Ledger, ledger

NAMES = ["Ada Lovelace", "Ada Stone", "Bob Adams", "Zoë Ada", "Lovely Bob"]
CITIES = ["London", "Bonn", "Ada", None]
QUERIES = ["ada", "ADA l", "lov", "ada london", "zoe", "stone ada", "x", "!", "hidden", "nobody here"]
FILTERS: list[tuple[Filter, ...]] = [
    (),
    (Filter("city", "eq", "London"),),
    (Filter("worth", "gt", 5), Filter("city", "is_not_empty")),
    (Filter("name", "contains", "o"),),
]
SORTS: list[tuple[Sort, ...]] = [
    (),
    (Sort("name"),),
    (Sort("worth", "desc"),),
    (Sort("city"), Sort("worth")),
    (Sort("createdAt"),),
]


@pytest.fixture(scope="module")
def here() -> Iterator[Ledger]:
    """Contacts for a whole block of words and more; one of their properties is indexed, another deleted."""
    with ledger() as opened:
        org = opened.organization
        for prop in (
            Property(slug="worth", label="Worth", type="number"),
            Property(slug="motto", label="Motto", type="text"),
        ):
            opened.write(properties.create, org.id, "contact", prop)
        of = objects.get(opened.conn, org.id, "contact")
        for first in range(0, BLOCK_ROWS + 80, 100):
            items = [
                Item(
                    {
                        "name": f"{NAMES[at % 5]} {at}",
                        "city": CITIES[at % 4],
                        "worth": at % 11,
                        "motto": "hidden" if at % 50 == 0 else None,
                    }
                )
                for at in range(first, first + 100)
            ]
            opened.write(write_many, org, of, "create", items, source=API)
        gone = opened.write(records.create, org, "contact", {"name": "Ada Gone"}, source=API)
        opened.write(records.delete, org.id, "contact", gone.id, source=API)
        opened.write(records.create, org, "company", {"name": "Ada Ltd"}, source=API)
        opened.write(index_builds.want, org.id, [of.properties["worth"].id])
        while opened.write(index_builds.build, org.id):
            pass
        opened.write(properties.delete, org.id, "contact", "motto")
        yield opened


def listed(here: Ledger, object_: Any, **asked: Any) -> tuple[list[str], Any]:
    """All ids, page by page, and the total of the first page."""
    found: list[str] = []
    cursor, total = None, None
    while True:
        page = lists.list_page(
            here.conn, object_, country="DE", cursor=cursor, limit=60, total=cursor is None, **asked
        )
        found += [record.id for record in page.records]
        total = page.total if cursor is None else total
        if page.next_cursor is None:
            return found, total
        cursor = page.next_cursor


@pytest.mark.fuzz
@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    query=st.sampled_from(QUERIES),
    filters=st.sampled_from(FILTERS),
    sort=st.sampled_from(SORTS),
    many=st.booleans(),
)
def test_a_search_is_one_more_condition(
    here: Ledger, query: str, filters: tuple[Filter, ...], sort: tuple[Sort, ...], many: bool
) -> None:
    """The list without it, of which those that have the words are left; by whichever plan it is read."""
    object_ = objects.get(here.conn, here.organization.id, "contact")
    slugs = [slug for slug, prop in object_.properties.items() if prop.type in {"text", "email", "phone"}]
    whole, _ = listed(here, object_, filters=filters, sort=sort)
    terms = sought(query)
    expected = [
        record_id
        for record_id in whole
        if terms.words
        and fit(terms, slugs, records.get(here.conn, object_.organization_id, None, record_id).properties)
        is not None
    ]

    with pytest.MonkeyPatch.context() as patch:
        if many:
            patch.setattr(list_plans, "FILTERED_FIRST_MAX", -1)
        found, total = listed(here, object_, filters=filters, sort=sort, search=query)
    counted = counts.count(
        here.conn, object_.organization_id, "contact", country="DE", filters=filters, search=query
    )
    asked = parse(object_.properties, filters, (), "DE")._replace(search=word_search(object_, query))
    aggregated = aggregates.aggregate(
        here.conn,
        object_,
        asked,
        parse_aggregation(object_.properties, (), [Measure("count")]),
        time_zone="UTC",
        expect_long=lambda: None,
    )

    assert expected == found
    assert (len(expected), True) == (total.count, total.exact)
    assert len(expected) == counted.many
    [group] = aggregated.groups
    assert [len(expected)] == list(
        group.values(parse_aggregation(object_.properties, (), [Measure("count")]))
    )
