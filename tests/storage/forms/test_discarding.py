"""Submissions that are thrown away and brought back: what stays of them where, and for how long."""

from collections.abc import Iterator
from typing import Any

import pytest

from svc.domain.forms.forms import Form, NewForm
from svc.domain.forms.limits import DISCARDED_LIFE_MS, PACE_WINDOW_MS
from svc.domain.locale.local_days import last_days
from svc.domain.locale.times import DAY_MS
from svc.domain.sites.limits import VISITOR_KEY_DAYS
from svc.storage import provisioning
from svc.storage.forms import (
    discarding,
    filing,
    forms,
    search_blocks,
    stored_submissions,
    submission_counts,
    submission_lists,
    submissions,
)
from svc.storage.forms.submissions import Label
from svc.storage.identity.organizations import NewOrganization
from svc.storage.integrity import check
from tests import tables
from tests.pruning import prune
from tests.storage.ledger import Ledger, ledger
from tests.town import a_stored_one


@pytest.fixture
def here() -> Iterator[Ledger]:
    with ledger() as opened:
        yield opened


@pytest.fixture
def form(here: Ledger) -> Form:
    return here.write(forms.create, here.organization, NewForm(name="Contact us"))


def stored(here: Ledger, form: Form, **changes: Any) -> str:
    return here.write(submissions.create, a_stored_one(form, **changes))


def each_state(here: Ledger, form: Form) -> dict[str, str]:
    """A submission of each state, by the state."""
    ids = {"held": stored(here, form, spam=True), "filed": stored(here, form)}
    here.write(filing.file_due, filing.target(here.conn, form.organization_id))
    ids |= {"queued": stored(here, form, queued=True), "due": stored(here, form)}
    assert ids == {row.state: row.id for row in here.rows(tables.submissions)}
    return ids


def discard(here: Ledger, form: Form, *ids: str) -> discarding.Outcome:
    return here.write(discarding.discard, form.organization_id, ids, "usr_1")


def restore(here: Ledger, form: Form, *ids: str) -> discarding.Outcome:
    return here.write(discarding.restore, form.organization_id, ids)


def listed(here: Ledger, form: Form, **asked: Any) -> set[str]:
    page = submission_lists.list_page(here.conn, form.organization_id, total=True, **asked)
    assert page.total is not None
    assert len(page.submissions) == page.total.count
    return {one.id for one in page.submissions}


def state_of(here: Ledger, submission_id: str) -> str:
    [row] = here.rows(tables.submissions, id=submission_id)
    return str(row.state)


def broken(here: Ledger) -> list[Any]:
    return [finding for finding in check(here.conn) if finding.broken]


def test_what_waits_is_discarded_and_comes_back(here: Ledger, form: Form) -> None:
    """A held one is held again; a due or queued one is queued. A filed one is refused, and one of nobody."""
    ids = each_state(here, form)
    first = discard(here, form, *ids.values(), "sub_none")
    states = {was: state_of(here, id_) for was, id_ in ids.items()}
    broken_by_discarding = broken(here)
    again = discard(here, form, *ids.values())
    back = restore(here, form, *ids.values(), "sub_none")

    waiting = [ids["held"], ids["queued"], ids["due"]]
    assert discarding.Outcome(waiting, [(ids["filed"], "conflict"), ("sub_none", "not_found")]) == first
    assert {"held": "discarded", "filed": "filed", "queued": "discarded", "due": "discarded"} == states
    assert (waiting, [(ids["filed"], "conflict")]) == (again.done, again.refused)
    assert ([*ids.values()], [("sub_none", "not_found")]) == (back.done, back.refused)
    assert {"held": "held", "filed": "filed", "queued": "queued", "due": "queued"} == {
        was: state_of(here, id_) for was, id_ in ids.items()
    }
    assert ([], []) == (broken_by_discarding, broken(here))


def test_it_keeps_who_discarded_it_first_and_when(here: Ledger, form: Form) -> None:
    """A second call changes nothing; a restored one says nothing of it any more."""
    held = each_state(here, form)["held"]
    discard(here, form, held)
    at = here.now
    here.write(discarding.discard, form.organization_id, [held], "usr_2")
    shown = submission_lists.get(here.conn, form.organization_id, held)
    restore(here, form, held)
    after = submission_lists.get(here.conn, form.organization_id, held)

    assert ("Held", "spam", at, "usr_1") == (
        shown.label,
        shown.held_reason,
        shown.discarded_at,
        shown.discarded_by,
    )
    assert ("Held", "spam", None, None) == (
        after.label,
        after.held_reason,
        after.discarded_at,
        after.discarded_by,
    )


def test_another_organizations_is_not_there(here: Ledger, form: Form) -> None:
    """It is neither discarded nor restored."""
    held = each_state(here, form)["held"]
    other = here.write(provisioning.create, NewOrganization(name="Other"))
    outcomes = [here.write(discarding.discard, other.id, [held], "usr_2")]
    discard(here, form, held)
    outcomes.append(here.write(discarding.restore, other.id, [held]))

    assert [discarding.Outcome([], [(held, "not_found")])] * 2 == outcomes
    assert "discarded" == state_of(here, held)


