"""`svc user`: accounts of people, for organizations without a member who could invite them."""

import sys

import click
from sqlalchemy import Connection

from svc.cli import data_store
from svc.cli.failures import as_failure
from svc.cli.operator_calls import Operator
from svc.cli.options import ORGANIZATION, as_operator
from svc.cli.tables import echo_table
from svc.domain.crypto.passwords import HASHER, check_rules, salt_for
from svc.domain.identity.people import WELCOME_PATH
from svc.domain.identity.roles import OWNER
from svc.domain.records.contact_points import normalise_email
from svc.storage.identity import accounts, members
from svc.storage.store import StoreError
from svc.tools import operator_commands
from svc.tools.operator_commands import CreateUser, MakeLink

PASSWORD_STDIN = click.option(
    "--password-stdin", is_flag=True, help="Read the password from the first line of the standard input."
)


@click.group("user")
def command() -> None:
    """Accounts of people."""


@command.command("create")
@click.argument("email")
@click.option("--name", help="Name of the person; the e-mail address by default.")
@click.option(
    "--role", default=OWNER.id, show_default=True, help="owner, admin, viewer, or the id of a custom role."
)
@PASSWORD_STDIN
@ORGANIZATION
@as_operator
def create(
    operator: Operator,
    email: str,
    name: str | None,
    role: str,
    organization: str | None,
    *,
    password_stdin: bool,
) -> None:
    """Create an account for EMAIL as a member of the organization, and print its id.

    Without a password, `svc user link` prints a sign-in link.
    """
    home = operator.organization(organization).id
    password = read_password() if password_stdin else None
    body = CreateUser(
        organization_id=home,
        email=email,
        name=name or email,
        role=role,
        password_hash=password and hash_password(operator, email, password),
    )
    click.echo(operator.run(operator_commands.create_user, body).id)


def read_password() -> str:
    """Read a password from the standard input. Raises `InvalidValue` if it breaks the rules."""
    password = sys.stdin.readline().rstrip("\r\n")
    check_rules(password)
    return password


def hash_password(operator: Operator, email: str, password: str) -> str:
    """Hash *password* with the salt that all accounts with this e-mail address share.

    It is hashed here so that it never leaves this process. Raises `InvalidValue` for a malformed address.
    """
    address = normalise_email(email)
    operator.directory.make()
    secret = operator.directory.open_key().derive("sender")

    def salt(conn: Connection) -> bytes:
        return accounts.salt(conn, address, secret)

    with as_failure(StoreError):
        is_new = not data_store.has_data(operator.directory)
    return HASHER.hash(password, salt=salt_for(address, secret) if is_new else operator.read(salt))


@command.command("link")
@click.argument("email")
@click.option(
    "--organization",
    metavar="ID",
    help="The home organization; needed if several accounts have this address.",
)
@as_operator
def link(operator: Operator, email: str, organization: str | None) -> None:
    """Print a link that signs EMAIL in, to set a name and a password. It works once."""
    made = operator.run(operator_commands.make_link, MakeLink(email=email, organization_id=organization))
    click.echo(f"it works once, until {made.expires_at}, and is shown this once:", err=True)
    click.echo(f"{operator.base_url}{WELCOME_PATH}#{made.token}")


@command.command("list")
@ORGANIZATION
@as_operator
def list_all(operator: Operator, organization: str | None) -> None:
    """List the members of the organization."""
    home = operator.organization(organization).id
    echo_table(
        ("ID", "EMAIL", "NAME", "ROLE", "STATUS"),
        [
            (member.id, member.email, member.name, member.role_id, member.status)
            for member in operator.read(members.list_all, home)
        ],
    )
