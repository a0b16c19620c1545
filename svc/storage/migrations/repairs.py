"""Repairs of data that an early form of a migration made, before those that are missing are run.

In its first days the project changed migrations that had been used: the first one got other indexes, and the
second was put before the third. Such data stand at a revision without having all that it stands for. That no
landed migration is changed any more is held by a test, so nothing is added here.
"""

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations


def repair(conn: sa.Connection, config: Config, revision: str | None) -> None:
    """Give the data at *revision* what is missing of it, inside the transaction that *conn* is in."""
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
    asked = sa.text("SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = :name")
    return conn.scalar(asked, {"name": name}) is not None


def _index_submissions(conn: sa.Connection) -> None:
    """0001 in its first form: the states were not in the indexes, held ones had none."""
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
