"""Telling that what decides about embeds has changed, so that what was made of them counts no more."""

from sqlalchemy import select

from svc.domain.changes import EmbedsChanged
from svc.storage.store import Tx
from svc.storage.tables import embeds


def announce_all(tx: Tx, organization_id: str) -> None:
    """Announce it of every embed of the organization that is not removed."""
    keys = tx.conn.scalars(
        select(embeds.c.embed_key).where(
            embeds.c.organization_id == organization_id, embeds.c.status != "removed"
        )
    )
    if found := tuple(keys):
        tx.announce(EmbedsChanged(found))
