"""SIGUSR1: what every kind of actor does, and where those stand that are in trouble, as lines of the log."""

import signal
from typing import Final

import structlog
import trio

from svc.actors._core import ActorStatistics, ActorSystem, Selection

log = structlog.get_logger("svc.actors")

ACTORS_MAX: Final = 200
"""Actors in a report: those that wait, run or crash most."""

_ACTORS_AT_ONCE: Final = 20


async def report_on_signal(system: ActorSystem) -> None:
    """Write a report for each SIGUSR1, until cancelled."""
    with trio.open_signal_receiver(signal.SIGUSR1) as signals:
        async for _ in signals:
            await report(system)


async def report(system: ActorSystem) -> None:
    """Write the report now: a line for each kind, then one for each actor in trouble, the worst first."""
    survey = await system.survey(Selection(sort="trouble", limit=ACTORS_MAX))
    for kind in survey.kinds:
        log.info(
            "kind of actor",
            kind=kind.kind,
            active=kind.active,
            quarantined=kind.quarantined,
            mailbox_depth=kind.mailbox_depth,
            turns=kind.turns,
            crashes=kind.crashes,
            refused=kind.refused,
        )
    for number, actor in enumerate(survey.actors, 1):
        inspection = system.inspect(actor.kind, actor.key)
        if inspection is not None and _is_in_trouble(actor):
            log.info(
                "actor",
                kind=actor.kind,
                key=actor.key,
                phase=inspection.statistics.phase,
                turn=inspection.statistics.turn,
                turn_age_seconds=inspection.statistics.turn_age_seconds,
                request_id=inspection.request_id,
                stack=inspection.stack,
                waits_for=inspection.waits_for,
                waiting=inspection.waiting,
                tasks=[f"{task.name}: {task.stack[-1:]}" for task in inspection.tasks],
                turns=[
                    f"{turn.turn} {turn.run_seconds * 1000:.1f} ms {turn.outcome}"
                    for turn in inspection.turns
                ],
                crash=inspection.crash and inspection.crash.error,
            )
        if number % _ACTORS_AT_ONCE == 0:
            await trio.lowlevel.checkpoint()
    log.info("end of the report of actors")


def _is_in_trouble(actor: ActorStatistics) -> bool:
    """Whether anything runs or waits, or has crashed."""
    return bool(actor.turn or actor.mailbox_depth or actor.tasks or actor.crashes)
