"""Organizations."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.changes import EmbedsChanged, MembersChanged, ModelsChanged, OrganizationChanged
from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import TRIAL_MS
from svc.domain.identity.organizations import Organization, Plan, clean_facts
from svc.domain.versions import FIRST_VERSION, check_version
from svc.storage.identity import authorization, grant_ends, tables
from svc.storage.rows import Rows
from svc.storage.store import Tx


class NewOrganization(msgspec.Struct, frozen=True, kw_only=True):
    """A new organization, which starts on its trial."""

    name: str
    country: str = "US"
    currency: str = "USD"
    locale: str = "en_US"
    time_zone: str = "UTC"
    plan: Plan = "free"


class OrganizationChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of an organization; None leaves a field as it is."""

    name: str | None = None
    country: str | None = None
    currency: str | None = None
    locale: str | None = None
    time_zone: str | None = None
    marketing_hub: bool | None = None
    allow_keys_elsewhere: bool | None = None
    own_provider_falls_back_to_credits: bool | None = None
    members_may_connect_apps: bool | None = None


ORGANIZATIONS: Final = Rows(tables.organizations, Organization)
_GET = ORGANIZATIONS.prepared(ORGANIZATIONS.select(tables.organizations.c.id == sa.bindparam("id")))


def create(tx: Tx, new: NewOrganization) -> Organization:
    """Make an organization, every hub on, and a trial of 14 days. Raises `InvalidInput`.

    It inserts the row alone: `provisioning.create` adds the objects that every organization has.
    """
    made = Organization(
        id=tx.new_id("org"),
        **clean_facts(msgspec.structs.asdict(new)),
        plan=new.plan,
        trial_ends_at=tx.now + TRIAL_MS,
        marketing_hub=True,
        created_at=tx.now,
        version=FIRST_VERSION,
    )
    ORGANIZATIONS.insert(tx.conn, made)
    return made


def get(conn: sa.Connection, organization_id: str) -> Organization:
    """The organization. Raises `NotFound`."""
    found = _GET.one(conn, {"id": organization_id})
    if found is None:
        raise NotFound("no such organization")
    return found


def list_all(conn: sa.Connection) -> list[Organization]:
    """All organizations, the oldest first."""
    return ORGANIZATIONS.all(conn, ORGANIZATIONS.select().order_by(tables.organizations.c.id))


def is_any(conn: sa.Connection) -> bool:
    """Whether there is an organization, closed ones included."""
    return conn.scalar(sa.select(tables.organizations.c.id).limit(1)) is not None


def update(
    tx: Tx, call: Call, changes: OrganizationChanges, *, if_version: int | None = None
) -> Organization:
    """Change the caller's organization, effective with the next submission and the next call.

    Raises:
        InvalidInput: a value does not fit.
        Conflict: it is at another version than *if_version*.
        PersonOnly: a key or an agent changes `allow_keys_elsewhere` or `members_may_connect_apps`.
        Forbidden: the caller changes one without the permission `security`: they decide about keys and apps.
    """
    organization_id = call.caller.organization_id
    before = get(tx.conn, organization_id)
    check_version(before.version, if_version)
    values = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not None}
    clean = clean_facts(values)
    switches_keys = changes.allow_keys_elsewhere not in {None, before.allow_keys_elsewhere}
    switches_apps = changes.members_may_connect_apps not in {None, before.members_may_connect_apps}
    if switches_keys or switches_apps:
        authorization.require(tx.conn, call, "security")
    if values:
        _update(tx, organization_id, values | clean)
    if switches_keys:
        _announce_people(tx, organization_id)
    if switches_apps and before.members_may_connect_apps:
        grant_ends.end_of_members(tx, organization_id)
    if changes.own_provider_falls_back_to_credits is not None:
        tx.announce(ModelsChanged(organization_id))
    return get(tx.conn, organization_id)


def update_plan(
    tx: Tx, organization_id: str, *, plan: Plan | None = None, trial_ends_at: int | None = None
) -> None:
    """Change what is given of the plan and the end of the trial."""
    values = {"plan": plan, "trial_ends_at": trial_ends_at}
    _update(tx, organization_id, {name: value for name, value in values.items() if value is not None})


def close(tx: Tx, organization_id: str) -> None:
    """Close the organization: its doors stop at once, and its data are kept.

    Keys that its people made in other organizations stop too, since their home allows them no more. Raises
    `NotFound`, and `Conflict` where it is closed already.
    """
    if get(tx.conn, organization_id).closed_at is not None:
        raise Conflict("the organization is closed already")
    _update(tx, organization_id, {"closed_at": tx.now})
    _announce_people(tx, organization_id)


def _announce_people(tx: Tx, organization_id: str) -> None:
    """Announce it to every organization in which people of this one are members, and to this one."""
    elsewhere = tx.conn.scalars(
        sa.select(tables.members.c.organization_id)
        .distinct()
        .join(tables.people, tables.people.c.id == tables.members.c.person_id)
        .where(tables.people.c.home_organization_id == organization_id)
    )
    for id_ in {organization_id, *elsewhere}:
        tx.announce(MembersChanged(id_))


def _update(tx: Tx, organization_id: str, values: dict[str, Any]) -> None:
    done = tx.conn.execute(
        sa.update(tables.organizations)
        .where(tables.organizations.c.id == organization_id)
        .values(values | {"version": tables.organizations.c.version + 1})
    )
    if not done.rowcount:
        raise NotFound("no such organization")
    tx.announce(OrganizationChanged(organization_id))
    tx.announce(EmbedsChanged(organization_id, None))
