"""Grants as people see and end them, and how one is made."""

from typing import Final, Literal

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Forbidden, NotFound, PersonOnly
from svc.domain.grants.limits import GRANT_LISTED_MS
from svc.domain.identity.access import KeyStop, key_stop
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import API_KEY_LIVES_MS, ExpiresIn
from svc.domain.identity.roles import Role
from svc.domain.input.near_names import shown
from svc.storage import audit
from svc.storage.grants import tokens
from svc.storage.grants.requests import AuthorizationRequest
from svc.storage.identity import access, api_keys, authorization, grant_ends, organizations
from svc.storage.identity import grants as identity_grants
from svc.storage.identity import tables as identity_tables
from svc.storage.identity.grants import GRANTS, Grant, Reach
from svc.storage.store import Tx

GrantState = Literal["live", "stopped", "expired", "ended"]
ALLOW: Final = "grant.allow"
"""What the audit trail calls a person's *Allow*; no tool does it."""
_grant: Final = identity_tables.grants.c


class ListedGrant(msgspec.Struct, frozen=True):
    """A grant as it stands."""

    grant: Grant
    state: GrantState
    stopped_because: KeyStop | None


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What a person allows."""

    reach: Reach
    tools: tuple[str, ...] | None
    expires_in: ExpiresIn


def list_all(conn: sa.Connection, call: Call, now: int, person_id: str | None = None) -> list[ListedGrant]:
    """The grants that the caller may see, of *person_id* where that is given, the newest first.

    Those that have ended or expired are among them for 30 days. Raises `Forbidden` for another person's
    without the permission `security`.
    """
    caller = call.caller
    if "security" not in caller.permissions:
        if person_id not in {None, caller.person_id}:
            raise Forbidden("to see what others have connected needs the permission security")
        person_id = caller.person_id or ""
    which = [
        _grant.organization_id == caller.organization_id,
        sa.or_(_grant.ended_at.is_(None), _grant.ended_at > now - GRANT_LISTED_MS),
        _grant.expires_at > now - GRANT_LISTED_MS,
    ]
    if person_id is not None:
        which.append(_grant.person_id == person_id)
    members = access.of_creators(conn, caller.organization_id)
    listed = GRANTS.all(conn, GRANTS.select(*which).order_by(_grant.id.desc()))
    return [_listed(grant, key_stop(members.get(grant.person_id)), now) for grant in listed]


def end(tx: Tx, call: Call, grant_id: str) -> int:
    """End a grant and return when: ms since the epoch.

    Raises `PersonOnly` for a key, an app or an agent, and `NotFound` for a grant that is not there, has
    ended, or is another's, for a person without the permission `security`.
    """
    caller = call.caller
    if not caller.by_hand:
        raise PersonOnly("only a person ends what an app may do")
    which = [_grant.id == grant_id]
    if caller.kind == "person":
        role = authorization.active_role(tx.conn, caller.organization_id, caller.person_id or "")
        if role is None or "security" not in role.permissions:
            which.append(_grant.person_id == caller.person_id)
    if not grant_ends.end(tx, caller.organization_id, "ended", *which):
        raise NotFound(f"there is no grant {shown(grant_id)} that you could end")
    return tx.now


def check(conn: sa.Connection, call: Call, request: AuthorizationRequest, now: int) -> Role:
    """Check that the calling person may connect the app that asks; return the role in which it would act.

    Raises:
        Forbidden: the app is for another organization; the person is no active member, or may connect none.
        ConfirmationRequired: they did not confirm their identity within the last two hours.
        GrantLimit: there are too many grants, of the person or the organization.
    """
    role = check_member(conn, call, request, now)
    authorization.require_fresh(call, now)
    return role


def check_member(conn: sa.Connection, call: Call, request: AuthorizationRequest, now: int) -> Role:
    """As `check`, without the look at when they confirmed their identity."""
    caller = call.caller
    organization_id, person_id = caller.organization_id, caller.person_id or ""
    if request.organization_id not in {None, organization_id}:
        raise Forbidden("this app is for another organization")
    role = authorization.active_role(conn, organization_id, person_id)
    if caller.kind != "person" or role is None:
        raise Forbidden("you are no active member of that organization")
    organization = organizations.get(conn, organization_id)
    if "security" not in role.permissions and not organization.members_may_connect_apps:
        raise Forbidden(
            "members may not connect apps to this organization: ask somebody with the permission security"
        )
    api_keys.check_home(conn, organization_id, person_id)
    replaced = conn.execute(
        sa.select(sa.func.count()).where(
            _grant.organization_id == organization_id,
            _grant.person_id == person_id,
            _grant.app_id == request.app_id,
            _grant.door == request.door,
            _grant.ended_at.is_(None),
            _grant.expires_at > now,
        )
    ).scalar_one()
    identity_grants.check_room(conn, organization_id, person_id, now, replaced)
    return role


def allow(tx: Tx, call: Call, request: AuthorizationRequest, choice: Choice, code_digest: str) -> Grant:
    """Make the grant that the person allows, and its code. Raises as `check` does."""
    role = check(tx.conn, call, request, tx.now)
    grant = Grant(
        id=tx.new_id("gra"),
        organization_id=call.caller.organization_id,
        person_id=call.caller.person_id or "",
        app_id=request.app_id,
        client_id=request.client_id,
        app_name=request.app_name,
        app_host=request.app_host,
        role_id=role.id,
        reach=choice.reach,
        tools=choice.tools,
        door=request.door,
        created_at=tx.now,
        expires_at=tx.now + API_KEY_LIVES_MS[choice.expires_in],
    )
    identity_grants.create(tx, grant)
    tokens.add_code(tx, grant, code_digest, request.redirect_uri, request.challenge)
    audit.note(tx, call, ALLOW, grant.id)
    return grant


def _listed(grant: Grant, stop: KeyStop | None, now: int) -> ListedGrant:
    if grant.ended_at is not None:
        return ListedGrant(grant, "ended", None)
    if grant.expires_at <= now:
        return ListedGrant(grant, "expired", None)
    return ListedGrant(grant, "live", None) if stop is None else ListedGrant(grant, "stopped", stop)
