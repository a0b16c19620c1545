"""Many records in one unit: each item as a call of its own would write it; refused ones leave no trace."""

from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from svc.domain.errors import Conflict, InvalidInput, NotFound
from svc.domain.records.matching import UnclearMatch
from svc.domain.records.properties import Property
from svc.domain.versions import ChangedSince
from svc.storage import integrity
from svc.storage.records import objects, properties, records
from svc.storage.records import versions as record_versions
from svc.storage.records.writes.items import Outcome, write_many, write_one
from svc.storage.records.writes.ways import Item, WayName
from svc.storage.store import Tx
from tests import tables
from tests.statements import listening
from tests.storage.ledger import API, Ledger, ledger
from tests.storage.record_worlds import announced, dump, filled, undone

EMAILS = ["ada@example.com", "Bob@Example.com", "eve@example.com", "zoe@example.com", "new@example.com"]
PHONES = ["030 1234567", "+49301234568", "030 1234569", "030 1234570"]
CODES = ["x1", "X1", "x2", "x3"]
AMOUNTS: list[dict[str, Any]] = [
    {},
    {},
    {"worth": 5},
    {"worth": 7.5, "worth_currency": "USD"},
    {"worth": None},
]
VALUES = st.builds(
    lambda values, worth: values | worth,
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.sampled_from(["Ada", "ADA ", "Bob", "Bob", None, 5]),
            "email": st.sampled_from([*EMAILS, *EMAILS, None, "?"]),
            "phone": st.sampled_from([*PHONES, None]),
            "code": st.sampled_from([*CODES, None]),
            "company": st.sampled_from([4, 4, 4, 0]),
        },
    ),
    st.sampled_from(AMOUNTS),
)
PLACED = st.sampled_from([0, 0, 0, 1, 1, 2, 3, 4, 5])
ITEMS = st.lists(
    st.tuples(VALUES, PLACED, st.sampled_from([None, None, None, 1, 2, 9])), min_size=1, max_size=5
)
WAYS: list[tuple[WayName, str | None]] = [
    ("create", None),
    ("update", None),
    ("upsert", "email"),
    ("upsert", "phone"),
    ("upsert", "code"),
    ("match", None),
]


@pytest.fixture
def here() -> Iterator[Ledger]:
    with ledger() as opened:
        yield opened


@pytest.fixture(scope="module")
def world() -> Iterator[tuple[Ledger, list[str]]]:
    with ledger() as opened:
        yield opened, filled(opened)


def items_of(ids: list[str], asked: Any) -> list[Item]:
    """The items that were drawn, with ids of records instead of their places."""
    items = []
    for values, place, if_version in asked:
        related = {"company": ids[values["company"]]} if "company" in values else {}
        items.append(Item(values | related, ids[place], if_version))
    return items


def said(outcome: Outcome) -> Any:
    error = outcome.error and (type(outcome.error), str(outcome.error), outcome.faults)
    record = outcome.record and (outcome.record.version, outcome.record.properties)
    conflicts = [(one.property, one.yours, one.theirs) for one in outcome.conflicts]
    return outcome.kind, record, outcome.suggested, error, conflicts


@pytest.mark.fuzz
@pytest.mark.parametrize(("way", "by"), WAYS)
@settings(max_examples=35, deadline=None, derandomize=True)
@given(asked=ITEMS)
def test_many_do_what_calls_one_by_one_do(
    world: tuple[Ledger, list[str]], way: WayName, by: str | None, asked: Any
) -> None:
    """Records, indexes, identities, changes, suggestions and events are the same, and so is each outcome."""
    here, ids = world
    items = items_of(ids, asked)
    object_ = objects.get(here.conn, here.organization.id, "contact")

    def many(tx: Tx) -> Any:
        found = write_many(tx, here.organization, object_, way, items, by=by, source=API, skip=True)
        return [*map(said, found)], dump(here), announced(tx)

    def each(tx: Tx) -> Any:
        found = []
        for item in items:
            try:
                with tx.savepoint():
                    done = write_one(tx, here.organization, object_, way, item, by=by, source=API)
            except (InvalidInput, NotFound, Conflict) as error:
                found.append(Outcome(kind="refused", error=error))
            else:
                found.append(Outcome(kind=done.kind, record=done.record, suggested=tuple(done.suggested)))
        broken = [finding for finding in integrity.check(here.conn) if finding.broken]
        assert [] == broken
        return [*map(said, found)], dump(here), announced(tx)

    assert undone(here, each) == undone(here, many)


