"""`team.*`: members who work together."""

from typing import Annotated, Final

import msgspec

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import NAME_CHARS_MAX
from svc.storage.identity import teams
from svc.storage.identity.teams import Team
from svc.storage.store import Tx, View
from svc.tools.projections import Projection
from svc.tools.tool import ToolInput, ToolOutput, about, reads, writes

TeamId = Annotated[str, about(description="A team's id.", examples=["tea_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
_Name = Annotated[
    str,
    about(
        description="What the team is called, which no other team is: one line.",
        min_length=1,
        max_length=NAME_CHARS_MAX,
        examples=["Workshop"],
    ),
]


class TeamAnswer(ToolOutput, frozen=True, kw_only=True):
    """A team."""

    id: TeamId
    name: _Name
    member_count: Annotated[
        int, about(description="How many members are in it, whatever their status.", ge=0)
    ]


answer_of: Final = Projection(Team, TeamAnswer)

EXAMPLE: Final = TeamAnswer(id="tea_01K5D3V7Q2M8Z4X6C9B1N0T5RA", name="Workshop", member_count=4)


class ListTeams(ToolInput, frozen=True, kw_only=True):
    """Nothing more is asked: all are listed."""


class TeamList(ToolOutput, frozen=True, kw_only=True):
    """Teams, the oldest first."""

    teams: tuple[TeamAnswer, ...]


@reads("team.list", example=ListTeams(), answer=TeamList(teams=(EXAMPLE,)))
def list_all(view: View, call: Call, request: ListTeams) -> TeamList:  # noqa: ARG001  # every tool's
    """List the teams.

    `member.list` with `team` lists who is in one.
    """
    rows = teams.list_all(view.conn, call.caller.organization_id)
    return TeamList(teams=tuple(map(answer_of, rows)))


class CreateTeam(ToolInput, frozen=True, kw_only=True):
    """A team to be made."""

    name: _Name


@writes(
    "team.create",
    needs="settings",
    runs="person",
    raises=(Conflict,),
    example=CreateTeam(name=EXAMPLE.name),
    answer=TeamAnswer(id=EXAMPLE.id, name=EXAMPLE.name, member_count=0),
)
def create(tx: Tx, call: Call, request: CreateTeam) -> TeamAnswer:
    """Make a team; `member.update` puts members into it.

    An organization has 200 teams at most.
    """
    return answer_of(teams.create(tx, call, request.name))


class UpdateTeam(ToolInput, frozen=True, kw_only=True):
    """What a team is called from now on."""

    id: TeamId
    name: _Name


@writes(
    "team.update",
    needs="settings",
    runs="person",
    raises=(NotFound, Conflict),
    example=UpdateTeam(id=EXAMPLE.id, name="Repairs and parts"),
    answer=msgspec.structs.replace(EXAMPLE, name="Repairs and parts"),
)
def update(tx: Tx, call: Call, request: UpdateTeam) -> TeamAnswer:
    """Rename a team."""
    return answer_of(teams.rename(tx, call, request.id, request.name))
