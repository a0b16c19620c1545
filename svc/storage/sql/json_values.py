"""Values in JSON columns, which are text.

In SQLite a column that is no JSON has no values, as such a row is left out elsewhere
(https://www.sqlite.org/json1.html). In PostgreSQL a constraint of the table keeps other text out.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal, assert_never

import msgspec
import sqlalchemy as sa

from svc.domain.locale.time_zones import Offset
from svc.storage.sql.expressions import Condition, DateOf, Expression

ValueKind = Literal["text", "number", "boolean"]
"""What a member of an object is. True is 1, and an array as text is its JSON."""


class _Path(sa.TypeDecorator[str]):
    """The name of a member, as the database takes it."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        return f"$.{value}" if dialect.name == "sqlite" else value


class _IsJson(Condition):
    inherit_cache = True
    sqlite = "json_valid({0}) = 1"
    postgresql = "{0} IS NOT NULL"


# Every function of a row shares one parsed text in SQLite, so the check costs next to nothing.
_EXTRACTED: Final = "CASE WHEN json_valid({0}) THEN json_extract({0}, {1}) END"


class _TextMember(Expression):
    inherit_cache = True
    type = sa.Text()
    sqlite = _EXTRACTED
    postgresql = "{0}::json ->> {1}"


class _NumberMember(Expression):
    inherit_cache = True
    type = sa.types.NullType()
    sqlite = _EXTRACTED
    postgresql = "CASE json_typeof({0}::json -> {1}) WHEN 'number' THEN ({0}::json ->> {1})::numeric END"


class _BooleanMember(Expression):
    inherit_cache = True
    type = sa.Integer()
    sqlite = _EXTRACTED
    postgresql = "CASE {0}::json ->> {1} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"


class _HasItem(Condition):
    inherit_cache = True
    sqlite = (
        "EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid({0}) THEN {0} END, {1}) AS item"
        " WHERE item.value IN (SELECT value FROM json_each({2})))"
    )
    postgresql = (
        "EXISTS (SELECT 1 FROM json_array_elements_text("
        "CASE json_typeof({0}::json -> {1}) WHEN 'array' THEN {0}::json -> {1} END) AS item(value)"
        " WHERE item.value IN (SELECT value FROM json_array_elements_text({2}::json)))"
    )


class _Joined(Expression):
    inherit_cache = True
    type = sa.Text()
    sqlite = (
        "SELECT group_concat(item.value, {2})"
        " FROM json_each(CASE WHEN json_valid({0}) THEN {0} END, {1}) AS item"
    )
    postgresql = (
        "SELECT string_agg(item.value, {2} ORDER BY item.place) FROM json_array_elements_text("
        "CASE json_typeof({0}::json -> {1}) WHEN 'array' THEN {0}::json -> {1} END)"
        " WITH ORDINALITY AS item(value, place)"
    )


class _IsItem(Condition):
    inherit_cache = True
    sqlite = "{0} IN (SELECT value FROM json_each({1}))"
    postgresql = "{0} IN (SELECT value FROM json_array_elements_text({1}::json))"


def is_readable(column: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Whether *column* is JSON."""
    return _IsJson(column)


def value(column: sa.ColumnElement[str], member: str, kind: ValueKind) -> sa.ColumnElement[Any]:
    """The *member* of the object in *column*; NULL for none."""
    match kind:
        case "text":
            return _TextMember(column, _path(member))
        case "number":
            return _NumberMember(column, _path(member))
        case "boolean":
            return _BooleanMember(column, _path(member))
        case _:
            assert_never(kind)


def has_item(column: sa.ColumnElement[str], member: str, wanted: Sequence[str]) -> sa.ColumnElement[bool]:
    """Whether the array that is the *member* of the object in *column* has any of *wanted*."""
    return _HasItem(column, _path(member), array_of(wanted))


def is_item(text: sa.ColumnElement[str], array: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Whether *text* is an item of *array*: a list of any length, in a statement that stays the same."""
    return _IsItem(text, array)


def array_of(texts: Sequence[str]) -> sa.ColumnElement[str]:
    """*texts* as an array."""
    return sa.literal(msgspec.json.encode(texts).decode(), sa.Text())


def joined(column: sa.ColumnElement[str], member: str, separator: str) -> sa.ColumnElement[str]:
    """The items of the array that is the *member* of the object in *column*; NULL for none."""
    return _Joined(column, _path(member), sa.bindparam(None, separator, type_=sa.Text()))


def local_day(at: sa.ColumnElement[int], offsets: Sequence[Offset]) -> sa.ColumnElement[str]:
    """The date of a time in seconds since the epoch, where clocks have the *offsets*, the latest first."""
    *later, first = offsets
    if not later:
        return DateOf(at + _plain(first.seconds))
    offset = sa.case(
        *((at >= _plain(one.since), _plain(one.seconds)) for one in later), else_=_plain(first.seconds)
    )
    return DateOf(at + offset)


def _path(member: str) -> sa.BindParameter[str]:
    return sa.bindparam(None, member, type_=_Path())


def _plain(number: int) -> sa.ColumnElement[int]:
    """A number in the text of the statement: a time zone has many."""
    return sa.literal_column(str(number), sa.Integer)
