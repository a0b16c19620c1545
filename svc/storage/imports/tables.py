"""The tables of imports: jobs, their uploads, and the files that they leave."""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata
from svc.storage.schema import of_organization as _organization
from svc.storage.schema import only_where as _where

imports: Final = sa.Table(
    "imports",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("object_type", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("format", sa.Text, nullable=False),
    sa.Column("fingerprint", sa.Text),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("bytes", sa.BigInteger, nullable=False),
    # The number of the part that comes next.
    sa.Column("next_part", sa.Integer, nullable=False),
    # What was found in the first lines; None until the upload is complete.
    sa.Column("layout", sa.Text),
    # How it is read, in whose name, and the source of what it writes; None until it is started.
    sa.Column("settings", sa.Text),
    sa.Column("starter", sa.Text),
    sa.Column("source", sa.Text),
    # Counts up with each start; what an earlier one left is pruned.
    sa.Column("run", sa.Integer, nullable=False),
    # Where the next line begins, and its number; and whether the rest of a line that is too long comes first.
    sa.Column("at_byte", sa.BigInteger, nullable=False),
    sa.Column("at_line", sa.BigInteger, nullable=False),
    sa.Column("in_long_line", sa.Boolean, nullable=False),
    sa.Column("counts", sa.Text, nullable=False),
    sa.Column("refusals", sa.Text, nullable=False),
    # Why it failed.
    sa.Column("failure", sa.Text),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("updated_at", sa.BigInteger, nullable=False),
    sa.Column("ended_at", sa.BigInteger),
    sa.Index("ix_imports_organization_id", "organization_id", "id"),
    sa.Index("ix_imports_open", "organization_id", unique=True, **_where("ended_at IS NULL")),
    sa.Index("ix_imports_ended_at", "ended_at", **_where("ended_at IS NOT NULL")),
    sa.Index("ix_imports_running", "organization_id", **_where("state = 'running'")),
)

import_parts: Final = sa.Table(
    "import_parts",
    metadata,
    sa.Column("import_id", sa.Text, sa.ForeignKey("imports.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    # SHA-256: a part that is given again has to be the same.
    sa.Column("digest", sa.LargeBinary, nullable=False),
)

import_chunks: Final = sa.Table(
    "import_chunks",
    metadata,
    # The bytes of the upload; those that were read for good are gone.
    sa.Column("import_id", sa.Text, sa.ForeignKey("imports.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
)

import_outputs: Final = sa.Table(
    "import_outputs",
    metadata,
    # The files that an import leaves, a row for each of its batches that has something to tell.
    sa.Column("import_id", sa.Text, sa.ForeignKey("imports.id"), primary_key=True),
    sa.Column("run", sa.Integer, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("at_byte", sa.BigInteger, primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
)

import_keys: Final = sa.Table(
    "import_keys",
    metadata,
    # What the new records of a dry run would be found by, so that a second line for one is known as such.
    sa.Column("import_id", sa.Text, sa.ForeignKey("imports.id"), primary_key=True),
    sa.Column("run", sa.Integer, primary_key=True),
    sa.Column("digest", sa.LargeBinary, primary_key=True),
    sa.Column("line", sa.BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

RUNNING: Final = sa.literal_column("'running'", sa.Text)
"""State of an import that is being read; a literal, so that the partial index is used: see `forms.tables`."""
