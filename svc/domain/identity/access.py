"""Access: which callers an organization admits, decided from facts in memory alone.

The facts are loaded from the store and are small: members, custom roles and at most 20 keys. The Organization
actor caches them, and reloads them when a change is announced; the functions here do no I/O.
"""

from collections.abc import Mapping
from typing import Literal, assert_never

import msgspec

from svc.domain.errors import Unauthenticated
from svc.domain.identity.callers import Caller, Limit
from svc.domain.identity.roles import BUILTIN_ROLES, Role, weaker

MemberStatus = Literal["active", "deactivated", "frozen"]
"""`deactivated` by the organization; `frozen` until the case has been reviewed."""

KeyKind = Literal["api", "gateway"]


KeyStop = Literal["creator_frozen", "creator_deactivated", "creator_gone", "home_forbids"]
"""Why a key is stopped that is neither revoked nor expired: its creator is frozen, deactivated or no member
any more, or has a home that does not allow its people keys elsewhere."""


class Membership(msgspec.Struct, frozen=True):
    """How a member stands in the organization."""

    role_id: str
    status: MemberStatus
    keys_allowed: bool
    """Whether the account's home is here, or an open organization that allows its people keys elsewhere."""


class KeyFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about a key that is not revoked. Times are ms since the epoch."""

    id: str
    creator_id: str
    role_id: str
    tools: frozenset[str] | None
    limited_to: Limit | None
    models: frozenset[str] | None = None
    """The only models that a gateway key may name."""
    has_budget: bool = False
    """Whether a gateway key has a monthly budget, so that each of its calls is reserved."""
    expires_at: int
    last_used_at: int | None


class GrantFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about the live grant of a connected app. Times are ms since the epoch."""

    id: str
    person_id: str
    role_id: str
    only_reads: bool
    tools: frozenset[str] | None
    expires_at: int
    last_used_at: int | None


