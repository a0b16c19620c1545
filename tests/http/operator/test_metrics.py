"""`/metrics`: what Prometheus reads."""

import re
from pathlib import Path

import pytest
import trio

from svc.actors.backups.backup_keeper import BACKUP_KEEPER, BackupKeeper
from svc.actors.mail.mailer import Mailer
from svc.actors.mail.smtp_client import MailServerFailed
from svc.actors.outbound.client import PostResult
from svc.actors.system import System
from svc.domain.mail.progress import MailOutcome
from svc.http.app import public_app
from svc.http.operator.app import operator_app
from svc.http.operator.event_loop import EventLoopWatch
from svc.http.traffic import Traffic
from svc.telemetry.queue import SpanQueue
from svc.telemetry.spans import Tracer
from tests.actors.core.lab import Probe, living
from tests.backups import Place
from tests.channels import Receiver
from tests.http.asking import client_of
from tests.mailing import live_post_town
from tests.tooling import tool_town
from tests.town import START, town
from tests.webhooks import a_webhook

TOKEN = "a-token-of-the-operator"
LINE = re.compile(r'([a-z_]+)((?:\{[a-z]+="[^"\\]*"(?:,[a-z]+="[^"\\]*")*\})?) (\S+)')


async def read(
    system: System, traffic: Traffic | None = None, event_loop: EventLoopWatch | None = None
) -> dict[str, float]:
    """Each value by its name and labels, of an answer that keeps to the format."""
    async with client_of(operator_app(system, TOKEN, traffic, event_loop)) as operator:
        answer = await operator.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})
        refused = await operator.get("/metrics")
    assert (200, 401) == (answer.status_code, refused.status_code)
    assert "text/plain; version=0.0.4; charset=utf-8" == answer.headers["content-type"]
    assert answer.text.endswith("\n")
    found: dict[str, float] = {}
    known = kind = ""
    for line in answer.text.splitlines():
        if line.startswith("# HELP "):
            continue
        if line.startswith("# TYPE "):
            _, _, known, kind = line.split()
            assert (kind == "counter") == known.endswith("_total")
            continue
        match = LINE.fullmatch(line)
        assert match is not None, line
        suffix = match[1].removeprefix(known)
        assert suffix in ({"_bucket", "_sum", "_count"} if kind == "histogram" else {""})
        assert match[1] + match[2] not in found
        found[match[1] + match[2]] = float(match[3])
    return found


async def test_mail_is_counted_by_what_became_of_it(autojump_clock):
    """What waits and for how long, and of which class the server's last failure is, while it fails."""
    async with live_post_town() as (here, system):
        here.mails.answers = [
            MailOutcome("deferred", "451 greylisted"),
            MailOutcome("rejected", "550 no such user"),
        ]
        await here.tell("one", "two", "three")
        await trio.sleep(10)
        works = await read(system)
        here.mails.answers = [MailServerFailed("the certificate is not valid: expired", "tls")]
        await here.tell("four")
        await trio.sleep(1)
        here.mails.is_down = True
        await Mailer(system, here.organization.id).wake()
        await trio.sleep(3)
        fails = await read(system)

    assert (1, 1, 1) == tuple(
        works[f'svc_mails_total{{outcome="{outcome}"}}'] for outcome in ("sent", "deferred", "rejected")
    )
    assert (1, 10, 1) == tuple(
        works[f"svc_mails_{name}"] for name in ("waiting", "oldest_waiting_seconds", "deferred")
    )
    assert (1, 1, 1) == tuple(
        works[f"svc_{name}"] for name in ("mail_configured", "mails_sent_last_day", "mails_failed_last_day")
    )
    assert not [name for name in works if name.startswith("svc_mail_server")]
    assert fails['svc_mail_server_failures_total{class="tls"}'] == 1
    assert fails['svc_mail_server_failing{class="tls"}'] == 1
    assert fails["svc_mails_waiting"] == 2


@pytest.mark.parametrize("configured", [True, False])
async def test_backups_are_told_where_they_are_made(autojump_clock, tmp_path: Path, *, configured: bool):
    """When the last good one was made, and its size: 0 for none, so that an alert of its age is raised."""
    place = Place(tmp_path)
    async with town() as here, here.live_system() as system:
        if not configured:
            assert not [name for name in await read(system) if name.startswith("svc_backup")]
            return
        system.backups = place.backups()
        before = await read(system)
        await BackupKeeper(system, BACKUP_KEEPER).start()
        await trio.sleep(60)
        after = await read(system)
        place.directory.rename(tmp_path / "away")
        await trio.sleep(3 * 60 * 60 - 30)  # the next attempt is a minute after the one that fails
        broken = await read(system)

    assert before["svc_backup_last_good_timestamp_seconds"] == 0
    assert after["svc_backup_last_good_timestamp_seconds"] == START / 1_000
    [size] = [path.stat().st_size for path in (tmp_path / "away").iterdir()]
    assert after["svc_backup_last_good_bytes"] == size
    assert (after["svc_backups_kept"], after["svc_backup_failures"]) == (1, 0)
    assert broken["svc_backup_last_good_timestamp_seconds"] == START / 1_000
    assert broken["svc_backup_failures"] == 1
    assert after['svc_actor_crashes_total{kind="BackupKeeper"}'] == 0
    assert after["svc_store_units_total"] > 0


