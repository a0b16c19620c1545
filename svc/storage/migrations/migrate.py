"""Migrations: at the start, the schema is upgraded to the newest revision.

Alembic is imported only if a migration is missing, since the import takes longer than the rest of a start.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from svc.storage.sql import full_text
from svc.storage.store import SchemaTooNew, StoreFailed

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS: Final = Path(__file__).parent
VERSIONS: Final = MIGRATIONS / "versions"
"""One file for each revision, `<revision>_<what it does>.py`; revisions are ascending numbers of four digits.

A landed one is never changed: `tests/storage/migrations/test_migrate_kept.py` pins their digests."""


def is_ours(name: str | None, kind: str, _parents: object) -> bool:
    """Whether Alembic compares what is called *name*: not SQLite's own tables of the search index."""
    return kind != "table" or name is None or not name.startswith(full_text.TABLE)


def known_revisions(versions: Path = VERSIONS) -> list[str]:
    """The revisions that this program knows, oldest first."""
    return sorted(path.name[:4] for path in versions.glob("[0-9]*.py"))


def titles(versions: Path = VERSIONS) -> dict[str, str]:
    """What each revision does, by the first line of its file, oldest first."""
    first_lines = {path.name[:4]: _first_line(path) for path in sorted(versions.glob("[0-9]*.py"))}
    return {revision: line.strip('"') for revision, line in first_lines.items()}


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.readline().strip()


def revision_of(conn: sa.Connection) -> str | None:
    """The revision of the schema; None for an empty file."""
    if not sa.inspect(conn).has_table("alembic_version"):
        return None
    revision: str | None = conn.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return revision


def is_current(conn: sa.Connection, versions: Path = VERSIONS) -> bool:
    """Whether the schema is at the newest revision. Raises `SchemaTooNew` for an unknown one."""
    revision = revision_of(conn)
    known = known_revisions(versions)
    if revision is not None and revision not in known:
        raise SchemaTooNew(
            f"the data is at schema revision {revision}, and this program knows revisions up to {known[-1]}:"
            " start the program that wrote it, or restore a backup made before"
        )
    return known[-1:] == [revision]


def _ignore(_revision: str) -> None:
    """For upgrades that nobody watches."""


def upgrade(
    conn: sa.Connection, versions: Path = VERSIONS, on_applied: Callable[[str], None] = _ignore
) -> None:
    """Run the missing migrations in the current transaction of *conn*; *on_applied* gets each revision.

    Raises `StoreFailed`; the caller then rolls the transaction back, which leaves the data unchanged.
    """
    from alembic import command  # noqa: PLC0415  # the module's docstring says why

    from svc.storage.migrations.repairs import repair  # noqa: PLC0415  # it imports Alembic

    def note(*, step: Any, **_: Any) -> None:
        on_applied(step.up_revision_id)

    config = alembic_config(conn, versions)
    before = revision_of(conn)
    try:
        repair(conn, config, before)
        config.attributes["on_version_apply"] = note
        command.upgrade(config, "head")
    except Exception as error:
        raise StoreFailed(
            f"the data could not be migrated from schema revision {before or 'none'}"
            f" to {known_revisions(versions)[-1]}, and is as it was: {getattr(error, 'orig', error)}"
        ) from error


def alembic_config(conn: sa.Connection, versions: Path = VERSIONS) -> "Config":
    """The configuration of Alembic, which uses *conn*."""
    from alembic.config import Config  # noqa: PLC0415  # the module's docstring says why

    config = Config(attributes={"connection": conn})
    for name, path in (("script_location", MIGRATIONS), ("version_locations", versions)):
        config.set_main_option(name, str(path).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    return config
