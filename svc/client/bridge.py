"""The interface of a bridge: what its author implements, and `run_bridge` calls."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator

import msgspec

from svc.client.messages import Identification, Message, OfflineReason, Reply, ReplyStatus, StatusReport

Event = Message | Identification | StatusReport
"""An event in the messenger: a message, the identification of a customer, or the status of a reply."""


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """The result of sending a reply to the messenger."""

    messenger_message_id: str | None = None
    """The messenger's id of the sent message, if it has one."""
    status: ReplyStatus = "sent"
    """`delivered` or `read` if the messenger already reports that; else `sent`."""


class NotDelivered(Exception):
    """Raise it from `deliver` if the messenger will never accept the reply: a blocked user, a text too long.

    The reply has then failed for good, and is not retried. Its author is shown *code* and *message*; they are
    cut to `ERROR_CODE_CHARS_MAX` and `DETAIL_CHARS_MAX` of `svc.client.limits`.
    """

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code
        self.message = message


class Offline(Exception):
    """Raise it from any method of a bridge while the messenger cannot be used.

    The bridge is reported as offline with *reason* and *detail*, and the call is retried with backoff.
    """

    def __init__(self, reason: OfflineReason = "other", detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason: OfflineReason = reason
        self.detail = detail


class Bridge(ABC):
    """A messenger. Implement `deliver` and `events`, and `check` if there is a way to check the messenger."""

    @abstractmethod
    async def deliver(self, reply: Reply) -> Delivery:
        """Send *reply* to its conversation.

        It is cancelled before its lease ends, or before the response to its push is late (`DELIVERY_SECONDS`
        of `svc.client.runner` and of `svc.client.receiver`). After that, and after any exception but
        `NotDelivered`, the reply is delivered again, with a higher `attempt`. So a reply may have been sent
        before, for example if this program was killed right after sending it. If the messenger accepts ids
        from its clients, use `reply_id` as the id, so that it drops duplicates.

        Replies of one conversation are delivered one after the other; those of others concurrently.

        Raises `NotDelivered` if the messenger will never accept it, and `Offline` if the messenger cannot be
        used now.
        """

    @abstractmethod
    def events(self) -> AsyncGenerator[Event, None]:
        """Yield the events of the messenger, from now on.

        Write it as an async generator. The service has stored an event when the generator resumes: after each
        `yield`, a position to continue from can be saved. It is called again, after a wait, whenever it ends
        or raises. Do not yield inside a task group or a cancel scope. Raise `Offline` while the messenger
        cannot be used.
        """

    async def check(self) -> None:
        """Return if the messenger can be used; raise `Offline` if it cannot.

        Called at the start, and with backoff while the bridge is offline; cancelled after `CHECK_SECONDS` of
        `svc.client.health`. The default assumes that the messenger works until another method raises
        `Offline`.
        """
        return
