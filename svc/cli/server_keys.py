"""`svc serverkey`: server keys, with which each visitor that a server names counts as its own sender."""

import click
from sqlalchemy import Connection

from svc.cli import offline, operator_tools, organizations
from svc.cli.directory import DataDirectory
from svc.cli.options import NAME, on_data
from svc.cli.tables import echo_table
from svc.storage.store import Tx
from svc.tools import server_keys
from svc.tools.server_keys import (
    ListServerKeys,
    MintedServerKeyAnswer,
    MintServerKey,
    RevokeServerKey,
    ServerKeyList,
)


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
    click.echo(f"{minted.id} expires {minted.expires_at}; the key is shown this once:", err=True)
    click.echo(minted.key)


def _mint(tx: Tx, organization_id: str | None, name: str) -> MintedServerKeyAnswer:
    organization = organizations.chosen(tx.conn, organization_id)
    return operator_tools.write(tx, server_keys.mint, organization.id, MintServerKey(name=name))


@command.command("list")
@organizations.OPTION
@on_data
def list_all(directory: DataDirectory, organization: str | None) -> None:
    """List the keys that are not revoked."""
    found = offline.read(directory, _list, organization)
    echo_table(
        ("ID", "NAME", "STARTS WITH", "EXPIRES"),
        [(one.id, one.name, one.visible_start, one.expires_at) for one in found.server_keys],
    )


def _list(conn: Connection, organization_id: str | None) -> ServerKeyList:
    organization = organizations.chosen(conn, organization_id)
    return operator_tools.read(conn, server_keys.list_all, organization.id, ListServerKeys())


@command.command("revoke")
@click.argument("key_id", metavar="ID")
@organizations.OPTION
@on_data
def revoke(directory: DataDirectory, key_id: str, organization: str | None) -> None:
    """Revoke the key of that ID for good."""
    offline.write(directory, _revoke, organization, key_id)


def _revoke(tx: Tx, organization_id: str | None, key_id: str) -> None:
    organization = organizations.chosen(tx.conn, organization_id)
    operator_tools.write(tx, server_keys.revoke, organization.id, RevokeServerKey(id=key_id))
