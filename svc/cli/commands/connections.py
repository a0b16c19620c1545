"""`svc connection`: connections to messengers, and their channel keys."""

import time
from typing import Final, get_args

import click

from svc.cli.failures import Failure
from svc.cli.operator_calls import Operator
from svc.cli.options import NAME, ORGANIZATION, as_operator, command_by_id
from svc.cli.tables import echo_table
from svc.domain.channels.connections import Messenger
from svc.domain.channels.limits import PUSH_ANSWER_SECONDS
from svc.domain.limits import LIST_ROWS_MAX
from svc.tools.channels import connection_lists, connections, credentials
from svc.tools.channels.answers import ConnectionById, TestAnswer
from svc.tools.channels.connection_lists import ListConnections
from svc.tools.channels.connections import CreateConnection
from svc.tools.channels.credentials import RevokeKey

ANSWER_SECONDS: Final = 2 * PUSH_ANSWER_SECONDS
"""How long a ping is waited for: it may have to wait for its place first."""
LOOK_SECONDS: Final = 0.1


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
                "-" if connection.health.state == "unknown" else connection.health.state,
                connection.url or "pulled",
            )
            for page in operator.look_pages(
                connection_lists.list_all, home, ListConnections(limit=LIST_ROWS_MAX)
            )
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
    click.echo(made.channel_key)


@command.command("revoke-key")
@click.argument("connection_id", metavar="ID")
@click.argument("key_id", metavar="KEY_ID")
@ORGANIZATION
@as_operator
def revoke_key(operator: Operator, connection_id: str, key_id: str, organization: str | None) -> None:
    """Revoke the channel key KEY_ID of the connection ID. This cannot be undone."""
    home = operator.organization(organization).id
    operator.call(credentials.revoke_key, home, RevokeKey(id=connection_id, key_id=key_id))


@command.command("rotate-secret")
@click.argument("connection_id", metavar="ID")
@ORGANIZATION
@as_operator
def rotate_secret(operator: Operator, connection_id: str, organization: str | None) -> None:
    """Create a new signing secret for the connection ID, and print it. It is shown only once.

    The one before signs as well for a day, so that the bridge can change when it likes.
    """
    home = operator.organization(organization).id
    made = operator.call(credentials.rotate_secret, home, ConnectionById(id=connection_id))
    click.echo(f"The one before signs until {made.previous_until}; the new one, shown this once:", err=True)
    click.echo(made.signing_secret)


@command.command("test")
@click.argument("connection_id", metavar="ID")
@ORGANIZATION
@as_operator
def test(operator: Operator, connection_id: str, organization: str | None) -> None:
    """Push a ping to the bridge of the connection ID, and say what it answered.

    It exits with 1 unless the bridge takes it. Without a running service, the ping is pushed once one runs.
    """
    home = operator.organization(organization).id
    asked = ConnectionById(id=connection_id)
    started = operator.call(credentials.test, home, asked)
    if operator.service is None:
        raise Failure("no service runs: the ping is pushed once one does")
    ends = time.monotonic() + ANSWER_SECONDS
    while time.monotonic() < ends:
        last = operator.look(connection_lists.get, home, asked).last_test
        if last is not None and last.delivery_id == started.delivery_id and last.done_at is not None:
            _say(last)
            return
        time.sleep(LOOK_SECONDS)
    raise Failure("the ping was not pushed yet: `svc call connection.get` shows later how it went")


def _say(test: TestAnswer) -> None:
    """Say how *test* went. Raises `Failure` unless the bridge has taken the ping."""
    if test.error is not None or test.status_code is None:
        raise Failure(f"the bridge was not reached: {test.error}")
    if test.status_code // 100 != 2:  # noqa: PLR2004
        raise Failure(f"the bridge answered {test.status_code}")
    click.echo(f"the bridge answered {test.status_code}", err=True)


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
