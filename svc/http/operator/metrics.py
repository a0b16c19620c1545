"""`/metrics`: figures in Prometheus's text format, version 0.0.4.

Counters begin at 0 with each start. Figures of one request are read one after the other, not at one moment.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Final, Literal, NamedTuple

from svc.actors.backups.backups import BackupStatus
from svc.actors.mail.mailing import Mailing
from svc.actors.system import System
from svc.domain.errors import Unavailable
from svc.domain.times import SECOND_MS
from svc.services import mail_state
from svc.services.mail_state import MailState
from svc.version import VERSION

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

Labels = Mapping[str, str]


class Metric(NamedTuple):
    """A metric, and its value for each set of labels."""

    name: str
    type: Literal["counter", "gauge"]
    help: str
    values: Iterable[tuple[Labels, float]]


async def text(system: System) -> str:
    """All metrics. Those of mail are left out while the data cannot be read."""
    metrics = [_one("svc_info", "gauge", "The version of the program.", 1, version=VERSION)]
    metrics += _store(system)
    metrics += _actors(system)
    metrics += _mail_server(system.mailing)
    with suppress(Unavailable):
        metrics += _outbox(await mail_state.read(system))
    if system.backups is not None:
        metrics += _backups(system.backups.status)
    return "".join(line for metric in metrics for line in _lines(metric))


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
    failing = store.failing_seconds or 0
    yield _one("svc_store_failing_seconds", "gauge", "How long nothing could be written; else 0.", failing)


def _actors(system: System) -> Iterator[Metric]:
    kinds = system.statistics().kinds

    def of_kinds(name: str, kind: Literal["counter", "gauge"], about: str, field: str) -> Metric:
        return Metric(name, kind, about, [({"kind": one.kind}, getattr(one, field)) for one in kinds])

    yield of_kinds("svc_actors", "gauge", "Actors in memory.", "active")
    yield of_kinds("svc_actors_quarantined", "gauge", "Actors that crashed too often.", "quarantined")
    yield of_kinds("svc_actor_mailbox_depth", "gauge", "Messages that wait.", "mailbox_depth")
    yield of_kinds("svc_actor_turns_total", "counter", "Messages that were processed.", "turns")
    yield of_kinds("svc_actor_crashes_total", "counter", "Crashes.", "crashes")
    yield of_kinds("svc_actor_refused_total", "counter", "Messages that were rejected.", "refused")


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
    for labels, value in metric.values:
        # No label has a quote, a backslash or a line break in it: they are names of this program.
        shown = ",".join(f'{name}="{label}"' for name, label in labels.items())
        yield f"{metric.name}{f'{{{shown}}}' if shown else ''} {value:.15g}\n"
