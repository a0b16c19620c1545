"""`svc form`: website forms, and what came of their submissions."""

from collections.abc import Sequence
from difflib import get_close_matches

import click
import msgspec
from sqlalchemy import Connection

from svc.cli import offline, organizations
from svc.cli.directory import DataDirectory
from svc.cli.failures import Failure
from svc.cli.options import NAME, on_data
from svc.cli.tables import echo_table
from svc.domain.forms import Form, FormStatus
from svc.domain.objects import CONTACT
from svc.domain.origins import normalise_domain
from svc.domain.times import rfc3339
from svc.storage import forms, objects, sites, submissions
from svc.storage.forms import NewForm
from svc.storage.store import Tx
from svc.storage.submissions import SubmissionSummary


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
    asked = NewForm(name=name, field_map=field_map, deal_title=deal_title, honeypot=honeypot)
    click.echo(offline.write(directory, _create, organization, asked, domain).form_key)


def _create(tx: Tx, organization_id: str | None, asked: NewForm, domain: str | None) -> Form:
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
    return forms.create(tx, organization.id, msgspec.structs.replace(asked, site_id=site_id))


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


def _list(conn: Connection, organization_id: str | None) -> list[Form]:
    return forms.of_organization(conn, organizations.chosen(conn, organization_id).id)


@command.command("recent")
@click.argument("form_key", metavar="KEY")
@on_data
def recent(directory: DataDirectory, form_key: str) -> None:
    """List the latest submissions of the form with that KEY, and what became of them."""
    echo_table(
        ("ID", "RECEIVED", "STATE", "WHY HELD", "CONTACT", "DEAL"),
        [
            (
                one.id,
                rfc3339(one.received_at),
                one.label,
                one.held_reason or "-",
                one.contact_id or "-",
                one.deal_id or "-",
            )
            for one in offline.read(directory, _recent, form_key)
        ],
    )


def _recent(conn: Connection, form_key: str) -> list[SubmissionSummary]:
    form = forms.by_key(conn, form_key)
    return submissions.recent(conn, form.organization_id, form.id)


def _set_status(tx: Tx, form_key: str, status: FormStatus) -> None:
    form = forms.by_key(tx.conn, form_key)
    forms.set_status(tx, form.organization_id, form.id, status)


@command.command("pause")
@click.argument("form_key", metavar="KEY")
@on_data
def pause(directory: DataDirectory, form_key: str) -> None:
    """Take no submissions for the form with that KEY until it is resumed."""
    offline.write(directory, _set_status, form_key, "paused")


@command.command("resume")
@click.argument("form_key", metavar="KEY")
@on_data
def resume(directory: DataDirectory, form_key: str) -> None:
    """Take submissions again for the form with that KEY."""
    offline.write(directory, _set_status, form_key, "active")


@command.command("remove")
@click.argument("form_key", metavar="KEY")
@on_data
def remove(directory: DataDirectory, form_key: str) -> None:
    """Remove the form with that KEY for good; what it brought stays."""
    offline.write(directory, _set_status, form_key, "removed")
