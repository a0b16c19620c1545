"""The memory that the bodies of calls under way may take, together and of one organization."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from svc.domain.ai.limits import AI_BODIES_BYTES_MAX
from svc.domain.errors import Unavailable


class HeldBytes:
    """The bytes that one call holds."""

    __slots__ = ("_bodies", "_organization_id", "size")

    def __init__(self, bodies: "BodyBytes", organization_id: str) -> None:
        self._bodies: Final = bodies
        self._organization_id: Final = organization_id
        self.size = 0

    def grow(self, size: int) -> None:
        """Hold *size* bytes more. Raises `Unavailable` if there are too few."""
        self._bodies.take(self._organization_id, size)
        self.size += size


class BodyBytes:
    """A number of bytes. One organization may have half, so that it cannot keep the others out."""

    def __init__(self, limit: int = AI_BODIES_BYTES_MAX) -> None:
        self._limit = limit
        self._by_organization: dict[str, int] = {}
        self.taken = 0

    @contextmanager
    def hold(self, organization_id: str, size: int = 0) -> Iterator[HeldBytes]:
        """Hold *size* bytes for a call of the organization, or more as it grows. Raises `Unavailable`."""
        held = HeldBytes(self, organization_id)
        held.grow(size)
        try:
            yield held
        finally:
            self.take(organization_id, -held.size)

    def take(self, organization_id: str, size: int) -> None:
        """Count *size* bytes more, or fewer. Raises `Unavailable` if there are too few."""
        of_organization = self._by_organization.get(organization_id, 0) + size
        if size > 0 and (self.taken + size > self._limit or of_organization > self._limit // 2):
            raise Unavailable("the calls under way are too large together")
        self.taken += size
        self._by_organization[organization_id] = of_organization
        if not of_organization:
            del self._by_organization[organization_id]
