"""Which columns hold sealed secrets, each sealed for its row's id; and the check that all of them open."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import sqlalchemy as sa

from svc.domain.crypto.sealing import SealBroken, Sealer
from svc.storage.channels import tables as channels_tables
from svc.storage.mail import tables as mail_tables
from svc.storage.webhooks import tables as webhooks_tables

SEALED: Final[tuple[sa.Column[bytes], ...]] = (
    channels_tables.connections.c.secret,
    channels_tables.connections.c.previous_secret,
    mail_tables.mails.c.token,
    webhooks_tables.webhooks.c.secret,
    webhooks_tables.webhooks.c.previous_secret,
)


def invariants(sealer: Sealer) -> dict[str, Callable[[sa.Connection], Iterable[str]]]:
    """What must hold of them, for `integrity.check`."""
    return {"every stored secret opens with the installation's key": lambda conn: _unopenable(conn, sealer)}


def _unopenable(conn: sa.Connection, sealer: Sealer) -> Iterator[str]:
    """Name each secret that does not open with the installation's key: its table, row and column."""
    for column in SEALED:
        for row_id, sealed in conn.execute(sa.select(column.table.c.id, column).where(column.is_not(None))):
            try:
                sealer.open(bytes(sealed), row_id)
            except SealBroken:
                yield f"{column.table.name} {row_id}, its {column.name}"
