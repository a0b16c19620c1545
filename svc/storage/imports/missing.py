"""Records that relations name and that are not there: made once for equal names, whatever their case."""

from collections.abc import Sequence

from svc.domain.events import Source
from svc.domain.identity.organizations import Organization
from svc.domain.imports.columns import NAME
from svc.domain.imports.lines import Line, MissingRecord
from svc.domain.records.sort_keys import fold
from svc.storage.records import objects
from svc.storage.records.writes.items import write_many
from svc.storage.records.writes.ways import Item
from svc.storage.store import Tx


def make(
    tx: Tx, organization: Organization, lines: Sequence[Line], source: Source
) -> dict[MissingRecord, str]:
    """Make what *lines* miss, have them refer to it, and tell what was made, with its ids."""
    wanted: dict[MissingRecord, MissingRecord] = {}
    for line in lines:
        for missing in line.missing.values():
            wanted.setdefault(_key(missing), missing)
    ids: dict[MissingRecord, str] = {}
    for object_type in sorted({missing.object_type for missing in wanted}):
        of_it = {key: missing for key, missing in wanted.items() if key.object_type == object_type}
        outcomes = write_many(
            tx,
            organization,
            objects.get(tx.conn, organization.id, object_type),
            "create",
            [Item({NAME: missing.name}) for missing in of_it.values()],
            source=source,
        )
        ids |= {key: made.record.id for key, made in zip(of_it, outcomes, strict=True) if made.record}
    for line in lines:
        line.values |= {slug: ids[_key(missing)] for slug, missing in line.missing.items()}
    return ids


def _key(missing: MissingRecord) -> MissingRecord:
    return MissingRecord(missing.object_type, fold(missing.name))
