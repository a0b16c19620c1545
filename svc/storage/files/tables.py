"""The tables of files. Contents are no rows: see `contents`."""

from typing import Final

import sqlalchemy as sa

from svc.storage import schema

files: Final = schema.table(
    "files",
    schema.id_(),
    schema.of_organization(),
    schema.text("name", schema.SCRUBBED),
    schema.word("media_type"),
    schema.number("size", sa.BigInteger, note="bytes"),
    # SHA-256 of the content; None once that is gone from the disk, of a file that was removed.
    schema.word(
        "digest",
        null=True,
        note=(
            "the SHA-256 of its content, which is `contents/<digest>`; null once that is deleted, "
            "and a file that is removed has none here either"
        ),
    ),
    schema.past("created_at"),
    schema.word("creator_kind"),
    schema.word("creator_id"),
    # Since when nothing uses it; 0 where that has to be looked at; None while something uses it.
    schema.past("unused_at", null=True, stays=schema.INTERNAL),
    # It cannot be fetched any more. The row stays while something uses it.
    schema.past("removed_at", null=True),
    schema.PartialIndex("ix_files_organization_id_id", "organization_id", "id", where="removed_at IS NULL"),
    schema.PartialIndex("ix_files_content", "organization_id", "digest", where="digest IS NOT NULL"),
    schema.PartialIndex("ix_files_unused", "unused_at", where="unused_at IS NOT NULL"),
    schema.PartialIndex("ix_files_removed", "id", where="removed_at IS NOT NULL AND digest IS NOT NULL"),
    leaves=schema.ExportFile("files", "A file that was uploaded, or came with a message."),
    life=schema.PRUNED,
)

file_uses: Final = schema.table(
    "file_uses",
    schema.ref("file_id", "files.id", primary=True),
    schema.word("subject_id", primary=True, note="the record or the message"),
    # Where in the subject: a property's id, an attachment's number.
    schema.word(
        "place", primary=True, note="of a record the property, of a message the number of the attachment"
    ),
    schema.of_organization(),
    # What the subject is: a record or a message.
    schema.word("noun"),
    sa.Index("ix_file_uses_subject_id", "subject_id"),
    sqlite_with_rowid=False,
    leaves=schema.ExportFile("file_uses", "The use of a file by a record or a message."),
    erasure=schema.Exempt("ids, which go with the record or the message that uses a file"),
    life=schema.WITH_PARENT,
)

file_totals: Final = schema.table(
    "file_totals",
    schema.of_organization(primary=True),
    # Of the files that are not removed: how many there are, and how many bytes they have together.
    schema.number("files", sa.BigInteger),
    schema.number("bytes", sa.BigInteger),
    leaves=schema.Stays("sums of `files`"),
    erasure=schema.Exempt("numbers alone"),
    life=schema.WITH_PARENT,
)
