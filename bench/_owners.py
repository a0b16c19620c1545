"""Owners of organizations: the members in whose name a bench fills its data, and their keys."""

from svc.domain.identity.callers import Call, Caller, Limit, operator_call
from svc.domain.identity.roles import PERMISSIONS
from svc.storage.identity import accounts, api_keys, members
from svc.storage.identity.accounts import NewAccount
from svc.storage.identity.api_keys import NewKey
from svc.storage.metadata import metadata
from svc.storage.store import Tx


def add(tx: Tx, organization_id: str) -> Call:
    """Add a new owner to an organization; a call of theirs, just signed in."""
    new = NewAccount(
        email=f"{organization_id}@owners.example", name="Owner", home_organization_id=organization_id
    )
    person = accounts.create(tx, new)
    members.add(tx, operator_call(organization_id), person.id, "owner")
    return _call(organization_id, person.id, tx.now)


def call_of_one(tx: Tx, organization_id: str) -> Call:
    """A call of the one member that an organization has."""
    table = metadata.tables["members"]
    row = tx.conn.execute(table.select().where(table.c.organization_id == organization_id)).one()
    return _call(organization_id, row.person_id, tx.now)


def mint(tx: Tx, owner: Call, count: int, *, limited_to: Limit | None = None) -> list[str]:
    """*count* new keys of the *owner*."""
    new = (NewKey(name=f"Key {number}", limited_to=limited_to) for number in range(count))
    return [api_keys.mint(tx, owner, one).key for one in new]


def _call(organization_id: str, person_id: str, now: int) -> Call:
    caller = Caller(
        organization_id=organization_id,
        kind="person",
        id=person_id,
        person_id=person_id,
        permissions=PERMISSIONS,
        confirmed_at=now,
    )
    return Call(caller=caller, door="app")
