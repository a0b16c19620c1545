"""The channel doors: receive, identify, pull, status and health."""

from typing import Any, Final, TypeVar

import msgspec

from svc.client.errors import BadAnswer
from svc.client.messages import (
    Applied,
    ConnectionState,
    Identification,
    Message,
    OfflineReason,
    Pulled,
    Received,
    StatusReport,
)
from svc.client.transport import Transport

T = TypeVar("T")

DETAIL_CHARS_MAX: Final = 1_000
ERROR_CODE_CHARS_MAX: Final = 100

_PATH: Final = "/api/channels/v1/"


class Channel(Transport):
    """A client of the channel doors, for one connection, with its channel key.

    A call that gets no response is retried under the same idempotency key, so it takes effect once. A
    call that fails raises one of `ServiceError`'s kinds.

    async with Channel("https://svc.example.com", channel_key) as channel:
        await channel.receive(Message(conversation_id="7", message_id="1", direction="in", text="Hello"))
    """

    async def receive(self, message: Message) -> Received:
        """Store a message of the messenger. One with the same ids as a stored one is a duplicate."""
        return await self._call("channel.message.receive", message, Received)

    async def identify(self, identification: Identification) -> None:
        """State who the customer of a conversation is. The answer never says whether a contact was found."""
        await self._call("channel.conversation.identify", identification, dict[str, Any])

    async def pull(self, *, limit: int = 50, wait_seconds: int = 0) -> Pulled:
        """Lease up to *limit* replies for 60 seconds each; wait up to *wait_seconds* (0 to 20) for the first.

        Report the status of each with `report_status` before its lease ends; otherwise it is offered again.
        Unlike the other calls, this one is not retried. Replies whose response is lost are offered again when
        their leases end; an idempotency key would return them sooner, but would cost the service a row for
        every empty response.
        """
        body = {"limit": limit, "waitSeconds": wait_seconds}
        return await self._call("channel.outbox.pull", body, Pulled, retry=False)

    async def report_status(self, report: StatusReport) -> Applied:
        """Report what became of a reply in the messenger."""
        return await self._call("channel.message.status", report, Applied)

    async def report_state(
        self, state: ConnectionState, reason: OfflineReason | None = None, detail: str | None = None
    ) -> None:
        """Report whether the messenger can be used. *detail* is cut to 1,000 characters."""
        members = {"state": state, "reason": reason, "detail": detail and detail[:DETAIL_CHARS_MAX]}
        body = {name: value for name, value in members.items() if value}
        await self._call("channel.connection.report", body, dict[str, Any])

    async def _call(self, door: str, body: Any, answer_type: type[T], *, retry: bool = True) -> T:
        answer = await self.post(_PATH + door, body, retry=retry)
        try:
            return msgspec.json.decode(answer, type=answer_type)
        except msgspec.DecodeError as error:
            raise BadAnswer(f"{door} answered in another shape: {error}") from error
