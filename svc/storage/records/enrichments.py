"""Enrichments: values that contacts get from a form's submission or a messenger's conversation."""

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from svc.domain.events import NewEvent, Source
from svc.domain.forms.filing import Enrichment
from svc.domain.records.events import RecordCreated, RecordUpdated, changes
from svc.domain.records.objects import CONTACT
from svc.storage.records import bulk, contacts, objects
from svc.storage.records import rows as record_rows
from svc.storage.records.bulk import RecordChange, UpdatedRecord
from svc.storage.records.rows import Record
from svc.storage.records.writes import record_writes
from svc.storage.store import Tx


class SourcedEnrichment(Enrichment, frozen=True, kw_only=True):
    """An enrichment, and where it comes from."""

    source: Source
    submission_id: str | None = None


def write(tx: Tx, organization_id: str, object_id: str, learned: Sequence[SourcedEnrichment]) -> None:
    """Write *learned*: new contacts, changed ones, what they are known by, and suggestions.

    *object_id* is that of the organization's contacts. Each contact is written once, as the last one left it.
    """
    created = {enrichment.contact.id: enrichment.contact for enrichment in learned if enrichment.created}
    changed = {
        enrichment.contact.id: enrichment.contact
        for enrichment in learned
        if enrichment.filled and enrichment.contact.id not in created
    }
    filled: dict[str, set[str]] = {}
    for enrichment in learned:
        filled.setdefault(enrichment.contact.id, set()).update(enrichment.filled)
    bulk.insert_many(
        tx.conn,
        organization_id,
        object_id,
        tx.now,
        [(contact.id, contact.properties) for contact in created.values()],
        versions={contact.id: contact.version for contact in created.values()},
    )
    bulk.update_many(
        tx.conn,
        organization_id,
        object_id,
        tx.now,
        [
            UpdatedRecord(contact.id, contact.properties, contact.version, filled[contact.id])
            for contact in changed.values()
        ],
    )
    bulk.note_changes(
        tx,
        organization_id,
        [
            RecordChange(
                enrichment.contact.id,
                "updated",
                enrichment.version,
                _difference(enrichment),
                enrichment.source,
            )
            for enrichment in learned
            if enrichment.filled and not enrichment.created
        ],
    )
    contacts.remember(
        tx.conn,
        organization_id,
        [
            (enrichment.contact.id, slug, str(enrichment.filled[slug]))
            for enrichment in learned
            for slug in ("email", "phone")
            if slug in enrichment.filled
        ],
    )
    bulk.suggest(
        tx,
        organization_id,
        [
            ((enrichment.contact.id, slug, value), enrichment.submission_id)
            for enrichment in learned
            for slug, value in enrichment.suggested.items()
        ],
    )


def happened(conn: sa.Connection, object_id: str, learned: SourcedEnrichment, at: int) -> Iterator[NewEvent]:
    """The event that a contact was created or updated, if it was, by a write of *at*.

    *object_id* is that of the organization's contacts.
    """
    if learned.created or learned.filled:
        properties = learned.properties
        if not learned.created:  # a new one has none of deleted properties
            properties = record_rows.visible(objects.properties_of(conn, object_id), properties)
        contact = learned.contact
        record = Record(
            id=contact.id,
            object_type=CONTACT,
            version=learned.version,
            properties=properties,
            created_at=at if contact.created_at is None else contact.created_at,
            updated_at=at,
        )
        if learned.created:
            yield record_writes.event(RecordCreated, record, learned.source)
        else:
            changed = changes(_difference(learned))
            yield record_writes.event(RecordUpdated, record, learned.source, changed=changed)


def _difference(learned: SourcedEnrichment) -> dict[str, list[Any]]:
    """What was changed, as timelines have it."""
    return {slug: [None, value] for slug, value in learned.filled.items()}
