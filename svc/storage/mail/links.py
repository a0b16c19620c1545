"""Links that are mailed: with their tokens, people show that they receive mail at an address."""

from typing import Final, Literal

import msgspec
import sqlalchemy as sa

from svc.domain.crypto.keys import ADDRESS_LINK, PROOF_LINK, RESET_LINK, digest, new_key
from svc.domain.errors import NotFound
from svc.storage.mail import tables
from svc.storage.store import Tx

Purpose = Literal["reset", "proof", "address"]

PREFIXES: Final[dict[Purpose, str]] = {"reset": RESET_LINK, "proof": PROOF_LINK, "address": ADDRESS_LINK}
"""What the token of a link begins with, by what the link is for."""
_links: Final = tables.mailed_links


class MailedLink(msgspec.Struct, frozen=True):
    """A link that works. `email` is the address that the account gets by it, if it gets one."""

    person_id: str
    email: str | None


def make(tx: Tx, person_id: str, purpose: Purpose, life_ms: int, email: str | None = None) -> str:
    """Make a link; its token, which is not stored here."""
    token = new_key(PREFIXES[purpose], tx.random)
    tx.conn.execute(
        sa.insert(_links).values(
            digest=digest(token),
            person_id=person_id,
            purpose=purpose,
            created_at=tx.now,
            expires_at=tx.now + life_ms,
            email=email,
        )
    )
    return token


def find(conn: sa.Connection, token_digest: str, purpose: Purpose, now: int) -> MailedLink:
    """The link, unused. Raises `NotFound` if it is unknown, used or expired."""
    row = conn.execute(
        sa.select(_links.c.person_id, _links.c.email).where(
            _links.c.digest == token_digest, _links.c.purpose == purpose, _links.c.expires_at > now
        )
    ).one_or_none()
    if row is None:
        raise NotFound("no such link, or it was used, or is too old")
    return MailedLink(*row)


def use(tx: Tx, token_digest: str, purpose: Purpose) -> MailedLink:
    """Use up the link, with all others of its person for the same. Raises as `find` does."""
    found = find(tx.conn, token_digest, purpose, tx.now)
    end(tx, found.person_id, purpose)
    return found


def end(tx: Tx, person_id: str, *purposes: Purpose) -> None:
    """End all links of the person for *purposes*."""
    tx.conn.execute(sa.delete(_links).where(_links.c.person_id == person_id, _links.c.purpose.in_(purposes)))
