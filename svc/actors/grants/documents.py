"""Client metadata documents: what stands at the address that an app has for a client id. Cached.

Whoever opens `/oauth/authorize` names the address, so it is one of anybody's choosing: it is fetched by the
outbound client, which checks each address that it connects to, follows no redirect and reads to a limit.
"""

from collections import OrderedDict
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final, NamedTuple

import trio

from svc.actors.outbound.errors import NoPlace, NotConnected, NotSent, StreamFailed
from svc.actors.outbound.pool import PoolLimits
from svc.actors.outbound.streamed_response import StreamLimits
from svc.actors.outbound.streams import OutboundStreams
from svc.clock import Clock
from svc.domain.errors import TooManyAttempts, Unavailable
from svc.domain.grants.apps import App, app_of_document
from svc.domain.grants.limits import (
    DOCUMENT_BYTES_MAX,
    DOCUMENT_FAILURE_KEPT_MS,
    DOCUMENT_FETCHES_OF_ADDRESS_MAX,
    DOCUMENT_FETCHES_WINDOW_MS,
    DOCUMENT_KEPT_MS,
    DOCUMENT_SECONDS,
    DOCUMENTS_KEPT_MAX,
)
from svc.domain.grants.oauth import OAuthRefusal
from svc.domain.net.client_addresses import Network
from svc.domain.rate_limits.keyed_windows import KeyedWindows

_POOL: Final = PoolLimits(connections_max=32, connections_per_origin_max=4, waiting_max=64, kept_max=0)
_LIMITS: Final = StreamLimits(
    connect_seconds=DOCUMENT_SECONDS / 2,
    first_byte_seconds=DOCUMENT_SECONDS,
    idle_seconds=DOCUMENT_SECONDS,
    total_seconds=DOCUMENT_SECONDS,
    answer_bytes_max=DOCUMENT_BYTES_MAX,
)


class _Cached(NamedTuple):
    app: App | OAuthRefusal
    until: int


class ClientDocuments:
    """Fetches metadata documents, and caches them and failures for a while."""

    def __init__(self, clock: Clock, allowed: Sequence[Network] = ()) -> None:
        self._clock = clock
        self._streams = OutboundStreams(allowed, _POOL)
        self._cached: OrderedDict[str, _Cached] = OrderedDict()
        self._under_way: dict[str, trio.Event] = {}
        """Fetches by address, each with what is set at its end."""
        self._fetches = KeyedWindows(DOCUMENT_FETCHES_WINDOW_MS, DOCUMENT_FETCHES_OF_ADDRESS_MAX)

    async def find(self, address: str, sender: str) -> App:
        """The app whose metadata document is at *address*, asked for by *sender*, a digest of an IP address.

        A document is fetched once for all who ask for it meanwhile.

        Raises:
            OAuthRefusal: there is none, or one that is refused.
            TooManyAttempts: too many were fetched because of that sender.
            Unavailable: too many are being fetched.
        """
        while (cached := self._cached.get(address)) is None or cached.until <= self._clock.now():
            under_way = self._under_way.get(address)
            if under_way is None:
                await self._fetch_for_all(address, sender)
            else:
                await under_way.wait()
        if isinstance(cached.app, OAuthRefusal):
            # Made anew: an exception that was raised keeps what led to it.
            raise OAuthRefusal(cached.app.error, str(cached.app))
        return cached.app

    async def _fetch_for_all(self, address: str, sender: str) -> None:
        now = self._clock.now()
        room_at = self._fetches.next_room_at(sender, now)
        if room_at is not None:
            raise TooManyAttempts(
                "too many metadata documents were fetched for this address", retry_after_ms=room_at - now
            )
        self._fetches.add(sender, now)
        self._under_way[address] = trio.Event()
        try:
            self._cached[address] = await self._fetch(address, sender)
        finally:
            self._under_way.pop(address).set()
        self._cached.move_to_end(address)
        while len(self._cached) > DOCUMENTS_KEPT_MAX:
            self._cached.popitem(last=False)

    async def _fetch(self, address: str, sender: str) -> _Cached:
        try:
            app = app_of_document(address, await self._read(address, sender))
        except NoPlace:
            raise Unavailable("too many metadata documents are being fetched") from None
        except NotConnected:
            # Not why: anybody may ask, and would learn which names and ports there are beside this machine.
            refusal = OAuthRefusal(
                "invalid_client", "the metadata document cannot be fetched: no connection to its server"
            )
            return _Cached(refusal, self._clock.now() + DOCUMENT_FAILURE_KEPT_MS)
        except (StreamFailed, NotSent) as error:
            refusal = OAuthRefusal("invalid_client", f"the metadata document cannot be fetched: {error}")
            return _Cached(refusal, self._clock.now() + DOCUMENT_FAILURE_KEPT_MS)
        except OAuthRefusal as refusal:
            return _Cached(refusal, self._clock.now() + DOCUMENT_FAILURE_KEPT_MS)
        return _Cached(app, self._clock.now() + DOCUMENT_KEPT_MS)

    async def _read(self, address: str, sender: str) -> bytes:
        """The document. The *sender* has a share of the places, so that one cannot take them all."""
        headers = {"Connection": "close"}
        async with self._streams.stream(address, None, headers, _LIMITS, owner=sender) as response:
            if response.status != HTTPStatus.OK:
                raise OAuthRefusal(
                    "invalid_client", f"the metadata document is answered with {response.status}, not 200"
                )
            if "json" not in response.content_type.partition(";")[0].lower():
                raise OAuthRefusal("invalid_client", "the metadata document is no JSON by its media type")
            return bytes(await response.read())
