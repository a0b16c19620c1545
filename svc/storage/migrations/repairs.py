"""Repairs of schemas that early forms of a migration made, before the missing migrations are run.

In its first days the project changed migrations that had been used: the first one got other indexes, and the
second was inserted before the third. Such a schema lacks parts of its revision. A test now pins landed
migrations, so no further repair is needed.
"""

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations


def repair(conn: sa.Connection, config: Config, revision: str | None) -> None:
    """Add what the schema lacks of its *revision*, in the current transaction of *conn*."""
    if revision is None:
        return
    schema = sa.inspect(conn)
    if revision <= "0004" and schema.has_table("submissions") and not _has_index(conn, "ix_submissions_held"):
        _index_submissions(conn)
    if revision >= "0003" and schema.has_table("people") and not schema.has_table("record_keys"):
        command.stamp(config, "0001")
        command.upgrade(config, "0002")
        command.stamp(config, revision)


def _has_index(conn: sa.Connection, name: str) -> bool:
    query = sa.text("SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = :name")
    return conn.scalar(query, {"name": name}) is not None


def _index_submissions(conn: sa.Connection) -> None:
    """Upgrade the first form of 0001: its indexes lacked the state, and held submissions had no index."""
    op = Operations(MigrationContext.configure(conn))
    with op.batch_alter_table("objects") as objects:
        objects.alter_column("publishable", server_default=None)
    for state, first in (("due", "organization_id"), ("held", "organization_id"), ("queued", "form_id")):
        op.execute(f"DROP INDEX IF EXISTS ix_submissions_{state}")
        op.create_index(
            f"ix_submissions_{state}",
            "submissions",
            [first, "state", "id"],
            sqlite_where=sa.text(f"state = '{state}'"),
        )
