"""Organizations."""

from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import EmbedsChanged, MembersChanged, ModelsChanged, OrganizationChanged
from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.identity.organizations import Organization, Plan, clean_facts
from svc.domain.limits import TRIAL_MS
from svc.domain.versions import FIRST_VERSION, check_version
from svc.storage.identity import authorization, tables
from svc.storage.statements import Statement
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


class OrganizationRow(NamedTuple):
    """An organization's row."""

    id: str
    name: str
    country: str
    currency: str
    locale: str
    time_zone: str
    plan: Plan
    trial_ends_at: int | None
    marketing_hub: bool
    created_at: int
    closed_at: int | None
    allow_keys_elsewhere: bool
    own_provider_falls_back_to_credits: bool
    version: int


COLUMNS: Final = tuple(tables.organizations.c[name] for name in OrganizationRow._fields)
_GET = Statement(sa.select(*COLUMNS).where(tables.organizations.c.id == sa.bindparam("id")), OrganizationRow)


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
    tx.conn.execute(sa.insert(tables.organizations), [msgspec.structs.asdict(made)])
    return made


def get(conn: sa.Connection, organization_id: str) -> Organization:
    """The organization. Raises `NotFound`."""
    row = _GET.one(conn, {"id": organization_id})
    if row is None:
        raise NotFound("no such organization")
    return from_row(row)


def from_row(row: OrganizationRow) -> Organization:
    """The organization of a row."""
    return Organization(
        id=row.id,
        name=row.name,
        country=row.country,
        currency=row.currency,
        locale=row.locale,
        time_zone=row.time_zone,
        plan=row.plan,
        trial_ends_at=row.trial_ends_at,
        marketing_hub=row.marketing_hub,
        created_at=row.created_at,
        closed_at=row.closed_at,
        allow_keys_elsewhere=row.allow_keys_elsewhere,
        own_provider_falls_back_to_credits=row.own_provider_falls_back_to_credits,
        version=row.version,
    )


def list_all(conn: sa.Connection) -> list[Organization]:
    """All organizations, the oldest first."""
    rows = conn.execute(sa.select(tables.organizations).order_by(tables.organizations.c.id))
    return [msgspec.convert(row._mapping, Organization) for row in rows]


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
        PersonOnly: a key or an agent changes `allow_keys_elsewhere`.
        Forbidden: the caller changes it without the permission `security`: it decides about keys.
    """
    organization_id = call.caller.organization_id
    before = get(tx.conn, organization_id)
    check_version(before.version, if_version)
    values = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not None}
    clean = clean_facts(values)
    switches_keys = changes.allow_keys_elsewhere not in {None, before.allow_keys_elsewhere}
    if switches_keys:
        authorization.require(tx.conn, call, "security")
    if values:
        _update(tx, organization_id, values | clean)
    if switches_keys:
        _announce_people(tx, organization_id)
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
