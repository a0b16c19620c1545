"""`svc user`: people's accounts, made where there is nobody yet who could invite them."""

import sys

import click
import msgspec
from sqlalchemy import Connection

from svc.cli import offline, organizations
from svc.cli.directory import DataDirectory
from svc.cli.failures import Failure
from svc.cli.options import on_data
from svc.cli.tables import echo_table
from svc.domain.callers import operator_call
from svc.domain.contacts import normalise_email
from svc.domain.passwords import HASHER, check_rules
from svc.domain.roles import OWNER
from svc.domain.times import rfc3339
from svc.storage import accounts, audit, members, sign_in
from svc.storage.accounts import NewAccount
from svc.storage.members import Member
from svc.storage.sign_in import MadeLink
from svc.storage.store import Tx


@click.group("user")
def command() -> None:
    """People's accounts."""


@command.command("create")
@click.argument("email")
@click.option("--name", help="What the person is called; the e-mail address unless said otherwise.")
@click.option(
    "--role", default=OWNER.id, show_default=True, help="owner, admin, viewer, or a custom role's id."
)
@click.option(
    "--password-stdin", is_flag=True, help="Read the password from the standard input's first line."
)
@organizations.OPTION
@on_data
def create(
    directory: DataDirectory,
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
    hashed = None
    if password_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
        check_rules(password)
        hashed = HASHER.hash(password)
    asked = NewAccount(email=email, name=name or email, home_organization_id="", password_hash=hashed)
    click.echo(offline.write(directory, _create, organization, asked, role))


def _create(tx: Tx, organization_id: str | None, asked: NewAccount, role_id: str) -> str:
    """Make the account at home in the organization that is chosen, and a member of it."""
    home = organizations.chosen(tx.conn, organization_id).id
    person = accounts.create(tx, msgspec.structs.replace(asked, home_organization_id=home))
    members.add(tx, operator_call(home), person.id, role_id)
    return person.id


@command.command("link")
@click.argument("email")
@on_data
def link(directory: DataDirectory, email: str) -> None:
    """Print a link's token that signs the person with EMAIL in, once."""
    made = offline.write(directory, _link, email)
    click.echo(f"it works once, until {rfc3339(made.expires_at)}, and is shown this once:", err=True)
    click.echo(made.token)


def _link(tx: Tx, email: str) -> MadeLink:
    person = accounts.by_email(tx.conn, normalise_email(email))
    if person is None:
        raise Failure("there is no account with this e-mail address: `svc user create` makes one")
    audit.note(tx, operator_call(person.home_organization_id), "member.sign_in_link", person.id)
    return sign_in.make_link(tx, person.id)


@command.command("list")
@organizations.OPTION
@on_data
def list_all(directory: DataDirectory, organization: str | None) -> None:
    """List the organization's members."""
    echo_table(
        ("ID", "EMAIL", "NAME", "ROLE", "STATUS"),
        [
            (one.id, one.email, one.name, one.role_id, one.status)
            for one in offline.read(directory, _list, organization)
        ],
    )


def _list(conn: Connection, organization_id: str | None) -> list[Member]:
    return members.of_organization(conn, organizations.chosen(conn, organization_id).id)
