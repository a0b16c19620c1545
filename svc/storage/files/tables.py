"""The tables of files. Contents are no rows: see `contents`."""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata, of_organization, only_where

files: Final = sa.Table(
    "files",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("media_type", sa.Text, nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    # SHA-256 of the content; None once that is gone from the disk, of a file that was removed.
    sa.Column("digest", sa.Text),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("creator_kind", sa.Text, nullable=False),
    sa.Column("creator_id", sa.Text, nullable=False),
    # Since when nothing uses it; 0 where that has to be looked at; None while something uses it.
    sa.Column("unused_at", sa.BigInteger),
    # It cannot be fetched any more. The row stays while something uses it.
    sa.Column("removed_at", sa.BigInteger),
    sa.Index("ix_files_organization_id_id", "organization_id", "id", **only_where("removed_at IS NULL")),
    sa.Index("ix_files_content", "organization_id", "digest", **only_where("digest IS NOT NULL")),
    sa.Index("ix_files_unused", "unused_at", **only_where("unused_at IS NOT NULL")),
    sa.Index("ix_files_removed", "id", **only_where("removed_at IS NOT NULL AND digest IS NOT NULL")),
)

file_uses: Final = sa.Table(
    "file_uses",
    metadata,
    sa.Column("file_id", sa.Text, sa.ForeignKey("files.id"), primary_key=True),
    sa.Column("subject_id", sa.Text, primary_key=True),
    # Where in the subject: a property's id, an attachment's number.
    sa.Column("place", sa.Text, primary_key=True),
    of_organization(),
    # What the subject is: a record or a message.
    sa.Column("noun", sa.Text, nullable=False),
    sa.Index("ix_file_uses_subject_id", "subject_id"),
    sqlite_with_rowid=False,
)

file_totals: Final = sa.Table(
    "file_totals",
    metadata,
    sa.Column("organization_id", sa.Text, sa.ForeignKey("organizations.id"), primary_key=True),
    # Of the files that are not removed: how many there are, and how many bytes they have together.
    sa.Column("files", sa.BigInteger, nullable=False),
    sa.Column("bytes", sa.BigInteger, nullable=False),
)
