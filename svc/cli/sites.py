"""`svc site`: tracked sites."""

import click
from sqlalchemy import Connection

from svc.cli import offline, organizations
from svc.cli.directory import DataDirectory
from svc.cli.options import on_data
from svc.cli.tables import echo_table
from svc.storage import sites
from svc.storage.sites import Site
from svc.storage.store import Tx


@click.group("site")
def command() -> None:
    """Tracked sites, which forms can be bound to."""


@command.command("create")
@click.argument("domain")
@organizations.OPTION
@on_data
def create(directory: DataDirectory, domain: str, organization: str | None) -> None:
    """Track the site at DOMAIN, and print its id."""
    click.echo(offline.write(directory, _create, organization, domain).id)


def _create(tx: Tx, organization_id: str | None, domain: str) -> Site:
    return sites.create(tx, organizations.chosen(tx.conn, organization_id).id, domain)


@command.command("list")
@organizations.OPTION
@on_data
def list_all(directory: DataDirectory, organization: str | None) -> None:
    """List the tracked sites."""
    found = offline.read(directory, _list, organization)
    echo_table(("ID", "DOMAIN"), [(one.id, one.domain) for one in found])


def _list(conn: Connection, organization_id: str | None) -> list[Site]:
    return sites.of_organization(conn, organizations.chosen(conn, organization_id).id)
