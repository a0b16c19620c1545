"""`svc connection`: connections to messengers, and their channel keys."""

from typing import get_args

import click

from svc.cli.operator_calls import Operator
from svc.cli.options import NAME, ORGANIZATION, as_operator, command_by_id
from svc.cli.tables import echo_table
from svc.domain.channels.connections import Messenger
from svc.domain.limits import LIST_ROWS_MAX
from svc.tools.channels import connections, credentials
from svc.tools.channels.answers import ConnectionById
from svc.tools.channels.connections import CreateConnection, ListConnections
from svc.tools.channels.credentials import RevokeKey


@click.group("connection")
def command() -> None:
    """Connections to messengers."""


@command.command("create")
@NAME
@click.option(
    "--messenger",
    type=click.Choice(get_args(Messenger)),
    default="other",
    show_default=True,
    help="The messenger.",
)
@click.option(
    "--push", "url", metavar="URL", help="Push replies to this URL; without it, the bridge pulls them."
)
@ORGANIZATION
@as_operator
def create(
    operator: Operator, name: str, messenger: Messenger, url: str | None, organization: str | None
) -> None:
    """Create a connection called NAME, and print its channel key; with --push, its signing secret too.

    Both are shown only once.
    """
    body = CreateConnection(
        name=name, messenger=messenger, delivery="pull" if url is None else "push", url=url
    )
    made = operator.call(connections.create, operator.organization(organization).id, body)
    secrets = "channel key" if url is None else "channel key and signing secret"
    click.echo(f"{made.id} is made; its {secrets}, shown this once:", err=True)
    click.echo(made.channel_key)
    if made.signing_secret is not None:
        click.echo(made.signing_secret)


@command.command("list")
@ORGANIZATION
@as_operator
def list_all(operator: Operator, organization: str | None) -> None:
    """List the connections, with the health that their bridges last reported."""
    home = operator.organization(organization).id
    echo_table(
        ("ID", "NAME", "MESSENGER", "STATUS", "BRIDGE", "REPLIES"),
        [
            (
                connection.id,
                connection.name,
                connection.messenger,
                connection.status
                if connection.pause_reason is None
                else f"{connection.status} ({connection.pause_reason})",
                "-" if connection.health is None else connection.health.state,
                connection.url or "pulled",
            )
            for page in operator.look_pages(connections.list_all, home, ListConnections(limit=LIST_ROWS_MAX))
            for connection in page.connections
        ],
    )


@command.command("key")
@click.argument("connection_id", metavar="ID")
@ORGANIZATION
@as_operator
def key(operator: Operator, connection_id: str, organization: str | None) -> None:
    """Create another channel key for the connection ID, and print it. It is shown only once."""
    home = operator.organization(organization).id
    made = operator.call(credentials.mint_key, home, ConnectionById(id=connection_id))
    click.echo(f"{made.id}; the key is shown this once:", err=True)
    click.echo(made.key)


@command.command("revoke-key")
@click.argument("connection_id", metavar="ID")
@click.argument("key_id", metavar="KEY_ID")
@ORGANIZATION
@as_operator
def revoke_key(operator: Operator, connection_id: str, key_id: str, organization: str | None) -> None:
    """Revoke the channel key KEY_ID of the connection ID. This cannot be undone."""
    home = operator.organization(organization).id
    operator.call(credentials.revoke_key, home, RevokeKey(id=connection_id, key_id=key_id))


command_by_id(
    command,
    "pause",
    connections.pause,
    "Stop delivering the replies of the connection ID until it is resumed.",
)
command_by_id(command, "resume", connections.resume, "Deliver the replies of the connection ID again.")
command_by_id(
    command,
    "remove",
    connections.remove,
    "Remove the connection of that ID for good: its keys stop, and replies that wait have failed.",
)
