"""Records beside a plain model of them: whatever is done, lists and searches say the same."""

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

from svc.domain.errors import Conflict, InvalidInput
from svc.domain.records.aggregates import parse_aggregation
from svc.domain.records.queries import CREATED_AT, UPDATED_AT, Filter, Sort, parse
from svc.storage.pages import Total
from svc.storage.records import merges as record_merges
from svc.storage.records import objects, properties, records
from svc.storage.records import rows as record_rows
from svc.storage.records.listing import aggregates, index_builds, search_words
from svc.storage.records.listing import counts as record_counts
from svc.storage.records.listing import lists as record_lists
from svc.storage.records.listing import search as record_search
from tests.index_parts import build_some
from tests.record_model import (
    CODES,
    FILTERS,
    MEASURES,
    PROPERTIES,
    QUERIES,
    SORTS,
    VALUES,
    aggregated,
    fold,
    found,
    is_empty,
    is_taken,
    listed,
)
from tests.storage.ledger import API, ledger


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
        for prop in PROPERTIES:
            write(properties.create, self.org.id, "thing", prop)
        self.index(indexed)

    @rule(slugs=st.sets(st.sampled_from(["name", "score", "tag", "code"])), batch=st.sampled_from([1, 100]))
    def index(self, slugs: set[str], batch: int = 100) -> None:
        of = objects.get(self.here.conn, self.org.id, "thing")
        self.here.write(index_builds.want, self.org.id, [of.properties[slug].id for slug in slugs])
        self.here.write(build_some, self.org.id, batch)

    def taken(self, values: dict[str, Any], mine: str | None = None) -> bool:
        return is_taken(self.model, values.get("code"), mine)

    def keep(self, record: record_rows.Record, values: dict[str, Any]) -> None:
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
        if is_empty(values):
            with pytest.raises(InvalidInput):
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
                self.here.write(records.update, self.org, "thing", record_id, values, source=API)
            return
        record = self.here.write(records.update, self.org, "thing", record_id, values, source=API)
        self.keep(record, after)

    @rule(target=live, code=st.sampled_from(CODES), values=VALUES)
    def upsert(self, code: str, values: dict[str, Any]) -> Any:
        values = values | {"code": code}
        known = [key for key, one in self.model.items() if fold(one.get("code")) == fold(code)]
        record, made = self.here.write(records.upsert, self.org, "thing", "code", values, source=API)
        assert (not known, known or [record.id]) == (made, [record.id])
        self.keep(record, (self.stored(record.id) if known else {}) | values)
        return record.id

    @rule(target=deleted, record_id=consumes(live))
    def delete(self, record_id: str) -> Any:
        if record_id not in self.model:
            return multiple()
        self.here.write(records.delete, self.org.id, "thing", record_id, source=API)
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
        expected = listed(self.model, filters, sorts)
        ids: list[str] = []
        cursor = None
        while True:
            page = record_lists.list_page(
                self.here.conn,
                objects.get(self.here.conn, self.org.id, "thing"),
                country="DE",
                filters=filters,
                sort=sorts,
                cursor=cursor,
                limit=limit,
                total=True,
            )
            assert Total(len(expected), exact=True) == page.total
            ids += [one.id for one in page.records]
            assert len(page.records) <= limit
            cursor = page.next_cursor
            if cursor is None:
                break
        assert expected == ids
        counted = record_counts.count(
            self.here.conn, self.org.id, "thing", country="DE", filters=filters
        ).many
        assert len(expected) == counted

    @rule(
        filters=st.lists(FILTERS, max_size=2),
        group_by=st.lists(st.sampled_from(["name", "score", "tag", "code"]), max_size=2, unique=True),
    )
    def aggregate(self, filters: list[Filter], group_by: list[str]) -> None:
        object_ = objects.get(self.here.conn, self.org.id, "thing")
        query = parse(object_.properties, filters, (), "DE")
        aggregation = parse_aggregation(object_.properties, group_by, MEASURES)
        result = aggregates.aggregate(
            self.here.conn, object_, query, aggregation, time_zone="UTC", expect_long=lambda: None
        )
        groups = {group.key: group.values(aggregation) for group in result.groups}
        assert aggregated(self.model, filters, group_by) == groups
        sizes: list[Any] = [values[0] for values in groups.values()]
        assert sorted(sizes, reverse=True) == sizes

    @rule(query=st.sampled_from(QUERIES))
    def search(self, query: str) -> None:
        hits = record_search.search(self.here.conn, self.org.id, query, object_slug="thing", limit=50)
        assert found(self.model, query) == {hit.record.id for hit in hits}

    @invariant()
    def a_merged_record_leads_to_its_survivor(self) -> None:
        for merged, survivor in self.merged.items():
            while survivor in self.merged:
                survivor = self.merged[survivor]
            if survivor in self.model:
                shown = records.get(self.here.conn, self.org.id, "thing", merged)
                assert survivor == shown.id


@pytest.mark.fuzz
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
