"""What AI calls share."""

import trio

from svc.actors.ai.body_bytes import BodyBytes
from svc.actors.ai.open_calls import STOP_SECONDS, OpenCalls
from svc.actors.ai.settlements import Settlements
from svc.actors.ai.upstreams import Upstreams
from svc.actors.revisions import Revisions
from svc.clock import Clock
from svc.domain.ai.models import ModelCatalogue
from svc.domain.ai.routing import Rests
from svc.storage.store import Store


class AiResources:
    """Models, providers, and the calls under way."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        access_revisions: Revisions,
        *,
        models: ModelCatalogue | None = None,
        upstreams: Upstreams | None = None,
        stop_seconds: float = STOP_SECONDS,
    ) -> None:
        self.models = models or ModelCatalogue()
        """The AI models of the configuration."""
        self.revisions = Revisions()
        """Changes of the AI models that an organization may run, and of its providers, by organization."""
        self.upstreams = upstreams or Upstreams()
        """The clients of AI providers."""
        self.rests = Rests()
        """Which AI providers rest."""
        self.open_calls = OpenCalls(store, clock, access_revisions, stop_seconds)
        """AI calls under way."""
        self.settlements = Settlements(store)
        """The ends of AI calls."""
        self.bodies = BodyBytes()
        """The memory of AI calls' bodies."""
        self.large_bodies = trio.CapacityLimiter(1)
        """The thread that decodes large bodies of AI calls."""
