"""Listening before anything else is done: where it is allowed to move on, and where not."""

import socket
from contextlib import closing

import pytest

from svc.cli.serving import sockets
from svc.http.server import AddressInUse


async def test_a_taken_port_gives_way_to_the_next_in_steps_of_ten():
    """Only if the address was not configured; and it is closed in the end."""
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        port = other.getsockname()[1]
        taken = f"127.0.0.1:{port}"
        with pytest.raises(AddressInUse):
            async with sockets.opened([taken]):
                pass
        async with sockets.opened([taken], may_move=True) as listeners:
            [address] = sockets.addresses(listeners)

    assert ("127.0.0.1", True, 0) == (address.host, address.port > port, (address.port - port) % 10)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((address.host, address.port))


async def test_an_address_that_is_free_is_taken():
    """Also where it may move on; the port is the one that was asked for."""
    async with sockets.opened(["127.0.0.1:0"]) as listeners:
        [free] = sockets.addresses(listeners)
    async with sockets.opened([free], may_move=True) as listeners:
        assert [free] == sockets.addresses(listeners)
