"""Invitations: how a person becomes a member. The inviter passes the link on, or it is mailed.

The link alone decides: its holder is let in. Signed out, with a new account of
the inviting organization, under the e-mail address that was invited; signed in, with the account that they
have. No account is found by its address: any organization may have made one with it.

A mailed link has a token of its own, which nobody else is shown. So an account that is made with it has a
proven address, and so has an account with the invited address that accepts with it.
"""

from typing import Any

import msgspec
import sqlalchemy as sa

from svc.domain.crypto.keys import INVITATION, digest, new_key
from svc.domain.errors import Conflict, Forbidden, NotFound, at, named_at
from svc.domain.identity.callers import Call, Caller
from svc.domain.identity.people import Person
from svc.domain.identity.roles import OWNER, Role
from svc.domain.limits import INVITATION_LIFE_MS, INVITATIONS_MAX
from svc.domain.records.contact_points import normalise_email
from svc.storage import audit
from svc.storage.identity import accounts, authorization, members, roles, tables, teams
from svc.storage.identity.accounts import NewAccount
from svc.storage.readable import LenientDecoder
from svc.storage.store import Tx

_team_ids = LenientDecoder(msgspec.json.Decoder(tuple[str, ...]), tuple, tables.invitations.c.team_ids)


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


class MadeInvitation(msgspec.Struct, frozen=True):
    """A new invitation. `token` is returned this once, and not stored."""

    id: str
    token: str
    expires_at: int


_COLUMNS = tuple(tables.invitations.c[name] for name in Invitation.__struct_fields__)


def invite(tx: Tx, call: Call, email: str, role_id: str, team_ids: tuple[str, ...] = ()) -> MadeInvitation:
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
    if not own.may_give(role):
        raise Forbidden("a role that permits more than your own")
    for place, team_id in enumerate(team_ids):
        with named_at(f"/teams/{place}"):
            teams.get(tx.conn, organization_id, team_id)
    known = accounts.at_home(tx.conn, organization_id, address)
    if known is not None:  # guests do not count: any organization can make an account with an address
        _check_new(tx.conn, organization_id, known.id)
    tx.conn.execute(
        sa.delete(tables.invitations).where(
            tables.invitations.c.organization_id == organization_id,
            tables.invitations.c.email == address,
            tables.invitations.c.accepted_at.is_(None),
        )
    )
    if len(list_all(tx.conn, organization_id, tx.now)) >= INVITATIONS_MAX:
        raise Conflict(f"{INVITATIONS_MAX} invitations wait, which is the limit: withdraw one first")
    token = new_key(INVITATION, tx.random)
    made = MadeInvitation(tx.new_id("inv"), token, tx.now + INVITATION_LIFE_MS)
    tx.conn.execute(
        sa.insert(tables.invitations).values(
            id=made.id,
            organization_id=organization_id,
            email=address,
            role_id=role_id,
            team_ids=msgspec.json.encode(team_ids).decode(),
            digest=digest(token),
            invited_by=call.caller.person_id,
            created_at=tx.now,
            expires_at=made.expires_at,
        )
    )
    return made


def get(conn: sa.Connection, invitation_id: str) -> Invitation:
    """The invitation, of any organization, whether or not it waits. Raises `NotFound`."""
    row = conn.execute(sa.select(*_COLUMNS).where(tables.invitations.c.id == invitation_id)).one_or_none()
    if row is None:
        raise NotFound("no such invitation")
    return _from_row(row)


def add_mailed_token(tx: Tx, invitation_id: str) -> str:
    """A second token for the invitation, which is mailed and shown to nobody else."""
    token = new_key(INVITATION, tx.random)
    tx.conn.execute(
        sa.update(tables.invitations)
        .where(tables.invitations.c.id == invitation_id)
        .values(mailed_digest=digest(token))
    )
    return token


def withdraw(tx: Tx, call: Call, invitation_id: str) -> None:
    """Revoke a pending invitation. Raises `Forbidden` and `NotFound`."""
    authorization.require(tx.conn, call, "settings")
    done = tx.conn.execute(
        sa.delete(tables.invitations).where(
            tables.invitations.c.id == invitation_id,
            tables.invitations.c.organization_id == call.caller.organization_id,
            tables.invitations.c.accepted_at.is_(None),
            tables.invitations.c.expires_at > tx.now,
        )
    )
    if not done.rowcount:
        raise NotFound("no such invitation, or it was used, or is too old")


def waiting(conn: sa.Connection, token_digest: str, now: int) -> Invitation:
    """The invitation of the token. Raises `NotFound` for one that is unknown, used or expired."""
    row = conn.execute(
        sa.select(*_COLUMNS).where(
            sa.or_(
                tables.invitations.c.digest == token_digest,
                tables.invitations.c.mailed_digest == token_digest,
            ),
            tables.invitations.c.accepted_at.is_(None),
            tables.invitations.c.expires_at > now,
        )
    ).one_or_none()
    if row is None:
        raise NotFound("no such invitation, or it was used, or is too old")
    return _from_row(row)


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
    _check_inviter(tx, invitation)
    _check_new(tx.conn, invitation.organization_id, person_id)
    members.join(tx, invitation.organization_id, person_id, invitation.role_id, invitation.team_ids)
    tx.conn.execute(
        sa.update(tables.invitations)
        .where(tables.invitations.c.id == invitation.id)
        .values(accepted_at=tx.now)
    )
    by_mail = invitation.mailed_digest == token_digest
    if by_mail and accounts.get(tx.conn, person_id).email == invitation.email:
        accounts.note_proven(tx, person_id)
    caller = Caller(
        organization_id=invitation.organization_id,
        kind="person",
        id=person_id,
        person_id=person_id,
        permissions=frozenset(),
    )
    audit.note(tx, Call(caller=caller, door="app"), "member.accept", invitation.id)
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
    rows = conn.execute(
        sa.select(*_COLUMNS)
        .where(
            tables.invitations.c.organization_id == organization_id,
            tables.invitations.c.accepted_at.is_(None),
            tables.invitations.c.expires_at > now,
        )
        .order_by(tables.invitations.c.id)
    )
    return [_from_row(row) for row in rows]


def _from_row(row: sa.Row[Any]) -> Invitation:
    """The invitation of a row; unreadable teams are read as none."""
    team_ids = _team_ids.read(row.team_ids, row.id)
    return Invitation(**(row._asdict() | {"team_ids": team_ids}))


def _check_new(conn: sa.Connection, organization_id: str, person_id: str) -> None:
    """Raises `Conflict` for a member of the organization, or a former one."""
    status = members.status_of(conn, organization_id, person_id)
    if status == "active":
        raise Conflict("already a member")
    if status is not None:
        raise Conflict("a former member, whom member.update lets in again, and no invitation does")


def _check_inviter(tx: Tx, invitation: Invitation) -> None:
    """Raises `Forbidden` when the inviter may no longer invite with that role."""
    role: Role | None = OWNER  # the command line's
    if invitation.invited_by is not None:
        role = authorization.active_role(tx.conn, invitation.organization_id, invitation.invited_by)
    if role is None or "settings" not in role.permissions:
        raise Forbidden("whoever sent this invitation may no longer invite anybody")
    if not role.may_give(roles.get(tx.conn, invitation.organization_id, invitation.role_id)):
        raise Forbidden("whoever sent this invitation may no longer give that role")
