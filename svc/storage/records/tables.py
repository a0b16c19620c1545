"""The tables of records, of their indexes, and of their history."""

from typing import Any, Final

import sqlalchemy as sa

from svc.storage import schema
from svc.storage.sql import full_text

_DERIVED: Final = "derived from records, and changed with them"
_EXPORTED: Final = "derived from the records, which have all of it"

objects: Final = schema.table(
    "objects",
    schema.id_(),
    schema.of_organization(),
    schema.word("slug"),
    schema.text("label", schema.SCRUBBED),
    schema.text("label_plural", schema.SCRUBBED),
    schema.flag("publishable"),
    schema.past("created_at"),
    schema.number("version", default="1"),
    # None, `building` or `ready`: whether `duplicate_keys` has the records.
    schema.word("duplicates_state", null=True, stays=schema.INTERNAL),
    # The last record that was added to them, while they are being built.
    schema.word("duplicates_cursor", null=True, stays=schema.INTERNAL),
    sa.UniqueConstraint("organization_id", "slug"),
    schema.PartialIndex("ix_objects_building", "organization_id", where="duplicates_state = 'building'"),
    leaves=schema.ExportFile("objects", "A type of record."),
    life=schema.KEPT,
)

properties: Final = schema.table(
    "properties",
    schema.id_(),
    schema.of_organization(),
    schema.ref("object_id", "objects.id"),
    schema.word("slug"),
    schema.text("label", schema.SCRUBBED),
    schema.word("type"),
    schema.json(
        "options",
        tuple[str, ...],
        schema.SCRUBBED,
        note="choices of a select; of a relation the slug of the object that it leads to",
    ),
    schema.flag("personal"),
    schema.number("position"),
    schema.past("created_at"),
    schema.flag("unique_values", default=False, note="whether no two records may have the same value"),
    # None, `building` or `ready`: whether `record_keys` has the values of this property.
    schema.word("index_state", null=True, stays=schema.INTERNAL),
    # The last record in an index that is being built.
    schema.word("index_cursor", null=True, stays=schema.INTERNAL),
    schema.past("deleted_at", null=True),
    schema.number("version", default="1"),
    sa.UniqueConstraint("object_id", "slug"),
    schema.PartialIndex("ix_properties_building", "organization_id", where="index_state = 'building'"),
    leaves=schema.ExportFile("properties", "A property of an object; a deleted one has `deletedAt`."),
    life=schema.KEPT,
)

records: Final = schema.table(
    "records",
    schema.id_(own="records"),
    schema.of_organization(),
    schema.ref("object_id", "objects.id"),
    schema.json(
        "properties", dict[str, Any], schema.SCRUBBED, note="its values by the slugs of the properties"
    ),
    schema.past("created_at"),
    schema.past("updated_at"),
    schema.past("deleted_at", null=True),
    schema.ref("merged_into", "records.id", null=True, note="the record that a deleted one was merged into"),
    schema.number("version", default="1"),
    schema.PartialIndex("ix_records_created_at", "object_id", "created_at", "id", where="deleted_at IS NULL"),
    schema.PartialIndex("ix_records_updated_at", "object_id", "updated_at", "id", where="deleted_at IS NULL"),
    schema.PartialIndex("ix_records_merged_into", "merged_into", where="merged_into IS NOT NULL"),
    leaves=schema.ExportFile(
        "records",
        (
            "A record. Each object has a file of its own, `records/<object>.ndjson`, and deleted and merged "
            "records of all objects are in `deleted_records.ndjson`."
        ),
        {"hidden": "values of deleted properties, where it has any"},
    ),
    life=schema.KEPT,
)

# The following tables are derived from the records' properties, in the same transaction.

record_keys: Final = schema.table(
    "record_keys",
    # For each property that is filtered or sorted by, the sort key of every record of its object.
    schema.ref("property_id", "properties.id", primary=True),
    schema.ref("record_id", "records.id", primary=True),
    schema.blob("key", stays=schema.INTERNAL),
    sa.Index("ix_record_keys_key", "property_id", "key", "record_id"),
    sqlite_with_rowid=False,
    leaves=schema.Stays(_EXPORTED),
    erasure=schema.Exempt(_DERIVED),
    life=schema.WITH_PARENT,
    through="record_id",
)

unique_values: Final = schema.table(
    "unique_values",
    schema.ref("property_id", "properties.id", primary=True),
    schema.word("value", primary=True),
    schema.ref("record_id", "records.id"),
    sa.Index("ix_unique_values_record_id", "record_id"),
    sqlite_with_rowid=False,
    leaves=schema.Stays(_EXPORTED),
    erasure=schema.Exempt(_DERIVED),
    life=schema.WITH_PARENT,
    through="record_id",
)

relations: Final = schema.table(
    "relations",
    schema.ref("target_id", "records.id", primary=True),
    schema.ref("property_id", "properties.id", primary=True),
    schema.ref("record_id", "records.id", primary=True),
    sa.Index("ix_relations_record_id", "record_id"),
    sqlite_with_rowid=False,
    leaves=schema.Stays(_EXPORTED),
    erasure=schema.Exempt(_DERIVED),
    life=schema.WITH_PARENT,
    through="record_id",
)

