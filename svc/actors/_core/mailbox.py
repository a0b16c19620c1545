"""Messages, and the bounded queue of an actor."""

from collections import Counter, deque
from typing import Any, Final

import outcome
import trio

from svc.actors._core.actor import Turn
from svc.actors._core.errors import copy_of
from svc.telemetry.spans import Span


class Message:
    """A message to an actor: the turn, its arguments, and the asker that waits for the answer."""

    __slots__ = ("args", "asker", "kwargs", "posted_at", "request_id", "requested", "sent_in", "span", "turn")

    def __init__(
        self,
        asked: Turn[Any, ..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        posted_at: float,
        *,
        requested: bool = False,
        request_id: bytes | None = None,
        sent_in: Span | None = None,
    ) -> None:
        self.turn = asked
        self.args = args
        self.kwargs = kwargs
        self.posted_at = posted_at
        """Trio's time at which it was sent or, for a timer, is due."""
        self.requested = requested
        """Whether a request waits for the turn."""
        self.request_id = request_id
        """The request that it stems from, whether that waits for it or not."""
        self.sent_in = sent_in
        """The span that it was sent in, where there is one."""
        self.span: Span | None = None
        """That of its turn, once that runs."""
        self.asker: trio.lowlevel.Task | None = None

    async def wait_answered(self) -> Any:
        """Wait for `answer`, as the asker. If the asker is cancelled, the message stays."""
        self.asker = trio.lowlevel.current_task()
        return await trio.lowlevel.wait_task_rescheduled(self._leave)

    def _leave(self, _raise_cancel: object) -> trio.lowlevel.Abort:
        self.asker = None
        return trio.lowlevel.Abort.SUCCEEDED

    def answer(self, answer: "outcome.Outcome[Any]") -> None:
        """Wake the asker with *answer*; a no-op if no asker waits."""
        asker, self.asker = self.asker, None
        if asker is not None:
            trio.lowlevel.reschedule(asker, answer)


_NO_MESSAGES: Final[deque[Message]] = deque(maxlen=0)
"""Shared by empty mailboxes, since a deque of its own would take 760 bytes of each idle actor."""


class Mailbox:
    """A first-in, first-out queue with a limit. Enqueuing never waits."""

    __slots__ = ("_messages", "messages_max")

    def __init__(self, messages_max: int) -> None:
        self.messages_max = messages_max
        self._messages = _NO_MESSAGES

    def __len__(self) -> int:
        return len(self._messages)

    def is_full(self) -> bool:
        return len(self._messages) >= self.messages_max

    def put(self, message: Message) -> None:
        if self._messages:
            self._messages.append(message)
        else:
            self._messages = deque((message,))

    def take(self) -> Message:
        message = self._messages.popleft()
        if not self._messages:
            self._messages = _NO_MESSAGES
        return message

    def oldest_posted_at(self) -> float | None:
        """Trio's time at which the oldest waiting message was sent."""
        return self._messages[0].posted_at if self._messages else None

    def sent_in(self) -> Span | None:
        """The span that the oldest waiting message was sent in."""
        return self._messages[0].sent_in if self._messages else None

    def waiting(self) -> dict[str, int]:
        """How many messages wait, by the name of their turn."""
        return Counter(message.turn.name for message in self._messages)

    def refuse_all(self, why: Exception) -> int:
        """Answer every waiting message with *why*. Returns how many were told, without an asker."""
        unheard = sum(message.asker is None for message in self._messages)
        while self._messages:
            self.take().answer(outcome.Error(copy_of(why)))
        return unheard
