"""Duplicates: groups of records by what they have in common, with the index as without it."""

import unicodedata
from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from svc.domain.errors import InvalidInput
from svc.domain.records.limits import DUPLICATE_VALUE_CHARS_MAX, DUPLICATES_COMPARED_MAX, DUPLICATES_SHOWN
from svc.domain.records.properties import Property
from svc.storage.records import merges as record_merges
from svc.storage.records import objects, properties, records
from svc.storage.records.duplicates import distinctions, groups
from svc.storage.records.listing import index_builds
from svc.storage.records.listing.index_builds import IndexNotReady
from svc.storage.records.writes.items import write_many
from svc.storage.records.writes.ways import Item
from svc.storage.store import TakesLong, Tx
from tests import tables
from tests.storage.ledger import API, Ledger, ledger
from tests.storage.record_worlds import undone

NAMES = ["Ada Lovelace", "lovelace, ADA", "Adá Lovelace", "Ada", "Zoë Fuß", "zoe fuss", "!", None]
EMAILS = ["ada@example.com", "bob@example.com", None]
PHONES = ["+49301234567", "+49301234568", None]
VALUES = st.fixed_dictionaries(
    {"name": st.sampled_from(NAMES), "email": st.sampled_from(EMAILS), "phone": st.sampled_from(PHONES)}
)
WRITES = st.lists(
    st.tuples(st.sampled_from(["create", "create", "create", "update", "delete"]), st.integers(0, 9), VALUES),
    max_size=14,
)
Listed = list[tuple[str, list[str], int]]


@pytest.fixture
def here() -> Iterator[Ledger]:
    with ledger() as opened:
        yield opened


@pytest.fixture(scope="module")
def world() -> Iterator[Ledger]:
    with ledger() as opened:
        yield opened


def no_long() -> None:
    raise AssertionError("a small object was read as a large one")


def listed(here: Ledger, *, limit: int = 200, indexed: bool = False, slug: str = "contact") -> Listed:
    """All groups, page by page."""
    object_ = objects.get(here.conn, here.organization.id, slug)
    found: Listed = []
    cursor = None
    with pytest.MonkeyPatch.context() as patch:
        if indexed:
            patch.setattr(groups, "QUICK_RECORDS_MAX", -1)
        while True:
            page = groups.list_page(
                here.conn,
                object_,
                cursor=cursor,
                limit=limit,
                expect_long=(lambda: None) if indexed else no_long,
            )
            found += [(one.by, [record.id for record in one.records], one.count) for one in page.groups]
            assert len(page.groups) <= limit
            if page.next_cursor is None:
                return found
            cursor = page.next_cursor


def model(live: dict[str, dict[str, Any]]) -> set[tuple[str, tuple[str, ...]]]:
    """What several records have in common, and have not already by something surer."""

    def common(values: dict[str, Any]) -> set[tuple[str, str]]:
        keys = {(kind, values[kind]) for kind in ("email", "phone") if values.get(kind)}
        folded = unicodedata.normalize("NFKD", (values.get("name") or "").casefold())
        plain = "".join(char if char.isalnum() else " " for char in folded if not unicodedata.combining(char))
        return keys | ({("name", " ".join(sorted(plain.split())))} if plain.split() else set())

    sharing: dict[tuple[str, str], set[str]] = {}
    for record_id, values in live.items():
        for key in common(values):
            sharing.setdefault(key, set()).add(record_id)
    order = ["email", "phone", "name"]
    return {
        (kind, tuple(sorted(ids)))
        for (kind, value), ids in sharing.items()
        if len(ids) > 1
        and not any(
            ids <= others
            for (earlier, _), others in sharing.items()
            if order.index(earlier) < order.index(kind)
        )
    }


@pytest.mark.fuzz
@settings(max_examples=60, deadline=None, derandomize=True)
@given(writes=WRITES, begun_at=st.integers(0, 14), limit=st.integers(1, 4))
def test_groups_are_what_any_two_records_have_in_common(
    world: Ledger, writes: Any, begun_at: int, limit: int
) -> None:
    """Whenever the index was begun, whatever was written since, and however long the pages are."""
    here = world
    live: dict[str, dict[str, Any]] = {}

    def unit(tx: Tx) -> None:
        contact = objects.get(tx.conn, here.organization.id, "contact").id
        for place, (kind, at, values) in enumerate([*writes, ("none", 0, {})]):
            if place == min(begun_at, len(writes)):
                index_builds.want(tx, here.organization.id, [contact])
            ids = list(live)
            given = {slug: value for slug, value in values.items() if value is not None}
            if kind == "create" and given:
                made = records.create(tx, here.organization, "contact", given, source=API)
                live[made.id] = given
            elif kind == "update" and ids:
                record_id = ids[at % len(ids)]
                records.update(tx, here.organization, "contact", record_id, values, source=API)
                live[record_id] = given
            elif kind == "delete" and ids:
                record_id = ids[at % len(ids)]
                records.delete(tx, here.organization.id, "contact", record_id, source=API)
                del live[record_id]
        while index_builds.build(tx, here.organization.id, batch=3):
            pass
        scanned, indexed = listed(here, limit=limit), listed(here, limit=limit, indexed=True)
        assert scanned == indexed
        assert model(live) == {(by, tuple(ids)) for by, ids, _ in indexed}
        assert [count for *_, count in indexed] == [len(ids) for _, ids, _ in indexed]

    undone(here, unit)


