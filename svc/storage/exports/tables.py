"""The table of exports. Their files are contents beside the database: see `svc.actors.exports`."""

from typing import Final

import sqlalchemy as sa

from svc.domain.exports.exports import ExportQuery
from svc.domain.exports.limits import EXPORT_LIFE_MS
from svc.domain.imports.starters import Starter
from svc.storage import schema

exports: Final = schema.table(
    "exports",
    schema.id_(),
    schema.of_organization(),
    schema.word("source", note="`records`, `submissions`, `audit` or `requests`"),
    schema.word("object_type", null=True),
    schema.word("format"),
    schema.json("query", ExportQuery, schema.SCRUBBED, note="its filters, order and fields"),
    schema.json("starter", Starter, schema.NOBODY, note="in whose name it reads"),
    schema.word("state"),
    # How often it was begun.
    schema.number("attempts", stays=schema.INTERNAL),
    schema.number("rows", sa.BigInteger),
    schema.number("bytes", sa.BigInteger),
    # The SHA-256 of its file, once that is there.
    schema.word("digest", null=True, stays=schema.COMPARED),
    # Why it failed.
    schema.text("failure", schema.SCRUBBED, null=True),
    schema.past("created_at"),
    schema.past("updated_at"),
    schema.past("ended_at", null=True),
    sa.Index("ix_exports_organization_id", "organization_id", "id"),
    schema.PartialIndex("ix_exports_open", "organization_id", "id", where="ended_at IS NULL"),
    schema.PartialIndex("ix_exports_ended_at", "ended_at", where="ended_at IS NOT NULL"),
    leaves=schema.ExportFile(
        "exports", "An export of records, submissions, the audit trail or the request log."
    ),
    life=schema.expires("ended_at", EXPORT_LIFE_MS),
)
