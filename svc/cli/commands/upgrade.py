"""`svc upgrade`: what the next start will do to the data, and doing it without a start."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from svc.cli.data_directory import DataDirectory
from svc.cli.data_store import refuse_database
from svc.cli.failures import Failure, as_failure
from svc.cli.options import on_data
from svc.storage.migrations.plan import MigrationPlan, MigrationStep
from svc.storage.sqlite.engine import make_engine, sole_use
from svc.storage.sqlite.rehearsal import Rehearsal, copy_bytes, plan_beside, rehearse
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import StoreError
from svc.version import VERSION

COPIES: Final = 2
"""Room that a try needs, in copies of the data: one, and as much again for what the migrations write."""
_MB: Final = 1_000_000


class UpgradeReport(msgspec.Struct, frozen=True, rename="camel"):
    """What `svc upgrade --check --json` prints."""

    revision: str | None
    """Of the data; null where there is none yet."""
    target: str
    migrations: tuple[MigrationStep, ...]
    seconds: float | None
    """What the migrations took on a copy; null where nothing was tried."""
    room_bytes: int | None
    free_bytes: int


@click.command("upgrade")
@click.option("--check", is_flag=True, help="Say what would be done and how long it takes; change nothing.")
@click.option(
    "--copy-to",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="With --check: make the copy that it tries here, not in the data directory.",
)
@click.option("--json", "as_json", is_flag=True, help="With --check: print what was found as JSON.")
@on_data
def command(directory: DataDirectory, *, check: bool, copy_to: Path | None, as_json: bool) -> None:
    """Bring the data to the schema of this version, as a start does, without starting the service.

    With --check it changes nothing: it lists the migrations that the next start will run, and tries them on a
    copy, which says how long they take on this machine and whether they succeed. That works while the service
    of the earlier version runs.
    """
    if not check and (copy_to or as_json):
        raise click.UsageError("--copy-to and --json belong to --check")
    refuse_database(directory, "svc upgrade", "the next start migrates it, or fails and changes nothing")
    with as_failure(StoreError, OSError):
        if check:
            _check(directory, copy_to, as_json=as_json)
        else:
            _upgrade(directory)


def _check(directory: DataDirectory, copy_to: Path | None, *, as_json: bool) -> None:
    if not directory.has_data():
        raise Failure(f"there is no data in {directory.path} yet; the first start makes it")
    plan = plan_beside(directory.database)
    if not as_json:
        click.echo("\n".join(_planned(plan)))
    rehearsal = None
    if plan.steps:
        scratch = directory.upgrade_check if copy_to is None else copy_to / directory.upgrade_check.name
        _check_room(directory.database, scratch.parent)
        rehearsal = rehearse(directory.database, scratch, _show)
    free = shutil.disk_usage(directory.path).free
    if as_json:
        report = UpgradeReport(
            plan.before,
            plan.after,
            plan.steps,
            round(rehearsal.seconds, 3) if rehearsal else None,
            rehearsal.room_bytes if rehearsal else None,
            free,
        )
        click.echo(msgspec.json.format(msgspec.json.encode(report)))
    elif rehearsal is not None:
        click.echo("\n".join(_tried(rehearsal, free)))
    if rehearsal is not None and rehearsal.room_bytes > free:
        raise Failure(f"there is too little room in {directory.path} for the migrations: free some first")


def _check_room(database: Path, scratch: Path) -> None:
    scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    needed, free = COPIES * copy_bytes(database), shutil.disk_usage(scratch).free
    if needed > free:
        raise Failure(
            f"a try on a copy may take {_megabytes(needed)} in {scratch}, and {_megabytes(free)} are free:"
            " name another directory with --copy-to"
        )


def _planned(plan: MigrationPlan) -> Iterator[str]:
    of_data = f"The data is at schema revision {plan.before}"
    if not plan.steps:
        yield f"{of_data}, which is that of svc {VERSION}: the next start migrates nothing."
        return
    yield f"{of_data}, and svc {VERSION} has {plan.after}. The next start will run {_many(plan.steps)}:"
    for step in plan.steps:
        yield f"  {step.revision}  {step.title}"
        if step.rows:
            yield f"        passes over {step.rows:,} rows of {', '.join(step.tables)}"


def _tried(rehearsal: Rehearsal, free: int) -> Iterator[str]:
    yield (
        f"Tried on a copy of the data: it succeeds, and takes {rehearsal.seconds:.1f} s."
        " The service cannot be reached meanwhile."
    )
    yield f"It takes {_megabytes(rehearsal.room_bytes)} of the disk; {_megabytes(free)} are free."
    yield "An earlier version cannot open the data afterwards, so make a backup first: svc backup FILE"


def _upgrade(directory: DataDirectory) -> None:
    if not directory.has_data():
        raise Failure(f"there is no data in {directory.path} yet; the first start makes it")
    with sole_use(directory.database):
        plan = plan_beside(directory.database)
        if plan.steps:
            with make_engine(directory.database).connect() as conn:
                migrate_to_head(conn, report=_show)
    click.echo(f"The data is at schema revision {plan.after}, that of svc {VERSION}.")


def _show(event: str, **about: Any) -> None:
    """Show on standard error how a migration goes on, if it is one that takes its time."""
    if event == "a migration is under way":
        left = about["remaining_seconds"]
        said = "longer than expected" if left is None else f"about {left:.0f} s are left"
        click.echo(f"{about['seconds']:.0f} s: {about['revision']} is under way, {said}", err=True)


def _many(steps: tuple[MigrationStep, ...]) -> str:
    return "1 migration" if len(steps) == 1 else f"{len(steps)} migrations"


def _megabytes(number: int) -> str:
    return "less than 1 MB" if number < _MB else f"{number / _MB:,.0f} MB"
