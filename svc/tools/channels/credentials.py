"""`connection.*`: the channel keys and the signing secret of a connection, and testing them with a ping."""

from typing import Annotated, Final

from msgspec import UNSET, UnsetType

from svc.domain.errors import Conflict, KeyLimit, NotFound
from svc.domain.identity.callers import Call
from svc.domain.locale.times import Timestamp, day_in_words, rfc3339
from svc.storage.channels import keys as channel_keys
from svc.storage.channels import outboxes, signing_secrets
from svc.storage.store import Tx
from svc.tools.channels.answers import (
    EXAMPLE,
    EXAMPLE_KEY,
    EXAMPLE_KEY_ID,
    EXAMPLE_SECRET,
    ChannelKeyText,
    ConnectionById,
    ConnectionId,
    KeyId,
    SigningSecret,
    managed,
)
from svc.tools.old_names import SEPTEMBER_2026
from svc.tools.tool import ToolInput, ToolOutput, about, writes

_KEY_UNTIL: Final = day_in_words(SEPTEMBER_2026.sunset_at)


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
def test(tx: Tx, call: Call, request: ConnectionById) -> StartedTest:
    """Push a `ping` to the bridge, once, also while the connection is paused.

    `connection.get` shows how it went, as `lastTest`.
    """
    connection = managed(tx.conn, call, request.id)
    return StartedTest(
        id=connection.id, delivery_id=outboxes.send_test(tx, connection.organization_id, connection.id)
    )


class MintedKey(ToolOutput, frozen=True, kw_only=True):
    """A new channel key."""

    id: KeyId
    connection_id: ConnectionId
    channel_key: ChannelKeyText
    key: Annotated[
        str | UnsetType,
        about(
            description=f"The same as `channelKey`, until {_KEY_UNTIL}: read that one instead.",
            extra_json_schema={"deprecated": True},
        ),
    ] = UNSET
    visible_start: str


@writes(
    "connection.mint_key",
    needs="channels",
    own="conversations",
    runs="person",
    raises=(NotFound, KeyLimit),
    shows_secret=True,
    example=ConnectionById(id=EXAMPLE.id),
    answer=MintedKey(
        id=EXAMPLE_KEY_ID,
        connection_id=EXAMPLE.id,
        channel_key=EXAMPLE_KEY,
        key=EXAMPLE_KEY,
        visible_start="ck_live_6qXv0n",
    ),
)
def mint_key(tx: Tx, call: Call, request: ConnectionById) -> MintedKey:
    """Make another channel key for a connection. Those that it has go on until they are revoked."""
    connection = managed(tx.conn, call, request.id)
    minted = channel_keys.mint(tx, connection.organization_id, connection.id)
    return MintedKey(
        id=minted.id,
        connection_id=connection.id,
        channel_key=minted.key,
        key=minted.key if tx.now < SEPTEMBER_2026.gone_at else UNSET,
        visible_start=minted.visible_start,
    )


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
    example=RevokeKey(id=EXAMPLE.id, key_id=EXAMPLE_KEY_ID),
    answer=RevokedKey(id=EXAMPLE_KEY_ID, connection_id=EXAMPLE.id, revoked_at="2026-09-18T09:40:00.000Z"),
)
def revoke_key(tx: Tx, call: Call, request: RevokeKey) -> RevokedKey:
    """Revoke a channel key for good, effective with the next call."""
    connection = managed(tx.conn, call, request.id)
    channel_keys.revoke(tx, connection.id, request.key_id)
    return RevokedKey(id=request.key_id, connection_id=connection.id, revoked_at=rfc3339(tx.now))


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
    answer=NewSecret(id=EXAMPLE.id, signing_secret=EXAMPLE_SECRET, previous_until="2026-09-19T09:30:00.000Z"),
)
def rotate_secret(tx: Tx, call: Call, request: ConnectionById) -> NewSecret:
    """Make a new signing secret. For 24 hours both sign, so that the bridge can change when it likes."""
    connection = managed(tx.conn, call, request.id)
    secret, until = signing_secrets.rotate(tx, connection.organization_id, connection.id)
    return NewSecret(id=connection.id, signing_secret=secret, previous_until=rfc3339(until))
