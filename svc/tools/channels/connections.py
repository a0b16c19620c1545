"""`connection.*`: accounts at messengers, and the bridges that hold them."""

from typing import Annotated, Any, Final

from msgspec import UNSET, UnsetType
from sqlalchemy import Connection as Conn

from svc.domain.channels.connections import (
    Account,
    AccountKind,
    Connection,
    ConnectionStatus,
    Delivery,
    HealthReason,
    HealthState,
    Messenger,
    PauseReason,
    check_may_connect,
    check_may_manage,
    check_url,
    manages_all,
)
from svc.domain.errors import Conflict, Forbidden, KeyLimit, NotFound, at
from svc.domain.identity.callers import Call
from svc.domain.limits import CHANNEL_KEYS_MAX, LIST_ROWS, NAME_CHARS_MAX, URL_CHARS_MAX
from svc.domain.net.egress import check_host
from svc.domain.times import rfc3339
from svc.storage.channels import connections, deliveries, outboxes, signing_secrets
from svc.storage.channels import keys as channel_keys
from svc.storage.channels.connections import NewConnection
from svc.storage.channels.keys import ChannelKey
from svc.storage.store import Tx, View
from svc.tools.projections import Projection
from svc.tools.tool import Cursor, Limit, NextCursor, Timestamp, ToolInput, ToolOutput, about, reads, writes

