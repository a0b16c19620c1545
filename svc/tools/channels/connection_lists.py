"""`connection.list` and `.get`: connections, and how their bridges are doing."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Annotated, Any, Final

from sqlalchemy import Connection as Conn

from svc.domain.channels.connections import Connection, manages_all
from svc.domain.channels.limits import CHANNEL_KEYS_MAX, REPLIES_COUNTED_MAX
from svc.domain.errors import NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import Timestamp, rfc3339
from svc.storage.channels import connections, deliveries, open_replies
from svc.storage.channels import keys as channel_keys
from svc.storage.channels.keys import ChannelKey
from svc.storage.store import View
from svc.tools.channels.answers import (
    EXAMPLE,
    EXAMPLE_FACTS,
    EXAMPLE_KEY_ID,
    ConnectionAnswer,
    ConnectionById,
    KeyAnswer,
    TestAnswer,
    health_of,
    managed,
)
from svc.tools.projections import Projection
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads


class ListedConnection(ConnectionAnswer, frozen=True, kw_only=True):
    """A connection, and how its bridge is doing."""

    replies_waiting: Annotated[
        int,
        about(
            description="How many replies wait to be handed out; of more, the limit is told.",
            ge=0,
            le=REPLIES_COUNTED_MAX,
        ),
    ]
    last_call_at: Annotated[
        Timestamp | None,
        about(description="When its bridge last called, to the minute; null until it has."),
    ]


class ConnectionDetails(ListedConnection, frozen=True, kw_only=True):
    """A connection, its keys, and how its last test went."""

    keys: Annotated[list[KeyAnswer], about(description="The live ones.", max_length=CHANNEL_KEYS_MAX)]
    last_test: TestAnswer | None
    previous_secret_until: Annotated[
        Timestamp | None,
        about(description="Until then the signing secret before signs as well; null if none was replaced."),
    ]


_BRIDGE: Final = ("replies_waiting", "last_call_at")
_listed: Final = Projection(Connection, ListedConnection, given=_BRIDGE, health=health_of)
_details: Final = Projection(
    Connection, ConnectionDetails, given=("keys", "last_test", *_BRIDGE), health=health_of
)
_key_answer: Final = Projection(ChannelKey, KeyAnswer)
_test_answer: Final = Projection(
    deliveries.Delivery,
    TestAnswer,
    delivery_id=attrgetter("id"),
    asked_at=lambda test: rfc3339(test.created_at),
)
_EXAMPLE_BRIDGE: Final[dict[str, Any]] = {
    "replies_waiting": 0,
    "last_call_at": "2026-09-18T09:42:00.000Z",
}


class ListConnections(ToolInput, frozen=True, kw_only=True):
    """Which connections, and which part of the list."""

    mine: Annotated[bool, about(description="Only the accounts that are the caller's own.")] = False
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class ConnectionList(ToolOutput, frozen=True, kw_only=True):
    """Connections that are not removed, the oldest first."""

    connections: list[ListedConnection]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "connection.list",
    needs="channels",
    own="conversations",
    example=ListConnections(),
    answer=ConnectionList(
        connections=[ListedConnection(**EXAMPLE_FACTS, **_EXAMPLE_BRIDGE)], next_cursor=None
    ),
)
def list_all(view: View, call: Call, request: ListConnections) -> ConnectionList:
    """List the connections to messengers: all of them, or one's own."""
    caller = call.caller
    page, next_cursor = connections.list_page(
        view.conn,
        caller.organization_id,
        member_id=None if manages_all(caller) and not request.mine else caller.person_id,
        cursor=request.cursor,
        limit=request.limit,
    )
    called_at = channel_keys.last_calls(view.conn, [connection.id for connection in page])
    return ConnectionList(
        connections=[
            _listed(connection, **_bridge(view.conn, connection.id, called_at)) for connection in page
        ],
        next_cursor=next_cursor,
    )


def _bridge(conn: Conn, connection_id: str, called_at: Mapping[str, int]) -> dict[str, Any]:
    at = called_at.get(connection_id)
    return {
        "replies_waiting": open_replies.count_waiting(conn, connection_id),
        "last_call_at": None if at is None else rfc3339(at),
    }


@reads(
    "connection.get",
    needs="channels",
    own="conversations",
    raises=(NotFound,),
    example=ConnectionById(id=EXAMPLE.id),
    answer=ConnectionDetails(
        **EXAMPLE_FACTS,
        **_EXAMPLE_BRIDGE,
        keys=[
            KeyAnswer(
                id=EXAMPLE_KEY_ID,
                visible_start="ck_live_6qXv0n",
                created_at="2026-09-18T09:30:00.000Z",
                last_used_at="2026-09-18T09:42:00.000Z",
            )
        ],
        last_test=None,
        previous_secret_until=None,
    ),
)
def get(view: View, call: Call, request: ConnectionById) -> ConnectionDetails:
    """Show a connection, with its live channel keys and how its last test went."""
    connection = managed(view.conn, call, request.id)
    test = deliveries.last_test(view.conn, connection.id)
    return _details(
        connection,
        keys=[_key_answer(key) for key in channel_keys.of_connection(view.conn, connection.id)],
        last_test=None if test is None else _test_answer(test),
        **_bridge(view.conn, connection.id, channel_keys.last_calls(view.conn, [connection.id])),
    )
