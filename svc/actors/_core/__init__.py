"""A small runtime of virtual actors on Trio. It contains nothing about the business.

An address (class and key) is always valid. The first message activates its actor, idleness
passivates it, and after a crash it is loaded again. See `docs/actors.md`.
"""

from svc.actors._core.actor import Actor, BoundTurn, Turn, turn
from svc.actors._core.errors import (
    ActorCrashed,
    ActorError,
    AskCycle,
    Draining,
    MailboxFull,
    OutsideTurn,
    Overcrowded,
    Quarantined,
    TurnTimedOut,
)
from svc.actors._core.inspection import ActorInspection
from svc.actors._core.policy import Policy
from svc.actors._core.private import Private
from svc.actors._core.statistics import ActorStatistics, KindStatistics, LatencyBucket, SystemStatistics
from svc.actors._core.survey import Selection, Survey
from svc.actors._core.system import ActorSystem

__all__ = [
    "Actor",
    "ActorCrashed",
    "ActorError",
    "ActorInspection",
    "ActorStatistics",
    "ActorSystem",
    "AskCycle",
    "BoundTurn",
    "Draining",
    "KindStatistics",
    "LatencyBucket",
    "MailboxFull",
    "OutsideTurn",
    "Overcrowded",
    "Policy",
    "Private",
    "Quarantined",
    "Selection",
    "Survey",
    "SystemStatistics",
    "Turn",
    "TurnTimedOut",
    "turn",
]
