"""`svc org`: organizations."""

import re
from typing import Any, get_args
from zoneinfo import available_timezones

import click
import phonenumbers
from sqlalchemy import Connection

from svc.cli import offline
from svc.cli.directory import DataDirectory
from svc.cli.failures import Failure
from svc.cli.options import NAME, on_data
from svc.cli.tables import echo_table
from svc.domain.organizations import Organization, Plan
from svc.domain.times import rfc3339
from svc.storage import organizations
from svc.storage.organizations import NewOrganization
from svc.storage.store import Tx

OPTION = click.option(
    "--organization", metavar="ID", help="Whose; may be left out while there is only one organization."
)

_DEFAULTS = NewOrganization(name="")


def chosen(conn: Connection, organization_id: str | None) -> Organization:
    """The organization of that id, or the only one. Raises `NotFound` or `Failure`."""
    if organization_id is not None:
        return organizations.get(conn, organization_id)
    every = organizations.every(conn)
    if not every:
        raise Failure("there is no organization yet: make one with `svc org create NAME`")
    if len(every) > 1:
        raise Failure("there are several organizations: choose one of `svc org list` with --organization")
    return every[0]


@click.group("org")
def command() -> None:
    """Organizations."""


def _country(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    country = value.upper()
    if country not in phonenumbers.SUPPORTED_REGIONS:
        raise click.BadParameter(f"{value!r} is no country of ISO 3166, such as DE or US")
    return country


def _matching(pattern: str, what: str) -> Any:
    def check(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise click.BadParameter(f"{value!r} is no {what}")
        return value

    return check


def _time_zone(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    known = available_timezones()  # empty on a machine without the time zone database
    if known and value not in known:
        raise click.BadParameter(f"{value!r} is no time zone, such as Europe/Berlin")
    return value


@command.command("create")
@NAME
@click.option(
    "--country",
    default=_DEFAULTS.country,
    show_default=True,
    callback=_country,
    help="Where phone numbers without a country code are dialled.",
)
@click.option(
    "--currency",
    default=_DEFAULTS.currency,
    show_default=True,
    callback=_matching(r"[A-Z]{3}", "currency of ISO 4217, such as EUR"),
    help="Of its amounts.",
)
@click.option(
    "--locale",
    default=_DEFAULTS.locale,
    show_default=True,
    callback=_matching(r"[a-z]{2,3}([_-][A-Z][a-z]{3})?([_-][A-Z]{2})?", "locale, such as de_DE"),
    help="How its dates and numbers are written.",
)
@click.option(
    "--time-zone", default=_DEFAULTS.time_zone, show_default=True, callback=_time_zone, help="Of its people."
)
@click.option(
    "--plan",
    type=click.Choice(get_args(Plan)),
    default=_DEFAULTS.plan,
    show_default=True,
    help="Counts when the trial of 14 days, which has everything, is over.",
)
@on_data
def create(directory: DataDirectory, /, **asked: Any) -> None:
    """Make an organization called NAME, and print its id."""
    made = offline.write(directory, organizations.create, NewOrganization(**asked))
    click.echo(made.id)


@command.command("list")
@on_data
def list_all(directory: DataDirectory) -> None:
    """List the organizations."""
    every = offline.read(directory, organizations.every)
    echo_table(
        ("ID", "NAME", "PLAN", "TRIAL ENDS", "COUNTRY"),
        [
            (
                one.id,
                one.name,
                one.plan,
                rfc3339(one.trial_ends_at) if one.trial_ends_at else "-",
                one.country,
            )
            for one in every
        ],
    )


@command.command("plan")
@click.argument("plan", type=click.Choice(get_args(Plan)))
@OPTION
@on_data
def plan(directory: DataDirectory, plan: Plan, organization: str | None) -> None:
    """Put the organization on a plan, which counts when its trial is over."""
    offline.write(directory, _put_on, organization, plan)


def _put_on(tx: Tx, organization_id: str | None, plan: Plan) -> None:
    organizations.update_plan(tx, chosen(tx.conn, organization_id).id, plan=plan)
