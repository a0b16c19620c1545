"""Many records deleted or restored in one unit: each as a call of its own would, in the order given."""

from collections.abc import Iterator, Sequence
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from svc.domain.errors import Conflict, NotFound
from svc.storage import integrity
from svc.storage.records import records
from svc.storage.records.writes.deletions import ManyOutcome, delete_many, restore_many
from svc.storage.store import Tx
from tests.storage.ledger import API, Ledger, ledger
from tests.storage.record_worlds import announced, dump, filled, undone

ONE: dict[str, Any] = {"delete": records.delete, "restore": records.restore}
MANY: dict[str, Any] = {"delete": delete_many, "restore": restore_many}
CALLS = st.lists(
    st.tuples(st.sampled_from(["delete", "restore"]), st.lists(st.integers(0, 8), min_size=1, max_size=6)),
    min_size=1,
    max_size=3,
)


@pytest.fixture(scope="module")
def world() -> Iterator[tuple[Ledger, list[str]]]:
    """A contact that has what a deleted one had, and deals and a company beside those of `filled`."""
    with ledger() as opened:
        ids = filled(opened)

        def made(kind: str, **values: Any) -> str:
            return opened.write(records.create, opened.organization, kind, values, source=API).id

        first = made("contact", name="First", code="twice", phone="030 1234569")
        opened.write(records.delete, opened.organization.id, "contact", first, source=API)
        second = made("contact", name="Second", code="TWICE", phone="030 1234569", company=ids[4])
        deal = made("deal", name="Deal", contact=second, amount=10)
        yield opened, [*ids, first, second, deal]


def said(outcome: ManyOutcome) -> Any:
    return outcome.done, [(id_, type(error), str(error)) for id_, error in outcome.refused]


@pytest.mark.fuzz
@settings(max_examples=60, deadline=None, derandomize=True)
@given(calls=CALLS)
def test_many_do_what_calls_one_by_one_do(world: tuple[Ledger, list[str]], calls: Any) -> None:
    """Records, indexes, unique values, relations, changes and events are the same, and so is each refusal."""
    here, ids = world
    organization_id = here.organization.id

    def many(tx: Tx) -> Any:
        found = [
            said(MANY[kind](tx, organization_id, [ids[at] for at in places], source=API))
            for kind, places in calls
        ]
        broken = [finding for finding in integrity.check(here.conn) if finding.broken]
        assert [] == broken
        return found, dump(here), announced(tx)

    def each(tx: Tx) -> Any:
        return (
            [said(one_by_one(tx, kind, [ids[at] for at in places])) for kind, places in calls],
            dump(here),
            announced(tx),
        )

    def one_by_one(tx: Tx, kind: str, wanted: Sequence[str]) -> ManyOutcome:
        done, refused = [], []
        for record_id in wanted:
            try:
                with tx.savepoint():
                    ONE[kind](tx, organization_id, None, record_id, source=API)
            except (NotFound, Conflict) as error:
                refused.append((record_id, error))
            else:
                done.append(record_id)
        return ManyOutcome(done, refused)  # type: ignore[arg-type]

    assert undone(here, each) == undone(here, many)


def test_two_deleted_records_with_one_unique_value_do_not_both_come_back(
    world: tuple[Ledger, list[str]],
) -> None:
    """The first takes it, whether another record or an earlier id of the same call has it."""
    here, ids = world
    first, second = ids[6], ids[7]

    def unit(tx: Tx) -> Any:
        delete_many(tx, here.organization.id, [second], source=API)
        return restore_many(tx, here.organization.id, [first, second], source=API)

    outcome = undone(here, unit)

    assert [first] == outcome.done
    [(refused, error)] = outcome.refused
    assert (second, "another record has this code, which is unique") == (refused, str(error))
