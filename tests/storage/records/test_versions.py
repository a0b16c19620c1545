"""Versions of records: they count up with each change, and `if_version` finds what was changed meanwhile."""

from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import given, settings

from svc.domain.errors import Conflict, InvalidInput
from svc.domain.locale.times import rfc3339
from svc.domain.records.properties import Property
from svc.domain.versions import ChangedProperty, ChangedSince
from svc.storage.forms import filing, submissions
from svc.storage.records import merges as record_merges
from svc.storage.records import objects, properties, records, suggestions
from svc.storage.records import versions as record_versions
from svc.storage.records.listing import lists as record_lists
from svc.storage.records.listing import search as record_search
from svc.storage.records.rows import Record
from tests import tables
from tests.storage.ledger import API, Ledger, ledger
from tests.town import a_stored_one, town

SECRET = Property(slug="secret", label="Secret", type="text")


@pytest.fixture
def here() -> Iterator[Ledger]:
    with ledger() as opened:
        yield opened


def made(here: Ledger, **values: Any) -> Record:
    return here.write(records.create, here.organization, "contact", values, source=API)


def update(here: Ledger, record_id: str, if_version: int | None = None, **values: Any) -> Record:
    return here.write(
        records.update, here.organization, "contact", record_id, values, if_version=if_version, source=API
    )


def test_every_change_counts_up(here: Ledger) -> None:
    """What changes nothing does not; a list, a search and each event say the same."""
    ada = made(here, name="Ada")
    versions = [
        ada.version,
        update(here, ada.id, city="Bonn").version,
        update(here, ada.id, city="Bonn").version,
    ]
    here.write(records.delete, here.organization.id, "contact", ada.id, source=API)
    back = here.write(records.restore, here.organization.id, "contact", ada.id, source=API)
    versions.append(back.version)

    assert [1, 2, 2, 4] == versions
    assert 4 == records.get(here.conn, here.organization.id, "contact", ada.id).version
    [listed] = record_lists.list_page(
        here.conn, objects.get(here.conn, here.organization.id, "contact"), country="DE"
    ).records
    [hit] = record_search.search(here.conn, here.organization.id, "ada")
    assert (4, 4) == (listed.version, hit.record.version)
    assert [1, 2, 3, 4] == [
        msgspec.json.decode(event.data)["record"]["version"] for event in here.rows(tables.events)
    ]
    assert [2, 3, 4] == [change.version for change in here.rows(tables.record_changes)]


def test_two_people_change_two_properties(here: Ledger) -> None:
    """Of one version; both are written, and the same value as the other's is no conflict."""
    ada = made(here, name="Ada")
    update(here, ada.id, 1, city="Bonn")
    both = update(here, ada.id, 1, job_title="Lead")
    same = update(here, ada.id, 1, city="Bonn")

    assert ({"name": "Ada", "city": "Bonn", "job_title": "Lead"}, 3) == (both.properties, both.version)
    assert same == both


def test_a_property_that_was_changed_since_is_a_conflict(here: Ledger) -> None:
    """It says both values, and by what it was changed last; nothing is written, of others either."""
    ada = made(here, name="Ada")
    update(here, ada.id, city="Ulm")
    changed = update(here, ada.id, city="Bonn")

    with pytest.raises(ChangedSince, match="changed since version 1: city") as caught:
        update(here, ada.id, 1, city="Jena", job_title="Lead")

    at = rfc3339(changed.updated_at)
    assert (
        ChangedProperty(property="city", yours="Jena", theirs="Bonn", changed_by=API, changed_at=at),
    ) == caught.value.conflicts
    assert changed == records.get(here.conn, here.organization.id, "contact", ada.id)


def test_a_value_that_was_changed_back_is_a_conflict_still(here: Ledger) -> None:
    """It was changed since, whatever it is now; a value that was cleared is null."""
    ada = made(here, name="Ada", city="Bonn")
    update(here, ada.id, city=None)
    with pytest.raises(ChangedSince) as caught:
        update(here, ada.id, 1, city="Jena")
    update(here, ada.id, city="Bonn")
    with pytest.raises(ChangedSince):
        update(here, ada.id, 1, city="Jena")

    [conflict] = caught.value.conflicts
    assert ("Jena", None) == (conflict.yours, conflict.theirs)


@pytest.mark.parametrize("version", [0, -1, -(2**63) - 1])
def test_a_version_that_never_was_is_refused(here: Ledger, version: int) -> None:
    """Versions begin at 1; and what is below fits into no column."""
    ada = made(here, name="Ada")
    with pytest.raises(InvalidInput, match="/ifVersion: the record is at version 1"):
        update(here, ada.id, version, city="Bonn")


