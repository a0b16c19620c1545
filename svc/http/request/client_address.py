"""The client's address, also behind trusted proxies."""

from collections.abc import Sequence

from svc.domain.net.client_addresses import Network, peer_address
from svc.http.asgi import Headers


def address_of(client: str, headers: Headers, trusted_proxies: Sequence[Network]) -> str:
    """The address of the client, where the socket's peer is *client* and may be a trusted proxy."""
    if not trusted_proxies:
        return client
    hops = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
    return peer_address(client, hops, trusted_proxies)
