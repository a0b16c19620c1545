"""Links that are mailed: with their tokens, people show that they receive mail at an address."""

from typing import Final, Literal

import sqlalchemy as sa

from svc.domain.crypto.keys import PROOF_LINK, RESET_LINK, digest, new_key
from svc.domain.errors import NotFound
from svc.storage.mail import tables
from svc.storage.store import Tx

Purpose = Literal["reset", "proof"]

_PREFIXES: Final[dict[Purpose, str]] = {"reset": RESET_LINK, "proof": PROOF_LINK}
_links: Final = tables.mailed_links


def make(tx: Tx, person_id: str, purpose: Purpose, life_ms: int) -> str:
    """Make a link; its token, which is not stored here."""
    token = new_key(_PREFIXES[purpose], tx.random)
    tx.conn.execute(
        sa.insert(_links).values(
            digest=digest(token),
            person_id=person_id,
            purpose=purpose,
            created_at=tx.now,
            expires_at=tx.now + life_ms,
        )
    )
    return token


def person_of(conn: sa.Connection, token_digest: str, purpose: Purpose, now: int) -> str:
    """The id of the person that the link is for. Raises `NotFound` if it is unknown, used or expired."""
    person_id: str | None = conn.scalar(
        sa.select(_links.c.person_id).where(
            _links.c.digest == token_digest, _links.c.purpose == purpose, _links.c.expires_at > now
        )
    )
    if person_id is None:
        raise NotFound("no such link, or it was used, or is too old")
    return person_id


def use(tx: Tx, token_digest: str, purpose: Purpose) -> str:
    """Use up the link, with all others of its person for the same; the person's id. Raises as `person_of`."""
    person_id = person_of(tx.conn, token_digest, purpose, tx.now)
    tx.conn.execute(sa.delete(_links).where(_links.c.person_id == person_id, _links.c.purpose == purpose))
    return person_id
