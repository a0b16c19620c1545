"""`svc org`: organizations."""

from collections.abc import Callable
from typing import Any, get_args

import click
from sqlalchemy import Connection

from svc.cli import offline
from svc.cli.directory import DataDirectory
from svc.cli.failures import Failure
from svc.cli.options import NAME, on_data
from svc.cli.tables import echo_table
from svc.domain.callers import operator_call
from svc.domain.errors import InvalidValue
from svc.domain.organizations import (
    Organization,
    Plan,
    clean_country,
    clean_currency,
    clean_locale,
    clean_time_zone,
)
from svc.domain.times import rfc3339
from svc.storage import audit, organizations
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


def _checked(clean: Callable[[str], str]) -> Any:
    def check(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
        try:
            return clean(value)
        except InvalidValue as error:
            raise click.BadParameter(str(error)) from None

    return check


@command.command("create")
@NAME
@click.option(
    "--country",
    default=_DEFAULTS.country,
    show_default=True,
    callback=_checked(clean_country),
    help="Where phone numbers without a country code are dialled.",
)
@click.option(
    "--currency",
    default=_DEFAULTS.currency,
    show_default=True,
    callback=_checked(clean_currency),
    help="Of its amounts.",
)
@click.option(
    "--locale",
    default=_DEFAULTS.locale,
    show_default=True,
    callback=_checked(clean_locale),
    help="How its dates and numbers are written.",
)
@click.option(
    "--time-zone",
    default=_DEFAULTS.time_zone,
    show_default=True,
    callback=_checked(clean_time_zone),
    help="Of its people.",
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
    click.echo(offline.write(directory, _create, NewOrganization(**asked)))


def _create(tx: Tx, asked: NewOrganization) -> str:
    made = organizations.create(tx, asked)
    audit.note(tx, operator_call(made.id), "organization.create", made.id)
    return made.id


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
    organization = chosen(tx.conn, organization_id)
    organizations.update_plan(tx, organization.id, plan=plan)
    audit.note(tx, operator_call(organization.id), "organization.plan", organization.id)
