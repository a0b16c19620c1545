"""The Webhook: what is sent, order, pace, how much goes at once, and what becomes of it when things end."""

import msgspec
import trio
from sqlalchemy import Connection

from svc.actors.outbound.client import PostResult
from svc.actors.outbound.errors import NoPlace, NotSent
from svc.actors.webhooks import attempt_places
from svc.domain.crypto.signatures import Signer
from svc.domain.limits import SIGNING_OVERLAP_MS
from svc.domain.locale.times import HOUR_MS, SECOND_MS
from svc.domain.webhooks.limits import (
    WEBHOOK_ATTEMPTS_AT_ONCE,
    WEBHOOK_SHARED_ATTEMPTS,
    WEBHOOK_SHARED_WINDOW_MS,
)
from svc.storage import provisioning
from svc.storage.integrity import check
from svc.storage.store import Tx
from svc.storage.webhooks import attempts, deliveries, redelivery, tables, webhooks
from svc.storage.webhooks.webhooks import WebhookChanges
from tests import tables as root_tables
from tests.channels import PERSON, Receiver
from tests.disk import Disk
from tests.town import START, Town, town
from tests.webhooks import HOOK, a_webhook, a_webhook_with_secret, happen, hook_town

UNREACHED = NotSent("no connection")


async def test_an_event_is_sent_at_once(autojump_clock):
    """Signed as pushes are, with the event as its body, put together of what is stored."""
    async with hook_town() as (here, _, receiver):
        webhook, secret = await here.store.write(a_webhook_with_secret, here.organization.id)
        await here.store.write(happen, here.organization.id, "rec_a")
        await trio.sleep(1)

        [event] = await here.rows(root_tables.events)
        [row] = await here.rows(tables.webhook_deliveries, webhook_id=webhook.id)
        [(_, url, body, headers)] = [got for got in receiver.got if got[3]["webhook-id"] == row.id]
        assert (HOOK, row.id, "record.updated", "2026-09") == (
            url,
            headers["X-Service-Delivery"],
            headers["X-Service-Event"],
            headers["X-Service-Contract"],
        )
        assert Signer([secret]).sign(row.id, START // SECOND_MS, body) == headers["webhook-signature"]
        assert f'"data":{event.data}}}'.encode() == body[body.index(b'"data"') :]
        assert {
            "id": event.id,
            "type": "record.updated",
            "timestamp": "2026-09-18T00:00:00.000Z",
            "organizationId": here.organization.id,
            "data": msgspec.json.decode(event.data),
        } == msgspec.json.decode(body)


async def test_id_and_bytes_are_the_same_at_each_attempt_and_redelivery(autojump_clock):
    """Only timestamp and signature are those of the attempt."""
    async with hook_town(UNREACHED, PostResult(500)) as (here, webhook, receiver):
        await here.store.write(happen, here.organization.id, "rec_a")
        await trio.sleep(HOUR_MS / SECOND_MS)
        [row] = await here.rows(tables.webhook_deliveries)
        await here.store.write(webhooks.rotate_secret, here.organization.id, webhook.id)
        await here.store.write(redelivery.redeliver, here.organization.id, row.id)
        await trio.sleep(1)

        assert 4 == len(receiver.got)
        assert 1 == len({(body, headers["webhook-id"]) for _, _, body, headers in receiver.got})
        assert 4 == len({headers["webhook-signature"] for *_, headers in receiver.got})


async def test_the_history_shows_each_attempt(autojump_clock):
    """Time, status or error, milliseconds, and the beginning of the answer."""
    async with hook_town(UNREACHED, PostResult(500, 0, 12, "no such page")) as (here, _, receiver):
        receiver.takes_seconds = 2
        await here.store.write(happen, here.organization.id, "rec_a")
        await trio.sleep(HOUR_MS / SECOND_MS)
        [row] = await here.rows(tables.webhook_deliveries)
        history = (await here.store.read(attempts.history, [row.id]))[row.id]

        assert ("delivered", 3, 2) == (row.state, row.attempts, row.failures)
        assert [
            (1, None, "no connection", 2_000, ""),
            (2, 500, None, 12, "no such page"),
            (3, 200, None, 0, ""),
        ] == [(one.number, one.status_code, one.error, one.milliseconds, one.answer) for one in history]
        assert START + 2_000 == history[0].at


async def test_a_subject_keeps_its_order_past_retries_and_others_do_not_wait(autojump_clock):
    """The second of a subject goes when the first was delivered."""
    async with hook_town(UNREACHED) as (here, _, receiver):
        await here.store.write(happen, here.organization.id, "rec_a", "rec_a", "rec_b")
        await trio.sleep(10)

        sent = [(body["data"]["recordId"], body["data"]["number"]) for body in receiver.bodies]
        assert {("rec_a", 0), ("rec_b", 2)} == set(sent[:2])
        assert 1 == len({*sent[:2]} & {*sent[2:]})  # whichever was not reached
        assert sent.index(("rec_a", 1)) > max(place for place, one in enumerate(sent) if one == ("rec_a", 0))


async def test_only_so_many_are_under_way(autojump_clock):
    """Eight at once, of as many subjects; the next begins when one has ended."""
    async with hook_town() as (here, _, receiver):
        receiver.takes_seconds = 3
        await here.store.write(happen, here.organization.id, *(f"rec_{number}" for number in range(20)))
        await trio.sleep(10)

        assert WEBHOOK_ATTEMPTS_AT_ONCE == receiver.at_once_max
        assert [0] * 8 + [3] * 8 + [6] * 4 == receiver.seconds


async def test_a_dead_receiver_gets_one_at_a_time(autojump_clock):
    """While its last ten attempts have all failed; a new process goes on so."""
    async with hook_town(*[UNREACHED] * 100) as (here, _, receiver):
        receiver.takes_seconds = 3
        await here.store.write(happen, here.organization.id, *(f"rec_{number}" for number in range(16)))
        await trio.sleep(7)
        receiver.at_once_max = 0
        await here.store.write(happen, here.organization.id, *(f"rec_{number}" for number in range(20, 28)))
        await trio.sleep(60)

        assert 1 == receiver.at_once_max


async def test_a_new_process_begins_slowly_at_a_receiver_that_failed(autojump_clock):
    """It does not know how many failed; one that is reached shows that the receiver is back."""
    async with town() as here:
        here.outbound_http = receiver = Receiver(*[UNREACHED] * 8)
        await here.store.write(a_webhook, here.organization.id)
        async with here.live_system():
            await here.store.write(happen, here.organization.id, *(f"rec_{number}" for number in range(8)))
            await trio.sleep(1)
        receiver.got.clear()
        receiver.takes_seconds, receiver.at_once_max = 3, 0
        async with here.live_system():
            await trio.sleep(60)

        assert ([0], 8) == ([at for at in receiver.seconds if at < 1], len(receiver.got))
        assert 7 == receiver.at_once_max


async def test_a_fault_while_loading_repeats_no_attempt(autojump_clock, monkeypatch):
    """What is under way goes on; its outcome waits until it can be stored, and the actor does not crash."""

    def fail(*_: object) -> None:
        raise RuntimeError("a fault of ours")

    async with hook_town() as (here, _, receiver):
        receiver.takes_seconds = 3
        await here.store.write(happen, here.organization.id, "rec_a")
        await trio.sleep(1)
        with monkeypatch.context() as patched:
            patched.setattr(attempts, "note_and_load", fail)
            await trio.sleep(10)
            during = [row.state for row in await here.rows(tables.webhook_deliveries)]
        await trio.sleep(60)

        [actor] = here.system.actors("Webhook")
        assert ["waiting"] == during
        assert ["delivered"] == [row.state for row in await here.rows(tables.webhook_deliveries)]
        assert (1, 0) == (len(receiver.got), actor.crashes)


async def test_max_per_second_may_be_changed(autojump_clock):
    """The attempts of the last second count for the new limit."""
    async with hook_town(max_per_second=4) as (here, webhook, receiver):
        await here.store.write(happen, here.organization.id, *(f"rec_{number}" for number in range(8)))
        await trio.sleep(0.5)
        slower = WebhookChanges(max_per_second=1)
        await here.store.write(webhooks.update, here.organization.id, webhook.id, slower)
        await trio.sleep(10)

        assert [0, 0, 0, 0, 1, 2, 3, 4] == receiver.seconds


async def test_max_per_second_spaces_attempts(autojump_clock):
    """As many begin in any second, and the others wait without having been attempted."""
    async with hook_town(max_per_second=2) as (here, _, receiver):
        await here.store.write(happen, here.organization.id, *(f"rec_{number}" for number in range(5)))
        await trio.sleep(10)

        assert [0, 0, 1, 1, 2] == receiver.seconds


async def test_a_receiver_that_asks_for_a_pause_holds_its_whole_subscription(autojump_clock):
    """429 without a time for a minute; each delivery keeps its own plan besides."""
    async with hook_town(PostResult(429)) as (here, _, receiver):
        await here.store.write(happen, here.organization.id, "rec_a")
        await trio.sleep(1)
        await here.store.write(happen, here.organization.id, "rec_b")
        await trio.sleep(120)

        assert [0, 60, 60] == receiver.seconds


async def test_no_place_is_no_attempt(autojump_clock):
    """Nothing was sent, so nothing is counted; it is tried again soon."""
    async with hook_town(NoPlace("busy"), NoPlace("busy")) as (here, _, receiver):
        await here.store.write(happen, here.organization.id, "rec_a")
        await trio.sleep(10)

        [row] = await here.rows(tables.webhook_deliveries)
        assert ("delivered", 1, 0) == (row.state, row.attempts, row.failures)
        assert [0, 2, 4] == receiver.seconds


async def test_an_address_that_is_gone_disables_its_subscription(autojump_clock):
    """What waits dies, the audit trail says so, and nothing more is sent until a person makes it active."""
    async with hook_town(PostResult(410)) as (here, webhook, receiver):
        await here.store.write(happen, here.organization.id, "rec_a", "rec_a")
        await trio.sleep(1)
        await here.store.write(happen, here.organization.id, "rec_a")
        await trio.sleep(HOUR_MS / SECOND_MS)
        gone = await here.store.read(webhooks.get, here.organization.id, webhook.id)
        rows = await here.rows(tables.webhook_deliveries)
        [line] = await here.rows(root_tables.audit)
        again = WebhookChanges(active=True)
        back = await here.store.write(webhooks.update, here.organization.id, webhook.id, again)
        await here.store.write(happen, here.organization.id, "rec_a")
        await trio.sleep(1)

        assert (False, "gone") == (gone.active, gone.disabled_reason)
        assert [("dead", 1), ("dead", 0)] == [(row.state, row.attempts) for row in rows]
        assert ("webhook.disable", webhook.id, "service") == (line.action, line.target, line.caller_kind)
        assert (True, None) == (back.active, back.disabled_reason)
        assert 2 == len(receiver.got)


async def test_what_an_address_did_is_not_held_against_another(autojump_clock):
    """A 410 of the old one comes once a person has entered the new one."""
    async with hook_town(PostResult(410)) as (here, webhook, receiver):
        receiver.takes_seconds = 3
        await here.store.write(happen, here.organization.id, "rec_a")
        await trio.sleep(1)
        moved = WebhookChanges(url="https://receiver.example/new")
        await here.store.write(webhooks.update, here.organization.id, webhook.id, moved)
        await trio.sleep(60)

        after = await here.store.read(webhooks.get, here.organization.id, webhook.id)
        assert (True, None) == (after.active, after.failing_since)
        assert [HOOK, "https://receiver.example/new"] == [url for _, url, *_ in receiver.got]


async def test_a_deleted_subscription_is_sent_nothing_more(autojump_clock):
    """What waits is cancelled; an outcome that comes later counts as an attempt and changes nothing."""
    async with hook_town(UNREACHED, UNREACHED) as (here, webhook, receiver):
        receiver.takes_seconds = 3
        await here.store.write(happen, here.organization.id, "rec_a", "rec_a")
        await trio.sleep(1)
        await here.store.write(webhooks.delete, here.organization.id, webhook.id)
        await trio.sleep(HOUR_MS / SECOND_MS)

        rows = await here.rows(tables.webhook_deliveries)
        assert [("cancelled", 1), ("cancelled", 0)] == [(row.state, row.attempts) for row in rows]
        assert 1 == len(receiver.got)
        assert [] == await here.store.read(broken)


async def test_nothing_of_a_closed_organization_goes_out(autojump_clock):
    """Its deliveries are dead, and its events make none."""
    async with hook_town(UNREACHED) as (here, _, receiver):
        await here.store.write(happen, here.organization.id, "rec_a")
        await trio.sleep(1)
        await here.store.write(provisioning.close, here.organization.id, source=PERSON)
        await here.store.write(happen, here.organization.id, "rec_b")
        await trio.sleep(HOUR_MS / SECOND_MS)

        assert ["dead"] == [row.state for row in await here.rows(tables.webhook_deliveries)]
        assert 1 == len(receiver.got)


async def test_thousands_that_wait_end_in_batches(autojump_clock, monkeypatch):
    """The first with the change itself, the others soon after; it cannot be made active meanwhile."""
    monkeypatch.setattr("svc.storage.webhooks.queues.WEBHOOK_ENDED_AT_ONCE", 10)
    async with hook_town(*[UNREACHED] * 100) as (here, webhook, _):
        await here.store.write(happen, here.organization.id, *["rec_a"] * 35)
        await trio.sleep(1)
        await here.store.write(
            webhooks.update, here.organization.id, webhook.id, WebhookChanges(active=False)
        )
        await trio.sleep(1)

        assert 35 == await here.count(tables.webhook_deliveries, state="dead")
        assert [None] == [row.ending for row in await here.rows(tables.webhooks)]
        assert [] == await here.store.read(broken)


async def test_both_secrets_sign_for_a_day(autojump_clock):
    """The receiver may know either; then only the new one."""
    async with hook_town() as (here, webhook, receiver):
        await here.store.write(webhooks.rotate_secret, here.organization.id, webhook.id)
        await here.store.write(happen, here.organization.id, "rec_a")
        await trio.sleep(1)
        here.clock.jump(SIGNING_OVERLAP_MS)
        await here.store.write(happen, here.organization.id, "rec_a")
        await trio.sleep(1)

        assert [2, 1] == [len(headers["webhook-signature"].split()) for *_, headers in receiver.got]


async def test_a_test_goes_out_past_others(autojump_clock):
    """A `ping` says which subscription it is of."""
    async with hook_town(UNREACHED, UNREACHED) as (here, webhook, receiver):
        await here.store.write(happen, here.organization.id, "rec_a")
        await trio.sleep(1)
        made = await here.store.write(deliveries.queue_test, here.organization.id, webhook.id)
        await trio.sleep(1)

        assert made == receiver.got[-1][3]["webhook-id"]
        assert ("ping", made, {"webhookId": webhook.id}) == tuple(
            receiver.bodies[-1][name] for name in ("type", "id", "data")
        )


async def test_what_cannot_be_read_dies_alone(autojump_clock):
    """The others of its subscription, and of its subject, go out."""
    async with hook_town() as (here, _, _):
        await here.store.write(_happen_spoilt, here.organization.id)
        await trio.sleep(60)

        rows = await here.rows(tables.webhook_deliveries)
        assert [("dead", 1), ("delivered", 1), ("delivered", 1)] == [
            (row.state, row.attempts) for row in rows
        ]
        assert [] == await here.store.read(
            lambda conn: [one for one in broken(conn) if one != "everything that is stored can be read"]
        )


async def test_the_drain_begins_nothing_and_keeps_what_ends(autojump_clock):
    """Eight are under way: their outcomes are stored, and no other begins."""
    async with hook_town() as (here, _, receiver):
        receiver.takes_seconds = 3
        await here.store.write(happen, here.organization.id, *(f"rec_{number}" for number in range(20)))
        await trio.sleep(1)
        late = await here.system.drain(60)

        assert ([], 8) == (late, len(receiver.got))
        assert 8 == await here.count(tables.webhook_deliveries, state="delivered")
        assert 12 == await here.count(tables.webhook_deliveries, state="waiting", attempts=0)


async def test_outcomes_wait_for_a_disk_that_stalls(autojump_clock):
    """Nothing is sent twice for it."""
    async with hook_town() as (here, _, receiver):
        disk = Disk(here.store)
        await here.store.write(happen, here.organization.id, *(f"rec_{number}" for number in range(8)))
        disk.seconds = 12
        await trio.sleep(120)

        assert 8 == len(receiver.got)
        assert 8 == await here.count(tables.webhook_deliveries, state="delivered")


async def test_dead_receivers_share_a_part_of_the_places(autojump_clock, monkeypatch):
    """However many, so that the others find places; one organization has half. Each gets its turn."""
    monkeypatch.setattr(attempt_places, "WEBHOOK_FAILING_AT_ONCE_MAX", 6)
    async with hook_town(*[UNREACHED] * 10_000) as (here, _, receiver):
        for _ in range(9):
            await here.store.write(a_webhook, here.organization.id)
        receiver.takes_seconds = 10
        await here.store.write(happen, here.organization.id, *(f"rec_{number}" for number in range(10)))
        await trio.sleep(60)
        receiver.at_once_max = 0
        await trio.sleep(3_600)

        attempted = {row.webhook_id for row in await here.rows(tables.webhook_deliveries) if row.failures > 1}
        assert 3 == receiver.at_once_max
        assert 10 == len(attempted)


async def test_a_crowd_leaves_each_one_attempt_at_a_time(autojump_clock, monkeypatch):
    """Where the organization has many requests under way, before it is known which receivers are dead."""
    async with hook_town() as (here, _, receiver):
        monkeypatch.setattr(receiver, "is_crowded", [here.organization.id].__contains__)
        receiver.takes_seconds = 1
        await here.store.write(happen, here.organization.id, *(f"rec_{number}" for number in range(3)))
        await trio.sleep(10)

        assert [0, 1, 2] == receiver.seconds


def broken(conn: Connection) -> list[str]:
    return [one.promise for one in check(conn) if one.broken]


def _happen_spoilt(tx: Tx, organization_id: str) -> None:
    """Three things happen; the data of the first are no text."""
    happen(tx, organization_id, "rec_a", "rec_a", "rec_b")
    tx.conn.exec_driver_sql(
        "UPDATE events SET data = CAST(x'ff7b' AS TEXT) WHERE subject = 'rec_a' AND data LIKE '%:0,%'"
    )


async def test_a_backlog_is_sent_a_few_at_a_time_while_requests_are_served(autojump_clock):
    """However many subscriptions there are, so that it is in nobody's way; alone it goes at once."""
    async with hook_town() as (here, _, receiver), trio.open_nursery() as requests:
        for _ in range(5):
            await here.store.write(a_webhook, here.organization.id)
        requests.start_soon(_ask_often, here)
        await trio.sleep(1)
        await here.store.write(happen, here.organization.id, *(f"rec_{number}" for number in range(100)))
        await trio.sleep(0.95)
        beside = len(receiver.got)
        requests.cancel_scope.cancel()
        await trio.sleep(4)

        assert WEBHOOK_SHARED_ATTEMPTS <= beside <= 10 * WEBHOOK_SHARED_ATTEMPTS
        assert 600 == len(receiver.got)


async def test_attempts_make_way_for_an_import_of_their_organization(autojump_clock):
    """A few at a time begin while it runs, and others' as ever."""
    async with hook_town() as (here, _, _receiver):
        places, now = here.system.outgoing.attempt_places, here.clock.now()
        owner = here.organization.id
        for _ in range(WEBHOOK_SHARED_ATTEMPTS):
            places.begin(owner, [True], now).end()
        before = places.next_room_at(owner, now)
        places.note_import(owner, now + 1_000)
        during, others = places.next_room_at(owner, now), places.next_room_at("org_other", now)
        over = places.next_room_at(owner, now + 1_000)
        places.note_no_import(owner)

        assert (None, None, None) == (before, others, over)
        assert during is not None
        assert now < during <= now + WEBHOOK_SHARED_WINDOW_MS
        assert places.next_room_at(owner, now) is None


async def _ask_often(here: Town) -> None:
    """As many requests would."""
    while True:
        await here.store.read(lambda _conn: None)
        await trio.sleep(0.01)
