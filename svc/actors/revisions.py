"""Revisions: whether the data that an actor keeps in memory has changed since the actor read it."""


class Revisions:
    """Numbers of the announced changes, by key.

    An actor notes the last number before it reads its data, and compares at each turn. So a committed change
    is seen by the very next turn, even of a message that was already in the mailbox, and a change that is
    announced during the read is not lost.
    """

    def __init__(self) -> None:
        self._last = 0
        self._last_of: dict[str, int] = {}

    @property
    def last(self) -> int:
        """The number of the last change of any key."""
        return self._last

    def note(self, key: str) -> None:
        """Record a change of *key*."""
        self._last += 1
        self._last_of[key] = self._last

    def changed(self, key: str, since: int) -> bool:
        """Whether *key* has changed since the change with the number *since*."""
        return self._last_of.get(key, 0) > since
