"""The configuration of one listener."""

from pathlib import Path
from typing import Final

import msgspec

from svc.domain.net.client_addresses import Network

_KIB: Final = 1_024
_MIB: Final = 1_024 * _KIB


class Certificate(msgspec.Struct, frozen=True):
    """The PEM files for TLS: the certificate with its chain, and its private key."""

    chain_path: Path
    key_path: Path


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one listener. Every wait on a client, and all that is kept for one, has an end."""

    head_seconds: float = 10
    """From a connection's opening, or a request's first byte, until the request's head is complete."""
    body_seconds: float = 30
    """For the whole body, counted from the moment that the application asks for it; for each MiB of an
    upload."""
    keep_alive_seconds: float = 15
    """That a connection may be idle between two requests."""
    write_seconds: float = 30
    """That a client may take for one part of its answer, or for 64 KiB of a longer part."""
    graceful_seconds: float = 10
    """That requests under way have to finish once the server stops."""
    linger_seconds: float = 10
    """That a client is still listened to whose request was refused unread, so that it can read why."""
    linger_bytes: int = 16 * _MIB
    """That are taken from such a client, and dropped, before the connection is closed all the same."""
    head_bytes_max: int = 16 * _KIB
    """Request line and headers together; more is refused with 431. So many bytes of chunk lines and
    trailers may come with a body, beyond what its chunks need; more is refused with 400."""
    headers_max: int = 100
    """Header lines of one request; more are refused with 431."""
    connections_max: int = 1_000
    """Open at once. For the next one the connection is closed that has waited longest for its client;
    where none waits, the next one is answered 503 and closed."""
    waiting_per_address_max: int | None = None
    """Connections of one address (of IPv6, one /64) that wait for their client at once; the next one is
    answered 503 and closed. If it is not set, a quarter of `connections_max`."""
    trusted_proxies: tuple[Network, ...] = ()
    """Where `waiting_per_address_max` does not hold, as many clients share one address there."""
    turned_away_max: int = 100
    """Connections that are being answered 503 at once; the next one is closed without a word."""
    spare_descriptors: int = 1
    """File descriptors that are held back for connections to accept when the process has no others."""
    certificate: Certificate | None = None
    """Turns on TLS, and with it HTTP/2 for clients that offer it."""


_SHARES: Final = 4


def default_share(connections_max: int) -> int:
    """The connections of one address that may wait, unless it is configured: a quarter of all."""
    return max(1, connections_max // _SHARES)


DEFAULT_OPTIONS: Final = ServerOptions()
