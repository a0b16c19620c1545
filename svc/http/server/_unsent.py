"""What answers keep in memory before their clients take them: of a connection, of an address, and of all.

Nothing is copied before it is sent, so what is kept is what the application made, for as long as the client
leaves the answer where it is. Bytes that many answers share, such as a file of the program's, are kept once.
"""

from collections.abc import Callable
from typing import cast

Body = bytes | bytearray | memoryview


class UnsentPart:
    """A part of an answer, counted in *ledgers* from `begin` until `end`."""

    __slots__ = ("_give_up", "_ledgers", "beside_bytes", "body", "counted")

    def __init__(
        self, body: Body, ledgers: tuple["Ledger", ...], give_up: Callable[[], None], *, beside_bytes: int = 0
    ) -> None:
        """*beside_bytes* are kept besides *body*; *give_up* ends the answer, whose client does not read."""
        self.body = cast("bytes", body.obj) if isinstance(body, memoryview) else body
        self.beside_bytes = beside_bytes
        self.counted = False
        self._ledgers = ledgers
        self._give_up = give_up

    def begin(self) -> None:
        """Count the part."""
        self.counted = True
        for ledger in self._ledgers:
            ledger.add(self)

    def stall(self) -> None:
        """Note that its client does not read: it goes, oldest first, where too much is kept."""
        for ledger in self._ledgers:
            if self.counted:
                ledger.note_stalled(self)

    def resume(self) -> None:
        """Note that its client reads on."""
        for ledger in self._ledgers:
            ledger.note_resumed(self)

    def end(self) -> None:
        """Count it no longer."""
        if self.counted:
            self.counted = False
            for ledger in self._ledgers:
                ledger.remove(self)

    def give_up(self) -> None:
        """End the answer, and count it no longer."""
        self.end()
        self._give_up()


class Ledger:
    """Counts parts up to *bytes_max*; beyond, those whose clients do not read are given up, oldest first.

    One part alone is never too much, since an answer may be as long as it needs to be, and what is being read
    is never given up.
    """

    __slots__ = ("_bytes_max", "_sharing", "_stalled", "bytes", "parts")

    def __init__(self, bytes_max: float) -> None:
        self.bytes = 0
        self._bytes_max = bytes_max
        self.parts = 0
        self._sharing: dict[int, int] = {}  # how many parts have a body, by its id
        self._stalled: dict[UnsentPart, None] = {}

    @property
    def crowded(self) -> bool:
        """Whether nothing should be added: half of it is taken, and some by clients that do not read."""
        return bool(self._stalled) and self.bytes > self._bytes_max / 2

    def add(self, part: UnsentPart) -> None:
        """Count *part*."""
        sharing = self._sharing.get(id(part.body), 0)
        self._sharing[id(part.body)] = sharing + 1
        self.parts += 1
        self.bytes += part.beside_bytes + (0 if sharing else len(part.body))
        self._relieve()

    def remove(self, part: UnsentPart) -> None:
        """Count *part* no longer."""
        sharing = self._sharing.pop(id(part.body)) - 1
        if sharing:
            self._sharing[id(part.body)] = sharing
        self.parts -= 1
        self.bytes -= part.beside_bytes + (0 if sharing else len(part.body))
        self._stalled.pop(part, None)

    def note_stalled(self, part: UnsentPart) -> None:
        """Note that the client of *part* does not read."""
        self._stalled[part] = None
        self._relieve()

    def note_resumed(self, part: UnsentPart) -> None:
        """Note that it does again."""
        self._stalled.pop(part, None)

    def _relieve(self) -> None:
        while self.bytes > self._bytes_max and self.parts > 1 and self._stalled:
            next(iter(self._stalled)).give_up()
