"""The tables of records, what they are found by, and what is told of them."""

from typing import Final

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    event,
    false,
    literal_column,
)

from svc.storage.schema import metadata, of_record
from svc.storage.schema import of_organization as _organization
from svc.storage.schema import only_where as _where
from svc.storage.sqlite import full_text

objects: Final = Table(
    "objects",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("slug", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("label_plural", Text, nullable=False),
    Column("publishable", Boolean, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("organization_id", "slug"),
)

properties: Final = Table(
    "properties",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("object_id", Text, ForeignKey("objects.id"), nullable=False),
    Column("slug", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("options", Text, nullable=False),
    Column("personal", Boolean, nullable=False),
    Column("position", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("unique_values", Boolean, nullable=False, server_default=false()),
    # None, `building` or `ready`: whether `record_keys` has the values of this property.
    Column("index_state", Text),
    # The last record that a building index has come to.
    Column("index_cursor", Text),
    Column("deleted_at", BigInteger),
    UniqueConstraint("object_id", "slug"),
    Index("ix_properties_building", "organization_id", **_where("index_state = 'building'")),
)

records: Final = Table(
    "records",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("object_id", Text, ForeignKey("objects.id"), nullable=False),
    Column("properties", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("deleted_at", BigInteger),
    Column("merged_into", Text, ForeignKey("records.id")),
    Index("ix_records_created_at", "object_id", "created_at", "id", **_where("deleted_at IS NULL")),
    Index("ix_records_updated_at", "object_id", "updated_at", "id", **_where("deleted_at IS NULL")),
    Index("ix_records_merged_into", "merged_into", **_where("merged_into IS NOT NULL")),
)

# What follows is made of the records' properties, in the same transaction.

record_keys: Final = Table(
    "record_keys",
    metadata,
    # For each property that is filtered or sorted by, the sort key of every record of its object.
    Column("property_id", Text, ForeignKey("properties.id"), primary_key=True),
    Column("record_id", Text, ForeignKey("records.id"), primary_key=True),
    Column("key", LargeBinary, nullable=False),
    Index("ix_record_keys_key", "property_id", "key", "record_id"),
    sqlite_with_rowid=False,
)

unique_values: Final = Table(
    "unique_values",
    metadata,
    Column("property_id", Text, ForeignKey("properties.id"), primary_key=True),
    Column("value", Text, primary_key=True),
    Column("record_id", Text, ForeignKey("records.id"), nullable=False),
    Index("ix_unique_values_record_id", "record_id"),
    sqlite_with_rowid=False,
)

relations: Final = Table(
    "relations",
    metadata,
    Column("target_id", Text, ForeignKey("records.id"), primary_key=True),
    Column("property_id", Text, ForeignKey("properties.id"), primary_key=True),
    Column("record_id", Text, ForeignKey("records.id"), primary_key=True),
    Index("ix_relations_record_id", "record_id"),
    sqlite_with_rowid=False,
)

search_texts: Final = Table(
    "search_texts",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("record_id", Text, ForeignKey("records.id"), nullable=False, unique=True),
    # Each word with the mark of its object before it, so that one object's search never meets another's.
    Column("words", Text, nullable=False),
)

# SQLite's own index over them; its tables are not among the metadata (see `sqlite/full_text.py`).
_CREATE_INDEX: Final[DDL] = DDL(full_text.CREATE)  # type: ignore[no-untyped-call]  # so in SQLAlchemy

event.listen(search_texts, "after_create", _CREATE_INDEX.execute_if(dialect="sqlite"))

record_changes: Final = Table(
    "record_changes",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    of_record("record_id", nullable=False),
    Column("kind", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("changed", Text, nullable=False),
    Column("source", Text, nullable=False),
    Index("ix_record_changes_record_id_id", "record_id", "id"),
)

identities: Final = Table(
    "identities",
    metadata,
    _organization(),
    Column("kind", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("record_id", Text, ForeignKey("records.id"), nullable=False),
    # What a contact is known by. Not unique: two contacts may share a phone, and then a person decides.
    Index("pk_identities", "organization_id", "kind", "value", "record_id", unique=True),
    Index("ix_identities_record_id", "record_id"),
)

notes: Final = Table(
    "notes",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    of_record("record_id", nullable=False),
    Column("title", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("submission_id", Text, ForeignKey("submissions.id")),
    Column("created_at", BigInteger, nullable=False),
    Index("ix_notes_record_id_id", "record_id", "id"),
)

suggestions: Final = Table(
    "suggestions",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    of_record("record_id", nullable=False),
    Column("property", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("submission_id", Text, ForeignKey("submissions.id")),
    Column("state", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("decided_at", BigInteger),
    Index("ix_suggestions_record_id_state", "record_id", "state"),
    Index("ix_suggestions_organization_id_state_id", "organization_id", "state", "id"),
)

BUILDING: Final = literal_column("'building'", Text)
"""Of an index that is being built; as a literal, so that a partial index is used: see `forms.tables`."""
