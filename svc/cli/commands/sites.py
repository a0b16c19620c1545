"""`svc site`: tracked sites."""

import click

from svc.cli.operator_calls import Operator
from svc.cli.options import ORGANIZATION, as_operator
from svc.cli.tables import echo_table
from svc.tools.sites import sites
from svc.tools.sites.sites import CreateSite, ListSites


@click.group("site")
def command() -> None:
    """Tracked sites, to which forms can be bound."""


@command.command("create")
@click.argument("domain")
@ORGANIZATION
@as_operator
def create(operator: Operator, domain: str, organization: str | None) -> None:
    """Track the site at DOMAIN, and print its id."""
    home = operator.organization(organization).id
    click.echo(operator.call(sites.create, home, CreateSite(domain=domain)).id)


@command.command("list")
@ORGANIZATION
@as_operator
def list_all(operator: Operator, organization: str | None) -> None:
    """List the tracked sites."""
    home = operator.organization(organization).id
    tracked = operator.look(sites.list_all, home, ListSites()).sites
    echo_table(("ID", "DOMAIN"), [(site.id, site.domain) for site in tracked])
