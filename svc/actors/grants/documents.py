"""Client metadata documents: what stands at the address that an app has for a client id. Cached.

Whoever opens `/oauth/authorize` names the address, so it is one of anybody's choosing: it is fetched by the
outbound client, which checks each address that it connects to, follows no redirect and reads to a limit.
"""

from collections import OrderedDict
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final, NamedTuple

from svc.actors.outbound.errors import NoPlace, NotSent, StreamFailed
from svc.actors.outbound.pool import PoolLimits
from svc.actors.outbound.streamed_response import StreamLimits
from svc.actors.outbound.streams import OutboundStreams
from svc.clock import Clock
from svc.domain.errors import Unavailable
from svc.domain.grants.apps import App, app_of_document
from svc.domain.grants.limits import (
    DOCUMENT_BYTES_MAX,
    DOCUMENT_FAILURE_KEPT_MS,
    DOCUMENT_KEPT_MS,
    DOCUMENT_SECONDS,
    DOCUMENTS_KEPT_MAX,
)
from svc.domain.grants.oauth import OAuthRefusal
from svc.domain.net.client_addresses import Network

_POOL: Final = PoolLimits(connections_max=32, connections_per_origin_max=4, waiting_max=64, kept_max=0)
_LIMITS: Final = StreamLimits(
    connect_seconds=DOCUMENT_SECONDS / 2,
    first_byte_seconds=DOCUMENT_SECONDS,
    idle_seconds=DOCUMENT_SECONDS,
    total_seconds=DOCUMENT_SECONDS,
    answer_bytes_max=DOCUMENT_BYTES_MAX,
)
_OWNER: Final = "client documents"
"""Whose share of the places the fetches take: nobody's organization has chosen the address."""


class _Cached(NamedTuple):
    app: App | OAuthRefusal
    until: int


class ClientDocuments:
    """Fetches metadata documents, and caches them and failures for a while."""

    def __init__(self, clock: Clock, allowed: Sequence[Network] = ()) -> None:
        self._clock = clock
        self._streams = OutboundStreams(allowed, _POOL)
        self._cached: OrderedDict[str, _Cached] = OrderedDict()

    async def find(self, address: str) -> App:
        """The app whose metadata document is at *address*.

        Raises `OAuthRefusal` where there is none, or one that is refused; and `Unavailable` while too many
        are being fetched.
        """
        now = self._clock.now()
        cached = self._cached.get(address)
        if cached is None or cached.until <= now:
            cached = await self._fetch(address)
            self._cached[address] = cached
            self._cached.move_to_end(address)
            while len(self._cached) > DOCUMENTS_KEPT_MAX:
                self._cached.popitem(last=False)
        if isinstance(cached.app, OAuthRefusal):
            # Made anew: an exception that was raised keeps what led to it.
            raise OAuthRefusal(cached.app.error, str(cached.app))
        return cached.app

    async def _fetch(self, address: str) -> _Cached:
        try:
            app = app_of_document(address, await self._read(address))
        except NoPlace:
            raise Unavailable("too many metadata documents are being fetched") from None
        except (StreamFailed, NotSent) as error:
            refusal = OAuthRefusal("invalid_client", f"the metadata document cannot be fetched: {error}")
            return _Cached(refusal, self._clock.now() + DOCUMENT_FAILURE_KEPT_MS)
        except OAuthRefusal as refusal:
            return _Cached(refusal, self._clock.now() + DOCUMENT_FAILURE_KEPT_MS)
        return _Cached(app, self._clock.now() + DOCUMENT_KEPT_MS)

    async def _read(self, address: str) -> bytes:
        headers = {"Connection": "close"}
        async with self._streams.stream(address, None, headers, _LIMITS, owner=_OWNER) as response:
            if response.status != HTTPStatus.OK:
                raise OAuthRefusal(
                    "invalid_client", f"the metadata document is answered with {response.status}, not 200"
                )
            if "json" not in response.content_type.partition(";")[0].lower():
                raise OAuthRefusal("invalid_client", "the metadata document is no JSON by its media type")
            return bytes(await response.read())
