"""Invitations: how a person becomes a member. The inviter passes the link on, or it is mailed.

The link alone decides: its holder is let in. Signed out, with a new account of
the inviting organization, under the e-mail address that was invited; signed in, with the account that they
have. No account is found by its address: any organization may have made one with it.

A mailed link has a token of its own, which nobody else is shown. So an account that is made with it has a
proven address, and so has an account with the invited address that accepts with it.
"""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.crypto.keys import INVITATION, digest, new_key
from svc.domain.errors import Conflict, Forbidden, NotFound, at, named_at
from svc.domain.identity.callers import Call, person_call
from svc.domain.identity.limits import INVITATION_LIFE_MS, INVITATIONS_MAX
from svc.domain.identity.people import Person
from svc.domain.identity.roles import OWNER, Role
from svc.domain.records.contact_points import normalise_email
from svc.storage import audit
from svc.storage.identity import accounts, authorization, members, organizations, roles, tables, teams
from svc.storage.identity.accounts import NewAccount
from svc.storage.rows import Rows
from svc.storage.store import Tx


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    """A pending invitation. `expires_at` is ms since the epoch."""

    id: str
    organization_id: str
    email: str
    role_id: str
    team_ids: tuple[str, ...]
    invited_by: str | None
    expires_at: int
    mailed_digest: str | None = None
    """Of the token that was mailed."""


class InvitationDetails(msgspec.Struct, frozen=True):
    """What a pending invitation says to whoever holds its link."""

    invitation: Invitation
    organization: str
    """The name of the organization."""
    role: str
    """The name of the role."""
    inviter: str | None
    """The name of the member who invites; None where the operator does."""


class NewInvitation(msgspec.Struct, frozen=True):
    """A new invitation. `token` is returned this once, and not stored."""

    id: str
    token: str
    expires_at: int


_INVITATIONS: Final = Rows(
    tables.invitations, Invitation, empty={"team_ids": tuple}, beside=["digest", "created_at"]
)
_column: Final = tables.invitations.c


def invite(tx: Tx, call: Call, email: str, role_id: str, team_ids: tuple[str, ...] = ()) -> NewInvitation:
    """Invite the person with the e-mail address; an earlier invitation to it no longer counts.

    Raises:
        PersonOnly: a key or an agent calls.
        Forbidden: the caller lacks the permission `settings`, or gives a role above their own.
        InvalidInput: the e-mail address; or no such role or team.
        Conflict: the organization has an account with that address, or `INVITATIONS_MAX` wait.
    """
    own = authorization.require(tx.conn, call, "settings")
    organization_id = call.caller.organization_id
    with at("/email"):
        address = normalise_email(email)
    with named_at("/role"):
        role = roles.get(tx.conn, organization_id, role_id)
    authorization.check_gift(own, role)
    for place, team_id in enumerate(team_ids):
        with named_at(f"/teams/{place}"):
            teams.get(tx.conn, organization_id, team_id)
    known = accounts.at_home(tx.conn, organization_id, address)
    if known is not None:  # guests do not count: any organization can make an account with an address
        _check_new(tx.conn, organization_id, known.id)
    tx.conn.execute(
        sa.delete(tables.invitations).where(
            _column.organization_id == organization_id,
            _column.email == address,
            _column.accepted_at.is_(None),
        )
    )
    if len(list_all(tx.conn, organization_id, tx.now)) >= INVITATIONS_MAX:
        raise Conflict(f"{INVITATIONS_MAX} invitations wait, which is the limit: withdraw one first")
    token = new_key(INVITATION, tx.random)
    made = Invitation(
        id=tx.new_id("inv"),
        organization_id=organization_id,
        email=address,
        role_id=role_id,
        team_ids=team_ids,
        invited_by=call.caller.person_id,
        expires_at=tx.now + INVITATION_LIFE_MS,
    )
    _INVITATIONS.insert(tx.conn, made, digest=digest(token), created_at=tx.now)
    return NewInvitation(made.id, token, made.expires_at)


def get(conn: sa.Connection, invitation_id: str) -> Invitation:
    """The invitation, of any organization, whether or not it waits. Raises `NotFound`."""
    found = _INVITATIONS.one(conn, _INVITATIONS.select(_column.id == invitation_id))
    if found is None:
        raise NotFound("no such invitation")
    return found


def add_mailed_token(tx: Tx, invitation_id: str) -> str:
    """A second token for the invitation, which is mailed and shown to nobody else."""
    token = new_key(INVITATION, tx.random)
    tx.conn.execute(_INVITATIONS.update(_column.id == invitation_id, mailed_digest=digest(token)))
    return token


