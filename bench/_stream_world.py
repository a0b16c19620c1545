"""A service with forms, records, an embed and a bridge, beside an organization that streams completions."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import msgspec
import trio

from bench import _neighbours
from bench._gateway_contenders import GRANTED, config_file, mint_keys
from bench._machine import Server, free_ports, is_ready, program, running
from bench._world import DATABASE
from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.channels.connections import Account
from svc.domain.crypto.sealing import Sealer
from svc.domain.embeds.blocks import HeroBlock, TextBlock
from svc.storage import provisioning
from svc.storage.ai import ledger
from svc.storage.channels import connections, conversations
from svc.storage.channels.connections import NewConnection
from svc.storage.embeds import embeds
from svc.storage.identity import organizations
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.inline import inline_store
from svc.storage.store import Tx

CONVERSATIONS: Final = 20
CONNECTIONS_MAX: Final = 4_000
"""Of the service: one organization may have a quarter as calls under way."""
_BLOCKS: Final = (
    HeroBlock(title="Light for long evenings", subtitle="Made to order", cta_label="Ask", cta_href="/ask"),
    TextBlock(heading="Delivery", body="Two days **within the country**, a week [elsewhere](/delivery)."),
)


class StreamWorld(msgspec.Struct, frozen=True, kw_only=True):
    """A data directory, and the keys to it."""

    data: Path
    forms: list[str]
    api_key: str
    embed_key: str
    conversations: list[str]
    """Of a connection whose replies are pushed."""
    gateway_key: str


def make(data: Path, push_url: str) -> StreamWorld:
    """Make the data directory at *data*; its bridge is at *push_url*."""
    neighbours = _neighbours.make(data)
    sealer = Sealer(DataDirectory(data).open_key().derive("sealing"))

    async def fill() -> tuple[str, list[str], str]:
        async with inline_store(WallClock(), data / DATABASE, sealer=sealer) as store:
            return await store.write(_fill, push_url)

    embed_key, opened, gateway_key = trio.run(fill)
    return StreamWorld(
        data=data,
        forms=neighbours.forms,
        api_key=neighbours.honest_keys[0],
        embed_key=embed_key,
        conversations=opened,
        gateway_key=gateway_key,
    )


def _fill(tx: Tx, push_url: str) -> tuple[str, list[str], str]:
    _, shop, *_ = organizations.list_all(tx.conn)
    embed_key = embeds.create(tx, shop.id, name="Embed", blocks=_BLOCKS).embed_key
    new = NewConnection(
        name="Shop", account=Account("organization"), messenger="telegram", delivery="push", url=push_url
    )
    made, _ = connections.create(tx, shop.id, new)
    opened = [
        conversations.get_or_create(tx, shop.id, made.id, f"chat-{number}").id
        for number in range(CONVERSATIONS)
    ]
    streaming = provisioning.create(tx, NewOrganization(name="Streams", country="DE", plan="pro"))
    ledger.grant(tx, streaming.id, GRANTED)
    return embed_key, opened, mint_keys(tx, streaming.id)[0]


def serving(space: Path, world: StreamWorld, upstream_port: int) -> AbstractContextManager[Server]:
    """The program over *world*, whose model is served at *upstream_port*."""
    port, operator_port = free_ports(2)
    command = [
        "env",
        "SVC_TOOLS__CALLS_PER_MINUTE=100000",
        'SVC_OUTGOING__ALLOWED_NETWORKS=["127.0.0.0/8"]',
        f"SVC_SERVER__CONNECTIONS_MAX={CONNECTIONS_MAX}",
        f"SVC_SERVER__WAITING_PER_ADDRESS_MAX={CONNECTIONS_MAX}",
        *program(world.data, port, operator_port),
        f"--config={config_file(space, f'http://127.0.0.1:{upstream_port}/v1')}",
    ]

    def ready() -> bool:
        return is_ready(operator_port, world.data)

    return running(command, port, log=space / "svc.log", ready=ready)
