"""A plain model of records for stateful tests: what may be asked of them, and what a list then says."""

from collections.abc import Callable
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

import hypothesis.strategies as st

from svc.domain.records.aggregates import Measure
from svc.domain.records.properties import Property
from svc.domain.records.queries import CREATED_AT, UPDATED_AT, Filter, PlainFilter, Sort

NAMES = ["Ada", "ada lovelace", "Bob", "ÄNNE", "Straße", "Zoë Ada", "a" * 150, "a" * 150 + "b"]
SCORES = [-3, 0, 0.5, 2, 10, 1e9]
TAGS = ["New", "Won", "Lost"]
CODES = ["x1", "X2", "x3"]

VALUES = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from([*NAMES, None]),
        "score": st.sampled_from([*SCORES, None]),
        "tag": st.sampled_from([*TAGS, None]),
        "code": st.sampled_from([*CODES, None]),
    },
)


def is_empty(values: dict[str, Any]) -> bool:
    """Whether nothing is said, so that no record is made of it."""
    return all(value is None for value in values.values())


_PLAIN = st.one_of(
    st.builds(
        PlainFilter,
        st.just("name"),
        st.sampled_from(["eq", "neq", "contains", "starts_with"]),
        st.sampled_from([*NAMES, "a"]),
    ),
    st.builds(
        PlainFilter,
        st.just("name"),
        st.sampled_from(["in", "not_in"]),
        st.lists(st.sampled_from(NAMES), min_size=1),
    ),
    st.builds(
        PlainFilter,
        st.just("score"),
        st.sampled_from(["eq", "neq", "gt", "gte", "lt", "lte"]),
        st.sampled_from(SCORES),
    ),
    st.builds(PlainFilter, st.just("tag"), st.sampled_from(["eq", "neq"]), st.sampled_from(TAGS)),
    st.builds(
        PlainFilter,
        st.just("tag"),
        st.sampled_from(["in", "not_in"]),
        st.lists(st.sampled_from(TAGS), min_size=1),
    ),
    st.builds(
        PlainFilter,
        st.sampled_from(["name", "score", "tag", "code"]),
        st.sampled_from(["is_empty", "is_not_empty"]),
    ),
)
FILTERS = st.one_of(
    _PLAIN.map(lambda plain: Filter(plain.property, plain.op, plain.value)),
    st.lists(_PLAIN, min_size=1, max_size=3).map(lambda several: Filter(any=tuple(several))),
)
SORTS = st.lists(
    st.builds(
        Sort,
        st.sampled_from(["name", "score", "tag", CREATED_AT, UPDATED_AT]),
        st.sampled_from(["asc", "desc"]),
    ),
    max_size=3,
    unique_by=lambda sort: sort.property,
)


QUERIES = ["ada", "love", "anne", "strasse", "Zoë ada", "won", "x2", '"', "ada*", "a OR b"]
PROPERTIES = (
    Property(slug="score", label="Score", type="number"),
    Property(slug="tag", label="Tag", type="select", options=tuple(TAGS)),
    Property(slug="code", label="Code", type="text", unique=True),
)
"""Beside the name that every object has."""

Model = dict[str, dict[str, Any]]
"""Values by id, the two times among them."""


def fold(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def holds(asked: PlainFilter, value: Any) -> Any:
    wanted = [fold(one) for one in asked.value] if isinstance(asked.value, list) else fold(asked.value)
    match asked.op:
        case "is_empty" | "is_not_empty":
            return (value is None) == (asked.op == "is_empty")
        case "neq":
            return fold(value) != wanted
        case "not_in":
            return fold(value) not in wanted
    if value is None:
        return False
    have = fold(value)
    tests: dict[str, Callable[[], Any]] = {
        "eq": lambda: have == wanted,
        "in": lambda: have in wanted,
        "contains": lambda: wanted in have,
        "starts_with": lambda: have.startswith(wanted),
        "gt": lambda: have > wanted,
        "gte": lambda: have >= wanted,
        "lt": lambda: have < wanted,
        "lte": lambda: have <= wanted,
    }
    return tests[asked.op]()


def comparing(sorts: list[Sort]) -> Any:
    """How two of the model's records compare; a text counts as far as its first 96 bytes."""
    keys = sorts or [Sort(CREATED_AT, "desc")]

    def compare(a: tuple[str, dict[str, Any]], b: tuple[str, dict[str, Any]]) -> int:
        for key in keys:
            one, other = (fold(values.get(key.property)) for _, values in (a, b))
            if one is None or other is None:
                if (one is None) != (other is None):
                    return 1 if one is None else -1
                continue
            if isinstance(one, str):
                one, other = one.encode()[:96], other.encode()[:96]
            if one != other:
                return (1 if one > other else -1) * (-1 if key.direction == "desc" else 1)
        return (1 if a[0] > b[0] else -1) * (-1 if keys[0].direction == "desc" else 1)

    return cmp_to_key(compare)


def listed(model: Model, filters: list[Filter], sorts: list[Sort]) -> list[str]:
    """The ids for which the filters hold, in the order of the sorts."""
    matching = {
        key: values
        for key, values in model.items()
        if all(any(holds(one, values.get(one.property)) for one in group.plain()) for group in filters)
    }
    return [key for key, _ in sorted(matching.items(), key=comparing(sorts))]


def aggregated(model: Model, filters: list[Filter], group_by: list[str]) -> dict[tuple[Any, ...], list[Any]]:
    """Of each group, by its key, how many records and scores there are, and what the scores come to."""
    groups: dict[tuple[Any, ...], list[Any]] = {} if group_by else {(): []}
    for key in listed(model, filters, []):
        values = model[key]
        groups.setdefault(tuple(values.get(slug) for slug in group_by), []).append(values.get("score"))
    return {key: _measured(scores) for key, scores in groups.items()}


MEASURES = [
    Measure("count"),
    *(Measure(op, "score") for op in ("count", "sum", "avg", "min", "max")),
]
"""What `aggregated` measures."""


def _measured(scores: list[Any]) -> list[Any]:
    there = [score for score in scores if score is not None]
    if not there:
        return [len(scores), 0, 0, None, None, None]
    total = sum(Fraction(str(score)) for score in there)
    return [len(scores), len(there), float(total), float(total / len(there)), min(there), max(there)]


def found(model: Model, query: str) -> set[str]:
    """The ids of what a search for one of `QUERIES` finds."""
    plain = {"anne": "änne", "strasse": "strasse"}.get(query, query.casefold())
    *whole, last = plain.replace("*", "").replace('"', "").split() or [""]
    ids = set()
    for key, values in model.items():
        words = " ".join(str(values.get(slug, "")).casefold() for slug in ("name", "tag", "code")).split()
        begun = any(word == last or (len(last) > 2 and word.startswith(last)) for word in words)
        if last and begun and all(word in words for word in whole):
            ids.add(key)
    return ids


def is_taken(model: Model, code: str | None, mine: str | None = None) -> bool:
    """Whether another record has this unique code."""
    return code is not None and any(
        fold(one.get("code")) == fold(code) for key, one in model.items() if key != mine
    )
