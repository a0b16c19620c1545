"""Records as tools write them: events, identities, relations, merges and what they are scoped by."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from svc.domain.errors import Conflict, InvalidInput, NotFound
from svc.domain.records.properties import Property
from svc.domain.records.queries import Filter, Sort
from svc.domain.versions import ChangedSince
from svc.storage import provisioning, timelines
from svc.storage.identity.organizations import NewOrganization
from svc.storage.records import merges as record_merges
from svc.storage.records import notes, objects, properties, records, suggestions
from svc.storage.records import relations as record_relations
from svc.storage.records import rows as record_rows
from svc.storage.records.listing import index_builds, index_walks
from svc.storage.records.listing import lists as record_lists
from svc.storage.records.listing import search as record_search
from svc.storage.records.writes.items import write_many
from svc.storage.records.writes.ways import Item
from tests import tables
from tests.index_parts import build_some
from tests.storage.ledger import API, Ledger, ledger


@pytest.fixture
def here() -> Iterator[Ledger]:
    with ledger() as opened:
        yield opened


def made(here: Ledger, kind: str = "contact", **values: Any) -> record_rows.Record:
    return here.write(records.create, here.organization, kind, values, source=API)


def test_every_write_records_its_events(here: Ledger) -> None:
    """Creating, changing, deleting and restoring each leave one event; what changes nothing leaves none."""
    ada = made(here, name="Ada")
    here.write(records.update, here.organization, "contact", ada.id, {"city": "Bonn"}, source=API)
    here.write(records.update, here.organization, "contact", ada.id, {"city": "Bonn"}, source=API)
    here.write(records.delete, here.organization.id, "contact", ada.id, source=API)
    here.write(records.restore, here.organization.id, "contact", ada.id, source=API)

    events = here.rows(tables.events)
    assert ["record.created", "record.updated", "record.deleted", "record.created"] == [
        event.type for event in events
    ]
    data = msgspec.json.decode(events[1].data)
    assert API == data["source"]
    assert {"name": "Ada", "city": "Bonn"} == data["record"]["properties"]


def test_another_organizations_records_are_not_there(here: Ledger) -> None:
    """No function finds, changes or lists what belongs to another organization."""
    ada = made(here, name="Ada", email="ada@example.com")
    other = here.write(provisioning.create, NewOrganization(name="Other"))

    for attempt in (
        lambda: records.get(here.conn, other.id, "contact", ada.id),
        lambda: here.write(records.update, other, "contact", ada.id, {"name": "Eve"}, source=API),
        lambda: here.write(records.delete, other.id, "contact", ada.id, source=API),
        lambda: records.get(here.conn, here.organization.id, "company", ada.id),
        lambda: timelines.list_page(here.conn, other.id, "contact", ada.id),
    ):
        with pytest.raises(NotFound):
            attempt()
    with pytest.raises(InvalidInput):
        here.write(records.create, other, "deal", {"contact": ada.id}, source=API)
    assert [] == record_search.search(here.conn, other.id, "ada")
    assert (
        []
        == record_lists.list_page(
            here.conn, objects.get(here.conn, other.id, "contact"), country="DE"
        ).records
    )


def test_a_contact_is_known_by_what_it_has_now(here: Ledger) -> None:
    """Identities follow every write, and a deleted contact is known by nothing."""
    ada = made(here, email="ada@example.com", phone="030 123456")

    here.write(
        records.update,
        here.organization,
        "contact",
        ada.id,
        {"email": "a@example.com", "phone": None},
        source=API,
    )
    assert [("email", "a@example.com")] == [(row.kind, row.value) for row in here.rows(tables.identities)]
    here.write(records.delete, here.organization.id, "contact", ada.id, source=API)
    assert [] == here.rows(tables.identities)
    here.write(records.restore, here.organization.id, "contact", ada.id, source=API)
    assert [("email", "a@example.com")] == [(row.kind, row.value) for row in here.rows(tables.identities)]


def test_upserting_by_email_makes_one_contact(here: Ledger) -> None:
    """The address is normalised before it is looked up; of two who share it, a person decides."""
    one, was_made = here.write(
        records.upsert, here.organization, "contact", "email", {"email": "Ada@Example.com"}, source=API
    )
    two, made_again = here.write(
        records.upsert,
        here.organization,
        "contact",
        "email",
        {"email": "ada@example.com", "name": "Ada"},
        source=API,
    )
    assert (True, False, one.id) == (was_made, made_again, two.id)

    made(here, email="ada@example.com")
    with pytest.raises(Conflict, match="several"):
        here.write(
            records.upsert,
            here.organization,
            "contact",
            "email",
            {"email": "ada@example.com"},
            source=API,
        )
    for by in ("name", "nothing", "phone"):
        with pytest.raises(InvalidInput):
            here.write(records.upsert, here.organization, "contact", by, {"name": "Ada"}, source=API)


def test_many_are_made_or_none(here: Ledger) -> None:
    """All faults of all records are reported, and no record is stored."""
    with pytest.raises(InvalidInput) as caught:
        here.write(
            write_many,
            here.organization,
            objects.get(here.conn, here.organization.id, "contact"),
            "create",
            [Item({"name": "Ada"}), Item({"x": 1}), Item({"email": "?"})],
            source=API,
        )

    assert ["/records/1/properties/x", "/records/2/properties/email"] == [
        fault.pointer for fault in caught.value.faults
    ]
    assert [] == here.rows(tables.records)


def test_a_merge_takes_the_chosen_values_of_the_other(here: Ledger) -> None:
    """An amount comes with its currency, a unique value may move, and what the other has not is cleared."""
    here.write(
        properties.create,
        here.organization.id,
        "deal",
        Property(slug="number", label="Number", type="text", unique=True),
    )
    stays = made(here, "deal", name="Lamps", number="A-1", amount=10, stage="New", close_date="2026-10-01")
    goes = made(here, "deal", name="Lamp", number="A-2", amount=12, amount_currency="GBP", stage="Won")

    merged = here.write(
        record_merges.merge,
        here.organization.id,
        "deal",
        stays.id,
        goes.id,
        take=["amount", "number", "close_date"],
        source=API,
    )

    taken = {"number": "A-2", "amount": 12, "amount_currency": "GBP"}
    assert {"name": "Lamps", "stage": "New", **taken} == merged.properties


def test_a_merge_takes_no_property_that_there_is_not(here: Ledger) -> None:
    """Each unknown slug is told, and nothing is merged."""
    stays, goes = made(here, name="Ada"), made(here, name="Ada L.")

    with pytest.raises(InvalidInput) as caught:
        here.write(
            record_merges.merge,
            here.organization.id,
            "contact",
            stays.id,
            goes.id,
            take=["name", "nme", "twon"],
            source=API,
        )

    assert ["/take/1", "/take/2"] == [fault.pointer for fault in caught.value.faults]
    assert "Ada L." == records.get(here.conn, here.organization.id, "contact", goes.id).properties["name"]


def test_a_value_that_was_changed_since_is_not_taken_over(here: Ledger) -> None:
    """With the version that was seen: a colleague's change of a chosen value is a conflict."""
    stays, goes = made(here, name="Ada", city="Turin"), made(here, name="Ada", city="London")
    here.write(records.update, here.organization, "contact", stays.id, {"city": "Paris"}, source=API)

    def merge(*take: str) -> record_rows.Record:
        return here.write(
            record_merges.merge,
            here.organization.id,
            "contact",
            stays.id,
            goes.id,
            take=take,
            if_version=1,
            source=API,
        )

    with pytest.raises(ChangedSince) as caught:
        merge("city")
    assert [("city", "Paris")] == [(one.property, one.theirs) for one in caught.value.conflicts]

    assert "Paris" == merge().properties["city"]


