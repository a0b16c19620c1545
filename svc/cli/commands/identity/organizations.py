"""`svc org`: organizations."""

from collections.abc import Callable
from typing import Any, Final, get_args

import click

from svc.cli.operator_calls import Operator
from svc.cli.options import NAME, ORGANIZATION, as_operator
from svc.cli.tables import echo_table
from svc.domain.errors import InvalidValue
from svc.domain.identity.organizations import (
    Organization,
    Plan,
    clean_country,
    clean_currency,
    clean_locale,
    clean_time_zone,
)
from svc.domain.locale.times import rfc3339
from svc.storage.identity import organizations
from svc.tools import operator_commands
from svc.tools.identity import organizations as organization_tools
from svc.tools.identity.organizations import UpdateOrganization
from svc.tools.operator_commands import ChangePlan, CloseOrganization, CreateOrganization

_DEFAULTS: Final = CreateOrganization(name="")


def _checked(clean: Callable[[str], str]) -> Any:
    def check(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
        try:
            return clean(value)
        except InvalidValue as error:
            raise click.BadParameter(str(error)) from None

    return check


_FORMATS: Final = (
    click.option(
        "--country",
        default=_DEFAULTS.country,
        show_default=True,
        callback=_checked(clean_country),
        help="ISO code: the country of phone numbers without a country code.",
    ),
    click.option(
        "--currency",
        default=_DEFAULTS.currency,
        show_default=True,
        callback=_checked(clean_currency),
        help="ISO code: the currency of amounts without one.",
    ),
    click.option(
        "--locale",
        default=_DEFAULTS.locale,
        show_default=True,
        callback=_checked(clean_locale),
        help="The format of dates and numbers.",
    ),
    click.option(
        "--time-zone",
        default=_DEFAULTS.time_zone,
        show_default=True,
        callback=_checked(clean_time_zone),
        help="Such as Europe/London.",
    ),
    click.option(
        "--plan",
        type=click.Choice(get_args(Plan)),
        default=_DEFAULTS.plan,
        show_default=True,
        help="Applies after the trial of 14 days, which includes everything.",
    ),
)


def with_formats(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the formats and the plan of a new organization."""
    for option in reversed(_FORMATS):
        fn = option(fn)
    return fn


def new_organization(operator: Operator, **facts: Any) -> CreateOrganization:
    """An organization to be made, with the credits that the configuration gives to a new one."""
    return CreateOrganization(**facts, starting_micro_credits=int(operator.settings.ai.starting_credits))


@click.group("org")
def command() -> None:
    """Organizations."""


@command.command("create")
@NAME
@with_formats
@as_operator
def create(operator: Operator, /, **options: Any) -> None:
    """Create an organization called NAME, and print its id. `svc setup` creates its owner and a key too."""
    click.echo(operator.run(operator_commands.create_organization, new_organization(operator, **options)).id)


@command.command("list")
@as_operator
def list_all(operator: Operator) -> None:
    """List the organizations."""
    echo_table(
        ("ID", "NAME", "PLAN", "TRIAL ENDS", "COUNTRY", "STATUS"),
        [
            (
                organization.id,
                organization.name,
                organization.plan,
                rfc3339(organization.trial_ends_at) if organization.trial_ends_at else "-",
                organization.country,
                _status(organization),
            )
            for organization in operator.read(organizations.list_all)
        ],
    )


def _status(organization: Organization) -> str:
    closed_at = organization.closed_at
    return "open" if closed_at is None else f"closed {rfc3339(closed_at)}"


@command.command("plan")
@click.argument("plan", type=click.Choice(get_args(Plan)))
@ORGANIZATION
@as_operator
def plan(operator: Operator, plan: Plan, organization: str | None) -> None:
    """Change the plan of the organization, which applies after its trial."""
    home = operator.organization(organization).id
    operator.run(operator_commands.change_plan, ChangePlan(organization_id=home, plan=plan))


@command.command("rename")
@NAME
@ORGANIZATION
@as_operator
def rename(operator: Operator, name: str, organization: str | None) -> None:
    """Rename the organization to NAME."""
    home = operator.organization(organization).id
    operator.call(organization_tools.update, home, UpdateOrganization(name=name))


@command.command("close")
@ORGANIZATION
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@as_operator
def close(operator: Operator, organization: str | None, *, yes: bool) -> None:
    """Close the organization: its keys and forms stop working. This cannot be undone; its data stays."""
    chosen = operator.organization(organization)
    if not yes:
        click.confirm(
            f"Close {chosen.name} ({chosen.id})? Its keys and forms stop at once, and it cannot be reopened",
            abort=True,
        )
    operator.run(operator_commands.close_organization, CloseOrganization(organization_id=chosen.id))
    click.echo(f"{chosen.name} is closed", err=True)