def withdraw(tx: Tx, call: Call, invitation_id: str) -> None:
    """Revoke a pending invitation. Raises `Forbidden` and `NotFound`."""
    authorization.require(tx.conn, call, "settings")
    done = tx.conn.execute(
        sa.delete(tables.invitations).where(
            _column.id == invitation_id,
            _column.organization_id == call.caller.organization_id,
            *_waiting_at(tx.now),
        )
    )
    if not done.rowcount:
        raise NotFound("no such invitation, or it was used, or is too old")


def waiting(conn: sa.Connection, token_digest: str, now: int) -> Invitation:
    """The invitation of the token. Raises `NotFound` for one that is unknown, used or expired."""
    by_token = sa.or_(_column.digest == token_digest, _column.mailed_digest == token_digest)
    found = _INVITATIONS.one(conn, _INVITATIONS.select(by_token, *_waiting_at(now)))
    if found is None:
        raise NotFound("no such invitation, or it was used, or is too old")
    return found


def details(conn: sa.Connection, token_digest: str, now: int) -> InvitationDetails:
    """What the invitation of the token says; it stays unused.

    Raises `NotFound` as `waiting` does, and where the organization is closed; `Forbidden` as `accept` does.
    """
    found = waiting(conn, token_digest, now)
    organization = organizations.get(conn, found.organization_id)
    if organization.closed_at is not None:
        raise NotFound("the organization is closed")
    _check_inviter(conn, found)
    return InvitationDetails(
        found,
        organization.name,
        roles.get(conn, found.organization_id, found.role_id).name,
        None if found.invited_by is None else accounts.get(conn, found.invited_by).name,
    )


def accept(tx: Tx, token_digest: str, person_id: str) -> Invitation:
    """Make a signed-in person who holds an invitation's token a member, whatever their e-mail address is.

    It is worth what its inviter may give at this moment. With the mailed token, the person has shown that
    they receive mail at the invited address; where it is their account's, that is proven.

    Raises:
        NotFound: no such invitation waits.
        Forbidden: its inviter may no longer give that role.
        Conflict: the person is a member or was one: a former member is not let in again by a link.
    """
    invitation = waiting(tx.conn, token_digest, tx.now)
    _check_inviter(tx.conn, invitation)
    _check_new(tx.conn, invitation.organization_id, person_id)
    members.join(tx, invitation.organization_id, person_id, invitation.role_id, invitation.team_ids)
    tx.conn.execute(_INVITATIONS.update(_column.id == invitation.id, accepted_at=tx.now))
    by_mail = invitation.mailed_digest == token_digest
    if by_mail and accounts.get(tx.conn, person_id).email == invitation.email:
        accounts.note_proven(tx, person_id)
    accepting = person_call(invitation.organization_id, person_id)
    audit.note(tx, accepting, "member.accept", invitation.id)
    return invitation


def accept_as_new(tx: Tx, token_digest: str, name: str, password_hash: str) -> Person:
    """Make an account with the invited e-mail address, at home in the inviting organization, and accept.

    Raises as `accept` does; `Conflict` where the organization has an account with that address by now.
    """
    invitation = waiting(tx.conn, token_digest, tx.now)
    person = accounts.create(
        tx,
        NewAccount(
            email=invitation.email,
            name=name,
            home_organization_id=invitation.organization_id,
            password_hash=password_hash,
            email_proven=invitation.mailed_digest == token_digest,
        ),
    )
    accept(tx, token_digest, person.id)
    return person


def list_all(conn: sa.Connection, organization_id: str, now: int) -> list[Invitation]:
    """The pending invitations, the oldest first."""
    select = _INVITATIONS.select(_column.organization_id == organization_id, *_waiting_at(now))
    return _INVITATIONS.all(conn, select.order_by(_column.id))


def _waiting_at(now: int) -> tuple[sa.ColumnElement[bool], ...]:
    return _column.accepted_at.is_(None), _column.expires_at > now


def _check_new(conn: sa.Connection, organization_id: str, person_id: str) -> None:
    """Raises `Conflict` for a member of the organization, or a former one."""
    status = members.status_of(conn, organization_id, person_id)
    if status == "active":
        raise Conflict("already a member")
    if status is not None:
        raise Conflict("a former member, whom member.update lets in again, and no invitation does")


def _check_inviter(conn: sa.Connection, invitation: Invitation) -> None:
    """Raises `Forbidden` when the inviter may no longer invite with that role."""
    role: Role | None = OWNER  # the command line's
    if invitation.invited_by is not None:
        role = authorization.active_role(conn, invitation.organization_id, invitation.invited_by)
    if role is None or "settings" not in role.permissions:
        raise Forbidden("whoever sent this invitation may no longer invite anybody")
    if not role.may_give(roles.get(conn, invitation.organization_id, invitation.role_id)):
        raise Forbidden("whoever sent this invitation may no longer give that role")
