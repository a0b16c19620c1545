"""Merges: one record takes over all that another has; the id of the other leads to it."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa

from svc.domain.errors import Conflict, InvalidInput, named_at
from svc.domain.events import Source
from svc.domain.records.objects import CONTACT
from svc.domain.records.properties import CURRENCY_SUFFIX
from svc.domain.records.queries import unknown_property
from svc.domain.records.values import Values
from svc.storage.records import contacts, objects, records, tables
from svc.storage.records import rows as record_rows
from svc.storage.records import versions as record_versions
from svc.storage.records.duplicates import distinctions
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record
from svc.storage.schema import facts_of, metadata
from svc.storage.store import Tx


def merge(
    tx: Tx,
    organization_id: str,
    object_slug: str | None,
    survivor_id: str,
    merged_id: str,
    *,
    take: Sequence[str] = (),
    if_version: int | None = None,
    source: Source,
) -> Record:
    """Move all that *merged_id* has to *survivor_id*, and delete it; its id leads to the survivor.

    The survivor's values stay, but for the slugs in *take*, which have the other's; what it has none of is
    taken over. It is also known by the other's e-mail and phone. Records that were related to the other are
    related to it.

    Raises:
        NotFound: no such object, or no such record to merge into.
        InvalidInput: no such record to be merged; no such property to *take*; or of *if_version*.
        ChangedSince: a value that the survivor would take over was changed since its version *if_version*.
        Conflict: they are one and the same.
    """
    if survivor_id == merged_id:
        raise Conflict("a record is not merged with itself")
    object_, row = record_rows.find(tx.conn, organization_id, object_slug, survivor_id)
    with named_at("/mergedId"):
        merged = record_rows.live_row(tx.conn, object_, merged_id)
    _check_take(object_, take)
    other = _without(record_rows.values_of(merged), survivor_id)
    if if_version is not None:
        own = record_rows.values_of(row)
        wanted = record_versions.written(own, _values_after(_without(own, merged_id), other, take))
        record_versions.check(tx.conn, object_, row, if_version, stored=own, wanted=wanted)
    known_by = tx.conn.execute(
        sa.select(tables.identities.c.kind, tables.identities.c.value).where(
            tables.identities.c.record_id.in_([survivor_id, merged_id])
        )
    ).all()
    records.delete(tx, organization_id, object_.slug, merged_id, source=source, merged_into=survivor_id)
    _move_history(tx, survivor_id, merged_id)
    distinctions.move(tx, organization_id, survivor_id, merged_id)
    _move_relations(tx, object_.organization_id, survivor_id, merged_id, source)
    survivor = record_rows.live_row(tx.conn, object_, survivor_id)
    after = _values_after(record_rows.values_of(survivor), other, take)
    done = records.write(tx, object_, survivor, after, source=source)
    if object_.slug == CONTACT:
        _know_by_all(tx, organization_id, survivor_id, [tuple(identity) for identity in known_by])
    return done


def _check_take(object_: StoredObject, take: Sequence[str]) -> None:
    """Raises `InvalidInput` for slugs in *take* of which the object has no property."""
    known = object_.properties
    faults = [
        unknown_property(f"/take/{at}", slug, known) for at, slug in enumerate(take) if slug not in known
    ]
    if faults:
        raise InvalidInput(faults)


def _values_after(own: Values, other: Values, take: Sequence[str]) -> Values:
    """The survivor's values: its *own*, then those of the *other*, which come first for the slugs in *take*.

    An amount is taken with its currency. What the other has no value of is cleared by taking it.
    """
    first = {slug for one in take for slug in (one, one + CURRENCY_SUFFIX)}
    return other | {slug: value for slug, value in own.items() if slug not in first}


def _without(values: Values, record_id: str) -> Values:
    """*values* without the relations that lead to a record."""
    return {slug: value for slug, value in values.items() if value != record_id}


def _move_history(tx: Tx, survivor_id: str, merged_id: str) -> None:
    # Its versions are none of the survivor's.
    tx.conn.execute(
        sa.update(tables.record_changes)
        .where(tables.record_changes.c.record_id == merged_id)
        .values(version=None)
    )
    for table, column in _columns_that_move():
        tx.conn.execute(sa.update(table).where(column == merged_id).values({column.name: survivor_id}))


@cache
def _columns_that_move() -> tuple[tuple[sa.Table, "sa.Column[Any]"], ...]:
    """The columns of all tables whose rows move along with a record, as `of_record` marks them."""
    return tuple(
        (table, column)
        for table in metadata.sorted_tables
        for column in table.columns
        if facts_of(column).moves
    )


def _move_relations(tx: Tx, organization_id: str, survivor_id: str, merged_id: str, source: Source) -> None:
    """Relate the records that lead to the merged record to the survivor, by a write to each."""
    related = tx.conn.execute(
        sa.select(tables.relations.c.record_id, tables.properties.c.slug, tables.records.c.object_id)
        .join(tables.properties, tables.properties.c.id == tables.relations.c.property_id)
        .join(tables.records, tables.records.c.id == tables.relations.c.record_id)
        .where(tables.relations.c.target_id == merged_id)
    ).all()
    by_id = {one.id: one for one in objects.list_all(tx.conn, organization_id)}
    for record_id, slug, object_id in related:
        object_ = by_id[object_id]
        row = record_rows.live_row(tx.conn, object_, record_id)
        before = record_rows.values_of(row)
        # A record that led to the one that is now itself leads nowhere any more.
        after = before | {slug: survivor_id}
        if record_id == survivor_id:
            del after[slug]
        records.write(tx, object_, row, after, source=source)


def _know_by_all(tx: Tx, organization_id: str, survivor_id: str, known_by: list[tuple[str, str]]) -> None:
    contacts.forget_all(tx.conn, [survivor_id])
    known = [(survivor_id, kind, value) for kind, value in dict.fromkeys(known_by)]
    contacts.remember(tx.conn, organization_id, known)
