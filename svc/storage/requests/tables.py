"""The table of the request log."""

from typing import Final

import sqlalchemy as sa

from svc.storage import schema

requests: Final = schema.table(
    "requests",
    schema.of_organization(primary=True),
    # Counts up in each organization, so that the newest so many are found without counting.
    schema.number("number", sa.BigInteger, primary=True, autoincrement=False),
    schema.past("at"),
    schema.text("request_id", schema.CODE),
    schema.word("door"),
    schema.word("caller_kind"),
    schema.word("caller_id"),
    schema.word("tool", null=True),
    schema.number("status"),
    schema.word("code", null=True),
    schema.number("milliseconds"),
    schema.number("bytes_in", sa.BigInteger),
    schema.number("bytes_out", sa.BigInteger),
    schema.flag("replayed"),
    # Its organization, where it failed: few do, and these are looked for most.
    schema.word("failed_in", null=True),
    # Without the organization in front: the planner would take the primary key, which has it, too.
    sa.Index("ix_requests_caller", "caller_id", "number"),
    schema.PartialIndex("ix_requests_failed", "failed_in", "number", where="failed_in IS NOT NULL"),
    leaves=schema.Stays("calls of keys of the last days; `export.start` writes them to a file"),
    life=schema.PRUNED,
    sqlite_with_rowid=False,
)