def test_a_deleted_property_is_no_conflict(here: Ledger) -> None:
    """Nobody sees its values, so a deletion is not decided about them, and is not told them."""
    here.write(properties.create, here.organization.id, "contact", SECRET)
    ada = made(here, name="Ada", secret="a")
    update(here, ada.id, secret="b")
    here.write(properties.delete, here.organization.id, "contact", "secret")
    mine = (here.organization.id, "contact", ada.id)
    assert 3 == update(here, ada.id, city="Bonn").version
    with pytest.raises(ChangedSince) as caught:
        here.write(records.delete, *mine, if_version=1, source=API)
    assert ["city"] == [conflict.property for conflict in caught.value.conflicts]


def test_a_version_that_is_not_there_yet_is_refused(here: Ledger) -> None:
    """With its place, at every write that takes one."""
    ada, bob = made(here, email="ada@example.com"), made(here, name="Bob")
    mine = (here.organization.id, "contact", ada.id)
    for attempt in (
        lambda: update(here, ada.id, 2, city="Bonn"),
        lambda: here.write(records.delete, *mine, if_version=2, source=API),
        lambda: here.write(record_merges.merge, *mine, bob.id, if_version=2**80, source=API),
        lambda: upsert(here, 2, email="ada@example.com"),
    ):
        with pytest.raises(InvalidInput, match="/ifVersion: the record is at version 1"):
            attempt()


def test_a_delete_is_a_conflict_with_any_change(here: Ledger) -> None:
    """It takes all values away, so each that was changed since is one."""
    ada = made(here, name="Ada")
    update(here, ada.id, city="Bonn")
    mine = (here.organization.id, "contact", ada.id)

    with pytest.raises(ChangedSince) as caught:
        here.write(records.delete, *mine, if_version=1, source=API)
    here.write(records.delete, *mine, if_version=2, source=API)

    assert [("city", None, "Bonn")] == [
        (one.property, one.yours, one.theirs) for one in caught.value.conflicts
    ]


def upsert(here: Ledger, if_version: int | None = None, **values: Any) -> tuple[Record, bool]:
    return here.write(
        records.upsert,
        here.organization,
        "contact",
        "email",
        values,
        if_version=if_version,
        source=API,
    )


def test_an_upsert_of_a_version_makes_nothing(here: Ledger) -> None:
    """A record that is found is changed as by an update; one that is not found was there once."""
    ada, _ = upsert(here, email="ada@example.com", city="Bonn")
    upsert(here, email="ada@example.com", city="Ulm")

    with pytest.raises(ChangedSince):
        upsert(here, 1, email="ada@example.com", city="Jena")
    changed, was_made = upsert(here, 1, email="ada@example.com", name="Ada")
    here.write(records.delete, here.organization.id, "contact", ada.id, source=API)
    with pytest.raises(Conflict, match="no record with this email"):
        upsert(here, 3, email="ada@example.com")

    assert (False, 3) == (was_made, changed.version)


def test_a_merge_is_a_conflict_with_what_it_would_fill_in(here: Ledger) -> None:
    """What the survivor has stays, so its changes are none; nor are the other record's."""
    ada, twin = made(here, name="Ada", city="Bonn"), made(here, name="A. L.", city="Jena")
    for city in ("Ulm", "Kiel"):
        update(here, twin.id, city=city)
    update(here, ada.id, city=None)
    mine = (here.organization.id, "contact", ada.id, twin.id)

    with pytest.raises(ChangedSince) as caught:
        here.write(record_merges.merge, *mine, if_version=1, source=API)
    update(here, ada.id, city="Mainz")
    merged = here.write(record_merges.merge, *mine, if_version=1, source=API)

    assert [("city", "Kiel", None)] == [
        (one.property, one.yours, one.theirs) for one in caught.value.conflicts
    ]
    assert "Mainz" == merged.properties["city"]


def test_the_history_of_a_merged_record_is_no_conflict(here: Ledger) -> None:
    """It moves to the survivor, whose versions it did not make."""
    ada, twin = made(here, name="Ada"), made(here, city="Jena")
    for title in ("One", "Two", "Three"):
        update(here, twin.id, job_title=title)
    merged = here.write(record_merges.merge, here.organization.id, "contact", ada.id, twin.id, source=API)

    after = update(here, ada.id, merged.version, job_title="Four")

    assert (2, 3) == (merged.version, after.version)


