"""The tables of imports: jobs, their uploads, and the files that they leave."""

from typing import Any, Final

import sqlalchemy as sa

from svc.domain.imports.faults import FaultGroup
from svc.domain.imports.imports import Counts, Layout, ReadingSettings, Refusal
from svc.domain.imports.starters import Starter
from svc.domain.imports.undo import Undo
from svc.storage import schema

imports: Final = schema.table(
    "imports",
    schema.id_(),
    schema.of_organization(),
    schema.word("object_type"),
    schema.text("name", schema.SCRUBBED),
    schema.word("format"),
    schema.word("fingerprint", null=True, stays=schema.COMPARED),
    schema.word("state"),
    schema.number("bytes", sa.BigInteger),
    # The number of the part that comes next.
    schema.number("next_part", stays=schema.INTERNAL),
    # What was found in the first lines; None until the upload is complete.
    schema.json("layout", Layout, schema.SCRUBBED, null=True, note="what was found in its first lines"),
    # How it is read, in whose name, and the source of what it writes; None until it is started.
    schema.json("settings", ReadingSettings, schema.SCRUBBED, null=True),
    schema.json("starter", Starter, schema.NOBODY, null=True),
    schema.json("source", dict[str, Any], schema.NOBODY, null=True),
    # Counts up with each start; what an earlier one left is pruned.
    schema.number("run"),
    # Where the next line begins, and its number; and whether the rest of a line that is too long comes first.
    schema.number("at_byte", sa.BigInteger, stays=schema.INTERNAL),
    schema.number("at_line", sa.BigInteger, stays=schema.INTERNAL),
    schema.flag("in_long_line", stays=schema.INTERNAL),
    schema.json("counts", Counts, schema.NOBODY),
    schema.json("refusals", list[Refusal], schema.SCRUBBED, note="the first refused lines"),
    schema.json(
        "faults",
        list[FaultGroup],
        schema.SCRUBBED,
        null=True,
        note="why lines were refused or cells left out, by reason, with a few examples",
    ),
    # Why it failed.
    schema.text("failure", schema.SCRUBBED, null=True),
    # How far what it wrote is taken back: None until that is asked for.
    schema.json("undo", Undo, schema.SCRUBBED, null=True, note="how far what it wrote was taken back"),
    schema.word("undo_state", null=True),
    schema.past("created_at"),
    schema.past("updated_at"),
    schema.past("ended_at", null=True),
    sa.Index("ix_imports_organization_id", "organization_id", "id"),
    schema.PartialIndex("ix_imports_open", "organization_id", unique=True, where="ended_at IS NULL"),
    schema.PartialIndex("ix_imports_ended_at", "ended_at", where="ended_at IS NOT NULL"),
    schema.PartialIndex("ix_imports_running", "organization_id", where="state = 'running'"),
    schema.PartialIndex("ix_imports_undo_running", "organization_id", where="undo_state = 'running'"),
    leaves=schema.ExportFile("imports", "An import of records, with what became of it."),
    life=schema.PRUNED,
)

import_parts: Final = schema.table(
    "import_parts",
    schema.ref("import_id", "imports.id", primary=True),
    schema.number("number", primary=True),
    # SHA-256: a part that is given again has to be the same.
    schema.blob("digest", stays=schema.COMPARED),
    leaves=schema.Stays("parts of an upload that is under way"),
    erasure=schema.Exempt("digests of parts of an upload"),
    through="import_id",
    life=schema.PRUNED,
)

import_chunks: Final = schema.table(
    "import_chunks",
    # The bytes of the upload; those that were read for good are gone.
    schema.ref("import_id", "imports.id", primary=True),
    schema.number("number", primary=True),
    schema.blob("data", stays=schema.INTERNAL),
    leaves=schema.Stays("an upload that is not read yet, whose records come later"),
    erasure=schema.Exempt("an upload that was not read yet; `import.cancel` ends it"),
    through="import_id",
    life=schema.PRUNED,
)

import_outputs: Final = schema.table(
    "import_outputs",
    # The files that an import leaves, a row for each of its batches that has something to tell.
    schema.ref("import_id", "imports.id", primary=True),
    schema.number("run", primary=True),
    schema.word("kind", primary=True),
    schema.number("at_byte", sa.BigInteger, primary=True),
    schema.text("text", schema.SCRUBBED),
    leaves=schema.ExportFile(
        "import_outputs", "A piece of the file of refused lines, or of the report, that an import left."
    ),
    through="import_id",
    life=schema.PRUNED,
)

import_keys: Final = schema.table(
    "import_keys",
    # What the new records of a dry run would be found by, so that a second line for one is known as such.
    schema.ref("import_id", "imports.id", primary=True),
    schema.number("run", primary=True),
    schema.blob("digest", stays=schema.COMPARED, primary=True),
    schema.number("line", sa.BigInteger),
    sqlite_with_rowid=False,
    leaves=schema.Stays("digests, which a dry run compares"),
    erasure=schema.Exempt("digests, of a dry run that has not ended"),
    through="import_id",
    life=schema.PRUNED,
)

import_records: Final = schema.table(
    "import_records",
    # What an import has written and nobody has taken back yet, a row for each record.
    schema.ref("import_id", "imports.id", primary=True),
    schema.flag("is_new", primary=True, note="whether the import made the record"),
    schema.ref("record_id", "records.id", primary=True),
    schema.number("version", note="the first version of it that the import made"),
    # The undo that has looked at it and left it, by its number.
    schema.number("left_in", stays=schema.INTERNAL),
    sqlite_with_rowid=False,
    leaves=schema.ExportFile("import_records", "A record that an import made or changed."),
    erasure=schema.Exempt("ids of records, for as long as the import is kept"),
    through="import_id",
    life=schema.PRUNED,
)

RUNNING: Final = sa.literal_column("'running'", sa.Text)
"""State of an import that is being read; a literal, so that the partial index is used: see `forms.tables`."""
