"""A messenger, as the service needs it: what the author of a bridge writes, and hands to `run_bridge`."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator

import msgspec

from svc.client.messages import Identification, Message, OfflineReason, Reply, ReplyStatus, StatusReport

Event = Message | Identification | StatusReport
"""What happens in a messenger: somebody wrote, is known now, or got a reply."""


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """What the messenger did with a reply at once."""

    messenger_message_id: str | None = None
    status: ReplyStatus = "sent"
    """`sent` unless it is known already that it arrived."""


class NotDelivered(Exception):
    """Raise it from `deliver` for what the messenger will never take: a blocked user, a text too long.

    Who wrote the reply is shown *code* and *message*.
    """

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code
        self.message = message


class Offline(Exception):
    """Raise it from any function of a bridge while the messenger cannot be used.

    The service is told, and it is tried again.
    """

    def __init__(self, reason: OfflineReason = "other", detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason: OfflineReason = reason
        self.detail = detail


class Bridge(ABC):
    """A messenger, by two functions, and a third for those that can ask how it is."""

    @abstractmethod
    async def deliver(self, reply: Reply) -> Delivery:
        """Send *reply*. Raise `NotDelivered` for never, `Offline` for not now.

        There are 50 seconds for it, 8 where replies are pushed; after them it is cancelled. It comes again
        then, and after any other exception. So does a reply that was sent just before this program ended: its
        `attempt` is over 1. Where the messenger takes an id from its senders, `reply_id` makes such repeats
        harmless.
        """

    @abstractmethod
    def events(self) -> AsyncGenerator[Event, None]:
        """What happens in the messenger from now on.

        The next is asked for once this one is stored: a place to go on from may be kept after each `yield`.
        It is called again when it ends. Do not yield from within a task group or a cancel scope.
        """

    async def check(self) -> None:
        """Return when the messenger can be used, raise `Offline` while it cannot.

        Called at the start, and now and then after an `Offline`. Left as it is, it believes that all is well,
        and the next `Offline` tells otherwise.
        """
        return
