"""Records in an erasure: the person's own are emptied, others lose the marks and what relates them."""

from collections.abc import Container, Mapping, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from svc.domain.erasure.marks import Scrubber
from svc.domain.locale.times import rfc3339
from svc.domain.records.answers import RecordAnswer
from svc.domain.records.events import RecordDeleted, record_event
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.matching import IDENTITY_KINDS
from svc.domain.records.objects import CONTACT
from svc.domain.records.values import Values
from svc.domain.versions import ERASED_VERSION
from svc.storage.erasure import used_files
from svc.storage.events import events
from svc.storage.records import contacts, records, rows, tables
from svc.storage.records.listing import index as record_index
from svc.storage.records.objects import StoredObject
from svc.storage.store import Tx


def empty(tx: Tx, organization_id: str, record_id: str, source: Mapping[str, Any]) -> bool:
    """Empty a record; whether there was anything to empty.

    Its row stays, deleted and at `ERASED_VERSION`, since others refer to it. One to which a record is still
    related is left for the next pass.
    """
    row = rows.by_id(tx.conn, organization_id, record_id)
    if row is None or row.version == ERASED_VERSION:
        return False
    related = sa.select(tables.relations.c.record_id).where(tables.relations.c.target_id == record_id)
    if tx.conn.execute(related.limit(1)).first() is not None:
        return False
    object_ = rows.object_of(tx.conn, row)
    record_index.remove(tx.conn, record_index.shape_in(object_), [record_id])
    contacts.forget_all(tx.conn, [record_id])
    used_files.remove(tx, organization_id, record_id)
    tx.conn.execute(
        sa.update(tables.records)
        .where(tables.records.c.id == record_id)
        .values(
            properties="{}",
            deleted_at=tx.now if row.deleted_at is None else row.deleted_at,
            merged_into=None,
            version=ERASED_VERSION,
            updated_at=tx.now,
        )
    )
    if row.deleted_at is None:
        emptied = RecordAnswer(
            id=record_id,
            object_type=object_.slug,
            version=ERASED_VERSION,
            properties={},
            created_at=rfc3339(row.created_at),
            updated_at=rfc3339(tx.now),
        )
        events.record(tx, organization_id, [record_event(RecordDeleted, emptied, source)])
    return True


def scrub(
    tx: Tx,
    organization_id: str,
    record_id: str,
    texts: Scrubber,
    ids: Sequence[str],
    *,
    source: Mapping[str, Any],
) -> bool:
    """Take the marks out of another record, and empty its relations to *ids*; whether anything changed.

    The marks go silently: a change or an event of it would have them again, as the value before. An emptied
    relation is a change as any other.
    """
    row = rows.by_id(tx.conn, organization_id, record_id)
    if row is None:
        return False
    object_ = rows.object_of(tx.conn, row)
    try:
        before = rows.values_of(row)
    except msgspec.DecodeError:
        return False  # `svc check` names it, and no tool shows it
    types = {prop.slug: prop.type for prop in object_.kept}
    free = {prop.slug for prop in object_.kept if KINDS[prop.type].is_free_text and not prop.unique}
    after = _scrubbed(before, free, texts)
    changed = after != before
    if changed:
        _write_silently(tx, object_, row, before, after)
    related = {slug: value for slug, value in after.items() if types.get(slug) == "relation" and value in ids}
    if not related:
        return changed
    without = {slug: value for slug, value in after.items() if slug not in related}
    if row.deleted_at is None:
        written = rows.by_id(tx.conn, organization_id, record_id)
        assert written is not None  # noqa: S101  # it was there a moment ago
        records.write(tx, object_, written, without, source=source)
    else:
        _write_silently(tx, object_, row, after, without)
    return True


def _scrubbed(before: Values, free: Container[str], texts: Scrubber) -> Values:
    """Values without the marks. One that would not fit its property any more, or be unique, is left out."""
    after: Values = {}
    for slug, value in before.items():
        without = texts.json(value)
        if without == value:
            after[slug] = value
        elif slug in free and isinstance(without, str):
            after[slug] = without
        elif isinstance(value, list):
            kept = [one for one, other in zip(value, without, strict=True) if one == other]
            if kept:
                after[slug] = kept
    return after


def _write_silently(
    tx: Tx, object_: StoredObject, row: rows.RecordRow, before: Values, after: Values
) -> None:
    tx.conn.execute(
        sa.update(tables.records)
        .where(tables.records.c.id == row.id)
        .values(properties=msgspec.json.encode(after).decode())
    )
    if row.deleted_at is not None:
        return
    changed = {slug for slug in before if after.get(slug) != before[slug]}
    if object_.slug == CONTACT:
        known_by = [(row.id, kind, before[kind]) for kind in sorted(changed.intersection(IDENTITY_KINDS))]
        contacts.forget(tx.conn, object_.organization_id, known_by)
    record_index.rewrite(tx.conn, record_index.shape_in(object_), [(row.id, after, changed)])
