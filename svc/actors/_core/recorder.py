"""The flight recorder: the last turns of an actor, always on, so that a fault can be understood afterwards.

A turn is 56 bytes in a ring, because there may be a hundred thousand actors. It has no argument and no
message of an error, which may be personal.
"""

from struct import Struct
from typing import Final

import msgspec

from svc.actors._core.mailbox import Message

TURNS_KEPT: Final = 8
"""Turns in the ring of an actor."""

REQUEST_ID_BYTES: Final = 36
"""What is kept of a request's id: all of one of ours, or the beginning of a caller's own."""

WORDS_MAX: Final = 60_000
"""Of turns and outcomes. They are places in code, so there are some hundred; more would not be told apart."""

OK: Final = "ok"

_TURN: Final = Struct(f"<dffHH{REQUEST_ID_BYTES}s")
_OTHER: Final = "…"
_NO_TURNS: Final = bytearray()
"""Shared by actors that have had no turn."""


class TurnRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that is over. Times are in seconds; `ended_at` is Trio's time."""

    turn: str
    ended_at: float
    request_id: str | None
    """The first 36 characters."""
    wait_seconds: float
    """In the mailbox, from sending until its turn; of a timer, since it was due."""
    run_seconds: float
    outcome: str
    """`ok`; the type of a refusal; or the type and place of what crashed it."""


class Words:
    """The names of turns and of outcomes, each kept once and recorded by its number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {_OTHER: 0}
        self._words = [_OTHER]

    def number(self, word: str) -> int:
        number = self._numbers.get(word)
        if number is None:
            number = len(self._words)
            if number >= WORDS_MAX:
                return 0
            self._numbers[word] = number
            self._words.append(word)
        return number

    def word(self, number: int) -> str:
        return self._words[number]


class Recorder:
    """The ring of one actor."""

    __slots__ = ("_ring", "_turns", "_words")

    def __init__(self, words: Words) -> None:
        self._words = words
        self._ring = _NO_TURNS
        self._turns = 0

    def note(self, message: Message, outcome: str, started_at: float, ended_at: float) -> None:
        """Record a turn in the place of the oldest. Times are Trio's."""
        if self._ring is _NO_TURNS:
            self._ring = bytearray(TURNS_KEPT * _TURN.size)
        _TURN.pack_into(
            self._ring,
            self._turns % TURNS_KEPT * _TURN.size,
            ended_at,
            started_at - message.posted_at,
            ended_at - started_at,
            self._words.number(message.turn.name),
            self._words.number(outcome),
            message.request_id or b"",
        )
        self._turns += 1

    def turns(self) -> list[TurnRecord]:
        """What is in the ring, the newest first."""
        kept = range(self._turns - 1, max(self._turns - TURNS_KEPT, 0) - 1, -1)
        return [self._record(number % TURNS_KEPT) for number in kept]

    def _record(self, place: int) -> TurnRecord:
        ended_at, wait, run, turn, outcome, request_id = _TURN.unpack_from(self._ring, place * _TURN.size)
        return TurnRecord(
            turn=self._words.word(turn),
            ended_at=ended_at,
            request_id=request_id.rstrip(b"\0").decode("ascii") or None,
            wait_seconds=max(wait, 0.0),
            run_seconds=max(run, 0.0),
            outcome=self._words.word(outcome),
        )
