"""Records beside a plain model of them: whatever is done, lists and searches say the same."""

from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from svc.domain.errors import Conflict
from svc.domain.properties import Property
from svc.domain.queries import CREATED_AT, UPDATED_AT, Filter, Sort
from svc.storage import (
    objects,
    record_index,
    record_lists,
    record_merges,
    record_search,
    record_upserts,
    records,
    search_words,
)
from tests.storage.ledger import API, ledger

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
FILTERS = st.one_of(
    st.builds(
        Filter,
        st.just("name"),
        st.sampled_from(["eq", "neq", "contains", "starts_with"]),
        st.sampled_from([*NAMES, "a"]),
    ),
    st.builds(
        Filter,
        st.just("name"),
        st.sampled_from(["in", "not_in"]),
        st.lists(st.sampled_from(NAMES), min_size=1),
    ),
    st.builds(
        Filter,
        st.just("score"),
        st.sampled_from(["eq", "neq", "gt", "gte", "lt", "lte"]),
        st.sampled_from(SCORES),
    ),
    st.builds(Filter, st.just("tag"), st.sampled_from(["eq", "neq"]), st.sampled_from(TAGS)),
    st.builds(
        Filter, st.just("tag"), st.sampled_from(["in", "not_in"]), st.lists(st.sampled_from(TAGS), min_size=1)
    ),
    st.builds(
        Filter,
        st.sampled_from(["name", "score", "tag", "code"]),
        st.sampled_from(["is_empty", "is_not_empty"]),
    ),
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


def fold(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def holds(asked: Filter, value: Any) -> Any:
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


class Records(RuleBasedStateMachine):
    live = Bundle("live")
    deleted = Bundle("deleted")

    def __init__(self) -> None:
        super().__init__()
        self.opened = ledger()
        self.here = self.opened.__enter__()
        self.org = self.here.organization
        self.model: dict[str, dict[str, Any]] = {}
        self.gone: dict[str, dict[str, Any]] = {}
        self.merged: dict[str, str] = {}

    def teardown(self) -> None:
        self.opened.__exit__(None, None, None)

    @initialize(indexed=st.sets(st.sampled_from(["name", "score", "tag", "code"])))
    def make_object(self, indexed: set[str]) -> None:
        write = self.here.write
        write(objects.create, self.org.id, "thing", "Thing", "Things")
        for prop in (
            Property(slug="score", label="Score", type="number"),
            Property(slug="tag", label="Tag", type="select", options=tuple(TAGS)),
            Property(slug="code", label="Code", type="text", unique=True),
        ):
            write(objects.create_property, self.org.id, "thing", prop)
        self.index(indexed)

    @rule(slugs=st.sets(st.sampled_from(["name", "score", "tag", "code"])), batch=st.sampled_from([1, 100]))
    def index(self, slugs: set[str], batch: int = 100) -> None:
        of = objects.get(self.here.conn, self.org.id, "thing")
        self.here.write(record_index.want, self.org.id, [of.properties[slug].id for slug in slugs])
        self.here.write(record_index.build, self.org.id, batch)

    def taken(self, values: dict[str, Any], mine: str | None = None) -> bool:
        code = fold(values.get("code"))
        return code is not None and any(
            fold(one.get("code")) == code for key, one in self.model.items() if key != mine
        )

    def keep(self, record: records.Record, values: dict[str, Any]) -> None:
        values = {slug: value for slug, value in values.items() if value is not None}
        assert values == record.properties
        times = {CREATED_AT: record.created_at, UPDATED_AT: record.updated_at}
        self.model[record.id] = values | times

    def stored(self, record_id: str) -> dict[str, Any]:
        return {
            slug: one for slug, one in self.model[record_id].items() if slug not in {CREATED_AT, UPDATED_AT}
        }

    @rule(target=live, values=VALUES)
    def create(self, values: dict[str, Any]) -> Any:
        if self.taken(values):
            with pytest.raises(Conflict):
                self.here.write(records.create, self.org, "thing", values, source=API)
            return multiple()
        record = self.here.write(records.create, self.org, "thing", values, source=API)
        self.keep(record, values)
        return record.id

    @rule(record_id=live, values=VALUES)
    def update(self, record_id: str, values: dict[str, Any]) -> None:
        if record_id not in self.model:
            return
        after = self.stored(record_id) | values
        if self.taken(after, record_id):
            with pytest.raises(Conflict):
                self.here.write(records.update_one, self.org, "thing", record_id, values, source=API)
            return
        record = self.here.write(records.update_one, self.org, "thing", record_id, values, source=API)
        self.keep(record, after)

    @rule(target=live, code=st.sampled_from(CODES), values=VALUES)
    def upsert(self, code: str, values: dict[str, Any]) -> Any:
        values = values | {"code": code}
        known = [key for key, one in self.model.items() if fold(one.get("code")) == fold(code)]
        record, made = self.here.write(record_upserts.upsert, self.org, "thing", "code", values, source=API)
        assert (not known, known or [record.id]) == (made, [record.id])
        self.keep(record, (self.stored(record.id) if known else {}) | values)
        return record.id

    @rule(target=deleted, record_id=consumes(live))
    def delete(self, record_id: str) -> Any:
        if record_id not in self.model:
            return multiple()
        self.here.write(records.delete_one, self.org.id, "thing", record_id, source=API)
        self.gone[record_id] = self.model.pop(record_id)
        return record_id

    @rule(target=live, record_id=consumes(deleted))
    def restore(self, record_id: str) -> Any:
        if record_id not in self.gone or self.taken(self.gone[record_id]):
            return multiple()
        record = self.here.write(records.restore, self.org.id, "thing", record_id, source=API)
        self.model[record_id] = self.gone.pop(record_id) | {UPDATED_AT: record.updated_at}
        return record_id

    @rule(survivor=live, merged=live)
    def merge(self, survivor: str, merged: str) -> None:
        if survivor == merged or not {survivor, merged} <= self.model.keys():
            return
        taken = self.stored(merged)
        record = self.here.write(record_merges.merge, self.org.id, "thing", survivor, merged, source=API)
        del self.model[merged]
        self.merged[merged] = survivor
        self.keep(record, taken | self.stored(survivor))

    @rule(filters=st.lists(FILTERS, max_size=2), sorts=SORTS, limit=st.integers(1, 7))
    def list_all(self, filters: list[Filter], sorts: list[Sort], limit: int) -> None:
        matching = {
            key: values
            for key, values in self.model.items()
            if all(holds(one, values.get(one.property)) for one in filters)
        }
        expected = [key for key, _ in sorted(matching.items(), key=comparing(sorts))]
        listed: list[str] = []
        cursor = None
        while True:
            page = record_lists.list_page(
                self.here.conn,
                self.org.id,
                "thing",
                country="DE",
                filters=filters,
                sort=sorts,
                cursor=cursor,
                limit=limit,
            )
            listed += [one.id for one in page.records]
            assert len(page.records) <= limit
            cursor = page.next_cursor
            if cursor is None:
                break
        assert expected == listed
        counted = record_lists.count(self.here.conn, self.org.id, "thing", country="DE", filters=filters)
        assert len(expected) == counted

    @rule(
        query=st.sampled_from(
            ["ada", "love", "anne", "strasse", "Zoë ada", "won", "x2", '"', "ada*", "a OR b"]
        )
    )
    def search(self, query: str) -> None:
        hits = record_search.search(self.here.conn, self.org.id, query, object_slug="thing", limit=50)

        plain = {"anne": "änne", "strasse": "strasse"}.get(query, query.casefold())
        wanted = plain.replace("*", "").replace('"', "").split()
        found = set()
        for key, values in self.model.items():
            words = " ".join(str(values.get(slug, "")).casefold() for slug in ("name", "tag", "code")).split()
            whole = all(word in words for word in wanted[:-1])
            if (
                wanted
                and whole
                and any(
                    word == wanted[-1] or (len(wanted[-1]) > 2 and word.startswith(wanted[-1]))
                    for word in words
                )
            ):
                found.add(key)
        assert found == {hit.record.id for hit in hits}

    @invariant()
    def a_merged_record_leads_to_its_survivor(self) -> None:
        for merged, survivor in self.merged.items():
            while survivor in self.merged:
                survivor = self.merged[survivor]
            if survivor in self.model:
                found = records.get(self.here.conn, self.org.id, "thing", merged)
                assert survivor == found.id


def test_records_do_what_a_plain_model_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any sequence of writes leaves lists, counts and searches as the model has them, indexed or not."""
    monkeypatch.setattr(search_words, "BLOCK_ROWS", 3)
    run_state_machine_as_test(
        Records,
        settings=settings(
            max_examples=60,
            stateful_step_count=40,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
