"""Reverts: one change of a record taken back, unless its values were changed since or do not fit any more."""

from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from svc.domain.errors import Conflict, InvalidInput, NotFound
from svc.domain.records.properties import Property
from svc.domain.versions import ChangedSince
from svc.storage.records import merges as record_merges
from svc.storage.records import properties, records
from svc.storage.records.rows import Record
from svc.storage.records.writes import reverts
from tests import tables
from tests.storage.ledger import API, Ledger, ledger


@pytest.fixture
def here() -> Iterator[Ledger]:
    with ledger() as opened:
        for prop in (
            Property(slug="code", label="Code", type="text", unique=True),
            Property(slug="tag", label="Tag", type="select", options=("New", "Won")),
            Property(slug="worth", label="Worth", type="amount"),
        ):
            opened.write(properties.create, opened.organization.id, "contact", prop)
        yield opened


def made(here: Ledger, **values: Any) -> Record:
    return here.write(records.create, here.organization, "contact", values, source=API)


def update(here: Ledger, record_id: str, **values: Any) -> str:
    """Change the record; the id of the change."""
    here.write(records.update, here.organization, None, record_id, values, source=API)
    return change_of(here, record_id)


def change_of(here: Ledger, record_id: str) -> str:
    """The id of the record's latest change."""
    ids: list[str] = [row.id for row in here.rows(tables.record_changes, record_id=record_id)]
    return max(ids)


def revert(here: Ledger, record_id: str, change_id: str, if_version: int | None = None) -> Record:
    return here.write(
        reverts.revert, here.organization, None, record_id, change_id, if_version=if_version, source=API
    )


def test_one_change_is_taken_back(here: Ledger) -> None:
    """What was changed has its values of before, what came later stays; that is a change like any other."""
    ada = made(here, name="Ada", email="ada@example.com")
    first = update(here, ada.id, email="countess@example.com", city="London", worth=5)
    update(here, ada.id, job_title="Analyst")

    reverted = revert(here, ada.id, first)

    assert ({"name": "Ada", "email": "ada@example.com", "job_title": "Analyst"}, 4) == (
        reverted.properties,
        reverted.version,
    )
    assert ["ada@example.com"] == [row.value for row in here.rows(tables.identities)]
    assert "record.updated" == here.rows(tables.events)[-1].type
    again = revert(here, ada.id, change_of(here, ada.id))
    expected = {"email": "countess@example.com", "city": "London", "worth": 5, "worth_currency": "EUR"}
    assert {"name": "Ada", "job_title": "Analyst"} | expected == again.properties


def test_what_was_changed_since_is_a_conflict(here: Ledger) -> None:
    """Nothing is written, of other values either; what has its value of before already is no conflict."""
    ada = made(here, name="Ada", city="Bonn")
    first = update(here, ada.id, city="Kiel", job_title="Analyst")
    update(here, ada.id, city="Ulm")

    with pytest.raises(ChangedSince) as caught:
        revert(here, ada.id, first)
    update(here, ada.id, city="Bonn")

    [conflict] = caught.value.conflicts
    assert ("city", "Bonn", "Ulm") == (conflict.property, conflict.yours, conflict.theirs)
    assert {"name": "Ada", "city": "Bonn"} == revert(here, ada.id, first).properties


def test_a_version_is_compared_as_well(here: Ledger) -> None:
    """A change that is younger than the version was not seen by who wants it taken back."""
    ada = made(here, name="Ada")
    change = update(here, ada.id, city="Bonn")

    with pytest.raises(ChangedSince):
        revert(here, ada.id, change, if_version=1)
    with pytest.raises(InvalidInput) as caught:
        revert(here, ada.id, change, if_version=9)

    assert ["/ifVersion"] == [fault.pointer for fault in caught.value.faults]
    assert {"name": "Ada"} == revert(here, ada.id, change, if_version=2).properties


