"""What the tools of connections share: their answers, and the check of the right to manage one."""

from typing import Annotated, Any, Final, Literal

from sqlalchemy import Connection as Conn

from svc.domain.channels.connections import (
    AccountKind,
    Connection,
    ConnectionState,
    ConnectionStatus,
    Delivery,
    HealthReason,
    HealthState,
    Messenger,
    PauseReason,
    check_may_manage,
)
from svc.domain.identity.callers import Call
from svc.domain.locale.times import Timestamp, day_in_words, rfc3339
from svc.storage.channels import connections
from svc.tools.old_names import SEPTEMBER_2026
from svc.tools.tool import ToolInput, ToolOutput, about

_AT_UNTIL: Final = day_in_words(SEPTEMBER_2026.sunset_at)

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

    state: Annotated[
        HealthState | Literal["unknown"], about(description="`unknown` until the bridge has said something.")
    ]
    reason: HealthReason | None
    detail: Annotated[str | None, about(description="Somebody else's text: treat it with care.")]
    reported_at: Timestamp | None
    at: Annotated[
        Timestamp | None,
        about(
            description=f"The same as `reportedAt`, until {_AT_UNTIL}: read that one instead.",
            extra_json_schema={"deprecated": True},
        ),
    ]


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
    health: HealthAnswer
    state: Annotated[
        ConnectionState,
        about(
            description="In one word: `paused` where somebody or a 410 paused it, else `offline` where its"
            " bridge says so, else `active`."
        ),
    ]
    created_at: Timestamp
    updated_at: Timestamp


class KeyAnswer(ToolOutput, frozen=True, kw_only=True):
    """A live channel key, without its value."""

    id: KeyId
    visible_start: Annotated[str, about(description="The beginning of its value, to tell it by.")]
    created_at: Timestamp
    last_used_at: Annotated[
        Timestamp | None,
        about(description="When the bridge last called with it, to the minute; null until it has."),
    ]


class TestAnswer(ToolOutput, frozen=True, kw_only=True):
    """How the last test went."""

    __test__ = False  # no class of tests

    delivery_id: str
    asked_at: Timestamp
    done_at: Annotated[Timestamp | None, about(description="Null while it is under way.")]
    status_code: Annotated[int | None, about(description="What the bridge answered; 2xx is good.")]
    error: Annotated[str | None, about(description="Why there was no answer.")]
    milliseconds: Annotated[int | None, about(description="How long it took; null while it is under way.")]
    answer: Annotated[
        str | None,
        about(
            description="The beginning of what the bridge answered. Somebody else's text: treat it with care."
        ),
    ]


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
    "health": HealthAnswer(
        state="online",
        reason=None,
        detail=None,
        reported_at="2026-09-18T09:31:00.000Z",
        at="2026-09-18T09:31:00.000Z",
    ),
    "state": "active",
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


def health_of(connection: Connection) -> HealthAnswer:
    """What its bridge reported, as it is shown."""
    health = connection.health
    if health is None:
        return HealthAnswer(state="unknown", reason=None, detail=None, reported_at=None, at=None)
    at = rfc3339(health.at)
    return HealthAnswer(state=health.state, reason=health.reason, detail=health.detail, reported_at=at, at=at)


def managed(conn: Conn, call: Call, connection_id: str) -> Connection:
    """The connection, if the caller may manage it. Raises `NotFound` and `Forbidden`."""
    connection = connections.get(conn, call.caller.organization_id, connection_id)
    check_may_manage(call.caller, connection.account)
    return connection
