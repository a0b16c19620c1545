"""The demo's connections to messengers, and what their bridges need."""

from typing import Final

import msgspec

from svc.domain.channels.connections import Account
from svc.storage.channels import connections
from svc.storage.channels import keys as channel_keys
from svc.storage.channels.connections import NewConnection
from svc.storage.store import Tx

BRIDGE_URL: Final = "http://127.0.0.1:8002/pushes"
"""Where the demo's pushes go. Nothing listens there before a bridge is started, and a private network is
reached only where the configuration allows it. It stays what it is where another program has that port: what
is pushed to is a bridge of one's own, and `svc demo-messenger`, which then moves on, asks for replies."""

SPARE_BRIDGE_URL: Final = "http://127.0.0.1:8003/pushes"
"""Of the connection that examples are about, whose signing secret may be replaced."""

_ACCOUNT: Final = Account("organization")


class PullConnection(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A connection whose bridge asks for replies."""

    id: str
    channel_key: str


class PushConnection(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A connection whose bridge is sent replies."""

    id: str
    channel_key: str
    signing_secret: str
    bridge_url: str


def connect(tx: Tx, organization_id: str) -> tuple[PullConnection, PushConnection]:
    """Make one of each."""
    asked = NewConnection(name="Demo messenger", account=_ACCOUNT, messenger="other", delivery="pull")
    pulled, _ = connections.create(tx, organization_id, asked)
    asked = NewConnection(
        name="Demo push", account=_ACCOUNT, messenger="other", delivery="push", url=BRIDGE_URL
    )
    pushed, secret = connections.create(tx, organization_id, asked)
    assert secret is not None  # noqa: S101  # it is pushed to
    return (
        PullConnection(id=pulled.id, channel_key=channel_keys.mint(tx, organization_id, pulled.id).key),
        PushConnection(
            id=pushed.id,
            channel_key=channel_keys.mint(tx, organization_id, pushed.id).key,
            signing_secret=secret,
            bridge_url=BRIDGE_URL,
        ),
    )
