"""The five channel doors, with a channel key."""

from typing import Any, Final, TypeVar

import msgspec

from svc.client.errors import BadAnswer
from svc.client.messages import (
    Applied,
    ConnectionState,
    Evidence,
    Message,
    OfflineReason,
    Pulled,
    Received,
    StatusReport,
)
from svc.client.transport import Transport

T = TypeVar("T")

_PATH: Final = "/api/channels/v1/"


class Channel(Transport):
    """One messenger connection. Calls are repeated until they are answered, and done once."""

    async def receive(self, message: Message) -> Received:
        """Bring in a message; the same one again is a duplicate, not a second message."""
        # The message's own ids are its idempotency: a repeat after a restart of the bridge counts as one too.
        return await self._ask("channel.message.receive", message, Received)

    async def identify(self, evidence: Evidence) -> None:
        """Tell who a conversation is with. Whether somebody was known is never answered."""
        await self._ask("channel.conversation.identify", evidence, dict[str, Any])

    async def pull(self, *, limit: int = 50, wait_seconds: int = 0) -> Pulled:
        """Take up to *limit* replies, each for 60 seconds; wait up to *wait_seconds* (0 to 20) for the first.

        It is asked once: an answer that was lost on the way is offered again after its minute, and an old one
        would have leases that are over.
        """
        asked = {"limit": limit, "waitSeconds": wait_seconds}
        return await self._ask("channel.outbox.pull", asked, Pulled, again=False)

    async def report_status(self, report: StatusReport) -> Applied:
        """Tell what the messenger did with a reply."""
        return await self._ask("channel.message.status", report, Applied)

    async def report_state(
        self, state: ConnectionState, reason: OfflineReason | None = None, detail: str | None = None
    ) -> None:
        """Tell whether the bridge itself is well."""
        asked: dict[str, Any] = {"state": state}
        if reason is not None:
            asked["reason"] = reason
        if detail is not None:
            asked["detail"] = detail
        await self._ask("channel.connection.report", asked, dict[str, Any])

    async def _ask(self, door: str, asked: Any, answer: type[T], *, again: bool = True) -> T:
        body = await self.post(_PATH + door, asked, again=again)
        try:
            return msgspec.json.decode(body, type=answer)
        except msgspec.DecodeError as error:
            raise BadAnswer(f"{door} answered in another shape: {error}") from error
