"""A part of an index, as a unit of work adds it that has no time for more."""

from svc.storage.records.listing import index_builds
from svc.storage.store import Tx


def build_some(tx: Tx, organization_id: str, records: int) -> bool:
    """Add so many records to the indexes in progress; whether there are more to add."""
    tx.has_time = lambda: False
    return index_builds.build(tx, organization_id, records)
