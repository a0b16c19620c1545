"""People for tests: members of an organization, and calls in their names."""

from typing import Any

from sqlalchemy import insert

from svc.domain.identity.callers import Call, Caller, operator_call
from svc.domain.identity.people import Person
from svc.domain.identity.roles import PERMISSIONS
from svc.storage.identity import accounts, members, organizations
from svc.storage.identity.accounts import NewAccount
from svc.storage.identity.organizations import OrganizationChanges
from svc.storage.store import Tx
from tests import tables


def a_member(
    tx: Tx,
    /,
    organization_id: str,
    email: str,
    role_id: str = "owner",
    *,
    home: str | None = None,
    password_hash: str | None = None,
) -> Person:
    """A person with an account at *home*, or here, who is a member here."""
    name = email.partition("@")[0].title()
    asked = NewAccount(
        email=email, name=name, home_organization_id=home or organization_id, password_hash=password_hash
    )
    person = accounts.create(tx, asked)
    members.add(tx, operator_call(organization_id), person.id, role_id)
    return person


def allow_keys_elsewhere(tx: Tx, /, home: str, *, allowed: bool) -> None:
    """Let people whose home that organization is have keys in others, or not."""
    organizations.update(tx, operator_call(home), OrganizationChanges(allow_keys_elsewhere=allowed))


def call_of(person: Person, organization_id: str | None = None, *, confirmed_at: int | None = None) -> Call:
    """A call through the app. What the caller claims to be permitted is no reason to believe it."""
    caller = Caller(
        organization_id=organization_id or person.home_organization_id,
        kind="person",
        id=person.id,
        person_id=person.id,
        permissions=PERMISSIONS,
        confirmed_at=confirmed_at,
    )
    return Call(caller=caller, door="app", request_id="req-1")


def key_call(person: Person) -> Call:
    """A call with a key that the person made."""
    caller = Caller(
        organization_id=person.home_organization_id,
        kind="key",
        id="key_1",
        person_id=person.id,
        permissions=PERMISSIONS,
    )
    return Call(caller=caller, door="api", request_id="req-2")


def a_stored_key(tx: Tx, /, person: Person, digest: str, **changes: Any) -> None:
    """A key as it is stored, with anything about it another."""
    values = {
        "id": f"key_{digest}",
        "organization_id": person.home_organization_id,
        "creator_id": person.id,
        "name": "A key",
        "digest": digest,
        "visible_start": "svck_AbCdEf",
        "role_id": "owner",
        "created_at": tx.now,
        "expires_at": tx.now + 1_000,
    }
    tx.conn.execute(insert(tables.api_keys).values(**(values | changes)))
