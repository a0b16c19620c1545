"""`grant.*`: what people have allowed connected apps to do."""

from typing import Annotated, Final, Literal

from svc.domain.errors import NotFound
from svc.domain.grants.oauth import DOOR_PATHS
from svc.domain.identity.access import KeyStop
from svc.domain.identity.callers import Call
from svc.domain.locale.times import Timestamp, rfc3339
from svc.storage.grants import grants
from svc.storage.grants.grants import GrantState, ListedGrant
from svc.storage.identity.grant_ends import GrantEnd
from svc.storage.store import Tx, View
from svc.tools.identity.members import PersonId
from svc.tools.tool import ToolInput, ToolOutput, about, reads, writes

GrantId = Annotated[str, about(description="The grant's id.", examples=["gra_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
AppId = Annotated[str, about(description="The app's id.", examples=["app_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
AppName = Annotated[str, about(description="What the app calls itself.", examples=["Claude"])]


class GrantedApp(ToolOutput, frozen=True, kw_only=True):
    """The app of a grant, as it was when the person allowed it."""

    id: AppId
    name: AppName
    host: Annotated[
        str,
        about(
            description="The host that stands for it, or `this device` for a program on the person's own.",
            examples=["claude.ai"],
        ),
    ]


class GrantAnswer(ToolOutput, frozen=True, kw_only=True):
    """What a person allowed an app to do."""

    id: GrantId
    app: GrantedApp
    person_id: Annotated[PersonId, about(description="The person in whose name it acts.")]
    tools: Annotated[
        Literal["all", "read"] | tuple[str, ...],
        about(description="`all` that its person may, those that `read`, or those named."),
    ]
    resource: Annotated[
        str,
        about(description="The MCP address that it opens.", examples=["https://crm.example/api/v1/mcp"]),
    ]
    created_at: Timestamp
    last_used_at: Annotated[
        Timestamp | None, about(description="When it was last used, to the minute; null for never.")
    ]
    expires_at: Timestamp
    ended_at: Timestamp | None
    ended_because: Annotated[
        GrantEnd | None,
        about(
            description="`ended` by a person, `replaced` when the app was allowed again, `revoked` by the"
            " app, `reused` after a code or an old refresh token came twice, `app_removed`, or"
            " `members_may_not` connect apps any more."
        ),
    ]
    state: Annotated[
        GrantState, about(description="A `stopped` one opens nothing while its person may have none.")
    ]
    stopped_because: KeyStop | None


EXAMPLE: Final = GrantAnswer(
    id="gra_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    app=GrantedApp(id="app_01K5D3V7Q2M8Z4X6C9B1N0T5RA", name="Claude", host="claude.ai"),
    person_id="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    tools="read",
    resource="https://crm.example/api/v1/mcp",
    created_at="2026-09-18T09:30:00.000Z",
    last_used_at="2026-09-21T16:05:00.000Z",
    expires_at="2026-12-17T09:30:00.000Z",
    ended_at=None,
    ended_because=None,
    state="live",
    stopped_because=None,
)


class ListGrants(ToolInput, frozen=True, kw_only=True):
    """Whose to list."""

    person_id: Annotated[
        PersonId | None,
        about(description="Whose grants; without it all that the caller may see."),
    ] = None


class GrantList(ToolOutput, frozen=True, kw_only=True):
    """Grants, the newest first."""

    grants: tuple[GrantAnswer, ...]


@reads("grant.list", example=ListGrants(), answer=GrantList(grants=(EXAMPLE,)))
def list_all(view: View, call: Call, request: ListGrants) -> GrantList:
    """List the apps that are connected, and those that were until 30 days ago.

    A person sees their own, and with the permission `security` everybody's.
    """
    listed = grants.list_all(view.conn, call, view.now, request.person_id)
    return GrantList(grants=tuple(_answer_of(grant, call.base_url) for grant in listed))


class EndGrant(ToolInput, frozen=True, kw_only=True):
    """Which grant to end."""

    id: GrantId


class EndedGrant(ToolOutput, frozen=True, kw_only=True):
    """A grant that opens nothing any more."""

    id: GrantId
    ended_at: Timestamp


@writes(
    "grant.end",
    runs="person",
    raises=(NotFound,),
    example=EndGrant(id=EXAMPLE.id),
    answer=EndedGrant(id=EXAMPLE.id, ended_at="2026-10-01T12:00:00.000Z"),
)
def end(tx: Tx, call: Call, request: EndGrant) -> EndedGrant:
    """Disconnect an app for good: its tokens are refused from the next call on.

    A person ends their own grants, and with the permission `security` everybody's.
    """
    return EndedGrant(id=request.id, ended_at=rfc3339(grants.end(tx, call, request.id)))


def _answer_of(listed: ListedGrant, base_url: str) -> GrantAnswer:
    grant = listed.grant
    tools: Literal["all", "read"] | tuple[str, ...] = grant.tools or ()
    if grant.reach != "list":
        tools = grant.reach
    return GrantAnswer(
        id=grant.id,
        app=GrantedApp(id=grant.app_id, name=grant.app_name, host=grant.app_host),
        person_id=grant.person_id,
        tools=tools,
        resource=base_url.rstrip("/") + DOOR_PATHS[grant.door],
        created_at=rfc3339(grant.created_at),
        last_used_at=None if grant.last_used_at is None else rfc3339(grant.last_used_at),
        expires_at=rfc3339(grant.expires_at),
        ended_at=None if grant.ended_at is None else rfc3339(grant.ended_at),
        ended_because=grant.ended_because,
        state=listed.state,
        stopped_because=listed.stopped_because,
    )