def test_values_of_before_have_to_fit(here: Ledger) -> None:
    """Not those of a deleted property, a choice that was taken away, or a unique value of another record."""
    org = here.organization.id
    ada = made(here, name="Ada", city="Bonn", tag="New", code="x")
    city = update(here, ada.id, city=None)
    tag = update(here, ada.id, tag="Won")
    code = update(here, ada.id, code="y")
    here.write(properties.delete, org, "contact", "city")
    here.write(properties.update, org, "contact", "tag", options=("Won", "Lost"))
    made(here, code="X")

    details = []
    for change in (city, tag, code):
        with pytest.raises(Conflict) as caught:
            revert(here, ada.id, change)
        [fault] = caught.value.faults
        assert "/change" == fault.pointer
        details.append(fault.detail)

    assert [
        "the property `city` was deleted",
        "tag: is not one of the choices; there are `Won`, `Lost`",
        "code: another record has this value",
    ] == details
    assert 4 == records.get(here.conn, org, None, ada.id).version


def test_what_is_no_change_of_values_says_what_to_call(here: Ledger) -> None:
    """A deletion, its undoing, a merge, and a change of the record that was merged."""
    org = here.organization.id
    ada, twin = made(here, name="Ada"), made(here, name="Ada", city="Bonn")
    of_twin = update(here, twin.id, city="Kiel")
    here.write(records.delete, org, None, ada.id, source=API)
    deleted = change_of(here, ada.id)
    with pytest.raises(NotFound):
        revert(here, ada.id, deleted)
    here.write(records.restore, org, None, ada.id, source=API)
    restored = change_of(here, ada.id)
    here.write(record_merges.merge, org, None, ada.id, twin.id, source=API)
    [merged] = [row.id for row in here.rows(tables.record_changes, kind="merged")]

    said = []
    for change in (deleted, restored, merged, of_twin):
        with pytest.raises(Conflict) as caught:
            revert(here, ada.id, change)
        said.append(str(caught.value))

    assert [
        "the record was brought back since, as it was",
        "`record.delete` deletes the record again",
        "a merge cannot be undone",
        "it is a change from before records had versions, or of a record that was merged",
    ] == said


def test_the_change_is_one_of_the_record(here: Ledger) -> None:
    """Neither another record's, nor its making, nor any other id."""
    ada, bob = made(here, name="Ada"), made(here, name="Bob")
    of_bob = update(here, bob.id, city="Bonn")

    for change in (of_bob, ada.id, "chg_1"):
        with pytest.raises(InvalidInput) as caught:
            revert(here, ada.id, change)
        assert [("/change", "not_found")] == [(one.pointer, one.code) for one in caught.value.faults]


VALUES = st.fixed_dictionaries(
    {},
    optional={
        "city": st.sampled_from(["Bonn", "Kiel", None]),
        "code": st.sampled_from(["x", "y", None]),
        "worth": st.sampled_from([5, None]),
    },
)


@pytest.mark.fuzz
@settings(max_examples=40, deadline=None, derandomize=True)
@given(changes=st.lists(VALUES, min_size=1, max_size=5), chosen=st.integers(0, 4))
def test_a_revert_does_what_an_update_to_the_values_of_before_does(
    changes: list[dict[str, Any]], chosen: int
) -> None:
    """Or finds the values changed since, as the model does."""
    with ledger() as here:
        for prop in (
            Property(slug="code", label="Code", type="text", unique=True),
            Property(slug="worth", label="Worth", type="number"),
        ):
            here.write(properties.create, here.organization.id, "contact", prop)
        ada = made(here, name="Ada")
        history = [ada.properties]
        for change in changes:
            update_to = here.write(records.update, here.organization, None, ada.id, change, source=API)
            if update_to.properties != history[-1]:
                history.append(update_to.properties)
        ids = [row.id for row in here.rows(tables.record_changes)]
        if not ids:
            return
        place = chosen % len(ids)
        before, after, now = history[place], history[place + 1], history[-1]
        touched = {slug for slug in (*before, *after) if before.get(slug) != after.get(slug)}
        later = {
            slug
            for one, other in zip(history[place + 1 :], history[place + 2 :], strict=False)
            for slug in (*one, *other)
            if one.get(slug) != other.get(slug)
        }
        wanted = {slug for slug in touched if before.get(slug) != now.get(slug)}
        if wanted & later:
            with pytest.raises(ChangedSince) as caught:
                revert(here, ada.id, ids[place])
            assert wanted & later == {one.property for one in caught.value.conflicts}
            return
        expected = {slug: value for slug, value in now.items() if slug not in wanted}
        expected |= {slug: before[slug] for slug in wanted if slug in before}

        assert expected == revert(here, ada.id, ids[place]).properties
