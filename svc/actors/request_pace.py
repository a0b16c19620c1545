"""Whether requests are served meanwhile, for which work of the service's own makes way."""

from math import inf
from typing import Final

import trio

from svc.storage.store import Store

SHARED_SECONDS: Final = 1.0
"""How long such work makes way for others after they were served."""
SHARED_REST: Final = 4
"""How many times as long as it took such work rests then. Most of what others would feel are not the units
but the checkpoints of the database that they bring about."""
WATCHED_MAX: Final = 8
"""Writes and reads of requests within that time that are no reason to: who watches the work asks as many."""


class RequestPace:
    """Looks at what requests ask of the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._marked = 0
        self._marked_at = self._shared_until = -inf

    def is_shared(self) -> bool:
        """Whether requests asked more of the store within a second than who watches the work asks."""
        now, asked = trio.current_time(), self._asked()
        seconds = max(now - self._marked_at, SHARED_SECONDS)
        is_many = asked - self._marked > WATCHED_MAX * seconds / SHARED_SECONDS
        if is_many:
            self._shared_until = now + SHARED_SECONDS
        if is_many or seconds > SHARED_SECONDS:
            self._marked, self._marked_at = asked, now
        return now < self._shared_until

    def _asked(self) -> int:
        return self._store.statistics().requested