duplicate_keys: Final = schema.table(
    "duplicate_keys",
    # For each object whose duplicates are looked for, what records may have in common: see `duplicates`.
    schema.ref("object_id", "objects.id", primary=True),
    schema.word("kind", primary=True, note="`email`, `phone` or `name`"),
    schema.word("value", primary=True),
    schema.ref("record_id", "records.id", primary=True),
    sa.Index("ix_duplicate_keys_record_id", "record_id"),
    sqlite_with_rowid=False,
    leaves=schema.Stays(_EXPORTED),
    erasure=schema.Exempt(_DERIVED),
    life=schema.WITH_PARENT,
    through="record_id",
)

search_texts: Final = schema.table(
    "search_texts",
    schema.number("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary=True),
    schema.ref("record_id", "records.id", unique=True),
    # Each word is prefixed with the mark of its object, so that a search finds words of one object only.
    schema.word("words"),
    leaves=schema.Stays(_EXPORTED),
    erasure=schema.Exempt(_DERIVED),
    life=schema.WITH_PARENT,
    through="record_id",
)

# The search index over them; SQLite's tables of it are not in the metadata (see `sql/full_text.py`).
for _dialect, _create in (("sqlite", full_text.CREATE), ("postgresql", full_text.CREATE_POSTGRESQL)):
    _ddl: sa.DDL = sa.DDL(_create)  # type: ignore[no-untyped-call]  # so in SQLAlchemy
    sa.event.listen(search_texts, "after_create", _ddl.execute_if(dialect=_dialect))

record_changes: Final = schema.table(
    "record_changes",
    schema.id_(),
    schema.of_organization(),
    schema.of_record("record_id", null=False, own="records"),
    schema.word("kind"),
    schema.past("at"),
    schema.json(
        "changed", dict[str, Any], schema.SCRUBBED, note="by slug, the value before and the value after"
    ),
    schema.json("source", dict[str, Any], schema.SCRUBBED, note="what made the change"),
    # The version of the record that it made; None of a change from before there were versions, and of one of
    # another record that was merged into this.
    schema.number("version", null=True),
    sa.Index("ix_record_changes_record_id_id", "record_id", "id"),
    sa.Index("ix_record_changes_record_id_version", "record_id", "version"),
    leaves=schema.ExportFile("record_changes", "A change of a record, as its timeline shows it."),
    life=schema.KEPT,
)

identities: Final = schema.table(
    "identities",
    schema.of_organization(),
    schema.word("kind", note="`email` or `phone`"),
    schema.word("value"),
    schema.ref("record_id", "records.id"),
    # An e-mail or phone of a contact. Not unique: two contacts may share a phone; then a person decides.
    sa.Index("pk_identities", "organization_id", "kind", "value", "record_id", unique=True),
    sa.Index("ix_identities_record_id", "record_id"),
    leaves=schema.ExportFile(
        "contact_points",
        "An e-mail or phone that a contact is found by, those of contacts merged into it among them.",
    ),
    erasure=schema.Exempt(_DERIVED),
    life=schema.WITH_PARENT,
)

notes: Final = schema.table(
    "notes",
    schema.id_(),
    schema.of_organization(),
    schema.of_record("record_id", null=False, own="records"),
    schema.text("title", schema.SCRUBBED),
    schema.text("body", schema.SCRUBBED),
    schema.ref("submission_id", "submissions.id", null=True, own="submissions"),
    # None of a note from before this was stored.
    schema.json("source", dict[str, Any], schema.SCRUBBED, null=True, note="what wrote it"),
    schema.past("created_at"),
    sa.Index("ix_notes_record_id_id", "record_id", "id"),
    leaves=schema.ExportFile("notes", "A note on a record."),
    life=schema.KEPT,
)

suggestions: Final = schema.table(
    "suggestions",
    schema.id_(),
    schema.of_organization(),
    schema.of_record("record_id", null=False, own="records"),
    schema.word("property"),
    schema.json("value", Any, schema.SCRUBBED),
    schema.ref("submission_id", "submissions.id", null=True, own="submissions"),
    schema.word("state"),
    schema.past("created_at"),
    schema.past("decided_at", null=True),
    sa.Index("ix_suggestions_record_id_state", "record_id", "state"),
    sa.Index("ix_suggestions_organization_id_state_id", "organization_id", "state", "id"),
    leaves=schema.ExportFile("suggestions", "A value that a form suggested for a record."),
    life=schema.KEPT,
)

distinct_records: Final = schema.table(
    "distinct_records",
    # Both ways round: each record, and the other that it is not.
    schema.ref("record_id", "records.id", primary=True),
    schema.ref("other_id", "records.id", primary=True),
    schema.of_organization(),
    schema.ref("person_id", "people.id", null=True, note="the member who said so"),
    schema.past("at"),
    sa.Index("ix_distinct_records_other_id", "other_id"),
    sqlite_with_rowid=False,
    leaves=schema.ExportFile(
        "distinct_records",
        "Two records that look alike, and that a member called different.",
    ),
    erasure=schema.Exempt("ids alone, of which those of erased records lead to nothing"),
    life=schema.KEPT,
)

BUILDING: Final = sa.literal_column("'building'", sa.Text)
"""State of an index that is being built; a literal, so that a partial index is used: see `forms.tables`."""