def create(here: Ledger, *several: dict[str, Any]) -> list[str]:
    object_ = objects.get(here.conn, here.organization.id, "contact")
    outcomes = here.write(
        write_many, here.organization, object_, "create", [Item(values) for values in several], source=API
    )
    return [one.record.id for one in outcomes if one.record is not None]


def tell(here: Ledger, *ids: str, different: bool = True) -> None:
    here.write(distinctions.distinguish, here.organization.id, ids, person_id=None, different=different)


def test_records_that_were_told_apart_are_no_group(here: Ledger) -> None:
    """A record that is like yet another one stays; what is taken back is a group again."""
    ada = {"email": "ada@example.com"}
    one, two, three = create(here, ada, ada, ada)

    tell(here, one, two)
    assert [("email", [one, two, three], 3)] == listed(here)
    tell(here, one, three)
    assert [("email", [two, three], 2)] == listed(here)
    tell(here, one, two, three)
    assert [] == listed(here)
    tell(here, two, three, different=False)
    assert [("email", [two, three], 2)] == listed(here)


def test_what_a_merged_record_was_not_the_survivor_is_not(here: Ledger) -> None:
    """Of the two that are one now, nothing is left."""
    ada = {"email": "ada@example.com"}
    one, two, three, four = create(here, ada, ada, ada, ada)
    tell(here, two, three)
    tell(here, one, two)

    here.write(record_merges.merge, here.organization.id, "contact", one, two, source=API)

    pairs = {(row.record_id, row.other_id) for row in here.rows(tables.distinct_records)}
    assert {(one, three), (three, one)} == pairs
    assert [("email", [one, three, four], 3)] == listed(here)


def test_only_records_of_one_object_are_told_apart(here: Ledger) -> None:
    """Each fault is at its place."""
    one, gone = create(here, {"name": "A"}, {"name": "B"})
    here.write(records.delete, here.organization.id, "contact", gone, source=API)
    firm = here.write(records.create, here.organization, "company", {"name": "A"}, source=API).id

    with pytest.raises(InvalidInput) as refused:
        tell(here, one, gone, one, firm, "rec_none")

    assert ["/ids/1", "/ids/2", "/ids/3", "/ids/4"] == [fault.pointer for fault in refused.value.faults]
    assert [] == here.rows(tables.distinct_records)


def test_a_large_group_is_counted_and_its_first_are_shown(here: Ledger) -> None:
    """Also where its names are too long for an index."""
    name = "x" * 30 + " " + "y" * DUPLICATE_VALUE_CHARS_MAX
    many = DUPLICATES_COMPARED_MAX + 5
    ids = create(here, *[{"name": name} for _ in range(many)], {"name": name + " z"})
    here.write(
        index_builds.want, here.organization.id, [objects.get(here.conn, here.organization.id, "contact").id]
    )
    while here.write(index_builds.build, here.organization.id):
        pass

    expected = [("name", sorted(ids)[:DUPLICATES_SHOWN], many)]
    assert expected == listed(here) == listed(here, indexed=True)


def test_a_group_by_a_deleted_property_is_none(here: Ledger) -> None:
    """Its values are hidden; once it is made again, the group is there again."""
    second = Property(slug="second", label="Second", type="email")
    here.write(properties.create, here.organization.id, "contact", second)
    one, two = create(here, {"second": "a@example.com"}, {"email": "a@example.com"})
    assert [("email", [one, two], 2)] == listed(here)

    here.write(properties.delete, here.organization.id, "contact", "second")
    assert [] == listed(here)
    here.write(properties.create, here.organization.id, "contact", second)
    assert [("email", [one, two], 2)] == listed(here)


def test_many_records_have_an_index_built_first(here: Ledger) -> None:
    """The refusal says how far it is, and names the object until the index was begun."""
    create(here, {"name": "A"}, {"name": "a"})
    contact = objects.get(here.conn, here.organization.id, "contact").id

    def refusal() -> IndexNotReady:
        with pytest.raises(IndexNotReady) as refused:
            listed(here, indexed=True)
        return refused.value

    first = refusal()
    here.write(index_builds.want, here.organization.id, first.unindexed)
    assert [here.organization.id] == index_builds.organizations_building(here.conn)
    second = refusal()
    assert not here.write(index_builds.build, here.organization.id)

    assert ((contact,), ()) == (first.unindexed, second.unindexed)
    assert "0 of 2 records are in it" in str(first)
    assert [] == index_builds.organizations_building(here.conn)
    assert 1 == len(listed(here, indexed=True))


def test_a_large_object_is_read_by_the_reader_for_long_reads(here: Ledger) -> None:
    def expect_long() -> None:
        raise TakesLong

    create(here, {"name": "A"}, {"name": "a"})
    object_ = objects.get(here.conn, here.organization.id, "contact")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups, "QUICK_RECORDS_MAX", 1)

        with pytest.raises(TakesLong):
            groups.list_page(here.conn, object_, expect_long=expect_long)
