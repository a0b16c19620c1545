"""`svc serverkey`: server keys, with which each visitor that a server names counts as its own sender."""

import click
from sqlalchemy import Connection

from svc.cli import offline, organizations
from svc.cli.directory import DataDirectory
from svc.cli.options import NAME, on_data
from svc.cli.tables import echo_table
from svc.domain.times import rfc3339
from svc.storage import server_keys
from svc.storage.server_keys import MintedServerKey, ServerKey
from svc.storage.store import Tx


@click.group("serverkey")
def command() -> None:
    """Server keys of the form endpoint."""


@command.command("mint")
@NAME
@organizations.OPTION
@on_data
def mint(directory: DataDirectory, name: str, organization: str | None) -> None:
    """Make a key for the server called NAME, and print it, this once."""
    minted = offline.write(directory, _mint, organization, name)
    click.echo(f"{minted.id} expires {rfc3339(minted.expires_at)}; the key is shown this once:", err=True)
    click.echo(minted.key)


def _mint(tx: Tx, organization_id: str | None, name: str) -> MintedServerKey:
    return server_keys.mint(tx, organizations.chosen(tx.conn, organization_id).id, name)


@command.command("list")
@organizations.OPTION
@on_data
def list_all(directory: DataDirectory, organization: str | None) -> None:
    """List the keys that are not revoked."""
    echo_table(
        ("ID", "NAME", "STARTS WITH", "EXPIRES"),
        [
            (one.id, one.name, one.visible_start, rfc3339(one.expires_at))
            for one in offline.read(directory, _list, organization)
        ],
    )


def _list(conn: Connection, organization_id: str | None) -> list[ServerKey]:
    return server_keys.of_organization(conn, organizations.chosen(conn, organization_id).id)


@command.command("revoke")
@click.argument("key_id", metavar="ID")
@organizations.OPTION
@on_data
def revoke(directory: DataDirectory, key_id: str, organization: str | None) -> None:
    """Revoke the key of that ID for good."""
    offline.write(directory, _revoke, organization, key_id)


def _revoke(tx: Tx, organization_id: str | None, key_id: str) -> None:
    server_keys.revoke(tx, organizations.chosen(tx.conn, organization_id).id, key_id)
