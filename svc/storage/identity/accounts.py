"""Accounts: people, each at home in one organization, where no other account has their e-mail address.

An organization's administrators may make accounts of it with any address. So an address alone never says
whose an account is: what is decided by one is decided within one home.
"""

from collections.abc import Collection
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.crypto.passwords import salt_for, salt_of
from svc.domain.errors import Conflict, Home, NotFound
from svc.domain.identity.callers import person_call
from svc.domain.identity.people import Person, clean_name
from svc.domain.records.contact_points import normalise_email
from svc.storage import audit
from svc.storage.identity import sessions, tables
from svc.storage.rows import Rows, Selection
from svc.storage.store import Tx


class NewAccount(msgspec.Struct, frozen=True, kw_only=True):
    """A new account. Without a password, its person signs in by a one-time link."""

    email: str
    name: str
    home_organization_id: str
    password_hash: str | None = None
    email_proven: bool = False
    """Whether its person has shown that they receive mail at the address."""


class Credentials(NamedTuple):
    """An account with a password, and the hash of it."""

    person_id: str
    password_hash: str


class JoinedOrganization(msgspec.Struct, frozen=True):
    """An open organization that a person is an active member of."""

    organization_id: str
    name: str
    role_id: str


_person: Final = tables.people.c
_PEOPLE: Final = Rows(tables.people, Person, beside=["password_hash", "created_at"])
_GET = _PEOPLE.prepared(_PEOPLE.select(_person.id == sa.bindparam("person_id")))
_JOINED: Final = Selection(
    JoinedOrganization,
    tables.organizations,
    tables.members,
    members={"organization_id": tables.organizations.c.id},
)


def create(tx: Tx, new: NewAccount) -> Person:
    """Make an account. Raises `InvalidValue`, and `Conflict` for an e-mail address that its home knows."""
    made = Person(
        id=tx.new_id("usr"),
        email=normalise_email(new.email),
        name=clean_name(new.name),
        home_organization_id=new.home_organization_id,
        email_proven_at=tx.now if new.email_proven else None,
    )
    if at_home(tx.conn, made.home_organization_id, made.email) is not None:
        raise Conflict("the organization has an account with this e-mail address already: sign in with that")
    _PEOPLE.insert(tx.conn, made, password_hash=new.password_hash, created_at=tx.now)
    return made


def get(conn: sa.Connection, person_id: str) -> Person:
    """The person. Raises `NotFound`."""
    found = _GET.one(conn, person_id=person_id)
    if found is None:
        raise NotFound("no such person")
    return found


def at_home(conn: sa.Connection, organization_id: str, email: str) -> Person | None:
    """The person with that normalized e-mail address among those at home in the organization."""
    which = (_person.home_organization_id == organization_id, _person.email == email)
    return _PEOPLE.one(conn, _PEOPLE.select(*which))


def with_email(conn: sa.Connection, email: str) -> list[Person]:
    """The people with that normalized e-mail address, each of another home."""
    select = _PEOPLE.select(_person.email == email)
    return _PEOPLE.all(conn, select.order_by(_person.id))


def credentials(conn: sa.Connection, email: str, organization_id: str | None = None) -> list[Credentials]:
    """The accounts of that normalized e-mail address that a password opens, or only that of one home."""
    select = sa.select(_person.id, _person.password_hash).where(
        _person.email == email, _person.password_hash.is_not(None)
    )
    if organization_id is not None:
        select = select.where(_person.home_organization_id == organization_id)
    return [Credentials(*row) for row in conn.execute(select.order_by(_person.id)).tuples()]


def credentials_of(
    conn: sa.Connection, person_ids: Collection[str], email: str, organization_id: str | None = None
) -> list[Credentials]:
    """As `credentials`, of those people alone: the query does not reveal others with the address."""
    select = sa.select(
        _person.id,
        _person.password_hash,
        _person.email,
        _person.home_organization_id,
    ).where(_person.id.in_(person_ids), _person.password_hash.is_not(None))
    return [
        Credentials(person_id, hashed)
        for person_id, hashed, address, home in conn.execute(select.order_by(_person.id))
        if address == email and organization_id in {None, home}
    ]


def salt(conn: sa.Connection, email: str, secret: bytes) -> bytes:
    """The salt for a new password of an account with that normalized e-mail address.

    It is that of every account of the address, whatever its home: see `svc.domain.crypto.passwords`.
    """
    hashed = conn.scalar(
        sa.select(_person.password_hash)
        .where(_person.email == email, _person.password_hash.is_not(None))
        .order_by(_person.id)
        .limit(1)
    )
    return salt_for(email, secret) if hashed is None else salt_of(hashed)


def password_hash(conn: sa.Connection, person_id: str) -> str | None:
    """The hash of the person's password; None if there is none."""
    found: str | None = conn.scalar(sa.select(_person.password_hash).where(_person.id == person_id))
    return found


def rename(tx: Tx, person_id: str, name: str) -> Person:
    """Change the person's name, and audit that wherever they are a member. Raises `InvalidValue`."""
    renamed = msgspec.structs.replace(get(tx.conn, person_id), name=clean_name(name))
    tx.conn.execute(_PEOPLE.update(_person.id == person_id, name=renamed.name))
    audit_everywhere(tx, person_id, "member.rename")
    return renamed


def set_email(tx: Tx, person_id: str, email: str) -> Person:
    """Give the account another normalized address, which its person has proven; audited as `rename` is.

    Its password stays, hashed with the salt of the address before, until its person signs in again.
    """
    tx.conn.execute(_PEOPLE.update(_person.id == person_id, email=email, email_proven_at=tx.now))
    audit_everywhere(tx, person_id, "member.address_change")
    return get(tx.conn, person_id)


def note_proven(tx: Tx, person_id: str) -> None:
    """Note that the person has shown that they receive mail at their address."""
    unproven = (_person.id == person_id, _person.email_proven_at.is_(None))
    tx.conn.execute(_PEOPLE.update(*unproven, email_proven_at=tx.now))


def audit_everywhere(tx: Tx, person_id: str, action: str) -> None:
    """Audit what the person has done to their own account, wherever they are a member."""
    for joined in memberships(tx.conn, person_id):
        audit.note(tx, person_call(joined.organization_id, person_id), action, person_id)


def set_password(tx: Tx, person_id: str, hashed: str, keep_session: str | None = None) -> None:
    """Change the password, and end all sessions but the one with the digest *keep_session*."""
    replace_hash(tx, person_id, hashed)
    sessions.revoke_all(tx, person_id, keep=keep_session)


def replace_hash(tx: Tx, person_id: str, hashed: str) -> None:
    """Store a new hash of the same password, made with the current parameters."""
    tx.conn.execute(_PEOPLE.update(_person.id == person_id, password_hash=hashed))


def home_of(conn: sa.Connection, person_id: str) -> Home:
    """The organization that the person's account belongs to."""
    row = conn.execute(
        sa.select(tables.organizations.c.id, tables.organizations.c.name)
        .join(tables.people, _person.home_organization_id == tables.organizations.c.id)
        .where(_person.id == person_id)
    ).one()
    return Home(*row)


def memberships(conn: sa.Connection, person_id: str) -> list[JoinedOrganization]:
    """Where the person may work now, the oldest organization first."""
    select = (
        _JOINED.select(
            tables.members.c.person_id == person_id,
            tables.members.c.status == "active",
            tables.organizations.c.closed_at.is_(None),
        )
        .join(tables.members, tables.members.c.organization_id == tables.organizations.c.id)
        .order_by(tables.organizations.c.id)
    )
    return _JOINED.all(conn, select)
