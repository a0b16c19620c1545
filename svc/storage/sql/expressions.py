"""Expressions whose SQL differs by database, each said for all of them in one place."""

from typing import Any, ClassVar

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class Expression(FunctionElement[Any]):
    """An expression of its arguments, which are `{0}`, `{1}` and so on in the SQL of each database."""

    sqlite: ClassVar[str]
    postgresql: ClassVar[str]


@compiles(Expression)
def _compile(expression: Expression, compiler: SQLCompiler, **options: Any) -> str:
    sql: str = getattr(type(expression), compiler.dialect.name)
    # In parentheses, as they may stand in another expression.
    return f"({sql.format(*(compiler.process(argument, **options) for argument in expression.clauses))})"


class Condition(Expression):
    """An expression that holds or does not.

    It has no type: as a boolean it was compared with 1 where a database has none, and found by no index.
    """

    inherit_cache = True
    type = sa.types.NullType()


class Utf8(Expression):
    """The bytes of a text."""

    inherit_cache = True
    type = sa.LargeBinary()
    sqlite = "CAST({0} AS BLOB)"
    postgresql = "convert_to({0}, 'UTF8')"


class Folded(Expression):
    """A text as texts are compared, `sort_keys.fold`; NULL for none."""

    inherit_cache = True
    type = sa.Text()
    # A call of Python for each row would wait for the interpreter's lock each time, so ASCII needs none.
    sqlite = (
        "CASE WHEN length({0}) = length(CAST({0} AS BLOB)) THEN lower({0})"
        " WHEN {0} IS NOT NULL THEN svc_fold({0}) END"
    )
    postgresql = "svc_fold({0})"


class PlaceIn(Expression):
    """Where the second text begins in the first, or bytes in bytes, from 1; 0 if it is not in it."""

    inherit_cache = True
    type = sa.Integer()
    sqlite = "instr({0}, {1})"
    postgresql = "position({1} in {0})"


class Seconds(Expression):
    """The seconds since the epoch of a time as text."""

    inherit_cache = True
    type = sa.BigInteger()
    sqlite = "CAST(strftime('%s', {0}) AS INTEGER)"
    postgresql = "floor(extract(epoch FROM CAST({0} AS timestamptz)))::bigint"


class DateOf(Expression):
    """The date of a time in seconds since the epoch, as text."""

    inherit_cache = True
    type = sa.Text()
    sqlite = "date({0}, 'unixepoch')"
    postgresql = "to_char(to_timestamp({0}) AT TIME ZONE 'UTC', 'YYYY-MM-DD')"


class DurationSeconds(Expression):
    """The seconds of a duration as it is stored, `PT…H…M…S`; NULL for none."""

    inherit_cache = True
    type = sa.BigInteger()
    # A cast to a number takes the digits that a text begins with.
    sqlite = (
        "CASE WHEN {0} IS NOT NULL THEN"
        " CASE WHEN instr({0}, 'H') > 0 THEN CAST(substr({0}, 3) AS INTEGER) * 3600 ELSE 0 END"
        " + CASE WHEN instr({0}, 'M') > 0"
        " THEN CAST(substr({0}, max(2, instr({0}, 'H')) + 1) AS INTEGER) * 60 ELSE 0 END"
        " + CASE WHEN instr({0}, 'S') > 0"
        " THEN CAST(substr({0}, max(2, instr({0}, 'H'), instr({0}, 'M')) + 1) AS INTEGER) ELSE 0 END"
        " END"
    )
    postgresql = (
        "CASE WHEN {0} IS NOT NULL THEN coalesce(substring({0} from '([0-9]+)H')::bigint * 3600, 0)"
        " + coalesce(substring({0} from '([0-9]+)M')::bigint * 60, 0)"
        " + coalesce(substring({0} from '([0-9]+)S')::bigint, 0) END"
    )


class Truncated(Expression):
    """A number without its decimals."""

    inherit_cache = True
    type = sa.BigInteger()
    sqlite = "CAST({0} AS INTEGER)"
    postgresql = "trunc({0})::bigint"


class Total(Expression):
    """The sum of numbers as one with decimals; 0.0 of none."""

    inherit_cache = True
    type = sa.Float()
    sqlite = "total({0})"
    postgresql = "coalesce(sum({0}), 0)::double precision"


class Whole(Expression):
    """A sum of whole numbers that is one as well."""

    inherit_cache = True
    type = sa.BigInteger()
    sqlite = "sum({0})"
    postgresql = "sum({0})::bigint"
