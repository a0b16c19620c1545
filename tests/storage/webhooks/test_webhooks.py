"""Subscriptions as they are stored, dispatch to them, redelivery, and what is kept for how long."""

from functools import partial
from typing import Any

import pytest

from svc.domain.attempts import AttemptOutcome
from svc.domain.errors import Conflict, Gone, InvalidInput, NotFound
from svc.domain.limits import EVENT_LIFE_MS
from svc.domain.locale.times import DAY_MS, HOUR_MS
from svc.domain.webhooks.limits import WEBHOOK_ATTEMPTS_KEPT, WEBHOOKS_MAX
from svc.storage import integrity
from svc.storage.store import View
from svc.storage.webhooks import attempts, batches, deliveries, redelivery, tables, webhooks
from svc.storage.webhooks.attempts import EndedAttempt
from svc.storage.webhooks.webhooks import WebhookChanges
from svc.storage.workflows import dispatch
from tests import tables as root_tables
from tests.pruning import prune
from tests.statements import listening
from tests.storage.ledger import Ledger, ledger
from tests.webhooks import HOOK, a_webhook, a_webhook_with_secret, happen


@pytest.fixture
def here():
    with ledger() as made:
        yield made
        broken = [one.promise for one in integrity.check(made.conn) if one.broken]
        assert [] == broken


def dispatched(here: Ledger, *subjects: str) -> None:
    here.write(happen, here.organization.id, *subjects)
    here.write(dispatch.dispatch, here.organization.id)


def attempt(here: Ledger, webhook_id: str, status: int, limit: int = 8) -> int:
    """Attempt what is due, and return how many were."""
    batch = batches.load(here.conn, webhook_id, here.now, limit)
    assert batch is not None
    outcome = AttemptOutcome(status_code=status)
    ended = [EndedAttempt(delivery_id=due.id, url=batch.url, outcome=outcome) for due in batch.due]
    here.write(attempts.note_attempts, webhook_id, ended)
    return len(ended)


def states(here: Ledger) -> list[str]:
    return [row.state for row in here.rows(tables.webhook_deliveries)]


def test_a_subscription_gets_what_it_asked_for(here: Ledger) -> None:
    """Events of its types, and of these only those of its objects."""
    some = here.write(a_webhook, here.organization.id, events=("record.created",))
    deals = here.write(a_webhook, here.organization.id, object_types=("deal",))
    everything = here.write(a_webhook, here.organization.id)
    here.write(happen, here.organization.id, "rec_a")
    here.write(happen, here.organization.id, "rec_a", type_="record.created")

    done = here.write(dispatch.dispatch, here.organization.id)

    got = {
        one: len(here.rows(tables.webhook_deliveries, webhook_id=one.id)) for one in (some, deals, everything)
    }
    assert (2, 3, False) == (done.events, done.deliveries, done.more)
    assert {some: 1, deals: 0, everything: 2} == got


def test_each_event_makes_one_delivery(here: Ledger) -> None:
    """However often it is dispatched; what is inactive or another organization's gets none."""
    webhook = here.write(a_webhook, here.organization.id)
    off = here.write(a_webhook, here.organization.id)
    here.write(webhooks.update, here.organization.id, off.id, WebhookChanges(active=False))
    dispatched(here, "rec_a")
    again = here.write(dispatch.dispatch, here.organization.id)

    [row] = here.rows(tables.webhook_deliveries)
    assert (0, 0) == (again.events, again.deliveries)
    assert (webhook.id, "waiting", True) == (row.webhook_id, row.state, row.is_first)


def test_a_unit_queues_so_many_deliveries(here: Ledger) -> None:
    """With many subscriptions it takes fewer events, and says that there are more."""
    for _ in range(2):
        here.write(a_webhook, here.organization.id)
    here.write(happen, here.organization.id, *"abcde")
    few = partial(dispatch.dispatch, deliveries_max=6)
    first = here.write(few, here.organization.id)
    second = here.write(few, here.organization.id)

    assert (3, 6, True) == (first.events, first.deliveries, first.more)
    assert (2, 4, False) == (second.events, second.deliveries, second.more)


