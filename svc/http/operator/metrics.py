"""`/metrics`: figures in Prometheus's text format, version 0.0.4.

Counters begin at 0 with each start. Figures of one request are read one after the other, not at one moment.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Final, Literal, NamedTuple

from svc.actors._core import KindStatistics
from svc.actors._core.statistics import LatencyBucket
from svc.actors.ai.resources import AiResources
from svc.actors.backups.backups import BackupStatus
from svc.actors.mail.mailing import Mailing
from svc.actors.outbound.resources import OutgoingResources
from svc.actors.system import System
from svc.domain.attempts import ATTEMPT_ENDS, ATTEMPT_KINDS
from svc.domain.errors import Unavailable
from svc.domain.locale.times import SECOND_MS
from svc.histogram import Bucket
from svc.http.operator import process
from svc.http.operator.event_loop import EventLoopWatch
from svc.http.traffic import Traffic
from svc.services.operator import mail_state
from svc.services.operator.backlog import Waiting, WaitingNoun
from svc.services.operator.mail_state import MailState
from svc.telemetry.queue import SpanQueue
from svc.version import VERSION

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

Labels = Mapping[str, str]


class Metric(NamedTuple):
    """A metric, and its value for each set of labels."""

    name: str
    type: Literal["counter", "gauge", "histogram"]
    help: str
    values: Iterable[tuple[Labels, float]]
    """Of a histogram, the sum of each; its buckets are in `buckets`."""
    buckets: Iterable[Iterable[Bucket]] = ()


async def text(system: System, traffic: Traffic, event_loop: EventLoopWatch, waiting: Waiting) -> str:
    """All metrics. Those of rows are left out while the data cannot be read."""
    metrics = [_one("svc_info", "gauge", "The version of the program.", 1, version=VERSION)]
    metrics += _process(event_loop)
    metrics += _requests(traffic)
    metrics += _request_log(system)
    metrics += _store(system)
    metrics += _actors((await system.survey()).kinds)
    metrics += _ai(system.ai)
    metrics += _mail_server(system.mail.mailing)
    metrics.append(_attempts(system.outgoing))
    if system.tracer is not None:
        metrics += _spans(system.tracer.queue)
    with suppress(Unavailable):
        metrics += _outbox(await mail_state.read(system))
        metrics += _waiting(await waiting.read(), system.clock.now())
    if system.backups is not None:
        metrics += _backups(system.backups.status)
    return "".join(line for metric in metrics for line in _lines(metric))


def _process(event_loop: EventLoopWatch) -> Iterator[Metric]:
    for name, about, value in process.figures():
        yield _one(name, "counter" if name.endswith("_total") else "gauge", about, value)
    yield _one(
        "svc_event_loop_stall_seconds",
        "gauge",
        "The longest time of the last minute in which no other task had its turn.",
        event_loop.longest_seconds(),
    )


def _requests(traffic: Traffic) -> Iterator[Metric]:
    yield Metric(
        "svc_requests_total",
        "counter",
        "Answers, by door and status.",
        [
            ({"door": door, "status": str(status)}, count)
            for (door, status), count in sorted(traffic.answers.items())
        ],
    )
    doors = sorted(traffic.latencies.items())
    yield Metric(
        "svc_request_seconds",
        "histogram",
        "From the head of a request to the head of its answer, by door.",
        [({"door": door}, latencies.seconds) for door, latencies in doors],
        [_in_seconds(latencies.buckets()) for _, latencies in doors],
    )
    yield Metric(
        "svc_streams_open",
        "gauge",
        "Answers that are being sent in parts, by door.",
        [({"door": door}, count) for door, count in sorted(traffic.streams.items())],
    )


def _request_log(system: System) -> Iterator[Metric]:
    log = system.request_log.statistics()
    yield Metric(
        "svc_request_log_calls_total",
        "counter",
        "Calls of keys for the request log, by what became of their line.",
        [({"outcome": "written"}, log.written), ({"outcome": "lost"}, log.lost)],
    )
    yield _one("svc_request_log_waiting", "gauge", "Calls that wait to be written there.", log.waiting)


def _store(system: System) -> Iterator[Metric]:
    store = system.store.statistics()
    yield _one("svc_store_queue_depth", "gauge", "Writes that wait for a transaction.", store.queue_depth)
    yield _one("svc_store_reads_waiting", "gauge", "Reads that wait for their result.", store.reads_waiting)
    yield _one("svc_store_units_total", "counter", "Writes that were committed.", store.units)
    yield _one(
        "svc_store_units_failed_total", "counter", "Writes rejected by a rule, or lost.", store.units_failed
    )
    yield _one("svc_store_batches_total", "counter", "Transactions that were committed.", store.batches)
    yield _one(
        "svc_store_batches_failed_total", "counter", "Transactions that were lost.", store.batches_failed
    )
    yield _one("svc_store_commit_seconds_total", "counter", "Time spent on commits.", store.commit_seconds)
    yield Metric(
        "svc_store_commit_duration_seconds",
        "histogram",
        "How long the commit of a transaction took.",
        [({}, store.commit_seconds)],
        [store.commits],
    )
    yield Metric(
        "svc_store_batch_units",
        "histogram",
        "Writes in a transaction.",
        [({}, store.units + store.units_failed)],
        [store.batches_by_units],
    )
    failing = store.failing_seconds or 0
    yield _one("svc_store_failing_seconds", "gauge", "How long nothing could be written; else 0.", failing)


def _actors(kinds: list[KindStatistics]) -> Iterator[Metric]:

    def of_kinds(name: str, kind: Literal["counter", "gauge"], about: str, field: str) -> Metric:
        return Metric(name, kind, about, [({"kind": one.kind}, getattr(one, field)) for one in kinds])

    yield of_kinds("svc_actors", "gauge", "Actors in memory.", "active")
    yield of_kinds("svc_actors_quarantined", "gauge", "Actors that crashed too often.", "quarantined")
    yield of_kinds("svc_actor_mailbox_depth", "gauge", "Messages that wait.", "mailbox_depth")
    yield of_kinds(
        "svc_actor_mailbox_oldest_seconds",
        "gauge",
        "How long the oldest of them has waited; 0 where none waits.",
        "mailbox_oldest_seconds",
    )
    yield Metric(
        "svc_actor_answer_seconds",
        "histogram",
        "From sending a message to its answer.",
        [({"kind": one.kind}, one.latency_seconds) for one in kinds if one.turns],
        [_in_seconds(one.latency) for one in kinds if one.turns],
    )
    yield Metric(
        "svc_actor_turn_seconds",
        "histogram",
        "How long turns ran, without the wait before.",
        [({"kind": one.kind}, one.run_seconds) for one in kinds if one.turns],
        [_in_seconds(one.runs) for one in kinds if one.turns],
    )
    yield of_kinds("svc_actor_turns_total", "counter", "Messages that were processed.", "turns")
    yield of_kinds("svc_actor_crashes_total", "counter", "Crashes.", "crashes")
    yield of_kinds("svc_actor_refused_total", "counter", "Messages that were rejected.", "refused")


def _ai(ai: AiResources) -> Iterator[Metric]:
    settlements = ai.settlements
    yield Metric(
        "svc_ai_calls_total",
        "counter",
        "AI calls that have ended, by who pays and how they ended.",
        [({"payer": payer, "ended": ended}, n) for (payer, ended), n in sorted(settlements.ended.items())],
    )
    yield Metric(
        "svc_ai_cost_micro_credits_total",
        "counter",
        "What they cost at list price.",
        [({"payer": payer}, settlements.cost[payer]) for payer in ("credits", "organization")],
    )
    yield _one(
        "svc_ai_charged_micro_credits_total",
        "counter",
        "What of it was taken from credits.",
        settlements.charged,
    )
    yield _one("svc_ai_calls_open", "gauge", "AI calls under way.", len(ai.open_calls))
    yield _one(
        "svc_ai_settlements_waiting",
        "gauge",
        "Ends of calls that the store has refused so far.",
        settlements.kept,
    )


def _attempts(outgoing: OutgoingResources) -> Metric:
    return Metric(
        "svc_attempts_total",
        "counter",
        "Attempts to deliver to others, by what was sent and how they ended.",
        [
            ({"to": kind, "outcome": end}, outgoing.attempts[kind, end])
            for kind in ATTEMPT_KINDS
            for end in ATTEMPT_ENDS
        ],
    )


def _spans(queue: SpanQueue) -> Iterator[Metric]:
    yield Metric(
        "svc_trace_spans_total",
        "counter",
        "Spans that were recorded, by what became of them.",
        [({"outcome": "exported"}, queue.exported), ({"outcome": "dropped"}, queue.dropped)],
    )
    yield _one("svc_trace_spans_waiting", "gauge", "Spans that wait to be exported.", len(queue))


def _mail_server(mailing: Mailing) -> Iterator[Metric]:
    configured = mailing.server is not None
    yield _one("svc_mail_configured", "gauge", "Whether a mail server is set.", float(configured))
    yield Metric(
        "svc_mails_total",
        "counter",
        "Attempts to send a mail, by what became of it.",
        [({"outcome": one}, mailing.outcomes[one]) for one in ("sent", "deferred", "rejected")],
    )
    yield Metric(
        "svc_mail_server_failures_total",
        "counter",
        "Failures of the mail server itself, by their class.",
        [({"class": kind}, count) for kind, count in sorted(mailing.failures_since_start.items())],
    )
    last = mailing.failure_class
    yield Metric(
        "svc_mail_server_failing",
        "gauge",
        "Failures of the mail server in a row, with the class of the last; nothing while it works.",
        [] if last is None else [({"class": last}, mailing.failures)],
    )


def _outbox(mail: MailState) -> Iterator[Metric]:
    yield _one("svc_mails_waiting", "gauge", "Mails that wait to be sent.", mail.waiting)
    yield _one(
        "svc_mails_oldest_waiting_seconds",
        "gauge",
        "How long the oldest of them has waited; 0 where none waits.",
        mail.oldest_waiting_seconds or 0,
    )
    yield _one("svc_mails_deferred", "gauge", "Of them: refused for now at least once.", mail.deferred)
    yield _one("svc_mails_sent_last_day", "gauge", "Mails sent within 24 hours.", mail.sent_last_day)
    yield _one("svc_mails_failed_last_day", "gauge", "Mails given up within 24 hours.", mail.failed_last_day)


def _waiting(nouns: list[WaitingNoun], now: int) -> Iterator[Metric]:
    yield Metric(
        "svc_waiting",
        "gauge",
        "What waits in the database to be done, by noun.",
        [({"noun": one.noun}, one.count) for one in nouns],
    )
    yield Metric(
        "svc_waiting_oldest_seconds",
        "gauge",
        "For how long the oldest of it has waited, or is overdue; 0 where nothing waits.",
        [
            (
                {"noun": one.noun},
                0 if one.oldest_since is None else max(0, now - one.oldest_since) / SECOND_MS,
            )
            for one in nouns
        ],
    )


def _backups(status: BackupStatus) -> Iterator[Metric]:
    good = status.last_good
    yield _one(
        "svc_backup_last_good_timestamp_seconds",
        "gauge",
        "When the last good backup was begun; 0 where there is none.",
        0 if good is None else good.at / SECOND_MS,
    )
    yield _one("svc_backup_last_good_bytes", "gauge", "Its size.", 0 if good is None else good.size)
    yield _one("svc_backups_kept", "gauge", "Backups in the directory.", status.kept)
    yield _one("svc_backup_failures", "gauge", "Failures since the last good backup.", status.failures)


def _one(name: str, kind: Literal["counter", "gauge"], about: str, value: float, **labels: str) -> Metric:
    return Metric(name, kind, about, [(labels, value)])


def _lines(metric: Metric) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.help}\n# TYPE {metric.name} {metric.type}\n"
    if metric.type == "histogram":
        for (labels, total), buckets in zip(metric.values, metric.buckets, strict=True):
            yield from _histogram(metric.name, labels, total, buckets)
        return
    for labels, value in metric.values:
        yield _line(metric.name, labels, value)


def _in_seconds(latencies: Iterable[LatencyBucket]) -> Iterator[Bucket]:
    for bucket in latencies:
        yield Bucket(None if bucket.upto_ms is None else bucket.upto_ms / SECOND_MS, bucket.turns)


def _histogram(name: str, labels: Labels, total: float, buckets: Iterable[Bucket]) -> Iterator[str]:
    """The buckets, which count from 0 up to their bound each, the sum and the count."""
    count = 0
    for bucket in buckets:
        count += bucket.count
        bound = "+Inf" if bucket.upto is None else f"{bucket.upto:g}"
        yield _line(f"{name}_bucket", {**labels, "le": bound}, count)
    yield _line(f"{name}_sum", labels, total)
    yield _line(f"{name}_count", labels, count)


def _line(name: str, labels: Labels, value: float) -> str:
    # No label has a quote, a backslash or a line break in it: they are names of this program.
    shown = ",".join(f'{label}="{of}"' for label, of in labels.items())
    return f"{name}{f'{{{shown}}}' if shown else ''} {value:.15g}\n"
