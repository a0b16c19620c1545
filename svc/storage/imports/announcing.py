"""Announcements of imports: to the screens that show them, and to the actor that reads them."""

from svc.domain.changes import ImportsDue, ResourceChanged
from svc.storage.imports.rows import Import
from svc.storage.store import Tx


def announce_progress(tx: Tx, import_: Import) -> None:
    """Announce to screens that an import has changed."""
    tx.announce(ResourceChanged(import_.organization_id, "import", import_.id))


def announce_start(tx: Tx, import_: Import) -> None:
    """Announce that an import waits to be read."""
    tx.announce(ImportsDue(import_.organization_id))
