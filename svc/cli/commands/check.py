"""`svc check`: whether the data keeps its promises."""

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
    """Check the data, and that it keeps what is promised of it. Works while the service runs."""
    broken = offline.read(directory, _tell_findings)
    if broken:
        raise Failure(f"{broken} of {len(integrity.INVARIANTS)} promises are broken")


def _tell_findings(conn: Connection) -> int:
    """Print each finding as it is made, and return how many promises are broken."""
    broken = 0
    for one in integrity.check(conn):
        click.echo(f"{f'{one.broken} broken' if one.broken else 'ok':>10}  {one.promise}")
        for example in one.examples:
            click.echo(f"{'':>10}    {example}")
        broken += one.broken > 0
    return broken
