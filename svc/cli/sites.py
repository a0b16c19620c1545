"""`svc site`: tracked sites."""

import click
from sqlalchemy import Connection

from svc.cli import offline, operator_tools, organizations
from svc.cli.directory import DataDirectory
from svc.cli.options import on_data
from svc.cli.tables import echo_table
from svc.storage.store import Tx
from svc.tools import sites
from svc.tools.sites import CreateSite, ListSites, SiteAnswer, SiteList


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


def _create(tx: Tx, organization_id: str | None, domain: str) -> SiteAnswer:
    organization = organizations.chosen(tx.conn, organization_id)
    return operator_tools.write(tx, sites.create, organization.id, CreateSite(domain=domain))


@command.command("list")
@organizations.OPTION
@on_data
def list_all(directory: DataDirectory, organization: str | None) -> None:
    """List the tracked sites."""
    found = offline.read(directory, _list, organization).sites
    echo_table(("ID", "DOMAIN"), [(one.id, one.domain) for one in found])


def _list(conn: Connection, organization_id: str | None) -> SiteList:
    organization = organizations.chosen(conn, organization_id)
    return operator_tools.read(conn, sites.list_all, organization.id, ListSites())
