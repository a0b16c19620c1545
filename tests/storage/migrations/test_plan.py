"""Plans of migrations: which are missing, and the rows that each passes over."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text

from svc.storage.migrations import migrate
from svc.storage.migrations.plan import ROWS_A_SECOND, STEP_ROWS, MigrationPlan, MigrationStep, plan_of
from svc.storage.migrations.progress import SILENT_SECONDS, MigrationProgress
from svc.storage.sqlite.engine import make_engine, raw
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import SchemaTooNew
from tests.storage.keeping import KEPT

pytestmark = pytest.mark.sqlite

Reports = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def conn() -> Iterator[Connection]:
    with make_engine(None).connect() as conn:
        yield conn


def load(conn: Connection, name: str) -> Connection:
    raw(conn).executescript(f"PRAGMA foreign_keys = OFF; {(KEPT / f'{name}.sql').read_text()}")
    return conn


def test_a_plan_has_the_missing_migrations_with_the_rows_that_they_read(conn: Connection) -> None:
    """0022 makes tables and reads none; 0026 rebuilds nothing, and its indexes read all submissions."""
    plan = plan_of(load(conn, "0021"))

    steps = {step.revision: step for step in plan.steps}
    assert ("0021", migrate.known_revisions()[-1]) == (plan.before, plan.after)
    assert [one for one in migrate.known_revisions() if one > "0021"] == list(steps)
    assert ((), 0) == (steps["0022"].tables, steps["0022"].rows)
    assert (("submissions",), 2) == (steps["0026"].tables, steps["0026"].rows)
    assert "Submissions that somebody has thrown away, and those that were taken back." == steps["0026"].title


def test_what_is_current_has_nothing_to_do_and_what_is_newer_is_refused(conn: Connection) -> None:
    """As at a start."""
    migrate_to_head(conn)
    assert () == plan_of(conn).steps
    conn.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(SchemaTooNew, match="9999"):
        plan_of(conn)


def test_every_migration_says_what_it_does() -> None:
    """The first line of its file is a sentence for operators."""
    assert [] == [line for line in migrate.titles().values() if not line.endswith(".") or '"' in line]


@pytest.mark.parametrize("path", sorted(KEPT.glob("*.sql")), ids=lambda path: path.stem)
def test_a_migration_reports_each_of_its_steps(conn: Connection, path: Path) -> None:
    """Of every schema since the first: begin, a line for each step in order, and the end."""
    found: Reports = []
    load(conn, path.stem)
    steps = [one for one in migrate.known_revisions() if one > path.name[:4]]

    migrate_to_head(conn, report=lambda event, **about: found.append((event, about)))

    assert steps == [about["revision"] for event, about in found if event == "a migration is done"]
    if steps:
        assert (path.name[:4], len(steps)) == (found[0][1]["before"], found[0][1]["migrations"])
        assert ("the data is migrated", steps[-1]) == (found[-1][0], found[-1][1]["revision"])


def test_the_schema_of_a_new_file_is_made_without_a_word(conn: Connection) -> None:
    """A first start is no upgrade."""
    found: Reports = []

    migrate_to_head(conn, report=lambda event, **about: found.append((event, about)))

    assert [] == found


def test_what_is_left_follows_from_the_speed_so_far() -> None:
    """First the estimate; then the speed of what is done; nothing where that has passed."""
    now = [0.0]
    found: Reports = []
    rows = 10 * ROWS_A_SECOND - STEP_ROWS
    plan = MigrationPlan("0001", "0003", tuple(MigrationStep(f"000{n}", "", (), rows) for n in (2, 3)))
    progress = MigrationProgress(plan, lambda event, **about: found.append((event, about)), lambda: now[0])

    progress.begin()
    for seconds in (1, SILENT_SECONDS, 1):
        now[0] += seconds
        progress.look()
    now[0] = 30.0
    progress.applied("0002")
    now[0] = 50.0
    progress.look()
    now[0] = 70.0
    progress.look()
    progress.applied("0003")

    assert [
        ("the data is being migrated, and the service starts after that", None),
        ("a migration is under way", 9.0),
        ("a migration is done", 30.0),
        ("a migration is under way", 10.0),
        ("a migration is under way", None),
        ("a migration is done", 0.0),
    ] == [(event, about.get("remaining_seconds")) for event, about in found]
    assert 20.0 == found[0][1]["estimate_seconds"]
