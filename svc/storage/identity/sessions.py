"""Sessions of signed-in people. Only the SHA-256 of a session's token is stored."""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.changes import SessionsChanged
from svc.domain.errors import NotFound
from svc.domain.identity.limits import SESSION_IDLE_MS, SESSION_LIFE_MS
from svc.domain.identity.sessions import Session
from svc.storage.identity import tables
from svc.storage.rows import Rows, Selection
from svc.storage.store import Tx

USER_AGENT_CHARS_KEPT = 200


class ListedSession(msgspec.Struct, frozen=True, kw_only=True):
    """A live session as its person sees it. Times are ms since the epoch."""

    id: str
    user_agent: str
    created_at: int
    seen_at: int
    expires_at: int
    digest: str
    last_address: str | None
    """The IP address of the last request, as of `seen_at`."""


_SESSIONS: Final = Rows(tables.sessions, Session, beside=["digest", "user_agent", "last_address"])
_LISTED: Final = Selection(ListedSession, tables.sessions)
_LIVE: Final = tables.sessions.c.revoked_at.is_(None)
_FIND = _SESSIONS.prepared(_SESSIONS.select(tables.sessions.c.digest == sa.bindparam("digest"), _LIVE))


def create(  # noqa: PLR0917  # the parts of one row
    tx: Tx,
    person_id: str,
    digest: str,
    user_agent: str,
    replaces: str | None = None,
    address: str | None = None,
) -> Session:
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
    _SESSIONS.insert(
        tx.conn,
        opened,
        digest=digest,
        user_agent=user_agent[:USER_AGENT_CHARS_KEPT],
        last_address=address,
    )
    return opened


def find(conn: sa.Connection, digest: str, now: int) -> Session | None:
    """The live session with that digest."""
    session = _FIND.one(conn, digest=digest)
    return session if session is not None and session.lives_at(now) else None


def note_seen(tx: Tx, digest: str, address: str | None = None) -> None:
    """Store that the session was used, and from which IP address, if that is known."""
    known = {} if address is None else {"last_address": address}
    _change(tx, digest, seen_at=tx.now, **known)


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
    select = _LISTED.select(
        tables.sessions.c.person_id == person_id,
        _LIVE,
        tables.sessions.c.expires_at > now,
        tables.sessions.c.seen_at > now - SESSION_IDLE_MS,
    )
    return _LISTED.all(conn, select.order_by(tables.sessions.c.id.desc()))


def _change(tx: Tx, digest: str, **values: int | str) -> bool:
    done = tx.conn.execute(_SESSIONS.update(tables.sessions.c.digest == digest, _LIVE, **values))
    tx.announce(SessionsChanged((digest,)))
    return done.rowcount > 0


def _revoke(tx: Tx, *which: sa.ColumnElement[bool]) -> bool:
    ended = _SESSIONS.update(*which, _LIVE, revoked_at=tx.now, last_address=None)
    done = tx.conn.execute(ended.returning(tables.sessions.c.digest))
    digests = tuple(done.scalars())
    if digests:
        tx.announce(SessionsChanged(digests))
    return bool(digests)
