"""Rows as structs: a value comes back as it was stored, and what does not fit its table does not start."""

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from svc.storage import schema
from svc.storage.rows import Computed, Rows, Selection
from svc.storage.sqlite.engine import make_engine, raw
from svc.storage.sqlite.schema_changes import schema_change

pytestmark = pytest.mark.sqlite

_METADATA = sa.MetaData()


class Thing(msgspec.Struct, frozen=True, kw_only=True):
    """A thing."""

    id: str
    name: str | None
    open: bool
    tags: tuple[str, ...]
    data: dict[str, int] | None
    made_at: int


@pytest.fixture(scope="module")
def things() -> Iterator[sa.Table]:
    """A table that is none of the program's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "metadata", _METADATA)
        yield schema.table(
            "things",
            schema.id_(),
            schema.of_organization(),
            schema.text("name", schema.SCRUBBED, null=True),
            schema.flag("open"),
            schema.json("labels", tuple[str, ...], schema.SCRUBBED),
            schema.json("data", dict[str, int], schema.NOBODY, null=True),
            schema.past("made_at"),
            schema.number("version", default="1"),
            leaves=schema.Stays("for a test"),
            life=schema.KEPT,
        )


@pytest.fixture(scope="module")
def rows(things: sa.Table) -> Rows[Thing]:
    """Its rows."""
    return Rows(things, Thing, renamed={"tags": "labels"}, empty={"tags": tuple}, beside=["organization_id"])


@pytest.fixture(scope="module")
def conn(things: sa.Table) -> Iterator[sa.Connection]:
    """A database with it."""
    organizations = sa.Table("organizations", _METADATA, sa.Column("id", sa.Text, primary_key=True))
    with make_engine(None).connect() as conn:
        with schema_change(conn):
            _METADATA.create_all(conn)
            conn.execute(sa.insert(organizations).values(id="org"))
        yield conn


@contextmanager
def _undone(conn: sa.Connection) -> Iterator[None]:
    """A transaction of which nothing stays."""
    transaction = conn.begin()
    raw(conn).execute("BEGIN")
    try:
        yield
    finally:
        transaction.rollback()


THINGS = st.builds(
    Thing,
    id=st.uuids().map(str),
    name=st.none() | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    open=st.booleans(),
    tags=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5)).map(tuple),
    data=st.none() | st.dictionaries(st.sampled_from("abc"), st.integers(-(2**53), 2**53)),
    made_at=st.integers(0, 2**53),
)


@given(kept=st.lists(THINGS, unique_by=lambda one: one.id, max_size=3))
def test_a_value_comes_back_as_it_was_stored(
    rows: Rows[Thing], conn: sa.Connection, things: sa.Table, kept: list[Thing]
) -> None:
    """By an insert of each, read by a prepared statement and by Core."""
    read = rows.prepared(rows.select().order_by(things.c.id))
    with _undone(conn):
        for one in kept:
            rows.insert(conn, one, organization_id="org")

        assert sorted(kept, key=lambda one: one.id) == read.all(conn)
        assert sorted(kept, key=lambda one: one.id) == [
            rows.make(row) for row in conn.execute(rows.select().order_by(things.c.id))
        ]


def test_json_that_cannot_be_read_is_an_empty_value_or_an_error(
    rows: Rows[Thing], conn: sa.Connection, things: sa.Table
) -> None:
    """As was said for the member: one is passed over, the other fails the look-up."""
    one = Thing(id="thg", name=None, open=True, tags=("a",), data={"a": 1}, made_at=1)
    read = rows.prepared(rows.select())
    with _undone(conn):
        rows.insert(conn, one, organization_id="org")
        conn.execute(sa.update(things).values(labels="no JSON"))

        assert msgspec.structs.replace(one, tags=()) == read.one(conn)

        conn.execute(sa.update(things).values(data='{"a":"b"}'))
        with pytest.raises(msgspec.DecodeError):
            read.one(conn)


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a thing, with what is computed of others."""

    id: str
    tags: frozenset[str] | None
    is_named: bool
    where: str


@pytest.mark.parametrize("tags", [(), ("b", "a")])
def test_a_part_of_a_row_is_read_with_what_is_computed(
    rows: Rows[Thing], conn: sa.Connection, things: sa.Table, tags: tuple[str, ...]
) -> None:
    """By a prepared statement and by Core; a list is read as the set that the member is."""
    labels = Selection(
        Label,
        things,
        members={
            "tags": things.c.labels,
            "is_named": things.c.name.is_not(None),
            "where": sa.func.upper(things.c.organization_id),
        },
    )
    one = Thing(id="thg", name=None, open=True, tags=tags, data=None, made_at=1)
    of_org = labels.select(things.c.organization_id == "org")
    with _undone(conn):
        rows.insert(conn, one, organization_id="org")

        expected = Label(id="thg", tags=frozenset(tags), is_named=False, where="ORG")
        assert expected == labels.prepared(of_org).one(conn)
        assert expected == labels.one(conn, of_org)
        assert [expected] == labels.all(conn, of_org)
        assert labels.one(conn, of_org.where(things.c.id == "other")) is None