ConnectionId = Annotated[
    str, about(description="The connection's id.", examples=["con_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]
KeyId = Annotated[
    str, about(description="The channel key's id.", examples=["key_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]
Name = Annotated[str, about(description="What people call it.", min_length=1, max_length=NAME_CHARS_MAX)]
Url = Annotated[
    str,
    about(
        description="Where replies are pushed to: absolute, `http` or `https`. A private address is refused"
        " unless the configuration allows it; where a name leads is looked at whenever it is pushed to.",
        max_length=URL_CHARS_MAX,
    ),
]
ChannelKeyText = Annotated[
    str,
    about(description="What the bridge shows at the channel doors. Shown this once, and kept nowhere."),
]
SigningSecret = Annotated[
    str,
    about(description="What pushes are signed with, as Standard Webhooks has it. Shown this once."),
]


class AccountAnswer(ToolOutput, frozen=True, kw_only=True):
    """Whose account it is."""

    kind: AccountKind
    id: Annotated[str | None, about(description="The team's or member's; null for the organization's.")]


class HealthAnswer(ToolOutput, frozen=True, kw_only=True):
    """What the bridge last said of itself."""

    state: HealthState
    reason: HealthReason | None
    detail: str | None
    at: Timestamp


class ConnectionAnswer(ToolOutput, frozen=True, kw_only=True):
    """A connection."""

    id: ConnectionId
    name: str
    account: AccountAnswer
    messenger: Messenger
    delivery: Annotated[Delivery, about(description="How replies reach the bridge; it cannot be changed.")]
    url: Annotated[str | None, about(description="Where they are pushed to.")]
    contract: Annotated[str, about(description="The date of the contract that the bridge is served by.")]
    status: ConnectionStatus
    pause_reason: Annotated[
        PauseReason | None,
        about(description="`person`: somebody paused it. `gone`: the address answered a push with 410."),
    ]
    health: Annotated[HealthAnswer | None, about(description="Null until the bridge has said something.")]
    created_at: Timestamp
    updated_at: Timestamp


class KeyAnswer(ToolOutput, frozen=True, kw_only=True):
    """A live channel key, without its value."""

    id: KeyId
    visible_start: Annotated[str, about(description="The beginning of its value, to tell it by.")]
    created_at: Timestamp


class TestAnswer(ToolOutput, frozen=True, kw_only=True):
    """How the last test went."""

    __test__ = False  # no class of tests

    delivery_id: str
    asked_at: Timestamp
    done_at: Annotated[Timestamp | None, about(description="Null while it is under way.")]
    status_code: Annotated[int | None, about(description="What the bridge answered; 2xx is good.")]
    error: Annotated[str | None, about(description="Why there was no answer.")]


class ConnectionDetails(ConnectionAnswer, frozen=True, kw_only=True):
    """A connection, its keys, and how its last test went."""

    keys: Annotated[list[KeyAnswer], about(description="The live ones.", max_length=CHANNEL_KEYS_MAX)]
    last_test: TestAnswer | None


class CreatedConnection(ConnectionAnswer, frozen=True, kw_only=True):
    """A new connection, and what its bridge needs."""

    channel_key: ChannelKeyText
    signing_secret: Annotated[
        SigningSecret | None, about(description="What pushes are signed with; null where the bridge pulls.")
    ]


def _managed(conn: Conn, call: Call, connection_id: str) -> Connection:
    """The connection, for who looks after it. Raises `NotFound` and `Forbidden`."""
    found = connections.get(conn, call.caller.organization_id, connection_id)
    check_may_manage(call.caller, found.account)
    return found


def _check_reachable(call: Call, url: str | None) -> None:
    """Raises `InvalidInput` for what no push would be sent to. Where a name leads is seen when it is."""
    if url is not None:
        with at("/url"):
            check_host(check_url(url), call.allowed_networks)


_answer: Final = Projection(Connection, ConnectionAnswer)
_created: Final = Projection(Connection, CreatedConnection, given=("channel_key", "signing_secret"))
_details: Final = Projection(Connection, ConnectionDetails, given=("keys", "last_test"))
_key_answer: Final = Projection(ChannelKey, KeyAnswer)

_FACTS: Final[dict[str, Any]] = {
    "id": "con_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    "name": "Shop on Telegram",
    "account": AccountAnswer(kind="organization", id=None),
    "messenger": "telegram",
    "delivery": "push",
    "url": "https://bridge.harbourlamps.example/replies",
    "contract": "2026-09",
    "status": "active",
    "pause_reason": None,
    "health": HealthAnswer(state="online", reason=None, detail=None, at="2026-09-18T09:31:00.000Z"),
    "created_at": "2026-09-18T09:30:00.000Z",
    "updated_at": "2026-09-18T09:31:00.000Z",
}
EXAMPLE: Final = ConnectionAnswer(**_FACTS)
_KEY_ID: Final = "key_01K5D3V7Q2M8Z4X6C9B1N0T5RA"
_KEY: Final = "ck_live_6qXv0nJc2TzB8mRk4WyLd1HsGp9EaUf3Y1Zt0Q"
_SECRET: Final = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwM2Ih0Q5Jx5s="  # noqa: S105  # an example


class ListConnections(ToolInput, frozen=True, kw_only=True):
    """Which part of the list."""

    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class ConnectionList(ToolOutput, frozen=True, kw_only=True):
    """Connections that are not removed, the oldest first."""

    connections: list[ConnectionAnswer]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "connection.list",
    needs="channels",
    own="conversations",
    example=ListConnections(),
    answer=ConnectionList(connections=[EXAMPLE], next_cursor=None),
)
def list_all(view: View, call: Call, asked: ListConnections) -> ConnectionList:
    """List the connections to messengers: all of them, or one's own."""
    caller = call.caller
    found, following = connections.list_page(
        view.conn,
        caller.organization_id,
        member_id=None if manages_all(caller) else caller.person_id,
        cursor=asked.cursor,
        limit=asked.limit,
    )
    return ConnectionList(connections=[_answer(one) for one in found], next_cursor=following)


class ConnectionById(ToolInput, frozen=True, kw_only=True):
    """Which connection."""

    id: ConnectionId


@reads(
    "connection.get",
    needs="channels",
    own="conversations",
    raises=(NotFound,),
    example=ConnectionById(id=EXAMPLE.id),
    answer=ConnectionDetails(
        **_FACTS,
        keys=[KeyAnswer(id=_KEY_ID, visible_start="ck_live_6qXv0n", created_at="2026-09-18T09:30:00.000Z")],
        last_test=None,
    ),
)
def get(view: View, call: Call, asked: ConnectionById) -> ConnectionDetails:
    """Show a connection, with its live channel keys and how its last test went."""
    connection = _managed(view.conn, call, asked.id)
    test = deliveries.last_test(view.conn, connection.id)
    return _details(
        connection,
        keys=[_key_answer(one) for one in channel_keys.of_connection(view.conn, connection.id)],
        last_test=None
        if test is None
        else TestAnswer(
            delivery_id=test.id,
            asked_at=rfc3339(test.created_at),
            done_at=None if test.done_at is None else rfc3339(test.done_at),
            status_code=test.status_code,
            error=test.error,
        ),
    )


class AskedAccount(ToolInput, frozen=True, kw_only=True):
    """Whose account it is."""

    kind: AccountKind
    id: Annotated[
        str | None, about(description="The team's or member's; left out for the organization's.")
    ] = None


class CreateConnection(ToolInput, frozen=True, kw_only=True):
    """A connection to be made."""

    name: Name
    account: Annotated[
        AskedAccount | None,
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
    answer=CreatedConnection(**_FACTS, channel_key=_KEY, signing_secret=_SECRET),
)
def create(tx: Tx, call: Call, asked: CreateConnection) -> CreatedConnection:
    """Connect an account at a messenger.

    The answer has the channel key that the bridge calls with and, where replies are pushed, the secret that
    they are signed with; neither is shown again. A member's own account is connected by that member alone.
    """
    organization_id = call.caller.organization_id
    account = Account("organization")
    if asked.account is not None:
        account = Account(asked.account.kind, asked.account.id)
    check_may_connect(call.caller, account)
    _check_reachable(call, asked.url)
    new = NewConnection(
        name=asked.name,
        account=account,
        messenger=asked.messenger,
        delivery=asked.delivery,
        url=asked.url,
    )
    made, secret = connections.create(tx, organization_id, new)
    key = channel_keys.mint(tx, organization_id, made.id)
    return _created(made, channel_key=key.key, signing_secret=secret)


class UpdateConnection(ToolInput, frozen=True, kw_only=True):
    """What to change about a connection. What is left out stays."""

    id: ConnectionId
    name: Name | UnsetType = UNSET
    url: Url | UnsetType = UNSET


@writes(
    "connection.update",
    needs="channels",
    own="conversations",
    raises=(NotFound,),
    example=UpdateConnection(id=EXAMPLE.id, name=EXAMPLE.name),
    answer=EXAMPLE,
)
def update(tx: Tx, call: Call, asked: UpdateConnection) -> ConnectionAnswer:
    """Rename a connection, or push its replies elsewhere from now on."""
    kept = _managed(tx.conn, call, asked.id)
    name = None if asked.name is UNSET else asked.name
    url = None if asked.url is UNSET else asked.url
    _check_reachable(call, url)
    return _answer(connections.update(tx, kept.organization_id, kept.id, name=name, url=url))


@writes(
    "connection.pause",
    needs="channels",
    own="conversations",
    raises=(NotFound,),
    example=ConnectionById(id=EXAMPLE.id),
    answer=ConnectionAnswer(**(_FACTS | {"status": "paused", "pause_reason": "person"})),
)
def pause(tx: Tx, call: Call, asked: ConnectionById) -> ConnectionAnswer:
    """Hand out no replies until the connection is resumed.

    They wait meanwhile, for as long as it takes. Messages still come in. One that is paused stays so.
    """
    kept = _managed(tx.conn, call, asked.id)
    return _answer(connections.pause(tx, kept.organization_id, kept.id))


@writes(
    "connection.resume",
    needs="channels",
    own="conversations",
    raises=(NotFound,),
    example=ConnectionById(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def resume(tx: Tx, call: Call, asked: ConnectionById) -> ConnectionAnswer:
    """Hand out replies again. The hour that each may wait starts anew. One that is active stays so."""
    kept = _managed(tx.conn, call, asked.id)
    return _answer(connections.resume(tx, kept.organization_id, kept.id))


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
def remove(tx: Tx, call: Call, asked: ConnectionById) -> RemovedConnection:
    """Remove a connection for good: its channel keys stop at once, and replies that wait have failed.

    Its conversations and messages stay.
    """
    kept = _managed(tx.conn, call, asked.id)
    connections.remove(tx, kept.organization_id, kept.id)
    return RemovedConnection(id=kept.id)


class StartedTest(ToolOutput, frozen=True, kw_only=True):
    """A test is on its way."""

    id: ConnectionId
    delivery_id: Annotated[str, about(description="What it is pushed under.")]


@writes(
    "connection.test",
    needs="channels",
    own="conversations",
    raises=(NotFound, Conflict),
    example=ConnectionById(id=EXAMPLE.id),
    answer=StartedTest(id=EXAMPLE.id, delivery_id="dlv_01K5D3V7Q2M8Z4X6C9B1N0T5RA"),
)
def test(tx: Tx, call: Call, asked: ConnectionById) -> StartedTest:
    """Push a `ping` to the bridge, once, also while the connection is paused.

    `connection.get` shows how it went, as `lastTest`.
    """
    kept = _managed(tx.conn, call, asked.id)
    return StartedTest(id=kept.id, delivery_id=outboxes.send_test(tx, kept.organization_id, kept.id))


class MintedKey(ToolOutput, frozen=True, kw_only=True):
    """A new channel key."""

    id: KeyId
    connection_id: ConnectionId
    key: ChannelKeyText
    visible_start: str


@writes(
    "connection.mint_key",
    needs="channels",
    own="conversations",
    runs="person",
    raises=(NotFound, KeyLimit),
    shows_secret=True,
    example=ConnectionById(id=EXAMPLE.id),
    answer=MintedKey(id=_KEY_ID, connection_id=EXAMPLE.id, key=_KEY, visible_start="ck_live_6qXv0n"),
)
def mint_key(tx: Tx, call: Call, asked: ConnectionById) -> MintedKey:
    """Make another channel key for a connection. Those that it has go on until they are revoked."""
    kept = _managed(tx.conn, call, asked.id)
    minted = channel_keys.mint(tx, kept.organization_id, kept.id)
    return MintedKey(id=minted.id, connection_id=kept.id, key=minted.key, visible_start=minted.visible_start)


class RevokeKey(ToolInput, frozen=True, kw_only=True):
    """Which channel key of which connection."""

    id: ConnectionId
    key_id: KeyId


class RevokedKey(ToolOutput, frozen=True, kw_only=True):
    """The channel key is revoked."""

    id: KeyId
    connection_id: ConnectionId
    revoked_at: Timestamp


@writes(
    "connection.revoke_key",
    needs="channels",
    own="conversations",
    runs="person",
    raises=(NotFound,),
    example=RevokeKey(id=EXAMPLE.id, key_id=_KEY_ID),
    answer=RevokedKey(id=_KEY_ID, connection_id=EXAMPLE.id, revoked_at="2026-09-18T09:40:00.000Z"),
)
def revoke_key(tx: Tx, call: Call, asked: RevokeKey) -> RevokedKey:
    """Revoke a channel key for good, effective with the next call."""
    kept = _managed(tx.conn, call, asked.id)
    channel_keys.revoke(tx, kept.id, asked.key_id)
    return RevokedKey(id=asked.key_id, connection_id=kept.id, revoked_at=rfc3339(tx.now))


class NewSecret(ToolOutput, frozen=True, kw_only=True):
    """A new signing secret."""

    id: ConnectionId
    signing_secret: SigningSecret
    previous_until: Annotated[
        Timestamp, about(description="Until then the one before signs as well: pushes have two signatures.")
    ]


@writes(
    "connection.rotate_secret",
    needs="channels",
    own="conversations",
    runs="person",
    raises=(NotFound, Conflict),
    shows_secret=True,
    example=ConnectionById(id=EXAMPLE.id),
    answer=NewSecret(id=EXAMPLE.id, signing_secret=_SECRET, previous_until="2026-09-19T09:30:00.000Z"),
)
def rotate_secret(tx: Tx, call: Call, asked: ConnectionById) -> NewSecret:
    """Make a new signing secret. For 24 hours both sign, so that the bridge can change when it likes."""
    kept = _managed(tx.conn, call, asked.id)
    secret, until = signing_secrets.rotate(tx, kept.organization_id, kept.id)
    return NewSecret(id=kept.id, signing_secret=secret, previous_until=rfc3339(until))