class Enabler(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """In whose name a workflow runs: the person who enabled it, or whose key did."""

    person_id: str
    key_id: str | None = None
    role_id: str | None = None
    """The key's role, beyond which it may do nothing."""


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """All facts that admission to one organization depends on."""

    organization_id: str
    is_open: bool
    roles: Mapping[str, Role]
    """The custom roles, by id."""
    members: Mapping[str, Membership]
    """By the person's id."""
    keys: Mapping[str, KeyFacts]
    """By the digest of the secret; a key that was rolled has two, while both open something."""
    grants: Mapping[str, GrantFacts]
    """By their ids."""

    def role(self, role_id: str) -> Role:
        """The role of that id; a deleted one permits nothing."""
        return BUILTIN_ROLES.get(role_id) or self.roles.get(role_id) or Role(role_id, "", frozenset())


def key_stop(creator: Membership | None) -> KeyStop | None:
    """Why keys of *creator* open nothing now; None where they do. None for a person who is no member."""
    if creator is None:
        return "creator_gone"
    if creator.status != "active":
        return "creator_frozen" if creator.status == "frozen" else "creator_deactivated"
    return None if creator.keys_allowed else "home_forbids"


def admit_key(access: Access, digest: str, now: int) -> Caller:
    """The caller with the key of that digest; its permissions are those that key and creator both have now.

    Raises `Unauthenticated`, without a reason, if the organization is closed; the key is unknown, revoked or
    expired; its creator is no active member; or the creator's home, another organization, does not allow it.
    """
    key = access.keys.get(digest)
    if key is None or now >= key.expires_at:
        raise Unauthenticated
    creator = access.members.get(key.creator_id) if access.is_open else None
    if creator is None or key_stop(creator) is not None:
        raise Unauthenticated
    return Caller(
        organization_id=access.organization_id,
        kind="key",
        id=key.id,
        person_id=key.creator_id,
        permissions=weaker(access.role(key.role_id), access.role(creator.role_id)),
        tools=key.tools,
        limited_to=key.limited_to,
        models=key.models,
        has_budget=key.has_budget,
        expires_at=key.expires_at,
    )


def admit_grant(access: Access, grant_id: str, now: int) -> Caller:
    """The caller with a token of the grant; its permissions are those that grant and person both have now.

    Raises `Unauthenticated`, without a reason, as `admit_key` does.
    """
    grant = access.grants.get(grant_id)
    if grant is None or now >= grant.expires_at:
        raise Unauthenticated
    person = access.members.get(grant.person_id) if access.is_open else None
    if person is None or key_stop(person) is not None:
        raise Unauthenticated
    return Caller(
        organization_id=access.organization_id,
        kind="grant",
        id=grant.id,
        person_id=grant.person_id,
        permissions=weaker(access.role(grant.role_id), access.role(person.role_id)),
        tools=grant.tools,
        only_reads=grant.only_reads,
        expires_at=grant.expires_at,
    )


def admit_person(access: Access, person_id: str, confirmed_at: int | None) -> Caller:
    """The signed-in person as a caller here.

    Raises `Unauthenticated` when the organization is closed, or the person is no active member of it.
    """
    member = _active(access, person_id)
    return Caller(
        organization_id=access.organization_id,
        kind="person",
        id=person_id,
        person_id=person_id,
        permissions=access.role(member.role_id).permissions,
        confirmed_at=confirmed_at,
    )


def admit_workflow(access: Access, workflow_id: str, enabler: Enabler) -> Caller:
    """The workflow as a caller: it may what its enabler may now, and no more than the key's role, if any.

    A key that was revoked or has expired since does not matter: the person decided. Raises `Unauthenticated`
    when the organization is closed, or the person is no active member of it, or not with keys any more.
    """
    member = _active(access, enabler.person_id)
    if enabler.key_id is not None and not member.keys_allowed:
        raise Unauthenticated
    permissions = access.role(member.role_id).permissions
    if enabler.role_id is not None:
        permissions &= access.role(enabler.role_id).permissions
    return Caller(
        organization_id=access.organization_id,
        kind="workflow",
        id=workflow_id,
        person_id=enabler.person_id,
        permissions=permissions,
    )


def admit_agent(access: Access, connection_id: str, person_id: str, role_id: str) -> Caller:
    """The agent of a connection as a caller: it may what its role and the person who set it may both now.

    Raises `Unauthenticated` when the organization is closed, the person is no active member of it, or the
    role is gone.
    """
    member = _active(access, person_id)
    if role_id not in BUILTIN_ROLES and role_id not in access.roles:
        raise Unauthenticated
    return Caller(
        organization_id=access.organization_id,
        kind="agent",
        id=connection_id,
        person_id=person_id,
        permissions=weaker(access.role(role_id), access.role(member.role_id)),
        role_id=role_id,
    )


def admit_again(access: Access, caller: Caller, now: int) -> Caller:
    """Admit again a *caller* that was admitted before, with current permissions. Raises `Unauthenticated`."""
    match caller.kind:
        case "key":
            return admit_key(access, digest_of(access, caller.id), now)
        case "grant":
            return admit_grant(access, caller.id, now)
        case "person":
            return admit_person(access, caller.id, caller.confirmed_at)
        case "agent":
            admitted = admit_agent(access, caller.id, caller.person_id or "", caller.role_id or "")
            return msgspec.structs.replace(admitted, tools=caller.tools, narrowed_to=caller.narrowed_to)
        case "workflow" | "operator" | "service":
            return caller
        case _:
            assert_never(caller.kind)


def digest_of(access: Access, key_id: str) -> str:
    """The digest of the key with that id, of its newest value; empty where it opens nothing."""
    own = ((key.expires_at, digest) for digest, key in access.keys.items() if key.id == key_id)
    return max(own, default=(0, ""))[1]


def _active(access: Access, person_id: str) -> Membership:
    member = access.members.get(person_id) if access.is_open else None
    if member is None or member.status != "active":
        raise Unauthenticated
    return member
