"""`connection.*`: accounts at messengers, and the bridges that hold them."""

from typing import Annotated, Final

from msgspec import UNSET, UnsetType

from svc.domain.channels.connections import (
    Account,
    AccountKind,
    Connection,
    Delivery,
    Messenger,
    check_may_connect,
    check_url,
)
from svc.domain.errors import Conflict, Forbidden, NotFound, at
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import NAME_CHARS_MAX
from svc.domain.net.egress import check_host
from svc.domain.records.limits import URL_CHARS_MAX
from svc.storage.channels import connections
from svc.storage.channels import keys as channel_keys
from svc.storage.channels.connections import NewConnection
from svc.storage.store import Tx
from svc.tools.channels.answers import (
    EXAMPLE,
    EXAMPLE_FACTS,
    EXAMPLE_KEY,
    EXAMPLE_SECRET,
    ChannelKeyText,
    ConnectionAnswer,
    ConnectionById,
    ConnectionId,
    SigningSecret,
    health_of,
    managed,
)
from svc.tools.projections import Projection
from svc.tools.tool import ToolInput, ToolOutput, about, writes

Name = Annotated[str, about(description="What people call it.", min_length=1, max_length=NAME_CHARS_MAX)]
Url = Annotated[
    str,
    about(
        description="Where replies are pushed to: absolute, `http` or `https`. A private address is refused"
        " unless the configuration allows it; where a name leads is looked at whenever it is pushed to.",
        max_length=URL_CHARS_MAX,
    ),
]


class CreatedConnection(ConnectionAnswer, frozen=True, kw_only=True):
    """A new connection, and what its bridge needs."""

    channel_key: ChannelKeyText
    signing_secret: Annotated[
        SigningSecret | None, about(description="What pushes are signed with; null where the bridge pulls.")
    ]


def _check_reachable(call: Call, url: str | None) -> None:
    """Raises `InvalidInput` for an address that no push may go to. Host names are resolved at each push."""
    if url is not None:
        with at("/url"):
            check_host(check_url(url), call.installation.allowed_networks)


_answer: Final = Projection(Connection, ConnectionAnswer, health=health_of)
_created: Final = Projection(
    Connection, CreatedConnection, given=("channel_key", "signing_secret"), health=health_of
)


class AccountChoice(ToolInput, frozen=True, kw_only=True):
    """Whose account it is."""

    kind: AccountKind
    id: Annotated[
        str | None, about(description="The team's or member's; left out for the organization's.")
    ] = None


class CreateConnection(ToolInput, frozen=True, kw_only=True):
    """A connection to be made."""

    name: Name
    account: Annotated[
        AccountChoice | None,
        about(description="The organization's, unless said otherwise. A member connects only their own."),
    ] = None
    messenger: Messenger
    delivery: Annotated[
        Delivery,
        about(
            description="`push`: to an address of the bridge. `pull`: the bridge asks. It cannot be changed."
        ),
    ]
    url: Url | None = None


@writes(
    "connection.create",
    needs="channels",
    own="conversations",
    runs="person",
    raises=(NotFound, Conflict, Forbidden),
    shows_secret=True,
    example=CreateConnection(name=EXAMPLE.name, messenger="telegram", delivery="push", url=EXAMPLE.url),
    answer=CreatedConnection(**EXAMPLE_FACTS, channel_key=EXAMPLE_KEY, signing_secret=EXAMPLE_SECRET),
)
def create(tx: Tx, call: Call, request: CreateConnection) -> CreatedConnection:
    """Connect an account at a messenger.

    The answer has the channel key that the bridge calls with and, where replies are pushed, the secret that
    they are signed with; neither is shown again. A member's own account is connected by that member alone.
    """
    organization_id = call.caller.organization_id
    account = Account("organization")
    if request.account is not None:
        account = Account(request.account.kind, request.account.id)
    check_may_connect(call.caller, account)
    _check_reachable(call, request.url)
    new = NewConnection(
        name=request.name,
        account=account,
        messenger=request.messenger,
        delivery=request.delivery,
        url=request.url,
    )
    connection, secret = connections.create(tx, organization_id, new)
    key = channel_keys.mint(tx, organization_id, connection.id)
    return _created(connection, channel_key=key.key, signing_secret=secret)


class UpdateConnection(ToolInput, frozen=True, kw_only=True):
    """What to change about a connection. What is left out stays."""

    id: ConnectionId
    name: Name | UnsetType = UNSET
    url: Annotated[
        Url | UnsetType, about(description="Another address. Only a person may give one: no key, no agent.")
    ] = UNSET


@writes(
    "connection.update",
    needs="channels",
    own="conversations",
    raises=(NotFound,),
    persons_give=("url",),
    example=UpdateConnection(id=EXAMPLE.id, name=EXAMPLE.name),
    answer=EXAMPLE,
)
def update(tx: Tx, call: Call, request: UpdateConnection) -> ConnectionAnswer:
    """Rename a connection, or push its replies elsewhere from now on."""
    connection = managed(tx.conn, call, request.id)
    name = None if request.name is UNSET else request.name
    url = None if request.url is UNSET else request.url
    _check_reachable(call, url)
    return _answer(connections.update(tx, connection.organization_id, connection.id, name=name, url=url))


@writes(
    "connection.pause",
    needs="channels",
    own="conversations",
    raises=(NotFound,),
    example=ConnectionById(id=EXAMPLE.id),
    answer=ConnectionAnswer(**(EXAMPLE_FACTS | {"status": "paused", "pause_reason": "person"})),
)
def pause(tx: Tx, call: Call, request: ConnectionById) -> ConnectionAnswer:
    """Hand out no replies until the connection is resumed.

    They wait meanwhile, for as long as it takes. Messages still come in. One that is paused stays so.
    """
    connection = managed(tx.conn, call, request.id)
    return _answer(connections.pause(tx, connection.organization_id, connection.id, source=call.source()))


@writes(
    "connection.resume",
    needs="channels",
    own="conversations",
    raises=(NotFound,),
    example=ConnectionById(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def resume(tx: Tx, call: Call, request: ConnectionById) -> ConnectionAnswer:
    """Hand out replies again. The hour that each may wait starts anew. One that is active stays so."""
    connection = managed(tx.conn, call, request.id)
    return _answer(connections.resume(tx, connection.organization_id, connection.id, source=call.source()))


class RemovedConnection(ToolOutput, frozen=True, kw_only=True):
    """The connection is gone."""

    id: ConnectionId


@writes(
    "connection.remove",
    needs="channels",
    own="conversations",
    runs="approval",
    raises=(NotFound,),
    example=ConnectionById(id=EXAMPLE.id),
    answer=RemovedConnection(id=EXAMPLE.id),
)
def remove(tx: Tx, call: Call, request: ConnectionById) -> RemovedConnection:
    """Remove a connection for good: its channel keys stop at once, and replies that wait have failed.

    Its conversations and messages stay.
    """
    connection = managed(tx.conn, call, request.id)
    connections.remove(tx, connection.organization_id, connection.id, source=call.source())
    return RemovedConnection(id=connection.id)
