"""`svc user`: people's accounts, made where there is no member yet who could invite them."""

import sys

import click
from sqlalchemy import Connection

from svc.cli.operator_calls import Operator
from svc.cli.options import ORGANIZATION, as_operator
from svc.cli.tables import echo_table
from svc.domain.crypto.passwords import HASHER, check_rules, salt_for
from svc.domain.identity.roles import OWNER
from svc.domain.records.contact_points import normalise_email
from svc.storage.identity import accounts, members
from svc.tools import operator_commands
from svc.tools.operator_commands import CreateUser, MakeLink

PASSWORD_STDIN = click.option(
    "--password-stdin", is_flag=True, help="Read the password from the standard input's first line."
)


@click.group("user")
def command() -> None:
    """People's accounts."""


@command.command("create")
@click.argument("email")
@click.option("--name", help="What the person is called; the e-mail address unless said otherwise.")
@click.option(
    "--role", default=OWNER.id, show_default=True, help="owner, admin, viewer, or a custom role's id."
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
    """Make an account for EMAIL, a member of the organization, and print its id.

    Without a password, `svc user link` prints the way in.
    """
    home = operator.organization(organization).id
    password = read_password() if password_stdin else None
    asked = CreateUser(
        organization_id=home,
        email=email,
        name=name or email,
        role=role,
        password_hash=password and hash_password(operator, email, password),
    )
    click.echo(operator.run(operator_commands.create_user, asked).id)


def read_password() -> str:
    """The first line of the standard input. Raises `InvalidValue` for what may be no password."""
    password = sys.stdin.readline().rstrip("\r\n")
    check_rules(password)
    return password


def hash_password(operator: Operator, email: str, password: str) -> str:
    """The password hashed, with the salt that all accounts of the e-mail address have.

    It is hashed here, so that it never leaves this process. Raises `InvalidValue` for what is no address.
    """
    address = normalise_email(email)
    operator.directory.make()
    secret = operator.directory.open_key().derive("sender")

    def salt(conn: Connection) -> bytes:
        return accounts.salt(conn, address, secret)

    is_new = not operator.directory.database.exists()
    return HASHER.hash(password, salt=salt_for(address, secret) if is_new else operator.read(salt))


@command.command("link")
@click.argument("email")
@click.option(
    "--organization", metavar="ID", help="The account's home; needed where several have that address."
)
@as_operator
def link(operator: Operator, email: str, organization: str | None) -> None:
    """Print a link's token that signs the person with EMAIL in, once."""
    made = operator.run(operator_commands.make_link, MakeLink(email=email, organization_id=organization))
    click.echo(f"it works once, until {made.expires_at}, and is shown this once:", err=True)
    click.echo(made.token)


@command.command("list")
@ORGANIZATION
@as_operator
def list_all(operator: Operator, organization: str | None) -> None:
    """List the organization's members."""
    home = operator.organization(organization).id
    echo_table(
        ("ID", "EMAIL", "NAME", "ROLE", "STATUS"),
        [
            (one.id, one.email, one.name, one.role_id, one.status)
            for one in operator.read(members.list_all, home)
        ],
    )