def test_json_that_may_be_none_stays_none_and_is_empty_where_it_cannot_be_read(
    rows: Rows[Thing], conn: sa.Connection, things: sa.Table
) -> None:
    """NULL says something else than what cannot be read."""
    data = Rows(
        things,
        Thing,
        renamed={"tags": "labels"},
        empty={"tags": tuple, "data": dict},
        beside=["organization_id"],
    )
    one = Thing(id="thg", name=None, open=True, tags=(), data=None, made_at=1)
    with _undone(conn):
        rows.insert(conn, one, organization_id="org")

        assert data.one(conn, data.select()) == one

        conn.execute(sa.update(things).values(data="no JSON"))
        assert data.one(conn, data.select()) == msgspec.structs.replace(one, data={})


def test_an_update_stores_members_and_columns_as_an_insert_does(
    rows: Rows[Thing], conn: sa.Connection, things: sa.Table
) -> None:
    """Those that are given, in the rows that are meant."""
    some = [
        Thing(id=id_, name="before", open=True, tags=("a",), data={"a": 1}, made_at=1) for id_ in ("a", "b")
    ]
    with _undone(conn):
        for one in some:
            rows.insert(conn, one, organization_id="org")
        conn.execute(rows.update(things.c.id == "a", tags=frozenset("cb"), data=None, made_at=2, version=7))

        assert rows.all(conn, rows.select().order_by(things.c.id)) == [
            msgspec.structs.replace(some[0], tags=("b", "c"), data=None, made_at=2),
            some[1],
        ]
        assert list(conn.scalars(sa.select(things.c.version).order_by(things.c.id))) == [7, 1]


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a thing, in columns of its own."""

    by: str


class Marked(msgspec.Struct, frozen=True, kw_only=True):
    """A thing that may be marked, with the organization that it is joined with."""

    id: str
    open: bool
    tags: tuple[str, ...]
    mark: Mark | None
    data: dict[str, int]
    made_at: int
    owner: str | None


@pytest.fixture(scope="module")
def marked(things: sa.Table) -> Rows[Marked]:
    """Things that may be marked."""
    return Rows(
        things,
        Marked,
        renamed={"tags": "labels"},
        members={
            "mark": Selection(Mark, things, members={"by": things.c.name}, optional=True),
            "owner": sa.func.upper(things.c.organization_id),
        },
        nulls=["data"],
        beside=["organization_id"],
    )


@pytest.mark.parametrize("mark", [None, Mark(by="Ada")], ids=["unmarked", "marked"])
@pytest.mark.parametrize("data", [{}, {"a": 1}], ids=["empty", "filled"])
def test_a_struct_in_a_struct_is_read_and_stored_with_it(
    marked: Rows[Marked], conn: sa.Connection, things: sa.Table, mark: Mark | None, data: dict[str, int]
) -> None:
    """It is None where a column that it needs is NULL. An empty one is NULL; what is joined is not stored."""
    one = Marked(id="thg", open=True, tags=("a",), mark=mark, data=data, made_at=1, owner=None)
    with _undone(conn):
        marked.insert(conn, one, organization_id="org")

        expected = msgspec.structs.replace(one, owner="ORG")
        assert expected == marked.prepared(marked.select()).one(conn)
        assert expected == marked.one(conn, marked.select())
        stored = sa.select(things.c.name, things.c.data)
        assert (mark and mark.by, '{"a":1}' if data else None) == conn.execute(stored).one()

        conn.execute(marked.update(data={}, mark=Mark(by="Grace")))
        assert (None, "Grace") == conn.execute(sa.select(things.c.data, things.c.name)).one()
        conn.execute(marked.update(mark=None))
        assert conn.scalars(sa.select(things.c.name)).one() is None


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What some readers want of a thing, and what they add."""

    id: str
    open: bool
    labels: str
    seen: list[str] = msgspec.field(default_factory=list)


def test_json_can_stay_text_and_a_member_have_its_default(
    rows: Rows[Thing], conn: sa.Connection, things: sa.Table
) -> None:
    """Of what is decoded later, or not at all; a flag is one either way."""
    parts = Selection(Part, things, undecoded=["labels"], defaulted=["seen"])
    one = Thing(id="thg", name=None, open=True, tags=("a",), data=None, made_at=1)
    with _undone(conn):
        rows.insert_many(conn, [one], organization_id="org")

        read = parts.prepared(parts.select()).one(conn)
        assert Part(id="thg", open=True, labels='["a"]') == read
        assert read is not None
        assert read.open is True


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """A thing whose labels are stored as they are given."""

    id: str
    open: bool
    labels: str
    made_at: int


