"""Records through the runner of tools, beside a plain model: whatever is asked, both answer the same."""

from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    multiple,
    rule,
    run_state_machine_as_test,
)

from svc.domain.errors import Conflict, DomainError, IdempotencyMismatch, InvalidInput, NotFound
from svc.domain.records.queries import CREATED_AT, UPDATED_AT, Filter, Sort
from svc.storage.records import objects, properties
from svc.storage.records.listing import index_builds, search_words
from svc.tools import execution
from svc.tools.catalogue import REGISTRY
from tests import tables
from tests.index_parts import build_some
from tests.people import a_member, call_of
from tests.record_model import (
    CODES,
    FILTERS,
    PROPERTIES,
    QUERIES,
    SORTS,
    VALUES,
    Model,
    fold,
    found,
    is_empty,
    is_taken,
    listed,
)
from tests.storage.ledger import ledger

KEYS = st.one_of(st.none(), st.sampled_from(["k-1", "k-2", "k-3"]))


class Tools(RuleBasedStateMachine):
    live = Bundle("live")
    deleted = Bundle("deleted")

    def __init__(self) -> None:
        super().__init__()
        self.opened = ledger()
        self.here = self.opened.__enter__()
        owner = self.here.write(a_member, self.here.organization.id, "owner@example.com")
        self.caller = call_of(owner)
        self.model: Model = {}
        self.gone: Model = {}
        self.answers: dict[tuple[str, str], tuple[Any, bytes]] = {}
        """What was asked and answered first, by tool and idempotency key."""
        self.audited = 0
        """Rows of the trail: one for each record that a call wrote."""

    def teardown(self) -> None:
        self.opened.__exit__(None, None, None)

    def ask(self, tool: str, **asked: Any) -> Any:
        """What a tool that reads answers."""
        one = REGISTRY[tool]
        read = one.read(msgspec.json.encode({"objectType": "thing"} | asked))
        done = execution.read(self.here.conn, self.here.now, one, self.caller, read, patient=True)
        if done.unindexed:
            # As the Organization does, and only now and then, so that lists meet every state of an index.
            self.here.write(index_builds.want, self.here.organization.id, done.unindexed[:1])
            self.here.write(build_some, self.here.organization.id, 2)
        return msgspec.json.decode(done.body)

    def write(self, tool: str, key: str | None = None, **asked: Any) -> tuple[Any, bool]:
        """What a tool that writes answers, and whether it answered as before."""
        one = REGISTRY[tool]
        body = msgspec.json.encode({"objectType": "thing"} | asked)
        first = None if key is None else self.answers.get((tool, key))
        if first is not None and first[0] != asked:
            with pytest.raises(IdempotencyMismatch):
                self.here.write(execution.write, one, self.caller, one.read(body), key)
            return None, True
        done = self.here.write(execution.write, one, self.caller, one.read(body), key)
        assert (first is not None, first[1] if first else done.body) == (done.replayed, done.body)
        if key is not None:
            self.answers[tool, key] = asked, done.body
        answer = msgspec.json.decode(done.body)
        if not done.replayed:
            self.audited += len(answer.get("records", "1"))
        assert self.audited == len(self.here.rows(tables.audit, caller_kind="person"))
        return answer, done.replayed

    def refused(self, error: type[DomainError], tool: str, **asked: Any) -> None:
        """It is, and leaves nothing behind, not even the answer under the idempotency key."""
        before = self.here.rows(tables.records)
        with pytest.raises(error):
            self.write(tool, **asked)
        assert before == self.here.rows(tables.records)

    def is_new(self, tool: str, key: str | None) -> bool:
        return key is None or (tool, key) not in self.answers

    def taken(self, values: dict[str, Any], mine: str | None = None) -> bool:
        return is_taken(self.model, values.get("code"), mine)

    def keep(self, record: Any, values: dict[str, Any]) -> None:
        values = {slug: value for slug, value in values.items() if value is not None}
        assert values == record["properties"]
        self.model[record["id"]] = values | {at: record[at] for at in (CREATED_AT, UPDATED_AT)}

    def stored(self, record_id: str) -> dict[str, Any]:
        times = {CREATED_AT, UPDATED_AT}
        return {slug: one for slug, one in self.model[record_id].items() if slug not in times}

    @initialize()
    def make_object(self) -> None:
        self.here.write(objects.create, self.here.organization.id, "thing", "Thing", "Things")
        for prop in PROPERTIES:
            self.here.write(properties.create, self.here.organization.id, "thing", prop)

    @rule(target=live, values=VALUES, key=KEYS)
    def create(self, values: dict[str, Any], key: str | None) -> Any:
        if self.is_new("record.create", key) and self.taken(values):
            self.refused(Conflict, "record.create", key=key, properties=values)
            return multiple()
        if self.is_new("record.create", key) and is_empty(values):
            self.refused(InvalidInput, "record.create", key=key, properties=values)
            return multiple()
        record, replayed = self.write("record.create", key, properties=values)
        if replayed:
            return multiple()
        self.keep(record, values)
        return record["id"]

    @rule(target=live, several=st.lists(VALUES, min_size=1, max_size=3))
    def create_many(self, several: list[dict[str, Any]]) -> Any:
        codes = [fold(one["code"]) for one in several if one.get("code") is not None]
        given = [{"properties": one} for one in several]
        if any(map(is_empty, several)):
            self.refused(InvalidInput, "record.create_many", records=given)
            return multiple()
        if len(set(codes)) < len(codes) or any(map(self.taken, several)):
            self.refused(Conflict, "record.create_many", records=given)
            return multiple()
        made, _ = self.write("record.create_many", records=given)
        for record, values in zip(made["records"], several, strict=True):
            self.keep(record, values)
        return multiple(*(one["id"] for one in made["records"]))

    @rule(record_id=live, values=VALUES, key=KEYS)
    def update(self, record_id: str, values: dict[str, Any], key: str | None) -> None:
        asked = {"id": record_id, "properties": values}
        if self.is_new("record.update", key):
            if record_id not in self.model:
                self.refused(NotFound, "record.update", key=key, **asked)
                return
            if self.taken(self.stored(record_id) | values, record_id):
                self.refused(Conflict, "record.update", key=key, **asked)
                return
        record, replayed = self.write("record.update", key, **asked)
        if not replayed:
            self.keep(record, self.stored(record_id) | values)

    @rule(target=live, code=st.sampled_from(CODES), values=VALUES, key=KEYS)
    def upsert(self, code: str, values: dict[str, Any], key: str | None) -> Any:
        values = values | {"code": code}
        known = [id_ for id_, one in self.model.items() if fold(one.get("code")) == fold(code)]
        record, replayed = self.write("record.upsert", key, by="code", properties=values)
        if replayed:
            return multiple()
        assert (not known, known or [record["id"]]) == (record["created"], [record["id"]])
        self.keep(record, (self.stored(record["id"]) if known else {}) | values)
        return record["id"]

    @rule(several=st.lists(st.tuples(live, VALUES), min_size=1, max_size=3))
    def update_many(self, several: list[tuple[str, dict[str, Any]]]) -> None:
        """What is refused is skipped, and each sees those before it."""
        asked = [{"id": record_id, "properties": values} for record_id, values in several]
        done, _ = self.write("record.update_many", records=asked, onError="skip")
        records = iter(done["records"])
        for (record_id, values), outcome in zip(several, done["outcomes"], strict=True):
            if record_id not in self.model:
                assert ("refused", ["/id"]) == (outcome["outcome"], self.pointers(outcome))
            elif self.taken(self.stored(record_id) | values, record_id):
                assert ("refused", ["/properties/code"]) == (outcome["outcome"], self.pointers(outcome))
            else:
                record = next(records)
                assert record_id == record["id"] == outcome["id"]
                self.keep(record, self.stored(record_id) | values)
        assert [] == list(records)

    @rule(target=live, several=st.lists(st.tuples(st.sampled_from(CODES), VALUES), min_size=1, max_size=3))
    def upsert_many(self, several: list[tuple[str, dict[str, Any]]]) -> Any:
        """All are written, and two for one code to one record."""
        asked = [{"properties": values | {"code": code}} for code, values in several]
        done, _ = self.write("record.upsert_many", by="code", records=asked)
        for record, outcome, item in zip(done["records"], done["outcomes"], asked, strict=True):
            code = fold(item["properties"]["code"])
            known = [id_ for id_, one in self.model.items() if fold(one.get("code")) == code]
            assert (known or [record["id"]], not known) == ([record["id"]], outcome["outcome"] == "created")
            self.keep(record, (self.stored(record["id"]) if known else {}) | item["properties"])
        created = [one["id"] for one in done["outcomes"] if one["outcome"] == "created"]
        return multiple(*created)

    def pointers(self, outcome: Any) -> list[str]:
        return [fault["pointer"].partition("/records/")[2][1:] for fault in outcome["errors"]]

    @rule(target=deleted, record_id=consumes(live))
    def delete(self, record_id: str) -> Any:
        if record_id not in self.model:
            self.refused(NotFound, "record.delete", id=record_id)
            return multiple()
        self.write("record.delete", id=record_id)
        self.gone[record_id] = self.model.pop(record_id)
        return record_id

    @rule(target=live, record_id=consumes(deleted))
    def restore(self, record_id: str) -> Any:
        if record_id not in self.gone:
            return multiple()
        if self.taken(self.gone[record_id]):
            self.refused(Conflict, "record.restore", id=record_id)
            return multiple()
        record, _ = self.write("record.restore", id=record_id)
        self.model[record_id] = self.gone.pop(record_id)
        self.keep(record, self.stored(record_id))
        return record_id

    @rule(survivor=live, merged=live)
    def merge(self, survivor: str, merged: str) -> None:
        asked = {"id": survivor, "mergedId": merged}
        if survivor == merged or not {survivor, merged} <= self.model.keys():
            error = NotFound if survivor not in self.model else InvalidInput
            self.refused(Conflict if survivor == merged else error, "record.merge", **asked)
            return
        taken = self.stored(merged)
        record, _ = self.write("record.merge", **asked)
        del self.model[merged]
        self.keep(record, taken | self.stored(survivor))
        assert record == self.ask("record.get", id=merged)

    @rule(filters=st.lists(FILTERS, max_size=2), sorts=SORTS, limit=st.integers(1, 7))
    def list_all(self, filters: list[Filter], sorts: list[Sort], limit: int) -> None:
        conditions = [msgspec.to_builtins(condition) for condition in filters]
        asked = {"filters": conditions, "sort": sorts, "limit": limit}
        ids: list[str] = []
        page: Any = {"nextCursor": None}
        while page["nextCursor"] is not None or not ids:
            page = self.ask("record.list", **asked, cursor=page["nextCursor"])
            assert len(page["records"]) <= limit
            for one in page["records"]:
                ids.append(one["id"])
                assert self.stored(one["id"]) == one["properties"]
            if page["nextCursor"] is None:
                break
        assert listed(self.model, filters, sorts) == ids
        assert {"count": len(ids)} == self.ask("record.count", filters=conditions)

    @rule(query=st.sampled_from(QUERIES))
    def search(self, query: str) -> None:
        hits = self.ask("record.search", query=query, limit=50)["records"]
        assert found(self.model, query) == {hit["id"] for hit in hits}

    @rule(record_id=st.one_of(live, deleted))
    def get(self, record_id: str) -> None:
        if record_id in self.model:
            assert self.stored(record_id) == self.ask("record.get", id=record_id)["properties"]
        elif record_id in self.gone:
            with pytest.raises(NotFound):
                self.ask("record.get", id=record_id)


@pytest.mark.fuzz
def test_the_tools_of_records_do_what_a_plain_model_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any sequence of calls, repeated ones included, is answered as the model has it."""
    monkeypatch.setattr(search_words, "BLOCK_ROWS", 3)
    run_state_machine_as_test(
        Tools,
        settings=settings(
            max_examples=40,
            stateful_step_count=40,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
