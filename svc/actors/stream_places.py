"""Places for requests that stay open: streams of screens, calls of the gateway, long polls, files.

Together they have a part of the listener's connections, so that the doors always have the rest. Organizations
share them fairly: one may hold as many as are free, so that it cannot keep the others out.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from svc.actors.fair_places import FairPlaces
from svc.domain.errors import Unavailable

_CONNECTIONS: Final = 1_000
"""The default of `server.connections_max`."""


class PlaceStatistics(msgspec.Struct, frozen=True):
    """Open requests, and how many there may be."""

    open: int
    limit: int


class PlacesOfKind:
    """The places of one kind of request, which has to have room in all of *shares*."""

    def __init__(self, *shares: FairPlaces) -> None:
        self._shares = shares

    def has_room(self, organization_id: str) -> bool:
        """Whether a request of the organization would get a place now."""
        return all(share.has_room(organization_id) for share in self._shares)

    @contextmanager
    def hold(self, organization_id: str) -> Iterator[None]:
        """Hold a place for a request of the organization. Raises `Unavailable` if there is none, at once."""
        if not self.has_room(organization_id):
            raise Unavailable("too many requests are open")
        for share in self._shares:
            share.try_acquire(organization_id)
        try:
            yield
        finally:
            for share in self._shares:
                share.release(organization_id)

    def statistics(self) -> PlaceStatistics:
        """Of the narrowest share."""
        return PlaceStatistics(self._shares[0].taken, self._shares[0].limit)


class StreamPlaces:
    """The places of a listener that has *connections_max* connections."""

    def __init__(self, connections_max: int = _CONNECTIONS) -> None:
        together = _share(connections_max * 3 // 4)
        self.screens = PlacesOfKind(_share(connections_max // 3), together)
        """Live events of screens: a third of the connections."""
        self.gateway = PlacesOfKind(_share(connections_max // 2), together)
        """Calls at the AI gateway, streamed or not: half of the connections."""
        self.files = PlacesOfKind(_share(connections_max // 4), together)
        """Uploads and downloads of files: a quarter of the connections."""
        self.polls = PlacesOfKind(together)
        """Long polls."""

    def statistics(self) -> PlaceStatistics:
        """Of all kinds together."""
        return self.polls.statistics()


def _share(places: int) -> FairPlaces:
    return FairPlaces(max(1, places))
