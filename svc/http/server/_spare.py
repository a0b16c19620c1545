"""File descriptors that are held back, so that a connection can be accepted where there are no others."""

import os
from contextlib import suppress


class SpareDescriptors:
    """Up to *count* descriptors of the null device, each of which may be given up for a connection."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._held: list[int] = []

    def hold(self) -> None:
        """Hold as many as there should be, or as many as the system allows."""
        if len(self._held) < self._count:
            with suppress(OSError):
                while len(self._held) < self._count:
                    self._held.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))

    def give_up_one(self) -> bool:
        """Close one, which makes room for another descriptor; returns whether there was one."""
        if not self._held:
            return False
        os.close(self._held.pop())
        return True

    def close(self) -> None:
        """Close all."""
        while self.give_up_one():
            pass