@pytest.mark.fuzz
@settings(max_examples=35, deadline=None, derandomize=True)
@given(asked=ITEMS, way=st.sampled_from(WAYS))
def test_without_skip_all_are_written_or_none(
    world: tuple[Ledger, list[str]], way: tuple[WayName, str | None], asked: Any
) -> None:
    """If any item is refused, every fault of all of them is told at once, and nothing is stored."""
    here, ids = world
    name, by = way
    items = items_of(ids, asked)
    object_ = objects.get(here.conn, here.organization.id, "contact")
    before = dump(here)

    def all_or_none(tx: Tx) -> Any:
        skipped = write_many(
            tx, here.organization, object_, name, items, by=by, source=API, skip=True, dry_run=True
        )
        assert before == dump(here)
        try:
            done = write_many(tx, here.organization, object_, name, items, by=by, source=API)
        except (InvalidInput, Conflict) as error:
            return skipped, error
        return skipped, done

    skipped, done = undone(here, all_or_none)
    refused = [outcome for outcome in skipped if outcome.kind == "refused"]
    if not refused:
        assert [*map(said, skipped)] == [*map(said, done)]
        return
    expected = {
        f"/records/{place}{fault.pointer}"
        for place, outcome in enumerate(skipped)
        for fault in outcome.faults
    }
    assert expected == {fault.pointer for fault in done.faults}
    assert isinstance(done, Conflict) == all(isinstance(one.error, Conflict) for one in refused)


def of_contact(here: Ledger) -> Any:
    return objects.get(here.conn, here.organization.id, "contact")


def write(
    here: Ledger, way: WayName, *items: Item, by: str | None = None, skip: bool = True
) -> list[Outcome]:
    return here.write(
        write_many, here.organization, of_contact(here), way, items, by=by, source=API, skip=skip
    )


def test_two_lines_for_one_person_make_one_record(here: Ledger) -> None:
    """In their order: the first makes the contact, others fill what it lacks and suggest what differs."""
    outcomes = write(
        here,
        "match",
        Item({"email": "ada@example.com", "name": "Ada"}),
        Item({"email": "ADA@example.com", "phone": "030 1234567"}),
        Item({"phone": "+49 30 1234567", "name": "ada "}),
        Item({"phone": "+49 30 1234567", "name": "Bob"}),
    )

    assert ["created", "updated", "unchanged", "suggested"] == [one.kind for one in outcomes]
    assert [("name",)] == [one.suggested for one in outcomes if one.suggested]
    [record] = here.rows(tables.records)
    assert 2 == record.version
    [suggestion] = here.rows(tables.suggestions)
    assert (record.id, "name", '"Bob"') == (suggestion.record_id, suggestion.property, suggestion.value)


def test_an_unclear_match_is_refused_with_its_reason(here: Ledger) -> None:
    """As forms hold a submission for it; and so is an item without e-mail and phone."""
    write(
        here,
        "create",
        Item({"email": "ada@example.com", "phone": "030 1"}),
        Item({"email": "ada@example.com", "phone": "030 1234567"}),
        Item({"email": "bob@example.com", "phone": "030 1234568"}),
    )

    outcomes = write(
        here,
        "match",
        Item({"email": "ada@example.com"}),
        Item({"email": "bob@example.com", "phone": "030 1234567"}),
        Item({"email": "new@example.com", "phone": "030 1234568"}),
        Item({"name": "Eve"}),
    )

    reasons = [
        (one.error.reason, one.error.candidates) for one in outcomes if isinstance(one.error, UnclearMatch)
    ]
    assert [] == [one for one in outcomes if one.kind != "refused"]
    assert [("several", 2), ("conflict", 2), ("similar", 1)] == reasons
    assert ["/properties"] == [fault.pointer for fault in outcomes[3].faults]


