"""Forwarding of events to a developer's own machine, as webhooks are sent them."""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final

import httpx
import msgspec

from svc.actors.outbound.exchange import STANDING_HEADERS
from svc.cli.cursor_file import CursorFile
from svc.client import Refused, ServiceError, Tools
from svc.client.backoff import Backoff
from svc.clock import Clock
from svc.domain.channels.connections import CONTRACT
from svc.domain.crypto.signatures import Signer
from svc.domain.limits import EVENT_WAIT_SECONDS_MAX
from svc.domain.locale.times import SECOND_MS
from svc.domain.webhooks.limits import WEBHOOK_ANSWER_SECONDS


class EventHead(msgspec.Struct, frozen=True):
    """What is needed of an event to forward it."""

    id: str
    type: str
    timestamp: str


class _Page(msgspec.Struct, rename="camel"):
    """An answer of `event.list`, with the events as they came, to the byte."""

    events: tuple[msgspec.Raw, ...]
    next_cursor: str


_read_head: Final = msgspec.json.Decoder(EventHead).decode


class Forwarder:
    """Posts events to one URL, signed with one secret."""

    def __init__(self, client: httpx.AsyncClient, url: str, secret: str, clock: Clock) -> None:
        self._client = client
        self._url = url
        self._signer = Signer([secret])
        self._clock = clock
        self.reached = False
        """Whether the last event was answered 2xx."""

    async def forward(self, body: bytes) -> str:
        """Post the event *body*, once, and return a line about it: what it was, and what was answered."""
        head = _read_head(body)
        now = self._clock.now() // SECOND_MS
        # An event has one delivery here, so the same id each time that it is forwarded.
        delivery = f"dlv_{head.id.partition('_')[2]}"
        headers = self._signer.delivery_headers(delivery, now, body, event=head.type, contract=CONTRACT)
        began = perf_counter()
        try:
            async with self._client.stream("POST", self._url, content=body, headers=headers) as response:
                self.reached, outcome = response.is_success, str(response.status_code)
        except httpx.HTTPError as error:
            self.reached, outcome = False, f"not sent: {str(error) or type(error).__name__}"
        milliseconds = round((perf_counter() - began) * SECOND_MS)
        return f"{head.timestamp}  {head.type}  {head.id}  {outcome}  {milliseconds} ms"


def client() -> httpx.AsyncClient:
    """A client that waits as long as deliveries do, with their headers, and uses no proxy."""
    client = httpx.AsyncClient(timeout=WEBHOOK_ANSWER_SECONDS, trust_env=False, headers=STANDING_HEADERS)
    del client.headers["Connection"]  # deliveries do not send it
    return client


async def forward_events(
    tools: Tools,
    forwarder: Forwarder,
    *,
    types: Sequence[str] | None,
    since: str,
    tell: Callable[[str], None],
    kept: CursorFile | None = None,
) -> None:
    """Forward the service's events from *since* on, one after the other, for good; *tell* gets the lines.

    With a cursor *kept*, it goes on there, and keeps there how far it has come after each page: what was
    forwarded of a page at whose middle it ends is forwarded again, under the same ids. A service that does
    not answer is asked again. Raises `Refused` if it rejects the call.
    """
    asked: dict[str, Any] = {"waitSeconds": EVENT_WAIT_SECONDS_MAX} | ({"types": types} if types else {})
    cursor = None if kept is None else kept.read()
    place, backoff = {"since": since} if cursor is None else {"cursor": cursor}, Backoff()
    while True:
        try:
            page = await tools.call("event.list", asked | place, answer=_Page)
        except ServiceError as error:
            if isinstance(error, Refused) and not error.is_transient:
                raise
            tell(f"the service cannot be asked: {error}")
            await backoff.wait()
            continue
        backoff.reset()
        place = {"cursor": page.next_cursor}
        for event in page.events:
            tell(await forwarder.forward(bytes(event)))
        if kept is not None and cursor != page.next_cursor:
            cursor = page.next_cursor
            kept.write(cursor)
