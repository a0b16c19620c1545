"""`svc check`: check the invariants of the data."""

import click
from sqlalchemy import Connection

from svc.cli import offline
from svc.cli.data_directory import DataDirectory
from svc.cli.failures import Failure
from svc.cli.options import on_data
from svc.storage import integrity


@click.command("check")
@on_data
def command(directory: DataDirectory) -> None:
    """Check that the data is intact and that its invariants hold. Works while the service runs."""
    broken = offline.read(directory, _print_findings)
    if broken:
        raise Failure(f"{broken} of {len(integrity.INVARIANTS)} promises are broken")


def _print_findings(conn: Connection) -> int:
    """Print the result of each check as it completes, and return how many invariants are violated."""
    broken = 0
    for finding in integrity.check(conn):
        click.echo(f"{f'{finding.broken} broken' if finding.broken else 'ok':>10}  {finding.promise}")
        for example in finding.examples:
            click.echo(f"{'':>10}    {example}")
        broken += finding.broken > 0
    return broken
