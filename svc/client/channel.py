"""The channel doors: receive, identify, pull, status and health."""

from typing import Any, Final, TypeVar

import msgspec

from svc.client.errors import BadAnswer
from svc.client.limits import DETAIL_CHARS_MAX, PULLED_REPLIES_MAX
from svc.client.messages import (
    ConnectionState,
    Identification,
    Message,
    OfflineReason,
    PulledBatch,
    ReceiveResult,
    StatusReport,
    StatusResult,
)
from svc.client.transport import Transport

T = TypeVar("T")

_PATH: Final = "/api/channels/v1/"


class Channel(Transport):
    """A client of the channel doors, for one connection, with its channel key.

    A call that gets no response is retried under the same idempotency key, so it takes effect once. A
    call that fails raises one of `ServiceError`'s kinds.

    async with Channel("https://svc.example.com", channel_key) as channel:
        await channel.receive(Message(conversation_id="7", message_id="1", direction="in", text="Hello"))
    """

    async def receive(self, message: Message) -> ReceiveResult:
        """Store a message of the messenger. One with the same ids as a stored one is a duplicate."""
        return await self._call("channel.message.receive", message, ReceiveResult)

    async def identify(self, identification: Identification) -> None:
        """State who the customer of a conversation is. The answer never says whether a contact was found."""
        await self._call("channel.conversation.identify", identification, dict[str, Any])

    async def pull(self, *, limit: int = PULLED_REPLIES_MAX, wait_seconds: int = 0) -> PulledBatch:
        """Lease up to *limit* replies for `LEASE_SECONDS` each; wait up to *wait_seconds* for the first.

        Both have at most the limits of `svc.client.limits`.

        Report the status of each with `report_status` before its lease ends; otherwise it is offered again.
        Unlike the other calls, this one is not retried. Replies whose response is lost are offered again when
        their leases end; an idempotency key would return them sooner, but would cost the service a row for
        every empty response.
        """
        body = {"limit": limit, "waitSeconds": wait_seconds}
        return await self._call("channel.outbox.pull", body, PulledBatch, retry=False)

    async def report_status(self, report: StatusReport) -> StatusResult:
        """Report what became of a reply in the messenger."""
        return await self._call("channel.message.status", report, StatusResult)

    async def report_state(
        self, state: ConnectionState, reason: OfflineReason | None = None, detail: str | None = None
    ) -> None:
        """Report whether the messenger can be used. *detail* is cut to `DETAIL_CHARS_MAX`."""
        members = {"state": state, "reason": reason, "detail": detail and detail[:DETAIL_CHARS_MAX]}
        body = {name: value for name, value in members.items() if value}
        await self._call("channel.connection.report", body, dict[str, Any])

    async def _call(self, door: str, body: Any, answer_type: type[T], *, retry: bool = True) -> T:
        answer = await self.post(_PATH + door, body, retry=retry)
        try:
            return msgspec.json.decode(answer, type=answer_type)
        except msgspec.DecodeError as error:
            raise BadAnswer(f"{door} answered in another shape: {error}") from error