def test_changes_far_back_count_as_such(here: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind so many changes nothing is looked for: every property may have been changed."""
    monkeypatch.setattr(record_versions, "VERSION_CHANGES_MAX", 2)
    ada = made(here, name="Ada")
    for city in ("Ulm", "Bonn"):
        update(here, ada.id, city=city)
    update(here, ada.id, 1, job_title="One")

    with pytest.raises(ChangedSince) as caught:
        update(here, ada.id, 1, name="Ada Lovelace")

    assert ["name"] == [one.property for one in caught.value.conflicts]


def test_changes_behind_large_ones_count_as_such(here: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """A history has a limit in bytes as well: the comparison is in the way of all other writes."""
    monkeypatch.setattr(record_versions, "VERSION_CHANGES_BYTES_MAX", 4_000)
    ada = made(here, name="Ada")
    for title in ("a" * 1_000, "b" * 1_000):
        update(here, ada.id, job_title=title)
    compared = update(here, ada.id, 1, city="Ulm")
    update(here, ada.id, job_title="c" * 1_000)

    assert 4 == compared.version
    with pytest.raises(ChangedSince) as caught:
        update(here, ada.id, 1, name="Ada Lovelace")
    assert ["name"] == [one.property for one in caught.value.conflicts]


@pytest.mark.sqlite
def test_looking_back_goes_by_the_index(here: Ledger) -> None:
    """However long the record's history is."""
    statement = (
        "EXPLAIN QUERY PLAN SELECT id FROM record_changes WHERE record_id = ? AND version > ?"
        " ORDER BY version DESC LIMIT 10"
    )
    [step] = here.conn.exec_driver_sql(statement, ("rec_1", 1)).all()

    assert "USING INDEX ix_record_changes_record_id_version (record_id=? AND version>?)" in step[3]


async def test_each_submission_that_fills_something_in_counts_up(autojump_clock):
    """Also within one batch; what is suggested does not, until it is accepted."""
    async with town() as here:
        form = await here.form()
        for name, phone in (("Ada", None), ("Ada", "+4930123456"), ("Ada Lovelace", None)):
            await here.store.write(submissions.create, a_stored_one(form, name=name, phone=phone))
        where = await here.store.read(filing.target, here.organization.id)
        await here.store.write(filing.file_due, where)
        [suggestion] = await here.rows(tables.suggestions)
        [filed] = await here.rows(tables.records)
        accepted = await here.store.write(suggestions.accept, here.organization, suggestion.id, source=API)

        told = [
            msgspec.json.decode(row.data)["record"]["version"]
            for row in await here.rows(tables.events)
            if row.type.startswith("record.")
        ]
        assert (2, 3, [1, 2, 3]) == (filed.version, accepted.version, told)
        assert [2, 3] == [row.version for row in await here.rows(tables.record_changes)]


SLUGS = ("name", "city", "job_title")
CHANGES = st.lists(
    st.tuples(
        st.integers(0, 6),
        st.dictionaries(st.sampled_from(SLUGS), st.sampled_from(["a", "b", None]), min_size=1),
    ),
    max_size=12,
)
"""How many versions ago each was begun, and what it writes."""


@pytest.mark.fuzz
@given(changes=CHANGES)
@settings(max_examples=100, deadline=None)
def test_changes_of_several_people_beside_a_model(changes: list[tuple[int, dict[str, Any]]]) -> None:
    """Each is written whole or not at all; a conflict names just what was changed since, and would change."""
    with ledger() as here:
        ada = made(here, name="Ada", email="ada@example.com")
        values: dict[str, Any] = {"name": "Ada", "email": "ada@example.com"}
        changed_at = dict.fromkeys(SLUGS, 1)
        version = 1
        for ago, given_values in changes:
            if_version = max(1, version - ago)
            differs = {slug for slug, value in given_values.items() if values.get(slug) != value}
            expected = {slug for slug in differs if changed_at[slug] > if_version}
            if expected:
                with pytest.raises(ChangedSince) as caught:
                    update(here, ada.id, if_version, **given_values)
                yours = {one.property: one.yours for one in caught.value.conflicts}
                assert {slug: given_values[slug] for slug in expected} == yours
            else:
                update(here, ada.id, if_version, **given_values)
                version += 1 if differs else 0
                values |= {slug: given_values[slug] for slug in differs}
                changed_at |= dict.fromkeys(differs, version)
            stands = records.get(here.conn, here.organization.id, "contact", ada.id)
            assert version == stands.version
            assert {slug: value for slug, value in values.items() if value is not None} == stands.properties
