"""Turns: units that run alone wait for all lanes, and all lanes wait for these."""

from typing import Protocol


class Writer(Protocol):
    """What takes turns."""

    def begin(self) -> None:
        """Begin a batch. It says `Turns.ended` at its end, and `Turns.ask` where it has more."""
        ...


class Turns:
    """Says when a lane begins a batch. Lives on the Trio thread.

    Lanes run beside one another. The writer of what runs *alone* begins when none runs, and none begins while
    it waits; those that waited for it meanwhile have a batch each before it begins again.
    """

    def __init__(self) -> None:
        self._alone: Writer | None = None
        self._running: set[Writer] = set()
        self._waiting: dict[Writer, None] = {}

    def give_alone(self, writer: Writer) -> None:
        """Name the writer that runs alone. Without one, nothing ever waits."""
        self._alone = writer

    def ask(self, writer: Writer) -> None:
        """Have *writer* begin a batch: now, or once it may."""
        if self._must_wait(writer):
            self._waiting[writer] = None
        else:
            self._begin(writer)

    def ended(self, writer: Writer) -> None:
        """The batch of *writer* has ended."""
        self._running.discard(writer)
        if writer is self._alone:
            waiting, self._waiting = self._waiting, {}
            for lane in waiting:
                self._begin(lane)
        elif self._alone in self._waiting and not self._running:
            del self._waiting[self._alone]
            self._begin(self._alone)

    def _must_wait(self, writer: Writer) -> bool:
        if writer is self._alone:
            return bool(self._running)
        return self._alone is not None and (self._alone in self._running or self._alone in self._waiting)

    def _begin(self, writer: Writer) -> None:
        self._running.add(writer)
        writer.begin()