def test_merging_moves_everything(here: Ledger) -> None:
    """The survivor keeps its values, gains what it lacked, and is known and related as both were."""
    ada = made(here, name="Ada", email="ada@example.com")
    twin = made(here, name="A. L.", email="al@example.com", city="London")
    deal = made(here, "deal", name="Lamps", contact=twin.id)
    here.write(notes.create, here.organization.id, "contact", twin.id, title="", body="Called", source=API)

    merged = here.write(record_merges.merge, here.organization.id, "contact", ada.id, twin.id, source=API)

    assert {"name": "Ada", "email": "ada@example.com", "city": "London"} == merged.properties
    assert ada.id == records.get(here.conn, here.organization.id, "contact", twin.id).id
    moved = records.get(here.conn, here.organization.id, "deal", deal.id)
    assert ada.id == moved.properties["contact"]
    related, _ = record_relations.leading_to(here.conn, here.organization.id, "contact", ada.id)
    assert [("contact", deal.id)] == [(one.property, one.record.id) for one in related]
    assert {"ada@example.com", "al@example.com"} == {row.value for row in here.rows(tables.identities)}
    found, was_made = here.write(
        records.upsert, here.organization, "contact", "email", {"email": "al@example.com"}, source=API
    )
    assert (ada.id, False) == (found.id, was_made)
    entries, _ = timelines.list_page(here.conn, here.organization.id, "contact", ada.id)
    assert {"created", "updated", "merged", "note", "deal"} <= {entry.kind for entry in entries}
    with pytest.raises(Conflict):
        here.write(records.restore, here.organization.id, "contact", twin.id, source=API)