def test_an_open_suggestion_is_not_made_twice(here: Ledger) -> None:
    """Whether by one call or by the next; the item says that the value waits."""
    write(here, "create", Item({"email": "ada@example.com", "city": "Bonn"}))
    other = Item({"email": "ada@example.com", "city": "Kiel"})

    kinds = [one.kind for one in (*write(here, "match", other, other), *write(here, "match", other))]

    assert ["suggested"] * 3 == kinds
    assert 1 == len(here.rows(tables.suggestions))


def test_an_amount_is_filled_with_its_currency(here: Ledger) -> None:
    """With the organization's where none is given; a currency that was not given is not suggested."""
    worth = Property(slug="worth", label="Worth", type="amount")
    here.write(properties.create, here.organization.id, "contact", worth)
    ada = {"email": "ada@example.com"}
    write(here, "create", Item(ada))

    filled, same, other = write(
        here,
        "match",
        Item(ada | {"worth": 5}),
        Item(ada | {"worth": 5, "worth_currency": "EUR"}),
        Item(ada | {"worth": 6, "worth_currency": "USD"}),
    )

    assert filled.record is not None
    assert ada | {"worth": 5, "worth_currency": "EUR"} == filled.record.properties
    assert ("unchanged", ("worth", "worth_currency")) == (same.kind, other.suggested)


def test_a_unique_value_may_pass_from_one_record_to_another(here: Ledger) -> None:
    """Within one call, in the order of the items."""
    code = Property(slug="code", label="Code", type="text", unique=True)
    here.write(properties.create, here.organization.id, "contact", code)
    one, two = (
        outcome.record.id
        for outcome in write(here, "create", Item({"code": "a"}), Item({"code": "b"}))
        if outcome.record
    )

    write(
        here,
        "update",
        Item({"code": "c"}, one),
        Item({"code": "a"}, two),
        Item({"code": "B"}, one),
        skip=False,
    )

    owners = {(row.value, row.record_id) for row in here.rows(tables.unique_values)}
    assert {("a", two), ("b", one)} == owners


def test_conflicts_are_told_by_item(here: Ledger) -> None:
    """With pointers to the values, of what another item of the same call has changed, too."""
    [made] = write(here, "create", Item({"name": "Ada", "city": "Bonn"}))
    assert made.record is not None
    one = made.record.id

    with pytest.raises(ChangedSince) as caught:
        write(here, "update", Item({"city": "Kiel"}, one, 1), Item({"city": "Ulm"}, one, 1), skip=False)

    [conflict] = caught.value.conflicts
    assert ("/records/1/properties/city", "Ulm", "Kiel") == (
        conflict.pointer,
        conflict.yours,
        conflict.theirs,
    )
    assert ["/records/1/properties/city"] == [fault.pointer for fault in caught.value.faults]
    assert 1 == records.get(here.conn, here.organization.id, None, one).version


def test_comparisons_of_one_call_have_a_limit(here: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind it all properties count as changed, so that old versions of long histories cost little."""
    [made] = write(here, "create", Item({"name": "Ada"}))
    assert made.record is not None
    one = made.record.id
    for city in ("Bonn", "Kiel", "Ulm"):
        write(here, "update", Item({"city": city}, one))
    changes = [Item({slug: "x"}, one, 1) for slug in ("name", "job_title", "country")]
    monkeypatch.setattr(record_versions, "VERSION_COMPARISONS_BYTES_MAX", 400)

    kinds = [outcome.kind for outcome in write(here, "update", *changes)]

    assert ["updated", "refused", "refused"] == kinds


@pytest.mark.sqlite
@pytest.mark.parametrize(("way", "by"), [("create", None), ("upsert", "email"), ("match", None)])
def test_many_look_up_at_once(here: Ledger, way: WayName, by: str | None) -> None:
    """A hundred items need no more look-ups than ten, whether their contacts are there or not."""
    selects = []
    for many in (10, 100):
        items = [Item({"email": f"{number}@{many}.example.com", "name": "Ada"}) for number in range(many)]
        for _ in range(1 if way == "create" else 2):
            with listening(here.conn) as said_by_it:
                write(here, way, *items, by=by)
            looked_up = [one for unit in said_by_it.units for one in unit if one.startswith("SELECT")]
            selects.append(len(looked_up))

    assert selects[: len(selects) // 2] == selects[len(selects) // 2 :]