def test_what_was_erased_is_not_there(here: Ledger, form: Form) -> None:
    """Its row stays for the sake of counts alone."""
    held = each_state(here, form)["held"]
    here.conn.execute(
        tables.submissions.update().where(tables.submissions.c.id == held).values(state="erased")
    )

    assert [(held, "not_found")] == discard(here, form, held).refused == restore(here, form, held).refused


@pytest.mark.parametrize("label", [None, "Held", "Queued"])
def test_it_is_in_no_list_but_that_of_discarded_ones(here: Ledger, form: Form, label: Label | None) -> None:
    """With a text or without, in its state or in any."""
    ids = each_state(here, form)
    gone = {ids[state] for state in ("held", "queued", "due")}
    if label is not None:
        gone = {ids["held"]} if label == "Held" else {ids["queued"], ids["due"]}
    discard(here, form, *gone)
    rest = {ids["filed"]} if label is None else set()

    for search in (None, "ada"):
        assert rest == listed(here, form, label=label, search=search)
        assert gone == listed(here, form, label=label, search=search, discarded=True)
        assert set() == listed(here, form, label="Filed", search=search, discarded=True)


def test_it_is_counted_nowhere_but_in_the_hour_of_the_queue(here: Ledger, form: Form) -> None:
    """Neither by its day nor among those that wait, nor are its fields seen; a restored one is counted."""
    ids = each_state(here, form)
    before = submissions.snapshot(here.conn, form.form_key, here.now)

    def counts() -> tuple[int, int, int]:
        [found] = submission_counts.count(here.conn, form.organization_id, last_days(here.now, "UTC", 1))
        return found.by_day[0], found.held, found.queued

    counted = [counts()]
    discard(here, form, *ids.values())
    counted.append(counts())
    seen = submission_lists.recent_fields(here.conn, form.id, 20)
    after = submissions.snapshot(here.conn, form.form_key, here.now)
    restore(here, form, *ids.values())
    counted.append(counts())

    assert [(4, 1, 2), (1, 0, 0), (4, 1, 2)] == counted
    assert 1 == len(seen)
    assert (1, 0) == (before.waiting, after.waiting)
    assert before.queued == after.queued
    assert before.paced == after.paced


def test_it_is_not_filed(here: Ledger, form: Form) -> None:
    """Neither by itself nor by the pass of the queue."""
    ids = each_state(here, form)
    discard(here, form, ids["due"], ids["queued"])
    released = here.write(submissions.release, form.organization_id, form.id, 60)

    assert (0, 0) == (released, len(stored_submissions.due(here.conn, form.organization_id, 10)))


def test_a_restored_one_is_the_last_of_the_queue(here: Ledger, form: Form) -> None:
    """It is filed after those that waited meanwhile, and takes its place in the pace over a restart."""
    ids = [stored(here, form, queued=True) for _ in range(3)]
    discard(here, form, ids[0])
    restore(here, form, ids[0])
    ids.append(stored(here, form, queued=True))
    order = []
    for _ in ids:
        here.write(submissions.release, form.organization_id, form.id, 1)
        order += [row.id for row in here.rows(tables.submissions, state="due") if row.id not in order]
    paced = submissions.snapshot(here.conn, form.form_key, here.now).paced
    later = submissions.snapshot(here.conn, form.form_key, here.now + PACE_WINDOW_MS).paced

    assert [ids[1], ids[2], ids[0], ids[3]] == order
    assert [here.now - 3_000, here.now - 2_000, here.now - 1_000, here.now] == sorted(paced)
    assert [] == later


def test_it_is_removed_for_good_after_30_days(here: Ledger, form: Form) -> None:
    """With its line of the blocks, first, middle or last; the others are found as before."""
    ids = [stored(here, form, email=f"p{number}@example.com", queued=True) for number in range(6)]
    while here.write(search_blocks.build, form.organization_id, 2):
        pass
    blocks = len(here.rows(tables.submission_blocks))
    discard(here, form, *ids[:3])
    here.now += DISCARDED_LIFE_MS - 2_000
    here.write(prune)
    kept = len(here.rows(tables.submissions))
    here.write(prune)

    assert (2, 6) == (blocks, kept)
    assert ids[3:] == [row.id for row in here.rows(tables.submissions)]
    assert 1 == len(here.rows(tables.submission_blocks))
    assert [] == broken(here)
    assert {ids[3]} == listed(here, form, search="p3@")
    assert [(ids[0], "not_found")] == restore(here, form, ids[0]).refused


def test_it_loses_its_visitors_as_a_held_one_does(here: Ledger, form: Form) -> None:
    """Once the key of their day is deleted, though it may be restored."""
    held = stored(here, form, queued=True, visitors=("v" * 16,))
    discard(here, form, held)
    here.now += VISITOR_KEY_DAYS * DAY_MS
    here.write(submissions.forget_visitors)

    assert [None] == [row.visitors for row in here.rows(tables.submissions)]