def test_a_timeline_goes_on_where_it_stopped(here: Ledger) -> None:
    """Page after page, every entry comes once, the newest first, with what changed."""
    ada = made(here, name="Ada")
    for city in ("Bonn", "Ulm", "Jena"):
        here.write(records.update, here.organization, "contact", ada.id, {"city": city}, source=API)
        here.write(
            notes.create, here.organization.id, "contact", ada.id, title="Moved", body=city, source=API
        )

    seen: list[timelines.Entry] = []
    cursor = None
    while True:
        page, cursor = timelines.list_page(
            here.conn, here.organization.id, "contact", ada.id, cursor=cursor, limit=2
        )
        seen += page
        if cursor is None:
            break

    assert ["note", "updated"] * 3 + ["created"] == [entry.kind for entry in seen]
    assert {"city": ["Ulm", "Jena"]} == seen[1].data["changed"]


def test_a_suggestion_is_decided_once(here: Ledger) -> None:
    """Accepting writes the value; a second decision is refused."""
    ada = made(here, name="Ada")
    for number in (1, 2):
        here.conn.execute(
            tables.suggestions.insert().values(
                id=f"sug_{number}",
                organization_id=here.organization.id,
                record_id=ada.id,
                property="name",
                value='"Ada Lovelace"',
                state="open",
                created_at=1,
            )
        )

    record = here.write(suggestions.accept, here.organization, "sug_1", source=API)
    dismissed = here.write(suggestions.dismiss, here.organization.id, "sug_2")

    assert ("Ada Lovelace", "dismissed") == (record.properties["name"], dismissed.state)
    with pytest.raises(Conflict):
        here.write(suggestions.dismiss, here.organization.id, "sug_1")
    with pytest.raises(NotFound):
        here.write(suggestions.dismiss, here.organization.id, "sug_3")
    assert ([], None) == suggestions.list_page(here.conn, here.organization.id)


def test_a_cursor_belongs_to_its_question(here: Ledger) -> None:
    """Another filter, another order, and bytes that are none are refused."""
    for name in ("a", "b", "c"):
        made(here, name=name)
    page = record_lists.list_page(
        here.conn, objects.get(here.conn, here.organization.id, "contact"), country="DE", limit=1
    )

    for cursor, sort in ((page.next_cursor, [Sort("name")]), ("?", []), ("AAAA", []), ("é", [])):
        with pytest.raises(InvalidInput):
            record_lists.list_page(
                here.conn,
                objects.get(here.conn, here.organization.id, "contact"),
                country="DE",
                sort=sort,
                cursor=cursor,
            )


def test_a_list_with_cursors_survives_writes_between_its_pages(here: Ledger) -> None:
    """Records that do not change come once each, whatever is made, changed and deleted meanwhile."""
    names = [f"n{number:02}" for number in range(20)]
    ids = {name: made(here, name=name).id for name in names}
    seen: list[str] = []
    cursor = None
    for number in range(20):
        page = record_lists.list_page(
            here.conn,
            objects.get(here.conn, here.organization.id, "contact"),
            country="DE",
            sort=[Sort("name")],
            cursor=cursor,
            limit=3,
        )
        seen += [one.properties["name"] for one in page.records]
        cursor = page.next_cursor
        if cursor is None:
            break
        made(here, name=f"a{number}")
        if number == 1:
            here.write(records.delete, here.organization.id, "contact", ids["n04"], source=API)
            here.write(records.update, here.organization, "contact", ids["n19"], {"name": "n00"}, source=API)

    untouched = [name for name in names if name not in {"n04", "n19"}]
    assert untouched == [name for name in seen if name in untouched]


def test_an_index_is_made_after_the_first_list_that_wants_it(here: Ledger) -> None:
    """The list says which properties it lacks; made in steps, beside writes, the answer stays the same."""
    asked: dict[str, Any] = {
        "country": "DE",
        "filters": [Filter("city", "eq", "Bonn")],
        "sort": [Sort("name", "desc")],
    }
    for number in range(9):
        made(here, name=f"n{number}", city=("Bonn", "Ulm")[number % 2])
    before = record_lists.list_page(
        here.conn, objects.get(here.conn, here.organization.id, "contact"), **asked
    )

    here.write(index_builds.want, here.organization.id, before.unindexed)
    while here.write(build_some, here.organization.id, 2):
        pass
    after = record_lists.list_page(
        here.conn, objects.get(here.conn, here.organization.id, "contact"), **asked
    )

    assert (2, ()) == (len(before.unindexed), after.unindexed)
    assert before.records == after.records
    assert 18 == len(here.rows(tables.record_keys))


