"""What the tools of connections share: their answers, and the check of the right to manage one."""

from typing import Annotated, Any, Final

from sqlalchemy import Connection as Conn

from svc.domain.channels.connections import (
    AccountKind,
    Connection,
    ConnectionStatus,
    Delivery,
    HealthReason,
    HealthState,
    Messenger,
    PauseReason,
    check_may_manage,
)
from svc.domain.identity.callers import Call
from svc.storage.channels import connections
from svc.tools.tool import Timestamp, ToolInput, ToolOutput, about

ConnectionId = Annotated[
    str, about(description="The connection's id.", examples=["con_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]
KeyId = Annotated[
    str, about(description="The channel key's id.", examples=["key_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
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


EXAMPLE_FACTS: Final[dict[str, Any]] = {
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
EXAMPLE: Final = ConnectionAnswer(**EXAMPLE_FACTS)
EXAMPLE_KEY_ID: Final = "key_01K5D3V7Q2M8Z4X6C9B1N0T5RA"
EXAMPLE_KEY: Final = "ck_live_6qXv0nJc2TzB8mRk4WyLd1HsGp9EaUf3Y1Zt0Q"
EXAMPLE_SECRET: Final = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwM2Ih0Q5Jx5s="  # noqa: S105  # an example


class ConnectionById(ToolInput, frozen=True, kw_only=True):
    """Which connection."""

    id: ConnectionId


def managed(conn: Conn, call: Call, connection_id: str) -> Connection:
    """The connection, if the caller may manage it. Raises `NotFound` and `Forbidden`."""
    connection = connections.get(conn, call.caller.organization_id, connection_id)
    check_may_manage(call.caller, connection.account)
    return connection
