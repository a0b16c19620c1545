"""The memory that the bodies of calls under way may take, together and of one organization."""

from collections.abc import Iterator
from contextlib import contextmanager

from svc.domain.errors import Unavailable
from svc.domain.limits import AI_BODIES_BYTES_MAX


class BodyBytes:
    """A number of bytes. One organization may have half, so that it cannot keep the others out."""

    def __init__(self, limit: int = AI_BODIES_BYTES_MAX) -> None:
        self._limit = limit
        self._by_organization: dict[str, int] = {}
        self.taken = 0

    @contextmanager
    def hold(self, organization_id: str, size: int) -> Iterator[None]:
        """Hold *size* bytes for a request of the organization. Raises `Unavailable` if there are too few."""
        of_organization = self._by_organization.get(organization_id, 0)
        if self.taken + size > self._limit or of_organization + size > self._limit // 2:
            raise Unavailable("the calls under way are too large together")
        self.taken += size
        self._by_organization[organization_id] = of_organization + size
        try:
            yield
        finally:
            self.taken -= size
            self._by_organization[organization_id] -= size
            if not self._by_organization[organization_id]:
                del self._by_organization[organization_id]
