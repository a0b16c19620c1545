"""The tables of records, of their indexes, and of their history."""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata, of_record
from svc.storage.schema import of_organization as _organization
from svc.storage.schema import only_where as _where
from svc.storage.sqlite import full_text

objects: Final = sa.Table(
    "objects",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("slug", sa.Text, nullable=False),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("label_plural", sa.Text, nullable=False),
    sa.Column("publishable", sa.Boolean, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("version", sa.Integer, nullable=False, server_default="1"),
    sa.UniqueConstraint("organization_id", "slug"),
)

properties: Final = sa.Table(
    "properties",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("object_id", sa.Text, sa.ForeignKey("objects.id"), nullable=False),
    sa.Column("slug", sa.Text, nullable=False),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("options", sa.Text, nullable=False),
    sa.Column("personal", sa.Boolean, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("unique_values", sa.Boolean, nullable=False, server_default=sa.false()),
    # None, `building` or `ready`: whether `record_keys` has the values of this property.
    sa.Column("index_state", sa.Text),
    # The last record in an index that is being built.
    sa.Column("index_cursor", sa.Text),
    sa.Column("deleted_at", sa.BigInteger),
    sa.Column("version", sa.Integer, nullable=False, server_default="1"),
    sa.UniqueConstraint("object_id", "slug"),
    sa.Index("ix_properties_building", "organization_id", **_where("index_state = 'building'")),
)

records: Final = sa.Table(
    "records",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("object_id", sa.Text, sa.ForeignKey("objects.id"), nullable=False),
    sa.Column("properties", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("updated_at", sa.BigInteger, nullable=False),
    sa.Column("deleted_at", sa.BigInteger),
    sa.Column("merged_into", sa.Text, sa.ForeignKey("records.id")),
    sa.Column("version", sa.Integer, nullable=False, server_default="1"),
    sa.Index("ix_records_created_at", "object_id", "created_at", "id", **_where("deleted_at IS NULL")),
    sa.Index("ix_records_updated_at", "object_id", "updated_at", "id", **_where("deleted_at IS NULL")),
    sa.Index("ix_records_merged_into", "merged_into", **_where("merged_into IS NOT NULL")),
)

# The following tables are derived from the records' properties, in the same transaction.

record_keys: Final = sa.Table(
    "record_keys",
    metadata,
    # For each property that is filtered or sorted by, the sort key of every record of its object.
    sa.Column("property_id", sa.Text, sa.ForeignKey("properties.id"), primary_key=True),
    sa.Column("record_id", sa.Text, sa.ForeignKey("records.id"), primary_key=True),
    sa.Column("key", sa.LargeBinary, nullable=False),
    sa.Index("ix_record_keys_key", "property_id", "key", "record_id"),
    sqlite_with_rowid=False,
)

unique_values: Final = sa.Table(
    "unique_values",
    metadata,
    sa.Column("property_id", sa.Text, sa.ForeignKey("properties.id"), primary_key=True),
    sa.Column("value", sa.Text, primary_key=True),
    sa.Column("record_id", sa.Text, sa.ForeignKey("records.id"), nullable=False),
    sa.Index("ix_unique_values_record_id", "record_id"),
    sqlite_with_rowid=False,
)

relations: Final = sa.Table(
    "relations",
    metadata,
    sa.Column("target_id", sa.Text, sa.ForeignKey("records.id"), primary_key=True),
    sa.Column("property_id", sa.Text, sa.ForeignKey("properties.id"), primary_key=True),
    sa.Column("record_id", sa.Text, sa.ForeignKey("records.id"), primary_key=True),
    sa.Index("ix_relations_record_id", "record_id"),
    sqlite_with_rowid=False,
)

search_texts: Final = sa.Table(
    "search_texts",
    metadata,
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("record_id", sa.Text, sa.ForeignKey("records.id"), nullable=False, unique=True),
    # Each word is prefixed with the mark of its object, so that a search finds words of one object only.
    sa.Column("words", sa.Text, nullable=False),
)

# SQLite's full-text index over them; its tables are not in the metadata (see `sqlite/full_text.py`).
_CREATE_INDEX: Final[sa.DDL] = sa.DDL(full_text.CREATE)  # type: ignore[no-untyped-call]  # so in SQLAlchemy

sa.event.listen(search_texts, "after_create", _CREATE_INDEX.execute_if(dialect="sqlite"))

record_changes: Final = sa.Table(
    "record_changes",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    of_record("record_id", nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("changed", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    # The version of the record that it made; None of a change from before there were versions, and of one of
    # another record that was merged into this.
    sa.Column("version", sa.Integer),
    sa.Index("ix_record_changes_record_id_id", "record_id", "id"),
    sa.Index("ix_record_changes_record_id_version", "record_id", "version"),
)

identities: Final = sa.Table(
    "identities",
    metadata,
    _organization(),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("record_id", sa.Text, sa.ForeignKey("records.id"), nullable=False),
    # An e-mail or phone of a contact. Not unique: two contacts may share a phone; then a person decides.
    sa.Index("pk_identities", "organization_id", "kind", "value", "record_id", unique=True),
    sa.Index("ix_identities_record_id", "record_id"),
)

notes: Final = sa.Table(
    "notes",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    of_record("record_id", nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("submission_id", sa.Text, sa.ForeignKey("submissions.id")),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Index("ix_notes_record_id_id", "record_id", "id"),
)

suggestions: Final = sa.Table(
    "suggestions",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    of_record("record_id", nullable=False),
    sa.Column("property", sa.Text, nullable=False),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("submission_id", sa.Text, sa.ForeignKey("submissions.id")),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("decided_at", sa.BigInteger),
    sa.Index("ix_suggestions_record_id_state", "record_id", "state"),
    sa.Index("ix_suggestions_organization_id_state_id", "organization_id", "state", "id"),
)

BUILDING: Final = sa.literal_column("'building'", sa.Text)
"""State of an index that is being built; a literal, so that a partial index is used: see `forms.tables`."""