async def test_without_its_store_the_rest_is_told(autojump_clock):
    """Metrics are what tells that it fails."""
    async with live_post_town() as (here, system):
        await here.store.aclose()
        found = await read(system)

    assert found["svc_mail_configured"] == 1
    assert "svc_mails_waiting" not in found


async def test_requests_are_counted_by_door_and_status(autojump_clock):
    """Whole answers and streams, pages and errors; each until the head of its answer."""
    traffic = Traffic()
    async with tool_town() as here:
        app = public_app(here.system, traffic=traffic)
        async with client_of(app) as client:
            await client.post(
                "/api/v1/tools/form.list", json={}, headers={"authorization": f"Bearer {here.key}"}
            )
            await client.post("/api/v1/tools/form.list", json={})
            await client.get("/docs/forms")
            await client.get("/nowhere")
        found = await read(here.system, traffic)

    requests = {name: value for name, value in found.items() if name.startswith("svc_requests_total")}
    assert {
        'svc_requests_total{door="pages",status="200"}': 1,
        'svc_requests_total{door="pages",status="404"}': 1,
        'svc_requests_total{door="tools",status="200"}': 1,
        'svc_requests_total{door="tools",status="401"}': 1,
    } == requests
    assert 2 == found['svc_request_seconds_count{door="tools"}']
    assert 2 == found['svc_request_seconds_bucket{door="tools",le="+Inf"}']
    assert set() == {name for name in found if name.startswith("svc_streams_open") and found[name]}


async def test_a_histogram_counts_up_to_each_bound(autojump_clock):
    """A bucket has those of the buckets below it, and the sum is that of all times."""
    traffic = Traffic()
    for seconds in (0.0002, 0.2, 30.0):
        traffic.note("forms", 200, seconds)
    async with town() as here, here.live_system() as system:
        found = await read(system, traffic)

    counts = [
        found[f'svc_request_seconds_bucket{{door="forms",le="{le}"}}']
        for le in ("0.0001", "0.25", "10", "+Inf")
    ]
    assert [0, 2, 2, 3] == counts
    assert (3, 30.2002) == (
        found['svc_request_seconds_count{door="forms"}'],
        found['svc_request_seconds_sum{door="forms"}'],
    )


async def test_a_stalled_event_loop_is_told_for_a_minute(autojump_clock):
    """The longest time by which something that slept woke late."""
    event_loop = EventLoopWatch()
    async with town() as here, here.live_system() as system, trio.open_nursery() as nursery:
        nursery.start_soon(event_loop.run)
        await trio.sleep(1.1)
        calm = await read(system, event_loop=event_loop)
        autojump_clock.jump(2)
        await trio.sleep(1)
        stalled = await read(system, event_loop=event_loop)
        await trio.sleep(60)
        over = await read(system, event_loop=event_loop)
        nursery.cancel_scope.cancel()

    told = [found["svc_event_loop_stall_seconds"] for found in (calm, stalled, over)]
    assert [0, True, 0] == [told[0], 1.5 < told[1] <= 2, told[2]]


async def test_the_oldest_message_of_a_kind_is_told(autojump_clock):
    """Of all mailboxes; a turn that hangs makes the rest wait."""

    async def hang(_: Probe) -> None:
        await trio.sleep_forever()

    async with living() as lab:
        Probe(lab, "a").do.tell(hang)
        await trio.sleep(1)
        Probe(lab, "a").add.tell(1)
        await trio.sleep(3)
        Probe(lab, "b").do.tell(hang)
        Probe(lab, "b").add.tell(1)
        [kind, _] = lab.statistics().kinds

        assert (3, 2) == (kind.mailbox_oldest_seconds, kind.mailbox_depth - 1)


async def test_attempts_and_spans_are_counted_by_what_became_of_them(autojump_clock):
    """Of attempts, every outcome is there from the beginning; of spans, once there is a tracer."""
    async with tool_town(outbound_http=Receiver(PostResult(404))) as here:
        await here.store.write(a_webhook, here.organization.id)
        before = await read(here.system)
        here.system.tracer = tracer = Tracer(SpanQueue(waiting_max=1))
        await here.call("record.create", {"objectType": "contact", "properties": {"name": "Ada"}})
        await trio.sleep(1)
        found = await read(here.system)

    attempts = {name for name in before if name.startswith("svc_attempts_total")}
    assert 8 == len(attempts)
    assert {0.0} == {before[name] for name in attempts}
    assert 1 == found['svc_attempts_total{to="webhook",outcome="refused"}']
    assert not any(name.startswith("svc_trace_") for name in before)
    assert 1 == found["svc_trace_spans_waiting"]
    assert 0 < found['svc_trace_spans_total{outcome="dropped"}'] <= tracer.queue.dropped
    assert 0 == found['svc_trace_spans_total{outcome="exported"}']


async def test_every_metric_is_documented(autojump_clock, tmp_path: Path):
    """In docs/operator.md."""
    page = (Path(__file__).parents[3] / "docs" / "operator.md").read_text("utf-8")
    async with live_post_town() as (_, system):
        system.backups = Place(tmp_path).backups()
        system.mail.mailing.note_failure(MailServerFailed("it has not answered in time", "timeout"))
        system.tracer = Tracer(SpanQueue())
        found = await read(system)

    metrics = {re.sub(r"_(bucket|sum|count)$", "", name.partition("{")[0]) for name in found}
    assert [] == [name for name in metrics if f"`{name}`" not in page]
