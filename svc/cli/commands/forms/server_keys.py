"""`svc serverkey`: server keys, which let a server submit forms on behalf of its visitors."""

import click

from svc.cli.operator_calls import Operator
from svc.cli.options import NAME, ORGANIZATION, as_operator, command_by_id
from svc.cli.tables import echo_table
from svc.tools.forms import server_keys
from svc.tools.forms.server_keys import ListServerKeys, MintServerKey


@click.group("serverkey")
def command() -> None:
    """Server keys, with which a server submits forms for its visitors."""


@command.command("mint")
@NAME
@ORGANIZATION
@as_operator
def mint(operator: Operator, name: str, organization: str | None) -> None:
    """Create a key for the server called NAME, and print it. It is shown only once."""
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
    listed = operator.look(server_keys.list_all, home, ListServerKeys()).server_keys
    echo_table(
        ("ID", "NAME", "STARTS WITH", "EXPIRES"),
        [(key.id, key.name, key.visible_start, key.expires_at) for key in listed],
    )


command_by_id(command, "revoke", server_keys.revoke, "Revoke the key ID. This cannot be undone.")