@pytest.mark.sqlite
def test_what_is_due_costs_the_same_however_many_wait(here: Ledger) -> None:
    """Statements search the index of what may go out, and no other row is looked at."""
    webhook = here.write(a_webhook, here.organization.id)
    here.write(happen, here.organization.id, *["rec_a"] * 150, "rec_b")
    here.write(dispatch.dispatch, here.organization.id)
    with listening(here.conn) as said:
        batch = batches.load(here.conn, webhook.id, here.now, 8)

    plan = [
        step[3]
        for sql in (batches._DUE._plan(here.conn.dialect).sql, batches._NEXT._plan(here.conn.dialect).sql)
        for step in here.conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", (None,) * sql.count("?")).all()
    ]
    assert batch is not None
    assert ["rec_a", "rec_b"] == [due.subject for due in batch.due]
    assert 4 == len(said.units[0])
    index = "USING INDEX ix_webhook_deliveries_due (webhook_id=? AND replayed=? AND next_attempt_at"
    assert 3 == sum(index in step or index.replace("INDEX", "COVERING INDEX") in step for step in plan), plan
    assert [] == [step for step in plan if step.startswith("SCAN") and "CONSTANT" not in step]


def test_settings_are_checked(here: Ledger) -> None:
    """With every fault at its place, also when they are changed."""
    with pytest.raises(InvalidInput) as refused:
        here.write(a_webhook, here.organization.id, url="http://10.0.0.1/", events=("record.create",))
    webhook = here.write(a_webhook, here.organization.id)
    with pytest.raises(InvalidInput, match="/maxPerSecond"):
        here.write(webhooks.update, here.organization.id, webhook.id, WebhookChanges(max_per_second=0))

    assert ["/url", "/events/0"] == [fault.pointer for fault in refused.value.faults]


def test_a_change_counts_up_the_version(here: Ledger) -> None:
    """And is refused from another one."""
    webhook = here.write(a_webhook, here.organization.id, name="Orders")
    changes = WebhookChanges(name=None, max_per_second=5)
    after = here.write(webhooks.update, here.organization.id, webhook.id, changes, if_version=1)
    with pytest.raises(Conflict, match="version 2"):
        here.write(webhooks.update, here.organization.id, webhook.id, changes, if_version=1)

    assert (2, None, 5, HOOK) == (
        after.version,
        after.settings.name,
        after.settings.max_per_second,
        after.settings.url,
    )


