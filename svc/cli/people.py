"""`svc user`: people's accounts, made where there is nobody yet who could invite them."""

import sys
from typing import NamedTuple

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
    password = None
    if password_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
        check_rules(password)
    asked = NewAccount(email=email, name=name or email, home_organization_id="")
    directory.make()
    hasher = _Hasher(password, directory.open_key().derive("sender"))
    click.echo(offline.write(directory, _create, organization, asked, role, hasher))


class _Hasher(NamedTuple):
    """Hashes the password, if there is one, with the salt of an e-mail address."""

    password: str | None
    secret: bytes

    def hash(self, conn: Connection, email: str) -> str | None:
        if self.password is None:
            return None
        return HASHER.hash(self.password, salt=accounts.salt(conn, normalise_email(email), self.secret))


def _create(tx: Tx, organization_id: str | None, asked: NewAccount, role_id: str, hasher: _Hasher) -> str:
    """Make the account at home in the organization that is chosen, and a member of it."""
    home = organizations.chosen(tx.conn, organization_id).id
    hashed = hasher.hash(tx.conn, asked.email)
    person = accounts.create(
        tx, msgspec.structs.replace(asked, home_organization_id=home, password_hash=hashed)
    )
    members.add(tx, operator_call(home), person.id, role_id)
    return person.id


@command.command("link")
@click.argument("email")
@click.option(
    "--organization", metavar="ID", help="The account's home; needed where several have that address."
)
@on_data
def link(directory: DataDirectory, email: str, organization: str | None) -> None:
    """Print a link's token that signs the person with EMAIL in, once."""
    made = offline.write(directory, _link, email, organization)
    click.echo(f"it works once, until {rfc3339(made.expires_at)}, and is shown this once:", err=True)
    click.echo(made.token)


def _link(tx: Tx, email: str, organization_id: str | None) -> MadeLink:
    found = [
        one
        for one in accounts.with_email(tx.conn, normalise_email(email))
        if organization_id in {None, one.home_organization_id}
    ]
    if not found:
        raise Failure("there is no account with this e-mail address: `svc user create` makes one")
    if len(found) > 1:
        homes = ", ".join(one.home_organization_id for one in found)
        raise Failure(
            f"several accounts have this e-mail address: choose one with --organization, of {homes}"
        )
    [person] = found
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
