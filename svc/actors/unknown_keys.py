"""Unknown keys: what strangers asked for lately and nobody has, so that asking again costs no look-up.

Form keys, embed keys and hosts of page views come without any secret, as fast as somebody likes to send them.
To activate an actor that only finds that there is nothing for it costs more than all else of such a request.
"""

from collections.abc import Callable

from sqlalchemy import Connection

from svc.clock import Clock
from svc.domain.errors import NotFound
from svc.domain.limits import UNKNOWN_KEYS_MAX, UNKNOWN_KEYS_MS
from svc.storage.store import Units


class UnknownKeys:
    """Keys of one kind that are known to be nobody's. It is told whenever one may have become somebody's."""

    def __init__(
        self,
        units: Units,
        clock: Clock,
        search: Callable[[Connection, str], object],
        kept_max: int = UNKNOWN_KEYS_MAX,
    ) -> None:
        """*search* raises `NotFound` for a key that nobody has."""
        self._units = units
        self._clock = clock
        self._search = search
        self._kept_max = kept_max
        self._until: dict[str, int] = {}
        self._forgotten = 0

    def __len__(self) -> int:
        return len(self._until)

    async def check(self, key: str) -> None:
        """Raises `NotFound` for a key that nobody has: from memory, or after a look-up that is remembered."""
        now = self._clock.now()
        until = self._until.get(key)
        if until is not None:
            if now < until:
                raise NotFound("known to be nobody's")
            del self._until[key]
        forgotten = self._forgotten
        try:
            await self._units.read(self._search, key)
        except NotFound:
            # What was made while the look-up was under way may be what it did not find yet.
            if self._forgotten == forgotten:
                self._remember(key, now + UNKNOWN_KEYS_MS)
            raise

    def forget(self, *keys: str) -> None:
        """Somebody may have these now."""
        self._forgotten += 1
        for key in keys:
            self._until.pop(key, None)

    def forget_all(self) -> None:
        """Somebody may have any of them now."""
        self._forgotten += 1
        self._until.clear()

    def _remember(self, key: str, until: int) -> None:
        while len(self._until) >= self._kept_max:
            del self._until[next(iter(self._until))]
        self._until[key] = until
