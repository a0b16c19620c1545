"""One-time links to sign in, and the failed sign-ins that pace further attempts."""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.crypto.keys import SIGN_IN_LINK, digest, new_key
from svc.domain.errors import NotFound
from svc.domain.identity.limits import SIGN_IN_LINK_LIFE_MS, SIGN_IN_WINDOW_MS
from svc.storage.identity import tables
from svc.storage.rows import Rows
from svc.storage.store import Tx


class NewLink(msgspec.Struct, frozen=True):
    """A new one-time link. `token` is returned this once, and not stored."""

    token: str
    expires_at: int


class Failure(msgspec.Struct, frozen=True):
    """A failed sign-in: digests of the account and of the origin, and the time."""

    account: str
    address: str
    at: int


_NO_LINK: Final = "no such link, or it was used, or is too old"
_FAILURES: Final = Rows(tables.sign_in_failures, Failure, beside=["id"])


def make_link(tx: Tx, person_id: str) -> NewLink:
    """Make a link that signs the person in once."""
    made = NewLink(new_key(SIGN_IN_LINK, tx.random), tx.now + SIGN_IN_LINK_LIFE_MS)
    tx.conn.execute(
        sa.insert(tables.sign_in_links).values(
            digest=digest(made.token), person_id=person_id, created_at=tx.now, expires_at=made.expires_at
        )
    )
    return made


def person_of(conn: sa.Connection, token_digest: str, now: int) -> str:
    """The id of the person that the link signs in; it stays unused. Raises `NotFound` as `use_link` does."""
    links = tables.sign_in_links.c
    person_id: str | None = conn.scalar(
        sa.select(links.person_id).where(
            links.digest == token_digest, links.used_at.is_(None), links.expires_at > now
        )
    )
    if person_id is None:
        raise NotFound(_NO_LINK)
    return person_id


def use_link(tx: Tx, token_digest: str) -> str:
    """Use up the link; the id of its person.

    Raises `NotFound` for a link that is unknown, used or expired.
    """
    person_id: str | None = tx.conn.execute(
        sa.update(tables.sign_in_links)
        .where(
            tables.sign_in_links.c.digest == token_digest,
            tables.sign_in_links.c.used_at.is_(None),
            tables.sign_in_links.c.expires_at > tx.now,
        )
        .values(used_at=tx.now)
        .returning(tables.sign_in_links.c.person_id)
    ).scalar_one_or_none()
    if person_id is None:
        raise NotFound(_NO_LINK)
    return person_id


def note_failure(tx: Tx, failure: Failure) -> None:
    """Insert a failure, which counts for `SIGN_IN_WINDOW_MS`."""
    _FAILURES.insert(tx.conn, failure, id=tx.new_id("fai"))


def recent_failures(conn: sa.Connection, now: int) -> list[Failure]:
    """The failures that count now."""
    return _FAILURES.all(conn, _FAILURES.select(tables.sign_in_failures.c.at > now - SIGN_IN_WINDOW_MS))
