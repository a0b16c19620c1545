"""`svc apikey`: API keys and gateway keys, which act as a member."""

from typing import get_args

import click

from svc.cli.operator_calls import Operator
from svc.cli.options import NAME, ORGANIZATION, as_operator, command_by_id
from svc.cli.tables import echo_table
from svc.domain.identity.limits import ExpiresIn
from svc.tools import operator_commands
from svc.tools.identity import api_keys
from svc.tools.identity.api_keys import ListApiKeys
from svc.tools.operator_commands import MintKey


@click.group("apikey")
def command() -> None:
    """API keys, which act as a member."""


@command.command("mint")
@NAME
@click.option("--as", "email", metavar="EMAIL", required=True, help="The member as whom the key acts.")
@click.option(
    "--expires",
    "expires_in",
    type=click.Choice(get_args(ExpiresIn)),
    help="When it expires; by default after 90d, a gateway key after 1y.",
)
@click.option("--role", metavar="ID", help="A role with fewer permissions than the member's, such as viewer.")
@click.option(
    "--tool",
    "tools",
    metavar="NAME",
    multiple=True,
    help="Limit it to this tool. May be given several times.",
)
@click.option("--gateway", is_flag=True, help="Create a gateway key, which is limited to the AI gateway.")
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
    """Create a key called NAME, and print it. It is shown only once.

    The member that it acts as needs the permission `security`.
    """
    body = MintKey(
        organization_id=operator.organization(organization).id,
        email=email,
        name=name,
        expires_in=expires_in,
        role=role,
        tools=tools or None,
        limited_to="ai.gateway" if gateway else None,
    )
    made = operator.run(operator_commands.mint_key, body)
    click.echo(f"{made.id} expires {made.expires_at}; the key is shown this once:", err=True)
    click.echo(made.key)


@command.command("list")
@ORGANIZATION
@as_operator
def list_all(operator: Operator, organization: str | None) -> None:
    """List the keys that are not revoked."""
    home = operator.organization(organization).id
    echo_table(
        ("ID", "NAME", "STARTS WITH", "ROLE", "ACTS AS", "LAST USED", "EXPIRES", "STATE"),
        [
            (
                key.id,
                key.name,
                key.visible_start,
                key.limited_to or key.role,
                key.created_by,
                key.last_used_at or "-",
                key.expires_at,
                key.state if key.stopped_because is None else f"{key.state}: {key.stopped_because}",
            )
            for key in operator.look(api_keys.list_all, home, ListApiKeys()).api_keys
        ],
    )


command_by_id(command, "revoke", api_keys.revoke, "Revoke the key ID. This cannot be undone.")
