"""`member.*`: the people of the organization."""

from operator import attrgetter
from typing import Annotated, Final, Literal

from svc.domain.errors import Conflict, KeyLimit, NotFound
from svc.domain.identity.access import MemberStatus
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import EMAIL_CHARS_MAX, TEAMS_MAX
from svc.domain.identity.people import INVITATION_PATH
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import Timestamp, rfc3339
from svc.storage.identity import invitations, members
from svc.storage.identity.invitations import Invitation
from svc.storage.identity.members import Member, MemberChanges, MemberFilter
from svc.storage.mail import letters as mail_letters
from svc.storage.store import Tx, View
from svc.tools.identity.roles import RoleId
from svc.tools.identity.teams import TeamId
from svc.tools.projections import Projection
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes

PersonId = Annotated[str, about(description="A person's id.", examples=["usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
InvitationId = Annotated[
    str, about(description="An invitation's id.", examples=["inv_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]
_Email = Annotated[
    str,
    about(
        description="An e-mail address.",
        min_length=1,
        max_length=EMAIL_CHARS_MAX,
        examples=["ada@example.com"],
    ),
]
_Teams = Annotated[
    tuple[TeamId, ...], about(description="The ids of the teams to be in.", max_length=TEAMS_MAX)
]
_INVITATION_PREFIX: Final = "inv_"


class MemberAnswer(ToolOutput, frozen=True, kw_only=True):
    """A member."""

    id: PersonId
    email: _Email
    name: str
    role: RoleId
    status: Annotated[
        MemberStatus,
        about(
            description="`deactivated` members cannot sign in, nor can `frozen` ones, until an inquiry ends."
        ),
    ]
    teams: _Teams
    home_organization_id: Annotated[
        str, about(description="Where the account was made; it may be another organization.")
    ]
    email_proven: Annotated[
        bool,
        about(
            description="Whether the person has shown to this service that they receive mail at the address;"
            " else only their home organization says that it is theirs."
        ),
    ]
    joined_at: Timestamp


class InvitationAnswer(ToolOutput, frozen=True, kw_only=True):
    """An invitation that waits to be accepted."""

    id: InvitationId
    email: _Email
    role: RoleId
    teams: _Teams
    invited_by: Annotated[PersonId | None, about(description="Null for the operator of the service.")]
    expires_at: Timestamp


def _is_proven(member: Member) -> bool:
    return member.email_proven_at is not None


answer_of: Final = Projection(
    Member, MemberAnswer, role=attrgetter("role_id"), teams=attrgetter("team_ids"), email_proven=_is_proven
)
_invitation: Final = Projection(
    Invitation, InvitationAnswer, role=attrgetter("role_id"), teams=attrgetter("team_ids")
)

EXAMPLE: Final = MemberAnswer(
    id="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    email="ada@example.com",
    name="Ada Lovelace",
    role="admin",
    status="active",
    teams=("tea_01K5D3V7Q2M8Z4X6C9B1N0T5RA",),
    home_organization_id="org_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    email_proven=True,
    joined_at="2026-09-18T09:30:00.000Z",
)
_INVITED: Final = InvitationAnswer(
    id="inv_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    email="grace@example.com",
    role="viewer",
    teams=(),
    invited_by=EXAMPLE.id,
    expires_at="2026-09-25T09:30:00.000Z",
)


class ListMembers(ToolInput, frozen=True, kw_only=True):
    """Which members to list: all that is given must hold."""

    id: PersonId | None = None
    role: RoleId | None = None
    team: TeamId | None = None
    status: MemberStatus | None = None
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class MemberList(ToolOutput, frozen=True, kw_only=True):
    """Members, in the order in which their accounts were made."""

    members: tuple[MemberAnswer, ...]
    next_cursor: Annotated[str | None, NextCursor]
    invitations: Annotated[
        tuple[InvitationAnswer, ...],
        about(description="The invitations that wait, with the first page of a list that asks for all."),
    ]


@reads(
    "member.list",
    example=ListMembers(status="active"),
    answer=MemberList(members=(EXAMPLE,), next_cursor=None, invitations=(_INVITED,)),
)
def list_some(view: View, call: Call, request: ListMembers) -> MemberList:
    """List the members, and who is invited.

    Members are listed whatever their status, unless `status` asks for one.
    """
    organization_id = call.caller.organization_id
    which = MemberFilter(
        person_id=request.id,
        role_id=request.role,
        team_id=request.team,
        status=request.status,
        limit=request.limit,
        cursor=request.cursor,
    )
    page, next_cursor = members.list_page(view.conn, organization_id, which)
    narrowing = (request.id, request.role, request.team, request.status, request.cursor)
    everybody = all(part is None for part in narrowing)
    waiting = invitations.list_all(view.conn, organization_id, view.now) if everybody else []
    return MemberList(
        members=tuple(map(answer_of, page)),
        next_cursor=next_cursor,
        invitations=tuple(map(_invitation, waiting)),
    )


class InviteMember(ToolInput, frozen=True, kw_only=True):
    """Whom to invite, and as what."""

    email: _Email
    role: RoleId
    teams: _Teams = ()


class NewInvitationAnswer(ToolOutput, frozen=True, kw_only=True):
    """A new invitation."""

    id: InvitationId
    token: Annotated[
        str, about(description="What the invited person accepts with. It is shown this once; pass it on.")
    ]
    link: Annotated[
        str, about(description="The page that accepts with it, to be passed on instead of the token.")
    ]
    expires_at: Timestamp
    mailed: Annotated[
        bool,
        about(
            description="Whether the invitation was mailed to the address, too; false where the service sends"
            " no mail. The mailed link has a token of its own, which proves the address."
        ),
    ]


@writes(
    "member.invite",
    needs="settings",
    runs="person",
    raises=(NotFound, Conflict),
    shows_secret=True,
    example=InviteMember(email=_INVITED.email, role=_INVITED.role),
    answer=NewInvitationAnswer(
        id=_INVITED.id,
        token="svci_0f4Kq8Zt2LmN6bWc3XrV9sYdGhJ1pQeA4u7kTz",  # noqa: S106  # nobody's
        link=f"https://crm.example.com{INVITATION_PATH}#svci_0f4Kq8Zt2LmN6bWc3XrV9sYdGhJ1pQeA4u7kTz",
        expires_at=_INVITED.expires_at,
        mailed=False,
    ),
)
def invite(tx: Tx, call: Call, request: InviteMember) -> NewInvitationAnswer:
    """Invite a person by their e-mail address; the answer has the token and the link that they accept with.

    Where the service sends mail, the invited address gets a link; else whoever invites passes it on. Whoever
    holds it comes in. It works once, for seven days, with a new account under that address or the one that
    the person is signed in with; an earlier invitation of the same address counts no longer. At most 200 wait
    at a time. Nobody offers a role that permits more than their own.
    """
    invitation = invitations.invite(tx, call, request.email, request.role, request.teams)
    return NewInvitationAnswer(
        id=invitation.id,
        token=invitation.token,
        link=f"{call.base_url}{INVITATION_PATH}#{invitation.token}",
        expires_at=rfc3339(invitation.expires_at),
        mailed=mail_letters.mail_invitation(tx, call, invitation),
    )


class UpdateMember(ToolInput, frozen=True, kw_only=True):
    """What to change of a member; what is left out, or null, stays."""

    id: PersonId
    role: RoleId | None = None
    teams: _Teams | None = None
    status: Annotated[
        Literal["active", "frozen"] | None,
        about(description="`frozen` puts a member out for a while; `active` lets one in again."),
    ] = None


@writes(
    "member.update",
    needs="settings",
    runs="person",
    raises=(NotFound, Conflict, KeyLimit),
    example=UpdateMember(id=EXAMPLE.id, role="admin"),
    answer=EXAMPLE,
)
def update(tx: Tx, call: Call, request: UpdateMember) -> MemberAnswer:
    """Change a member's role, teams or status, from their next call on, and their keys' with it.

    Nobody decides about a member whose role permits more than their own, nor gives such a role; and the last
    active Owner stays one. Who is let in again has their keys again, as long as no more than 20 are live.
    """
    changes = MemberChanges(role_id=request.role, team_ids=request.teams, status=request.status)
    return answer_of(members.update(tx, call, request.id, changes))


class DeactivateMember(ToolInput, frozen=True, kw_only=True):
    """The member to deactivate, or the invitation to withdraw."""

    id: Annotated[
        str, about(description="A member's id, or that of an invitation.", examples=[EXAMPLE.id, _INVITED.id])
    ]


class MemberOut(ToolOutput, frozen=True, kw_only=True):
    """The member that was deactivated, or the invitation that was withdrawn."""

    id: str
    status: Annotated[
        Literal["deactivated", "withdrawn"], about(description="`withdrawn` is said of an invitation.")
    ]


@writes(
    "member.deactivate",
    needs="settings",
    runs="person",
    raises=(NotFound, Conflict),
    example=DeactivateMember(id=EXAMPLE.id),
    answer=MemberOut(id=EXAMPLE.id, status="deactivated"),
)
def deactivate(tx: Tx, call: Call, request: DeactivateMember) -> MemberOut:
    """Deactivate a member, or withdraw an invitation that waits.

    Sessions and keys of a deactivated member stop with the next call; `member.update` lets them in again. The
    last active Owner stays.
    """
    if request.id.startswith(_INVITATION_PREFIX):
        invitations.withdraw(tx, call, request.id)
        return MemberOut(id=request.id, status="withdrawn")
    members.deactivate(tx, call, request.id)
    return MemberOut(id=request.id, status="deactivated")
