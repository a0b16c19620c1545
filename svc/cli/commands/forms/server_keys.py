"""`svc serverkey`: server keys, with which each visitor that a server names counts as its own sender."""

import click

from svc.cli.operator_calls import Operator
from svc.cli.options import NAME, ORGANIZATION, as_operator
from svc.cli.tables import echo_table
from svc.tools.forms import server_keys
from svc.tools.forms.server_keys import ListServerKeys, MintServerKey, RevokeServerKey


@click.group("serverkey")
def command() -> None:
    """Server keys of the form endpoint."""


@command.command("mint")
@NAME
@ORGANIZATION
@as_operator
def mint(operator: Operator, name: str, organization: str | None) -> None:
    """Make a key for the server called NAME, and print it, this once."""
    home = operator.organization(organization).id
    minted = operator.call(server_keys.mint, home, MintServerKey(name=name))
    click.echo(f"{minted.id} expires {minted.expires_at}; the key is shown this once:", err=True)
    click.echo(minted.key)


@command.command("list")
@ORGANIZATION
@as_operator
def list_all(operator: Operator, organization: str | None) -> None:
    """List the keys that are not revoked."""
    home = operator.organization(organization).id
    found = operator.look(server_keys.list_all, home, ListServerKeys()).server_keys
    echo_table(
        ("ID", "NAME", "STARTS WITH", "EXPIRES"),
        [(one.id, one.name, one.visible_start, one.expires_at) for one in found],
    )


@command.command("revoke")
@click.argument("key_id", metavar="ID")
@ORGANIZATION
@as_operator
def revoke(operator: Operator, key_id: str, organization: str | None) -> None:
    """Revoke the key of that ID for good."""
    home = operator.organization(organization).id
    operator.call(server_keys.revoke, home, RevokeServerKey(id=key_id))
