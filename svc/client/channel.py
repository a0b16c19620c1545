"""The five channel doors, with a channel key."""

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
    """One messenger connection. Calls are repeated until they are answered, and done once.

    All of them raise `Refused`, `Unreachable` and `BadAnswer`.
    """

    async def receive(self, message: Message) -> Received:
        """Bring in a message; the same one again, also after a restart, is a duplicate and no second one."""
        return await self._ask("channel.message.receive", message, Received)

    async def identify(self, identification: Identification) -> None:
        """Tell who a conversation is with. Whether somebody was known is never answered."""
        await self._ask("channel.conversation.identify", identification, dict[str, Any])

    async def pull(self, *, limit: int = 50, wait_seconds: int = 0) -> Pulled:
        """Take up to *limit* replies, each for 60 seconds; wait up to *wait_seconds* (0 to 20) for the first.

        It is asked once. What an answer had that was lost on the way is offered again after its minute; an
        idempotency key would bring it sooner, at the price of a row in the service for every empty answer.
        """
        asked = {"limit": limit, "waitSeconds": wait_seconds}
        return await self._ask("channel.outbox.pull", asked, Pulled, again=False)

    async def report_status(self, report: StatusReport) -> Applied:
        """Tell what the messenger did with a reply."""
        return await self._ask("channel.message.status", report, Applied)

    async def report_state(
        self, state: ConnectionState, reason: OfflineReason | None = None, detail: str | None = None
    ) -> None:
        """Tell whether the bridge itself is well. A *detail* that is too long is cut."""
        said = {"state": state, "reason": reason, "detail": detail and detail[:DETAIL_CHARS_MAX]}
        asked = {name: value for name, value in said.items() if value}
        await self._ask("channel.connection.report", asked, dict[str, Any])

    async def _ask(self, door: str, asked: Any, answer: type[T], *, again: bool = True) -> T:
        body = await self.post(_PATH + door, asked, again=again)
        try:
            return msgspec.json.decode(body, type=answer)
        except msgspec.DecodeError as error:
            raise BadAnswer(f"{door} answered in another shape: {error}") from error
