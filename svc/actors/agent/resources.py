"""What runs of agents share."""

from svc.actors.concurrency_limits import KeyedPace
from svc.actors.fair_places import FairPlaces
from svc.domain.agent.limits import (
    AGENT_RUNS_AT_ONCE,
    AGENT_RUNS_AT_ONCE_IN_ALL,
    AGENT_RUNS_SPACING_MS,
    AGENT_RUNS_WAITING_MAX,
)
from svc.domain.locale.times import SECOND_MS


class AgentResources:
    """The places and the pace of runs."""

    def __init__(self) -> None:
        self.runs = FairPlaces(
            AGENT_RUNS_AT_ONCE_IN_ALL, FairPlaces(AGENT_RUNS_WAITING_MAX), of_each_max=AGENT_RUNS_AT_ONCE
        )
        """Runs of agents under way, by organization."""
        self.pace = KeyedPace(AGENT_RUNS_SPACING_MS / SECOND_MS)
        """The pace at which runs of agents begin, by organization."""
