"""`svc check`: check the invariants of the data."""

from collections.abc import Mapping
from pathlib import Path

import click
from sqlalchemy import Connection

from svc.cli import offline
from svc.cli.commands.backup import check_digests
from svc.cli.data_directory import DataDirectory
from svc.cli.failures import Failure
from svc.cli.options import on_data
from svc.clock import WallClock
from svc.domain.crypto.sealing import Sealer
from svc.storage import integrity, sealed
from svc.storage.files import integrity as files_integrity
from svc.storage.integrity import Broken


@click.command("check")
@click.option(
    "--backup",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Check every byte of the backup FILE by its digests, and nothing else.",
)
@on_data
def command(directory: DataDirectory, *, backup: Path | None) -> None:
    """Check that the data is intact and that its invariants hold. Works while the service runs."""
    if backup is not None:
        without_digests = check_digests(backup)
        if without_digests is not None:
            raise Failure(without_digests)
        click.echo(f"{backup} is as it was written", err=True)
        return
    on_disk = files_integrity.on_disk(directory.files, WallClock().wall())
    broken, all_ = offline.read(directory, _print_findings, directory, on_disk)
    if broken:
        raise Failure(f"{broken} of {all_} promises are broken")


def _print_findings(
    conn: Connection, directory: DataDirectory, on_disk: Mapping[str, Broken]
) -> tuple[int, int]:
    """Print the result of each check as it completes; how many are violated, and how many there are."""
    broken = all_ = 0
    sealer = Sealer(directory.open_key().derive("sealing"))
    for finding in integrity.check(conn, {**sealed.invariants(sealer), **on_disk}):
        click.echo(f"{f'{finding.broken} broken' if finding.broken else 'ok':>10}  {finding.promise}")
        for example in finding.examples:
            click.echo(f"{'':>10}    {example}")
        broken += finding.broken > 0
        all_ += 1
    return broken, all_
