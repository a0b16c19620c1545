"""`svc check`: check the invariants of the data."""

from collections.abc import Mapping

import click
from sqlalchemy import Connection

from svc.cli import offline
from svc.cli.data_directory import DataDirectory
from svc.cli.failures import Failure
from svc.cli.options import on_data
from svc.clock import WallClock
from svc.domain.crypto.sealing import Sealer
from svc.storage import integrity, sealed
from svc.storage.files import integrity as files_integrity
from svc.storage.integrity import Broken


@click.command("check")
@on_data
def command(directory: DataDirectory) -> None:
    """Check that the data is intact and that its invariants hold. Works while the service runs."""
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
