"""`svc form`: website forms."""

from collections.abc import Sequence
from difflib import get_close_matches

import click
import msgspec
from sqlalchemy import Connection

from svc.cli import offline, operator_tools, organizations
from svc.cli.directory import DataDirectory
from svc.cli.failures import Failure
from svc.cli.options import NAME, on_data
from svc.cli.tables import echo_table
from svc.domain.objects import CONTACT
from svc.domain.origins import normalise_domain
from svc.storage import forms, objects, sites
from svc.storage.store import Tx
from svc.tools import forms as form_tools
from svc.tools.forms import CreateForm, FormAnswer, FormById, ListForms
from svc.tools.tool import Tool


@click.group("form")
def command() -> None:
    """Website forms."""


def _mapping(_ctx: click.Context, _param: click.Parameter, pairs: Sequence[str]) -> dict[str, str]:
    mapping = {}
    for pair in pairs:
        field, equals, slug = pair.rpartition("=")
        if not (equals and field and slug):
            raise click.BadParameter(f"{pair!r} is not FIELD=PROPERTY, such as town=city")
        mapping[field] = slug
    return mapping


@command.command("create")
@NAME
@click.option("--site", "domain", metavar="DOMAIN", help="Bind it to this tracked site.")
@click.option(
    "--map",
    "field_map",
    metavar="FIELD=PROPERTY",
    multiple=True,
    callback=_mapping,
    help="Write this field to that property of the contact. May be given several times.",
)
@click.option(
    "--deal", "deal_title", metavar="TITLE", help="Open a deal for each submission; {{field}} is filled in."
)
@click.option("--honeypot", metavar="FIELD", help="A field that people never see: who fills it in is held.")
@organizations.OPTION
@on_data
def create(
    directory: DataDirectory,
    /,
    *,
    name: str,
    domain: str | None,
    field_map: dict[str, str],
    deal_title: str | None,
    honeypot: str | None,
    organization: str | None,
) -> None:
    """Make a form called NAME, and print its public key."""
    asked = CreateForm(name=name, field_map=field_map, deal_title=deal_title, honeypot=honeypot)
    click.echo(offline.write(directory, _create, organization, asked, domain).form_key)


def _create(tx: Tx, organization_id: str | None, asked: CreateForm, domain: str | None) -> FormAnswer:
    organization = organizations.chosen(tx.conn, organization_id)
    contact = objects.ids_by_slug(tx.conn, organization.id)[CONTACT]
    known = objects.properties_of(tx.conn, contact)
    for slug in asked.field_map.values():
        if slug not in known:
            nearest = get_close_matches(slug, known, n=1, cutoff=0)[0]
            raise Failure(f"a contact has no property {slug!r}; the nearest is {nearest}")
    site_id = None
    if domain is not None:
        wanted = normalise_domain(domain)
        ids = {site.domain: site.id for site in sites.of_organization(tx.conn, organization.id)}
        if wanted not in ids:
            raise Failure(f"{wanted} is no tracked site: make it one with `svc site create {wanted}`")
        site_id = ids[wanted]
    asked = msgspec.structs.replace(asked, site_id=site_id)
    return operator_tools.write(tx, form_tools.create, organization.id, asked)


@command.command("list")
@organizations.OPTION
@on_data
def list_all(directory: DataDirectory, organization: str | None) -> None:
    """List the forms with their public keys."""
    echo_table(
        ("KEY", "NAME", "STATUS", "SITE"),
        [
            (one.form_key, one.name, one.status, one.domain or "any")
            for one in offline.read(directory, _list, organization)
        ],
    )


def _list(conn: Connection, organization_id: str | None) -> list[FormAnswer]:
    organization = organizations.chosen(conn, organization_id)
    return operator_tools.read(conn, form_tools.list_all, organization.id, ListForms()).forms


def _run(tx: Tx, form_key: str, tool: Tool[FormById, FormAnswer]) -> None:
    form = forms.by_key(tx.conn, form_key)
    operator_tools.write(tx, tool, form.organization_id, FormById(id=form.id))


@command.command("pause")
@click.argument("form_key", metavar="KEY")
@on_data
def pause(directory: DataDirectory, form_key: str) -> None:
    """Take no submissions for the form with that KEY until it is resumed."""
    offline.write(directory, _run, form_key, form_tools.pause)


@command.command("resume")
@click.argument("form_key", metavar="KEY")
@on_data
def resume(directory: DataDirectory, form_key: str) -> None:
    """Take submissions again for the form with that KEY."""
    offline.write(directory, _run, form_key, form_tools.resume)


@command.command("remove")
@click.argument("form_key", metavar="KEY")
@on_data
def remove(directory: DataDirectory, form_key: str) -> None:
    """Remove the form with that KEY for good; what it brought stays."""
    offline.write(directory, _run, form_key, form_tools.remove)
