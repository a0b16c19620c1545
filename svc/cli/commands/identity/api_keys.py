"""`svc apikey`: API keys, and gateway keys, that act as a member."""

from typing import get_args

import click

from svc.cli.operator_calls import Operator
from svc.cli.options import NAME, ORGANIZATION, as_operator
from svc.cli.tables import echo_table
from svc.storage.identity.api_keys import ExpiresIn
from svc.tools import operator_commands
from svc.tools.identity import api_keys
from svc.tools.identity.api_keys import ListApiKeys, RevokeApiKey
from svc.tools.operator_commands import MintKey


@click.group("apikey")
def command() -> None:
    """API keys, which act as the member that they are made for."""


@command.command("mint")
@NAME
@click.option("--as", "email", metavar="EMAIL", required=True, help="The member as whom the key acts.")
@click.option(
    "--expires",
    "expires_in",
    type=click.Choice(get_args(ExpiresIn)),
    help="When it ends: after 90d unless said otherwise, a gateway key after 1y.",
)
@click.option("--role", metavar="ID", help="A weaker role than the member's own, such as viewer.")
@click.option(
    "--tool",
    "tools",
    metavar="NAME",
    multiple=True,
    help="Narrow it to this tool; may be given several times.",
)
@click.option("--gateway", is_flag=True, help="Make a gateway key, which opens the AI gateway alone.")
@ORGANIZATION
@as_operator
def mint(
    operator: Operator,
    /,
    *,
    name: str,
    email: str,
    expires_in: ExpiresIn | None,
    role: str | None,
    tools: tuple[str, ...],
    gateway: bool,
    organization: str | None,
) -> None:
    """Make a key called NAME that acts as a member with the permission `security`. Print it, this once."""
    asked = MintKey(
        organization_id=operator.organization(organization).id,
        email=email,
        name=name,
        expires_in=expires_in,
        role=role,
        tools=tools or None,
        limited_to="ai.gateway" if gateway else None,
    )
    made = operator.run(operator_commands.mint_key, asked)
    click.echo(f"{made.id} expires {made.expires_at}; the key is shown this once:", err=True)
    click.echo(made.key)


@command.command("list")
@ORGANIZATION
@as_operator
def list_all(operator: Operator, organization: str | None) -> None:
    """List the keys that are not revoked."""
    home = operator.organization(organization).id
    echo_table(
        ("ID", "NAME", "STARTS WITH", "ROLE", "ACTS AS", "LAST USED", "EXPIRES"),
        [
            (
                one.id,
                one.name,
                one.visible_start,
                one.limited_to or one.role,
                one.created_by,
                one.last_used_at or "-",
                one.expires_at,
            )
            for one in operator.look(api_keys.list_all, home, ListApiKeys()).api_keys
        ],
    )


@command.command("revoke")
@click.argument("key_id", metavar="ID")
@ORGANIZATION
@as_operator
def revoke(operator: Operator, key_id: str, organization: str | None) -> None:
    """Revoke the key of that ID for good."""
    home = operator.organization(organization).id
    operator.call(api_keys.revoke, home, RevokeApiKey(id=key_id))