def test_a_value_replaces_the_row_with_its_key(
    rows: Rows[Thing], conn: sa.Connection, things: sa.Table
) -> None:
    """Other rows stay as they are, and so do columns that are no members."""
    texts = Rows(things, Text, undecoded=["labels"], beside=["organization_id"])
    one, other = (
        Thing(id=name, name="before", open=True, tags=("a",), data=None, made_at=1) for name in ("one", "two")
    )
    with _undone(conn):
        rows.insert_many(conn, [one, other], organization_id="org")
        texts.replace(conn, Text(id="one", open=False, labels='["b"]', made_at=2))

        replaced = msgspec.structs.replace(one, open=False, tags=("b",), made_at=2)
        assert [replaced, other] == rows.all(conn, rows.select().order_by(things.c.id))
        conn.execute(texts.update(things.c.id == "two", labels='["c"]'))
        assert [replaced, msgspec.structs.replace(other, tags=("c",))] == rows.all(
            conn, rows.select().order_by(things.c.id)
        )


class Sum(msgspec.Struct, frozen=True, kw_only=True):
    """A thing with a member for two columns, and JSON as it is stored."""

    id: str
    open: bool
    labels: bytes
    data: dict[str, int] | None
    named_at: tuple[str, int]
    shout: str


@pytest.fixture(scope="module")
def sums(things: sa.Table) -> Rows[Sum]:
    """Things of which one member is in two columns."""
    return Rows(
        things,
        Sum,
        members={
            "named_at": Computed(
                [things.c.name, things.c.made_at], lambda name, at: (name or "", at), lambda value: value
            ),
            "shout": Computed([things.c.name], lambda name: (name or "").upper()),
        },
        beside=["organization_id"],
        alone=True,
    )


def test_a_member_is_computed_from_columns_and_stored_in_them(
    sums: Rows[Sum], conn: sa.Connection, things: sa.Table
) -> None:
    """One without a way to store it is only read. JSON of bytes is stored as it is."""
    one = Sum(id="thg", open=True, labels=b'["a"]', data=None, named_at=("Ada", 5), shout="")
    with _undone(conn):
        sums.insert(conn, one, organization_id="org")

        assert msgspec.structs.replace(one, shout="ADA") == sums.prepared(sums.select()).one(conn)
        columns = sa.select(things.c.name, things.c.made_at, things.c.labels)
        assert ("Ada", 5, '["a"]') == conn.execute(columns).one()

        conn.execute(sums.update(named_at=("Bob", 6), labels=b"[]", shout="no"))
        assert ("Bob", 6, "[]") == conn.execute(columns).one()


def test_text_that_is_no_utf_8_fails_for_its_row_alone(
    sums: Rows[Sum], conn: sa.Connection, things: sa.Table
) -> None:
    """Where it is decoded; the driver would fail for the whole statement."""
    one = Sum(id="one", open=True, labels=b"[]", data={"a": 1}, named_at=("Ada", 5), shout="ADA")
    with _undone(conn):
        sums.insert(conn, one, organization_id="org")
        sums.insert(conn, msgspec.structs.replace(one, id="two"), organization_id="org")
        broken = sa.cast(sa.literal(b'{"\xff": 1}'), sa.Text)
        conn.execute(sa.update(things).where(things.c.id == "one").values(data=broken))

        rows = conn.execute(sums.select().order_by(things.c.id)).all()
        with pytest.raises(UnicodeDecodeError):
            sums.make(rows[0])
        assert sums.make(rows[1]).data == {"a": 1}


class Unknown(Thing, frozen=True, kw_only=True):
    """It has a member that is stored nowhere."""

    colour: str


class Certain(msgspec.Struct, frozen=True, kw_only=True):
    """Its name cannot be None, and the column's can."""

    id: str
    name: str


class Small(msgspec.Struct, frozen=True, kw_only=True):
    """It leaves out what every row needs."""

    id: str
    made_at: int


@pytest.mark.parametrize(
    ("struct", "fault"),
    [
        (Unknown, "colour has no column"),
        (Certain, "name cannot be None"),
        (Small, "would forget labels, open"),
    ],
)
def test_what_does_not_fit_its_table_does_not_start(
    things: sa.Table, struct: type[msgspec.Struct], fault: str
) -> None:
    """A column that was added, or a member, and not the other."""
    renamed = {"tags": "labels"} if struct is Unknown else {}

    with pytest.raises(TypeError, match=fault):
        Rows(things, struct, renamed=renamed, beside=["organization_id"])
