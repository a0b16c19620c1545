"""Operators of filters and of measures, as properties have them by their kind."""

from typing import Final, Literal

Op = Literal[
    "eq",
    "neq",
    "in",
    "not_in",
    "contains",
    "starts_with",
    "gt",
    "gte",
    "lt",
    "lte",
    "is_empty",
    "is_not_empty",
]
MeasureOp = Literal["count", "sum", "avg", "min", "max"]

NO_VALUE: Final[frozenset[Op]] = frozenset({"is_empty", "is_not_empty"})
AMONG: Final[frozenset[Op]] = frozenset({"in", "not_in"})

EQUAL: Final[frozenset[Op]] = frozenset({"eq", "neq", *NO_VALUE})
"""What every kind has."""
LISTED: Final = EQUAL | AMONG
RANGED: Final[frozenset[Op]] = frozenset({*LISTED, "gt", "gte", "lt", "lte"})
CONTAINED: Final[frozenset[Op]] = frozenset({*LISTED, "contains"})
SEARCHED: Final[frozenset[Op]] = frozenset({*CONTAINED, "starts_with"})

COUNTED: Final[frozenset[MeasureOp]] = frozenset({"count"})
"""What every kind has."""
RANKED: Final[frozenset[MeasureOp]] = frozenset({*COUNTED, "min", "max"})
SUMMED: Final[frozenset[MeasureOp]] = frozenset({*RANKED, "sum", "avg"})
