"""Sessions of signed-in people. Only the SHA-256 of a session's token is stored."""

from typing import NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import SessionsChanged
from svc.domain.errors import NotFound
from svc.domain.identity.sessions import Session
from svc.domain.limits import SESSION_IDLE_MS, SESSION_LIFE_MS
from svc.storage.identity import tables
from svc.storage.statements import Statement
from svc.storage.store import Tx

USER_AGENT_CHARS_KEPT = 200


class _SessionRow(NamedTuple):
    """A session's row, as `Session` has it."""

    id: str
    person_id: str
    created_at: int
    confirmed_at: int
    seen_at: int
    expires_at: int


_FIND = Statement(
    sa.select(*(tables.sessions.c[name] for name in _SessionRow._fields)).where(
        tables.sessions.c.digest == sa.bindparam("digest"), tables.sessions.c.revoked_at.is_(None)
    ),
    _SessionRow,
)


class ListedSession(msgspec.Struct, frozen=True, kw_only=True):
    """A live session as its person sees it. Times are ms since the epoch."""

    id: str
    user_agent: str
    created_at: int
    seen_at: int
    expires_at: int
    digest: str


def create(tx: Tx, person_id: str, digest: str, user_agent: str, replaces: str | None = None) -> Session:
    """Start a session under a token's *digest*; the one that the browser had until now ends."""
    if replaces is not None:
        _revoke(tx, tables.sessions.c.digest == replaces)
    opened = Session(
        id=tx.new_id("ses"),
        person_id=person_id,
        created_at=tx.now,
        confirmed_at=tx.now,
        seen_at=tx.now,
        expires_at=tx.now + SESSION_LIFE_MS,
    )
    tx.conn.execute(
        sa.insert(tables.sessions).values(
            **msgspec.structs.asdict(opened), digest=digest, user_agent=user_agent[:USER_AGENT_CHARS_KEPT]
        )
    )
    return opened


def find(conn: sa.Connection, digest: str, now: int) -> Session | None:
    """The live session with that digest."""
    row = _FIND.one(conn, digest=digest)
    session = None if row is None else Session(**row._asdict())
    return session if session is not None and session.lives_at(now) else None


def note_seen(tx: Tx, digest: str) -> None:
    """Store that the session was used."""
    _change(tx, digest, seen_at=tx.now)


def confirm(tx: Tx, digest: str) -> None:
    """Store that the session's person confirmed their identity. Raises `NotFound` when it has ended."""
    if not _change(tx, digest, seen_at=tx.now, confirmed_at=tx.now):
        raise NotFound("no such session")


def end(tx: Tx, digest: str) -> None:
    """End the session with that digest."""
    _revoke(tx, tables.sessions.c.digest == digest)


def revoke(tx: Tx, person_id: str, session_id: str) -> None:
    """End one of the person's sessions. Raises `NotFound`."""
    if not _revoke(tx, tables.sessions.c.id == session_id, tables.sessions.c.person_id == person_id):
        raise NotFound("no such session")


def revoke_others(tx: Tx, person_id: str, keep: str) -> None:
    """End all of the person's sessions but the one with the id *keep*."""
    _revoke(tx, tables.sessions.c.person_id == person_id, tables.sessions.c.id != keep)


def revoke_all(tx: Tx, person_id: str, keep: str | None = None) -> None:
    """End all of the person's sessions, but the one with the digest *keep*."""
    _revoke(tx, tables.sessions.c.person_id == person_id, tables.sessions.c.digest != (keep or ""))


def of_person(conn: sa.Connection, person_id: str, now: int) -> list[ListedSession]:
    """The person's live sessions, the newest first."""
    columns = [tables.sessions.c[name] for name in ListedSession.__struct_fields__]
    rows = conn.execute(
        sa.select(*columns)
        .where(
            tables.sessions.c.person_id == person_id,
            tables.sessions.c.revoked_at.is_(None),
            tables.sessions.c.expires_at > now,
            tables.sessions.c.seen_at > now - SESSION_IDLE_MS,
        )
        .order_by(tables.sessions.c.id.desc())
    )
    return [ListedSession(**row._asdict()) for row in rows]


def _change(tx: Tx, digest: str, **values: int) -> bool:
    done = tx.conn.execute(
        sa.update(tables.sessions)
        .where(tables.sessions.c.digest == digest, tables.sessions.c.revoked_at.is_(None))
        .values(**values)
    )
    tx.announce(SessionsChanged((digest,)))
    return done.rowcount > 0


def _revoke(tx: Tx, *which: sa.ColumnElement[bool]) -> bool:
    done = tx.conn.execute(
        sa.update(tables.sessions)
        .where(*which, tables.sessions.c.revoked_at.is_(None))
        .values(revoked_at=tx.now)
        .returning(tables.sessions.c.digest)
    )
    digests = tuple(done.scalars())
    if digests:
        tx.announce(SessionsChanged(digests))
    return bool(digests)
