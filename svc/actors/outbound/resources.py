"""What requests to third parties share."""

from collections import Counter

from svc.actors.outbound.client import OutboundHttp
from svc.actors.request_pace import RequestPace
from svc.actors.webhooks.attempt_places import AttemptPlaces
from svc.domain.attempts import AttemptEnd, AttemptKind


class OutgoingResources:
    """The client of webhooks and others, and the places of attempts."""

    def __init__(self, request_pace: RequestPace, http: OutboundHttp | None = None) -> None:
        self.http = http or OutboundHttp()
        """The client for requests to third parties."""
        self.attempts = Counter[tuple[AttemptKind, AttemptEnd]]()
        """Attempts since the start, by what was sent and how they ended."""
        self.attempt_places = AttemptPlaces(self.http, request_pace)
        """How many attempts of webhooks may be under way."""
