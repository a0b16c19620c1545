"""Revisions: whether something that an actor keeps in memory was changed since the actor read it."""


class Revisions:
    """The announced changes, counted; for each key, the number of the last one.

    An actor notes the number before it reads what it keeps, and compares at each turn. So the very next turn
    sees a change that is committed, those that wait in the mailbox included, and no change is lost that is
    announced while the actor reads.
    """

    def __init__(self) -> None:
        self._last = 0
        self._last_of: dict[str, int] = {}

    @property
    def last(self) -> int:
        """The number of the last change of any key."""
        return self._last

    def note(self, key: str) -> None:
        """Count a change of *key*."""
        self._last += 1
        self._last_of[key] = self._last

    def changed(self, key: str, since: int) -> bool:
        """Whether *key* has changed since the change of that number."""
        return self._last_of.get(key, 0) > since
