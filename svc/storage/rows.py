"""Rows as structs: what a struct's members and a table's columns have to do with each other is said once.

A member is stored in the column of its name, or in the one that `renamed` has for it; JSON is encoded and
decoded as its column says. It is checked, and the functions for it are compiled, when a module is imported.

A struct that has a part of a table, or parts of several, is only read: by a `Selection`. As a member of
another struct it is stored with that, in columns of the same table.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import (
    Any,
    Final,
    Generic,
    NamedTuple,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
import sqlalchemy as sa

from svc.storage.readable import LenientDecoder
from svc.storage.schema import UNCONVERTED_FLAG, facts_of
from svc.storage.sql.expressions import Utf8
from svc.storage.statements import Statement

T = TypeVar("T", bound=msgspec.Struct)

Source: TypeAlias = "sa.ColumnElement[Any] | Selection[Any] | Computed"
"""What a member is read from: a column, an expression, the columns of a struct, or several by a function."""

_encode: Final = msgspec.json.Encoder().encode


class Computed(NamedTuple):
    """A member that is computed from *columns*: *read* takes what is stored in each.

    *store* returns what to store in each of them. Without it, the member is only read.
    """

    columns: Sequence["sa.ColumnElement[Any]"]
    read: Callable[..., Any]
    store: Callable[[Any], Sequence[Any]] | None = None


class Selection(Generic[T]):
    """Columns of one or more tables, read as values of *struct*.

    A member is what *members* has for it, or else the column of its name in the first of *tables* that has
    one. *empty* makes the value of a member whose JSON is NULL, where it may not be None, or cannot be read;
    without it, such JSON raises `msgspec.DecodeError`. *nulls* names members that are empty where NULL is
    stored, and stored as NULL where they are empty; *undecoded* those that have JSON as the text that is
    stored; *defaulted* those that have no column. An *optional* value is None where a column is NULL whose
    member cannot be None. With *alone*, JSON is read as bytes, so that text that is no UTF-8 fails where
    it is decoded, for its own row alone. JSON of a member that is `bytes` is read so, and not decoded.

    Raises `TypeError` for a member without a column, and for one that cannot be None where its column can be
    NULL.
    """

    def __init__(
        self,
        struct: type[T],
        *tables: sa.Table,
        members: Mapping[str, Source] | None = None,
        empty: Mapping[str, Callable[[], Any]] | None = None,
        nulls: Collection[str] = (),
        undecoded: Collection[str] = (),
        defaulted: Collection[str] = (),
        optional: bool = False,
        alone: bool = False,
    ) -> None:
        self._struct: Final = struct
        self._hints: Final = get_type_hints(struct)
        self._sources: Final[Mapping[str, Any]] = {
            member: _source_of(struct, member, tables, members or {})
            for member in struct.__struct_fields__
            if member not in defaulted
        }
        self._empty: Final = empty or {}
        self._nulls: Final = nulls
        self._raw: Final = {member for member in self._sources if _is_raw(self._hints[member])}
        self._undecoded: Final = {*undecoded, *self._raw}
        self._alone: Final = alone
        self._optional: Final = optional
        for member, source in self._sources.items():
            if _can_be_null(source) and self._needs(member) and not optional:
                raise TypeError(f"{struct.__name__}.{member} cannot be None, and {source} can be NULL")
        self.columns: Final = tuple(self._labelled())
        """The columns, in the order of the members and under their names."""
        self.fields: Final = tuple(column.key for column in self.columns)
        scope: dict[str, Any] = {}
        self.make: Final[Callable[[Sequence[Any]], T]] = _evaluated(
            f"lambda row: {self._made(0, scope)}", scope
        )
        """Makes a value of a row of `columns`."""

    def select(self, *where: sa.ColumnElement[bool]) -> sa.Select[Any]:
        """A statement with the rows for which *where* holds, to be joined, ordered or limited."""
        return sa.select(*self.columns).where(*where)

    def prepared(self, select: sa.Select[Any]) -> Statement[T]:
        """*select*, of `columns`, prepared: its rows are values."""
        return Statement(select, self)

    def all(self, conn: sa.Connection, select: sa.Select[Any]) -> list[T]:
        """All rows of *select*, of `columns`, which is made for this once."""
        return [self.make(row) for row in conn.execute(select)]

    def one(self, conn: sa.Connection, select: sa.Select[Any]) -> T | None:
        """The first row of *select*, of `columns`, if there is one."""
        row = conn.execute(select).first()
        return None if row is None else self.make(row)

    def _needs(self, member: str) -> bool:
        """Whether there is no value where the column of *member* is NULL."""
        return not (member in self._empty or member in self._nulls or _may_be_none(self._hints[member]))

    def _labelled(self, before: str = "") -> Iterator[Any]:
        """The columns, under the names of members; those of a part have its name *before* theirs."""
        for member, source in self._sources.items():
            name = before + member
            if isinstance(source, Selection):
                yield from source._labelled(f"{name}_")
            elif isinstance(source, Computed):
                yield from (column.label(f"{name}_{column.key}") for column in source.columns)
            else:
                column = _unconverted(source)
                if _is_json(source) and (self._alone or member in self._raw):
                    column = as_bytes(source)
                yield column if column.key == name else column.label(name)

    def _made(self, first: int, scope: dict[str, Any]) -> str:
        """The code of a value, whose columns begin at the place *first*, with its functions in *scope*."""
        scope[f"struct_{len(scope)}"] = self._struct
        call, place = f"struct_{len(scope) - 1}", first
        arguments, needed = [], []
        for member, source in self._sources.items():
            value = f"row[{place}]"
            if isinstance(source, Selection):
                arguments.append(f"{member}={source._made(place, scope)}")
                place += len(source.columns)
                continue
            if isinstance(source, Computed):
                scope[f"read_{place}"] = source.read
                stored = ", ".join(f"row[{place + n}]" for n, _ in enumerate(source.columns))
                arguments.append(f"{member}=read_{place}({stored})")
                place += len(source.columns)
                continue
            if self._needs(member):
                needed.append(f"{value} is None")
            if (read := self._reader(member, source)) is not None:
                scope[f"read_{place}"] = read
                value = f"read_{place}({value}, row[{first}])"
            elif _is_flag(source):
                value = f"(None if {value} is None else bool({value}))"
            arguments.append(f"{member}={value}")
            place += 1
        made = f"{call}({', '.join(arguments)})"
        return f"(None if {' or '.join(needed)} else {made})" if self._optional else made

    def _reader(self, member: str, source: Any) -> Callable[[Any, object], Any] | None:
        """What reads a stored value, and takes the id of its row; None where it is what is stored."""
        hint = self._hints[member]
        null = _empty_of(hint) if member in self._nulls else None
        if not self._is_json(member, source):
            return (lambda stored, _id: null if stored is None else stored) if member in self._nulls else None
        decoder = msgspec.json.Decoder(_decoded_as(source, hint))
        if member not in self._empty:
            return lambda stored, _id: null if stored is None else decoder.decode(stored)
        read = LenientDecoder(decoder, self._empty[member], source).read
        if _may_be_none(hint):
            return lambda stored, row_id: None if stored is None else read(stored, row_id)
        return read

    def _values(self, member: str, value: Any, source: Any) -> Iterator[tuple[str, Any]]:
        """The columns of a *member*, or of a column that is none, and what is stored of the *value*."""
        if isinstance(source, Selection):
            for inner, column in source._sources.items():
                yield from source._values(inner, None if value is None else getattr(value, inner), column)
        elif isinstance(source, Computed):
            stored = () if source.store is None else source.store(value)
            yield from zip((str(column.key) for column in source.columns), stored, strict=False)
        else:
            value = (value or None) if member in self._nulls else value
            value = to_text(value) if member in self._raw and _is_json(source) else value
            yield source.key, to_json(value) if self._is_json(member, source) else value

    def _stored(self, table: sa.Table, path: str, scope: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """The columns of *table* that are members, and the code of what is stored of the value at *path*.

        The functions of the code are added to *scope*.
        """
        for member, source in self._sources.items():
            value = f"{path}.{member}"
            if isinstance(source, Selection):
                stored = source._stored(table, value, scope)
                unless = f"None if {value} is None else " if source._optional else ""
                yield from ((column, f"({unless}{part})") for column, part in stored)
            elif isinstance(source, Computed):
                if source.store is not None:
                    name = f"store_{len(scope)}"
                    scope[name] = source.store
                    yield from (
                        (str(column.key), f"{name}({value})[{n}]") for n, column in enumerate(source.columns)
                    )
            elif isinstance(source, sa.Column) and source.table is table:
                value = f"({value} or None)" if member in self._nulls else value
                value = f"text({value})" if member in self._raw and _is_json(source) else value
                yield source.key, f"json({value})" if self._is_json(member, source) else value

    def _is_json(self, member: str, source: Any) -> bool:
        return member not in self._undecoded and _is_json(source)


class Rows(Selection[T]):
    """The rows of *table* as values of *struct*.

    *renamed* has the column of each member that is called otherwise; *members* has what is read from other
    tables and not stored, and selections of several columns. *empty*, *nulls*, *undecoded*, *defaulted* and
    *alone* are those of `Selection`. *beside* names the columns that are no members and are given with each
    insert.

    Raises `TypeError` as `Selection` does, and for a column that an insert would forget.
    """

    def __init__(
        self,
        table: sa.Table,
        struct: type[T],
        *,
        renamed: Mapping[str, str] | None = None,
        members: Mapping[str, Source] | None = None,
        empty: Mapping[str, Callable[[], Any]] | None = None,
        nulls: Collection[str] = (),
        undecoded: Collection[str] = (),
        defaulted: Collection[str] = (),
        beside: Sequence[str] = (),
        alone: bool = False,
    ) -> None:
        sources = {member: table.c[column] for member, column in (renamed or {}).items()}
        super().__init__(
            struct,
            table,
            members={**sources, **(members or {})},
            empty=empty,
            nulls=nulls,
            undecoded=undecoded,
            defaulted=defaulted,
            alone=alone,
        )
        scope: dict[str, Any] = {"json": to_json, "text": to_text}
        stored = dict(self._stored(table, "item", scope))
        _check_insert(table, struct, {*stored}, {*beside})
        self._table = table
        self._take: Callable[[T], dict[str, Any]] = _evaluated(
            f"lambda item: {{{', '.join(f'{column!r}: {part}' for column, part in stored.items())}}}",
            scope,
        )
        self._insert = Statement(
            sa.insert(table).values({name: sa.bindparam(name) for name in (*stored, *sorted(beside))})
        )

    def values(self, item: T) -> dict[str, Any]:
        """What is stored of *item*, by column."""
        return self._take(item)

    def insert(self, conn: sa.Connection, item: T, **beside: Any) -> None:
        """Store a new row, with the values of the columns that are named as `beside` the members."""
        values = self._take(item)
        self._insert.run(conn, values | beside if beside else values)

    def insert_many(self, conn: sa.Connection, items: Iterable[T], **beside: Any) -> None:
        """Store new rows by one statement; what is `beside` the members is the same in each."""
        self._insert.many(conn, [self._take(item) | beside for item in items])

    def replace(self, conn: sa.Connection, item: T) -> None:
        """Store all members of *item* in the row that has its primary key."""
        self._replace.run(conn, self._take(item))

    @cached_property
    def _replace(self) -> Statement[Any]:
        key = self._table.primary_key.columns
        others = [name for name, _ in self._stored(self._table, "item", {}) if name not in key]
        return Statement(
            sa.update(self._table)
            .where(*(column == sa.bindparam(column.key) for column in key))
            .values({name: sa.bindparam(name) for name in others})
        )

    def update(self, *where: sa.ColumnElement[bool], **members: Any) -> sa.Update:
        """A statement that stores these *members*, or columns, of the rows for which *where* holds."""
        values: dict[str, Any] = {}
        for name, value in members.items():
            source = self._sources[name] if name in self._sources else self._table.c[name]
            values.update(self._values(name, value, source))
        return sa.update(self._table).where(*where).values(values)


def _source_of(
    struct: type[msgspec.Struct], member: str, tables: Sequence[sa.Table], members: Mapping[str, Source]
) -> Any:
    found = [members[member]] if member in members else [of.c[member] for of in tables if member in of.c]
    if not found:
        where = " or ".join(str(of.name) for of in tables)
        raise TypeError(f"{struct.__name__}.{member} has no column {member} in {where}")
    return found[0]


def _check_insert(table: sa.Table, struct: type[msgspec.Struct], named: set[str], beside: set[str]) -> None:
    required = {
        column.key for column in table.columns if not column.nullable and column.server_default is None
    }
    if forgotten := required - named - beside:
        raise TypeError(f"an insert of {struct.__name__} would forget {', '.join(sorted(forgotten))}")
    if unknown := beside - {*table.c.keys()}:
        raise TypeError(f"{table.name} has no {', '.join(sorted(unknown))}")


def _can_be_null(column: Any) -> bool:
    """Whether a column can be NULL; of an expression it is not known."""
    return isinstance(column, sa.Column) and bool(column.nullable)


def _may_be_none(hint: Any) -> bool:
    return hint is Any or (get_origin(hint) in (Union, UnionType) and NoneType in get_args(hint))


def _is_json(column: Any) -> bool:
    return isinstance(column, sa.Column) and facts_of(column).json is not None


def _is_flag(source: Any) -> bool:
    return isinstance(source, sa.Column) and isinstance(source.type, sa.Boolean)


def as_bytes(column: "sa.ColumnElement[Any]") -> "sa.Label[bytes]":
    """The column of text as bytes, so that text that is no UTF-8 fails where it is decoded."""
    return Utf8(column).label(str(column.key))


def _is_raw(hint: Any) -> bool:
    """Whether a member is `bytes`, or None."""
    return hint in (bytes, bytes | None)


def _unconverted(source: Any) -> Any:
    """A column of flags as the driver has them: to convert one takes as long as the rest of a row."""
    return sa.type_coerce(source, UNCONVERTED_FLAG).label(source.key) if _is_flag(source) else source


def _decoded_as(column: "sa.Column[Any]", hint: Any) -> Any:
    """The type that JSON is decoded as: the member's, which may be a set where its column says a list."""
    some = tuple(arg for arg in get_args(hint) if arg is not NoneType)
    plain = Union[some] if get_origin(hint) in {Union, UnionType} else hint  # noqa: UP007  # of a tuple
    return facts_of(column).json if plain is Any else plain


def _empty_of(hint: Any) -> Any:
    """The empty value of a type."""
    return (get_origin(hint) or hint)()


def to_json(value: Any) -> str | None:
    """*value* as a column of JSON has it: a set in the order of its members. None stays NULL."""
    if value is None:
        return None
    return _encode(sorted(value) if isinstance(value, frozenset) else value).decode()


def to_text(value: bytes | None) -> str | None:
    """JSON that is encoded already, as a column has it. None stays NULL."""
    return None if value is None else value.decode()


@cache
def _code(source: str) -> Any:
    return compile(source, "<rows>", "eval")


def _evaluated(source: str, scope: dict[str, Any]) -> Any:
    """The function of *source*, which is made of names of members alone, as `namedtuple` makes classes."""
    return eval(_code(source), scope)  # noqa: S307  # no input of anybody's is in it