def test_a_page_may_be_short_and_go_on(here: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk that has looked at enough answers with what it found, and the cursor finds the rest."""
    monkeypatch.setattr(index_walks, "EXAMINED_MAX", 4)
    ids = [made(here, name=("Ada" if number % 5 == 0 else "Bob")).id for number in range(15)]

    found: list[str] = []
    cursor = None
    pages = 0
    while pages == 0 or cursor is not None:
        page = record_lists.list_page(
            here.conn,
            objects.get(here.conn, here.organization.id, "contact"),
            country="DE",
            filters=[Filter("name", "eq", "ada")],
            cursor=cursor,
            limit=2,
        )
        found += [one.id for one in page.records]
        cursor = page.next_cursor
        pages += 1

    assert [ids[10], ids[5], ids[0]] == found
    assert pages > 2


def test_rules_of_objects_and_properties(here: Ledger) -> None:
    """Slugs, types, limits and what is personal are held; a deleted property comes back with its values."""
    here.write(objects.create, here.organization.id, "boat", "Boat", "Boats")
    for slug, kind in (("Bad", "text"), ("x_currency", "text"), ("ok", "select"), ("to", "relation")):
        with pytest.raises(InvalidInput):
            here.write(
                properties.create,
                here.organization.id,
                "boat",
                Property(slug=slug, label="X", type=kind),  # type: ignore[arg-type]
            )
    color = Property(slug="color", label="Color", type="text")
    here.write(properties.create, here.organization.id, "boat", color)
    boat = made(here, "boat", name="Ida", color="red")
    with pytest.raises(Conflict):
        here.write(objects.create, here.organization.id, "boat", "Boat", "Boats")

    here.write(properties.delete, here.organization.id, "boat", "color")
    assert {"name": "Ida"} == records.get(here.conn, here.organization.id, "boat", boat.id).properties
    with pytest.raises(Conflict):
        here.write(
            properties.create,
            here.organization.id,
            "boat",
            Property(slug="color", label="Color", type="number"),
        )
    here.write(properties.create, here.organization.id, "boat", color)
    assert boat.properties == records.get(here.conn, here.organization.id, "boat", boat.id).properties

    with pytest.raises(InvalidInput):
        here.write(properties.update, here.organization.id, "contact", "email", personal=False)
    with pytest.raises(Conflict):
        here.write(properties.delete, here.organization.id, "contact", "email")
    mail = here.write(
        properties.create,
        here.organization.id,
        "boat",
        Property(slug="mail", label="Mail", type="email"),
    )
    assert mail.personal
    assert here.write(objects.publish, here.organization.id, "boat", publishable=True).publishable


@pytest.mark.parametrize(
    "query", ['"', "NEAR(", "words:x", "*", "a" * 5_000, "\0", "-ada", "ada OR", "' OR 1=1", "^ada"]
)
def test_a_hostile_query_is_only_words(here: Ledger, query: str) -> None:
    """Signs of the query language mean nothing, and nothing fails."""
    made(here, name="Ada")

    assert len(record_search.search(here.conn, here.organization.id, query)) <= 1


def test_a_search_ranks_what_fits_best(here: Ledger) -> None:
    """A whole word in the name comes before the beginning of one, and before one elsewhere."""
    begins = made(here, name="Adamantine")
    elsewhere = made(here, name="Bob", city="Adam")
    whole = made(here, name="Adam")

    hits = record_search.search(here.conn, here.organization.id, "ADAM")

    assert [whole.id, elsewhere.id, begins.id] == [hit.record.id for hit in hits]


def test_merging_what_leads_to_each_other_leaves_no_loop(here: Ledger) -> None:
    """A survivor that led to the merged record does not lead to itself afterwards."""
    parent = Property(slug="parent", label="Parent", type="relation", options=("company",))
    here.write(properties.create, here.organization.id, "company", parent)
    top = made(here, "company", name="Top")
    part = made(here, "company", name="Part", parent=top.id)

    merged = here.write(record_merges.merge, here.organization.id, "company", part.id, top.id, source=API)

    assert {"name": "Part"} == merged.properties
    assert [] == here.rows(tables.relations)