def test_there_are_so_many_at_most(here: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deleted one makes room, is not found any more, and keeps no secret."""
    monkeypatch.setattr(webhooks, "WEBHOOKS_MAX", 2)
    first, _ = (here.write(a_webhook, here.organization.id) for _ in range(2))
    with pytest.raises(Conflict, match="2 webhooks"):
        here.write(a_webhook, here.organization.id)
    here.write(webhooks.delete, here.organization.id, first.id)
    here.write(a_webhook, here.organization.id)

    with pytest.raises(NotFound):
        webhooks.get(here.conn, here.organization.id, first.id)
    assert 100 == WEBHOOKS_MAX
    assert [None] == [row.secret for row in here.rows(tables.webhooks, id=first.id)]
    assert 2 == len(webhooks.list_page(here.conn, here.organization.id)[0])


def test_another_organizations_is_not_found(here: Ledger) -> None:
    webhook, secret = here.write(a_webhook_with_secret, here.organization.id)

    assert secret.startswith("whsec_")
    for act in (webhooks.delete, webhooks.rotate_secret, deliveries.queue_test):
        with pytest.raises(NotFound):
            here.write(act, "org_other", webhook.id)


def test_a_runs_call_is_queued_once(here: Ledger) -> None:
    """The same run and step are the same delivery; calls of a run go out in order."""
    webhook = here.write(a_webhook, here.organization.id)
    asked: dict[str, Any] = {"run_id": "run_1", "body": {"who": "Ada"}}
    first = here.write(deliveries.queue_call, here.organization.id, webhook.id, key="a", **asked)
    again = here.write(deliveries.queue_call, here.organization.id, webhook.id, key="a", **asked)
    second = here.write(deliveries.queue_call, here.organization.id, webhook.id, key="b", **asked)
    batch = batches.load(here.conn, webhook.id, here.now, 8)

    assert (first == again, first == second) == (True, False)
    assert batch is not None
    assert [(first, "workflow.call")] == [(due.id, due.type) for due in batch.due]
    here.write(deliveries.cancel_calls, "run_1")
    assert ["cancelled", "cancelled"] == states(here)


def test_dead_and_missed_deliveries_are_redelivered(here: Ledger) -> None:
    """Each kind alone, in the order in which things happened, whatever their deliveries' ids are."""
    webhook = here.write(a_webhook, here.organization.id)
    mine = (here.organization.id, webhook.id)
    here.write(webhooks.update, *mine, WebhookChanges(active=False))
    dispatched(here, "rec_a")
    here.write(webhooks.update, *mine, WebhookChanges(active=True))
    dispatched(here, "rec_a")
    attempt(here, webhook.id, 410)
    here.write(webhooks.update, *mine, WebhookChanges(active=True))
    dispatched(here, "rec_b")
    attempt(here, webhook.id, 200)
    before = states(here)
    dead = here.write(redelivery.redeliver_range, *mine, since=0, which="dead")
    with pytest.raises(Conflict, match="still waits"):
        here.write(redelivery.redeliver_range, *mine, since=0, which="missed")
    attempt(here, webhook.id, 200)
    missed = here.write(redelivery.redeliver_range, *mine, since=0, which="missed")
    attempt(here, webhook.id, 200)
    everything = here.write(redelivery.redeliver_range, *mine, since=0, which="all")
    batch = batches.load(here.conn, webhook.id, here.now, 8)

    assert ["dead", "delivered"] == before
    assert (1, 1, 3) == (dead.queued, missed.queued, everything.queued)
    [oldest, *_] = here.rows(root_tables.events)
    assert batch is not None
    assert oldest.id in str(next(due.body for due in batch.due if due.subject == "rec_a"))


def test_a_range_is_of_the_time_when_things_happened(here: Ledger) -> None:
    """From the first on, and before the second; an empty one is refused."""
    webhook = here.write(a_webhook, here.organization.id)
    for subject in "abcde":
        dispatched(here, subject)
    attempt(here, webhook.id, 200)
    times = [row.at for row in here.rows(root_tables.events)]
    asked = (here.organization.id, webhook.id)
    with pytest.raises(InvalidInput, match="/until"):
        here.write(redelivery.redeliver_range, *asked, since=5, until=5)
    done = here.write(redelivery.redeliver_range, *asked, since=times[1], until=times[3], which="all")

    assert 2 == done.queued
    assert ["b", "c"] == [row.subject for row in here.rows(tables.webhook_deliveries, state="waiting")]


def waited(here: Ledger, subject: str, ms: int) -> None:
    """An event of a unit that waited so long for its commit, and that was dispatched with those of now."""
    here.write(lambda tx: happen(tx.at(tx.now - ms), here.organization.id, subject))
    here.write(dispatch.dispatch, here.organization.id)


def test_a_range_goes_by_the_time_of_events_and_not_by_their_order(here: Ledger) -> None:
    """Events that were dispatched after later ones are in it, and no others are, near both of its bounds."""
    webhook = here.write(a_webhook, here.organization.id)
    asked = (here.organization.id, webhook.id)
    since = here.now
    here.now += 5_000
    dispatched(here, "within")
    waited(here, "too early", 20_000)
    until = here.now + 10_000
    here.now += 30_000
    dispatched(here, "too late")
    waited(here, "within, and late", 35_000)
    attempt(here, webhook.id, 200)
    done = here.write(redelivery.redeliver_range, *asked, since=since, until=until, which="all")
    rows = here.rows(tables.webhook_deliveries, state="waiting")

    assert 2 == done.queued
    assert ["within", "within, and late"] == [row.subject for row in rows]


def test_a_range_that_goes_on_leaves_none_out(here: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was dispatched later and happened earlier is not skipped: the range goes on with its time."""
    monkeypatch.setattr(redelivery, "WEBHOOK_REDELIVERED_MAX", 2)
    webhook = here.write(a_webhook, here.organization.id)
    asked = (here.organization.id, webhook.id)
    for subject in "abc":
        here.now += 10_000
        dispatched(here, subject)
    waited(here, "late", 8_000)
    attempt(here, webhook.id, 200)
    first = here.write(redelivery.redeliver_range, *asked, since=0, which="all")
    attempt(here, webhook.id, 200)
    [_, _, _, late] = here.rows(root_tables.events)
    second = here.write(redelivery.redeliver_range, *asked, since=first.looked_until or 0, which="all")
    rows = here.rows(tables.webhook_deliveries, state="waiting")

    assert late.at == first.looked_until
    assert (2, None) == (second.queued, second.looked_until)
    assert {"c", "late"} <= {row.subject for row in rows}


def test_a_range_stops_where_it_has_looked_at_enough(here: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says how far it came, so that the next one goes on there."""
    monkeypatch.setattr(redelivery, "WEBHOOK_REPLAY_EXAMINED_MAX", 3)
    webhook = here.write(a_webhook, here.organization.id)
    for subject in "abcde":
        dispatched(here, subject)
    attempt(here, webhook.id, 200)
    times = [row.at for row in here.rows(root_tables.events)]
    asked = (here.organization.id, webhook.id)
    first = here.write(redelivery.redeliver_range, *asked, since=0, which="all")
    attempt(here, webhook.id, 200)
    second = here.write(redelivery.redeliver_range, *asked, since=times[3], which="all")

    assert (3, times[3]) == (first.queued, first.looked_until)
    assert (2, None) == (second.queued, second.looked_until)


def test_a_replay_goes_behind_what_is_live(here: Ledger) -> None:
    """Save that it goes first where a live delivery of its subject would wait for it."""
    webhook = here.write(a_webhook, here.organization.id)
    dispatched(here, "rec_a", "rec_b")
    attempt(here, webhook.id, 200)
    here.write(redelivery.redeliver_range, here.organization.id, webhook.id, since=0, which="all")
    dispatched(here, "rec_c", "rec_b")
    batch = batches.load(here.conn, webhook.id, here.now, 8)

    assert batch is not None
    assert ["rec_b", "rec_c", "rec_a"] == [due.subject for due in batch.due]


def test_a_cancelled_delivery_stays_so_and_a_pruned_event_is_gone(here: Ledger) -> None:
    """Redelivery says why it cannot be."""
    webhook = here.write(a_webhook, here.organization.id)
    dispatched(here, "rec_a")
    [row] = here.rows(tables.webhook_deliveries)
    here.now += EVENT_LIFE_MS - HOUR_MS
    attempt(here, webhook.id, 200)
    here.now += 2 * HOUR_MS
    here.write(prune)
    with pytest.raises(Gone):
        here.write(redelivery.redeliver, here.organization.id, row.id)
    call = here.write(
        deliveries.queue_call, here.organization.id, webhook.id, run_id="run_1", key="a", body={}
    )
    here.write(deliveries.cancel_calls, "run_1")
    with pytest.raises(Conflict, match="cancelled"):
        here.write(redelivery.redeliver, here.organization.id, call)


def test_events_stay_while_a_delivery_of_them_waits(here: Ledger) -> None:
    """What has ended is kept as long as events are, with its attempts, and then pruned."""
    webhook = here.write(a_webhook, here.organization.id)
    dispatched(here, "rec_a")
    attempt(here, webhook.id, 500)
    here.now += EVENT_LIFE_MS + DAY_MS
    here.write(prune)
    kept = [len(here.rows(table)) for table in (root_tables.events, tables.webhook_deliveries)]
    attempt(here, webhook.id, 200)
    here.write(prune)
    ended = [len(here.rows(table)) for table in (root_tables.events, tables.webhook_deliveries)]
    here.now += EVENT_LIFE_MS
    here.write(prune)

    assert [1, 1] == kept
    assert [0, 1] == ended
    assert ([], []) == (here.rows(tables.webhook_deliveries), here.rows(tables.webhook_attempts))


def test_so_many_attempts_are_kept(here: Ledger) -> None:
    """The latest ones."""
    webhook = here.write(a_webhook, here.organization.id)
    dispatched(here, "rec_a")
    [row] = here.rows(tables.webhook_deliveries)
    for _ in range(WEBHOOK_ATTEMPTS_KEPT + 3):
        attempt(here, webhook.id, 200)
        here.write(redelivery.redeliver, here.organization.id, row.id)
    history = attempts.history(here.conn, [row.id])[row.id]

    assert list(range(4, WEBHOOK_ATTEMPTS_KEPT + 4)) == [one.number for one in history]


def test_deliveries_are_listed_newest_first(here: Ledger) -> None:
    """By state and type too, for which all have to be looked at."""
    webhook = here.write(a_webhook, here.organization.id)
    for subject in "abc":
        dispatched(here, subject)
    attempt(here, webhook.id, 200, limit=1)
    view, patient = View(here.conn, here.now), View(here.conn, here.now, patient=True)
    mine = (here.organization.id, webhook.id)
    page, cursor = deliveries.list_page(view, *mine, limit=2)
    rest, end = deliveries.list_page(view, *mine, limit=2, cursor=cursor)
    done, _ = deliveries.list_page(patient, *mine, state="delivered", event_type="record.updated")

    assert (["c", "b"], ["a"], None) == ([one.subject for one in page], [one.subject for one in rest], end)
    assert ["a"] == [one.subject for one in done]
