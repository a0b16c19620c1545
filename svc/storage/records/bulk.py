"""Rows of many records, inserted and updated with a statement for each table.

The caller checks the values, inserts the identities and records the events.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.events import Source
from svc.domain.versions import FIRST_VERSION
from svc.storage.records import tables
from svc.storage.records.listing import index as record_index
from svc.storage.records.listing.index import Shape
from svc.storage.records.rows import RECORDS, StoredRecord
from svc.storage.rows import Rows
from svc.storage.statements import Statement
from svc.storage.store import Tx

ChangeKind = Literal["updated", "deleted", "restored", "merged"]

_UPDATE = Statement(
    sa.update(tables.records)
    .where(tables.records.c.id == sa.bindparam("record_id"))
    .values(
        properties=sa.bindparam("new_properties"),
        updated_at=sa.bindparam("at"),
        version=sa.bindparam("new_version"),
    )
)
_INSERT_CHANGE = Statement(sa.insert(tables.record_changes))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def insert_many(
    conn: sa.Connection,
    organization_id: str,
    object_id: str,
    at: int,
    made: Iterable[tuple[str, dict[str, Any]]],
    *,
    shape: Shape | None = None,
    versions: Mapping[str, int] = {},
) -> None:
    """Store new records of one object, each an id and its properties; its *shape* is read unless given.

    *versions* has those of records that were changed already.
    """
    made = list(made)
    if not made:
        return
    RECORDS.insert_many(
        conn,
        (
            StoredRecord(
                id=record_id,
                organization_id=organization_id,
                object_id=object_id,
                properties=_json(properties),
                created_at=at,
                updated_at=at,
                version=versions.get(record_id, FIRST_VERSION),
            )
            for record_id, properties in made
        ),
    )
    record_index.add(conn, shape or record_index.shape_of(conn, organization_id, object_id), made)


class UpdatedRecord(NamedTuple):
    """A record that was there before, as it is now."""

    record_id: str
    properties: Mapping[str, Any]
    version: int
    slugs: Collection[str]
    """Those of the values that were changed."""


def update_many(
    conn: sa.Connection,
    organization_id: str,
    object_id: str,
    at: int,
    updated: Sequence[UpdatedRecord],
    *,
    shape: Shape | None = None,
) -> None:
    """Store the properties and versions of records of one object; its *shape* is read unless given."""
    if not updated:
        return
    _UPDATE.many(
        conn,
        [
            {
                "record_id": one.record_id,
                "new_properties": _json(one.properties),
                "at": at,
                "new_version": one.version,
            }
            for one in updated
        ],
    )
    changed = [(one.record_id, one.properties, one.slugs) for one in updated]
    record_index.rewrite(conn, shape or record_index.shape_of(conn, organization_id, object_id), changed)


class RecordChange(NamedTuple):
    """What happened to a record, for its timeline and its versions."""

    record_id: str
    kind: ChangeKind
    version: int
    """The version that it made."""
    difference: Mapping[str, Any]
    """`{slug: [before, after]}`"""
    source: Source


def note_changes(tx: Tx, organization_id: str, happened: Sequence[RecordChange]) -> None:
    """Store what happened to records."""
    if happened:
        _INSERT_CHANGE.many(
            tx.conn,
            [
                {
                    "id": tx.new_id("chg"),
                    "organization_id": organization_id,
                    "record_id": change.record_id,
                    "kind": change.kind,
                    "at": tx.now,
                    "changed": _json(change.difference),
                    "source": _json(change.source),
                    "version": change.version,
                }
                for change in happened
            ],
        )


SuggestionState = Literal["open", "accepted", "dismissed"]


class Suggestion(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A suggested value, open or decided."""

    id: str
    record_id: str
    property: str
    value: Any
    submission_id: str | None
    state: SuggestionState
    created_at: int
    decided_at: int | None = None


SUGGESTIONS: Final = Rows(tables.suggestions, Suggestion, beside=["organization_id"])

Suggested = tuple[str, str, Any]
"""The id of a record, the slug of a property, and the value that is suggested for it."""


def suggest(tx: Tx, organization_id: str, suggested: Iterable[tuple[Suggested, str | None]]) -> None:
    """Insert suggestions, each with the id of its submission, unless the same one is open already."""
    wanted = {
        (record_id, slug, _json(value)): (value, submission_id)
        for (record_id, slug, value), submission_id in suggested
    }
    if not wanted:
        return
    open_ones = tx.conn.execute(
        sa.select(
            tables.suggestions.c.record_id, tables.suggestions.c.property, tables.suggestions.c.value
        ).where(
            tables.suggestions.c.record_id.in_({record_id for record_id, _, _ in wanted}),
            tables.suggestions.c.state == "open",
        )
    )
    for row in open_ones:
        wanted.pop((row.record_id, row.property, row.value), None)
    SUGGESTIONS.insert_many(
        tx.conn,
        [
            Suggestion(
                id=tx.new_id("sug"),
                record_id=record_id,
                property=slug,
                value=value,
                submission_id=submission_id,
                state="open",
                created_at=tx.now,
            )
            for (record_id, slug, _), (value, submission_id) in wanted.items()
        ],
        organization_id=organization_id,
    )
