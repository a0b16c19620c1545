"""The demo's connections to messengers, with their keys."""

from typing import Final

import msgspec

from svc.domain.channels.connections import Account
from svc.storage.channels import connections
from svc.storage.channels import keys as channel_keys
from svc.storage.channels.connections import NewConnection
from svc.storage.store import Tx

BRIDGE_URL: Final = "http://127.0.0.1:8002/pushes"
"""The URL of the demo's pushes. Pushes fail until a bridge listens there and the configuration allows private
networks. It is fixed even if another program has that port: it is for a bridge of your own, while
`svc demo-messenger`, which can use another port, pulls its replies."""

SPARE_BRIDGE_URL: Final = "http://127.0.0.1:8003/pushes"
"""The push URL of the examples' connection, whose signing secret may be replaced."""

_ACCOUNT: Final = Account("organization")


class PullConnection(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A connection whose bridge pulls replies."""

    id: str
    channel_key: str


class PushConnection(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A connection whose replies are pushed to its bridge."""

    id: str
    channel_key: str
    signing_secret: str
    bridge_url: str


def connect(tx: Tx, organization_id: str) -> tuple[PullConnection, PushConnection]:
    """Create a connection of each kind."""
    new = NewConnection(name="Demo messenger", account=_ACCOUNT, messenger="telegram", delivery="pull")
    pulled, _ = connections.create(tx, organization_id, new)
    new = NewConnection(
        name="Demo push", account=_ACCOUNT, messenger="whatsapp", delivery="push", url=BRIDGE_URL
    )
    pushed, secret = connections.create(tx, organization_id, new)
    assert secret is not None  # noqa: S101  # push connections have one
    return (
        PullConnection(id=pulled.id, channel_key=channel_keys.mint(tx, organization_id, pulled.id).key),
        PushConnection(
            id=pushed.id,
            channel_key=channel_keys.mint(tx, organization_id, pushed.id).key,
            signing_secret=secret,
            bridge_url=BRIDGE_URL,
        ),
    )
