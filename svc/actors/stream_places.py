"""Places for requests that stay open: streams of screens, calls of the gateway, long polls, files.

Together they have a part of the listener's connections, so that the doors always have the rest. Of each
share one organization may have half, so that it cannot keep the others out.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from svc.domain.errors import Unavailable

_CONNECTIONS: Final = 1_000
"""The default of `server.connections_max`."""


class PlaceStatistics(msgspec.Struct, frozen=True):
    """Open requests, and how many there may be."""

    open: int
    limit: int


class _Share:
    """A number of places."""

    def __init__(self, limit: int) -> None:
        self.limit = max(1, limit)
        self.taken = 0
        self._organization_limit = max(1, self.limit // 2)
        self._by_organization: dict[str, int] = {}

    def has_room(self, organization_id: str) -> bool:
        return (
            self.taken < self.limit
            and self._by_organization.get(organization_id, 0) < self._organization_limit
        )

    def take(self, organization_id: str) -> None:
        self.taken += 1
        self._by_organization[organization_id] = self._by_organization.get(organization_id, 0) + 1

    def release(self, organization_id: str) -> None:
        self.taken -= 1
        left = self._by_organization[organization_id] - 1
        if left:
            self._by_organization[organization_id] = left
        else:
            del self._by_organization[organization_id]


class PlacesOfKind:
    """The places of one kind of request, which has to have room in all of *shares*."""

    def __init__(self, *shares: _Share) -> None:
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
            share.take(organization_id)
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
        together = _Share(connections_max * 3 // 4)
        self.screens = PlacesOfKind(_Share(connections_max // 3), together)
        """Live events of screens: a third of the connections."""
        self.gateway = PlacesOfKind(_Share(connections_max // 2), together)
        """Calls at the AI gateway, streamed or not: half of the connections."""
        self.files = PlacesOfKind(_Share(connections_max // 4), together)
        """Uploads and downloads of files: a quarter of the connections."""
        self.polls = PlacesOfKind(together)
        """Long polls."""

    def statistics(self) -> PlaceStatistics:
        """Of all kinds together."""
        return self.polls.statistics()
