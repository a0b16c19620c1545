"""`svc form`: website forms."""

from collections.abc import Sequence
from difflib import get_close_matches

import click
from sqlalchemy import Connection

from svc.cli.failures import Failure
from svc.cli.operator_calls import Operator
from svc.cli.options import NAME, ORGANIZATION, as_operator
from svc.cli.tables import echo_table
from svc.domain.net.origins import normalise_domain
from svc.domain.records.objects import CONTACT
from svc.storage.forms import forms
from svc.storage.records import objects
from svc.storage.sites import sites
from svc.tools.forms import forms as form_tools
from svc.tools.forms.form_answers import FormAnswer
from svc.tools.forms.forms import CreateForm, FormById, ListForms
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
    help="Write a field to a property of the contact. May be given several times.",
)
@click.option(
    "--deal", "deal_title", metavar="TITLE", help="Open a deal for each submission; {{field}} is filled in."
)
@click.option(
    "--honeypot", metavar="FIELD", help="A hidden field; a submission that fills it in is held as spam."
)
@ORGANIZATION
@as_operator
def create(
    operator: Operator,
    /,
    *,
    name: str,
    domain: str | None,
    field_map: dict[str, str],
    deal_title: str | None,
    honeypot: str | None,
    organization: str | None,
) -> None:
    """Create a form called NAME, and print its public key."""
    home = operator.organization(organization).id
    operator.read(_check_mapping, home, field_map)
    body = CreateForm(
        name=name,
        field_map=field_map,
        deal_title=deal_title,
        honeypot=honeypot,
        site_id=None if domain is None else operator.read(_site_id, home, domain),
    )
    click.echo(operator.call(form_tools.create, home, body).form_key)


def _check_mapping(conn: Connection, organization_id: str, field_map: dict[str, str]) -> None:
    contact = objects.ids_by_slug(conn, organization_id)[CONTACT]
    known = objects.properties_of(conn, contact)
    for slug in field_map.values():
        if slug not in known:
            nearest = get_close_matches(slug, known, n=1, cutoff=0)[0]
            raise Failure(f"a contact has no property {slug!r}; the nearest is {nearest}")


def _site_id(conn: Connection, organization_id: str, domain: str) -> str:
    wanted = normalise_domain(domain)
    for site in sites.list_all(conn, organization_id):
        if site.domain == wanted:
            return site.id
    raise Failure(f"{wanted} is no tracked site: make it one with `svc site create {wanted}`")


@command.command("list")
@ORGANIZATION
@as_operator
def list_all(operator: Operator, organization: str | None) -> None:
    """List the forms with their public keys."""
    home = operator.organization(organization).id
    listed = operator.look(form_tools.list_all, home, ListForms()).forms
    echo_table(
        ("KEY", "NAME", "STATUS", "SITE"),
        [(form.form_key, form.name, form.status, form.domain or "any") for form in listed],
    )


def _run(operator: Operator, form_key: str, tool: Tool[FormById, FormAnswer]) -> None:
    form = operator.read(forms.by_key, form_key)
    operator.call(tool, form.organization_id, FormById(id=form.id))


@command.command("pause")
@click.argument("form_key", metavar="KEY")
@as_operator
def pause(operator: Operator, form_key: str) -> None:
    """Reject submissions of the form KEY until it is resumed."""
    _run(operator, form_key, form_tools.pause)


@command.command("resume")
@click.argument("form_key", metavar="KEY")
@as_operator
def resume(operator: Operator, form_key: str) -> None:
    """Accept submissions of the form KEY again."""
    _run(operator, form_key, form_tools.resume)


@command.command("remove")
@click.argument("form_key", metavar="KEY")
@as_operator
def remove(operator: Operator, form_key: str) -> None:
    """Remove the form KEY. This cannot be undone; its submissions and records stay."""
    _run(operator, form_key, form_tools.remove)
