"""Messages, and the bounded queue that they wait in."""

from collections import deque
from typing import Any

import outcome
import trio

from svc.actors._core.actor import Turn


class Message:
    """One turn asked of an actor, and who waits for its answer."""

    __slots__ = ("args", "asker", "kwargs", "posted_at", "turn")

    def __init__(
        self,
        asked: Turn[Any, ..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        posted_at: float,
    ) -> None:
        self.turn = asked
        self.args = args
        self.kwargs = kwargs
        self.posted_at = posted_at
        self.asker: trio.lowlevel.Task | None = None

    async def wait_answered(self) -> Any:
        """Wait for `answer`, as the asker. A cancelled asker is forgotten; the message stays."""
        self.asker = trio.lowlevel.current_task()

        def leave(_raise_cancel: object) -> trio.lowlevel.Abort:
            self.asker = None
            return trio.lowlevel.Abort.SUCCEEDED

        return await trio.lowlevel.wait_task_rescheduled(leave)

    def answer(self, answer: "outcome.Outcome[Any]") -> None:
        """Wake the asker with *answer*; does nothing where nobody waits."""
        asker, self.asker = self.asker, None
        if asker is not None:
            trio.lowlevel.reschedule(asker, answer)


class Mailbox:
    """A first-in, first-out queue with a limit. Putting never waits."""

    __slots__ = ("_messages", "messages_max")

    def __init__(self, messages_max: int) -> None:
        self.messages_max = messages_max
        self._messages: deque[Message] = deque()

    def __len__(self) -> int:
        return len(self._messages)

    def is_full(self) -> bool:
        return len(self._messages) >= self.messages_max

    def put(self, message: Message) -> None:
        self._messages.append(message)

    def take(self) -> Message:
        return self._messages.popleft()

    def oldest_posted_at(self) -> float | None:
        """Trio's time at which the message that waits longest was posted."""
        return self._messages[0].posted_at if self._messages else None

    def refuse_all(self, why: Exception) -> None:
        """Answer every waiting message with *why*."""
        while self._messages:
            self._messages.popleft().answer(outcome.Error(why))
