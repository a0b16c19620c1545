"""`serverkey.*`: keys with which a website's server names its visitors to the form endpoint."""

from typing import Annotated, Final

from svc.domain.errors import ConfirmationRequired, KeyLimit, NotFound
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import LIVE_SERVER_KEYS_MAX, NAME_CHARS_MAX
from svc.domain.locale.times import Timestamp, rfc3339
from svc.storage.forms import server_keys
from svc.storage.forms.server_keys import MintedServerKey, ServerKey
from svc.storage.store import Tx, View
from svc.tools.projections import Projection
from svc.tools.tool import ToolInput, ToolOutput, about, reads, writes

ServerKeyId = Annotated[str, about(description="The key's id.", examples=["key_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
_Name = Annotated[
    str,
    about(
        description="The server that uses it: one line.",
        min_length=1,
        max_length=NAME_CHARS_MAX,
        examples=["Shop server"],
    ),
]
_VisibleStart = Annotated[str, about(description="How the key begins.", examples=["sk_live_0f4Kq8"])]


class ServerKeyAnswer(ToolOutput, frozen=True, kw_only=True):
    """A server key, without the key itself."""

    id: ServerKeyId
    name: _Name
    visible_start: _VisibleStart
    created_at: Timestamp
    expires_at: Timestamp


class MintedServerKeyAnswer(ToolOutput, frozen=True, kw_only=True):
    """A new server key."""

    id: ServerKeyId
    name: _Name
    key: Annotated[str, about(description="The key. It is shown this once.")]
    visible_start: _VisibleStart
    created_at: Timestamp
    expires_at: Timestamp


answer_of: Final = Projection(ServerKey, ServerKeyAnswer)
_minted: Final = Projection(MintedServerKey, MintedServerKeyAnswer)

EXAMPLE: Final = ServerKeyAnswer(
    id="key_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    name="Shop server",
    visible_start="sk_live_0f4Kq8",
    created_at="2026-09-18T09:30:00.000Z",
    expires_at="2027-09-18T09:30:00.000Z",
)


class ListServerKeys(ToolInput, frozen=True, kw_only=True):
    """Nothing more is asked: all are listed."""


class ServerKeyList(ToolOutput, frozen=True, kw_only=True):
    """Server keys, the oldest first."""

    server_keys: tuple[ServerKeyAnswer, ...]
    live: Annotated[int, about(description="How many of them are live: not expired.", ge=0)]
    live_max: Annotated[int, about(description="How many may be live at a time.")]


@reads(
    "serverkey.list",
    needs="security",
    example=ListServerKeys(),
    answer=ServerKeyList(server_keys=(EXAMPLE,), live=1, live_max=LIVE_SERVER_KEYS_MAX),
)
def list_all(view: View, call: Call, request: ListServerKeys) -> ServerKeyList:  # noqa: ARG001  # every tool's
    """List the server keys that are not revoked; expired ones for another 90 days."""
    keys = server_keys.list_all(view.conn, call.caller.organization_id, view.now)
    return ServerKeyList(
        server_keys=tuple(map(answer_of, keys)),
        live=sum(key.expires_at > view.now for key in keys),
        live_max=LIVE_SERVER_KEYS_MAX,
    )


class MintServerKey(ToolInput, frozen=True, kw_only=True):
    """A server key to be made."""

    name: _Name


@writes(
    "serverkey.mint",
    needs="security",
    runs="person",
    raises=(ConfirmationRequired, KeyLimit),
    shows_secret=True,
    example=MintServerKey(name=EXAMPLE.name),
    answer=MintedServerKeyAnswer(
        id=EXAMPLE.id,
        name=EXAMPLE.name,
        key="sk_live_0f4Kq8Zt2LmN6bWc3XrV9sYdGhJ1pQeA4u7kTz",
        visible_start=EXAMPLE.visible_start,
        created_at=EXAMPLE.created_at,
        expires_at=EXAMPLE.expires_at,
    ),
)
def mint(tx: Tx, call: Call, request: MintServerKey) -> MintedServerKeyAnswer:
    """Make a server key, which lives one year and counts at the organization's forms alone; it calls no tool.

    Only a person makes one, within two hours of having shown who they are. There are 100 live ones at most.
    Never place it in a page: it is for servers.
    """
    return _minted(server_keys.mint(tx, call, request.name))


class RevokeServerKey(ToolInput, frozen=True, kw_only=True):
    """Which key to revoke."""

    id: ServerKeyId


class RevokedServerKey(ToolOutput, frozen=True, kw_only=True):
    """A key that counts no more."""

    id: ServerKeyId
    revoked_at: Timestamp


@writes(
    "serverkey.revoke",
    needs="security",
    runs="person",
    raises=(NotFound,),
    example=RevokeServerKey(id=EXAMPLE.id),
    answer=RevokedServerKey(id=EXAMPLE.id, revoked_at="2026-10-01T12:00:00.000Z"),
)
def revoke(tx: Tx, call: Call, request: RevokeServerKey) -> RevokedServerKey:
    """Revoke a server key for good, from the next submission on.

    The server's visitors then count as one sender.
    """
    return RevokedServerKey(id=request.id, revoked_at=rfc3339(server_keys.revoke(tx, call, request.id)))
