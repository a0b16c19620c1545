"""What becomes of a whole organization, over all that belongs to it."""

from svc.storage import connections, organizations
from svc.storage.store import Tx


def close(tx: Tx, organization_id: str) -> None:
    """Close the organization for good: its keys stop at once, nothing of it goes out, its data stays.

    Raises `NotFound`, and `Conflict` where it is closed already.
    """
    organizations.close(tx, organization_id)
    connections.stop_all(tx, organization_id)
