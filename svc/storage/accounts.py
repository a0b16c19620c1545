"""Accounts: people, each with an e-mail address of their own in the whole installation."""

from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, Select, insert, select, update

from svc.domain.contacts import normalise_email
from svc.domain.errors import Conflict, NotFound
from svc.domain.ids import new_id
from svc.domain.people import Person, clean_name
from svc.storage import sessions
from svc.storage.store import Tx
from svc.storage.tables import members, organizations, people


class NewAccount(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of an account when it is made. Without a password, a one-time link is the way in."""

    email: str
    name: str
    home_organization_id: str
    password_hash: str | None = None


class Credentials(NamedTuple):
    """Whose account it is, and what its password is checked against."""

    person_id: str
    password_hash: str | None


class Membership(msgspec.Struct, frozen=True):
    """An open organization that a person is an active member of."""

    organization_id: str
    name: str
    role_id: str


def create(tx: Tx, asked: NewAccount) -> Person:
    """Make an account. Raises `InvalidValue`, and `Conflict` for an e-mail address that has one."""
    made = Person(
        id=new_id("usr", tx.now),
        email=normalise_email(asked.email),
        name=clean_name(asked.name),
        home_organization_id=asked.home_organization_id,
    )
    if by_email(tx.conn, made.email) is not None:
        raise Conflict("there is an account with this e-mail address already")
    tx.conn.execute(
        insert(people).values(
            **msgspec.structs.asdict(made), password_hash=asked.password_hash, created_at=tx.now
        )
    )
    return made


def get(conn: Connection, person_id: str) -> Person:
    """The person. Raises `NotFound`."""
    found = _one(conn, _SELECT.where(people.c.id == person_id))
    if found is None:
        raise NotFound("no such person")
    return found


def by_email(conn: Connection, email: str) -> Person | None:
    """The person with that normalized e-mail address."""
    return _one(conn, _SELECT.where(people.c.email == email))


def credentials(conn: Connection, email: str) -> Credentials | None:
    """What it takes to sign in to the account of that normalized e-mail address, if there is one."""
    row = conn.execute(select(people.c.id, people.c.password_hash).where(people.c.email == email)).first()
    return None if row is None else Credentials(*row)


def password_hash(conn: Connection, person_id: str) -> str | None:
    """What the person's password is checked against; None while there is none."""
    found: str | None = conn.scalar(select(people.c.password_hash).where(people.c.id == person_id))
    return found


def set_password(tx: Tx, person_id: str, hashed: str, keep_session: str | None = None) -> None:
    """Change the password. All sessions end, but the one with the digest *keep_session*."""
    replace_hash(tx, person_id, hashed)
    sessions.revoke_all(tx, person_id, keep=keep_session)


def replace_hash(tx: Tx, person_id: str, hashed: str) -> None:
    """Keep the same password in another way, as new parameters of hashing ask for."""
    tx.conn.execute(update(people).where(people.c.id == person_id).values(password_hash=hashed))


def memberships(conn: Connection, person_id: str) -> list[Membership]:
    """Where the person may work now, the oldest organization first."""
    rows = conn.execute(
        select(organizations.c.id, organizations.c.name, members.c.role_id)
        .join(members, members.c.organization_id == organizations.c.id)
        .where(
            members.c.person_id == person_id,
            members.c.status == "active",
            organizations.c.closed_at.is_(None),
        )
        .order_by(organizations.c.id)
    )
    return [Membership(*row) for row in rows]


_SELECT = select(people.c.id, people.c.email, people.c.name, people.c.home_organization_id)


def _one(conn: Connection, statement: Select[tuple[str, str, str, str]]) -> Person | None:
    row = conn.execute(statement).first()
    return None if row is None else Person(*row)
