"""`svc credits`: credits for the AI gateway."""

from typing import Any

import click

from svc.cli.operator_calls import Operator
from svc.cli.options import as_operator
from svc.cli.tables import echo_table
from svc.domain.ai.money import Credits, credits_text
from svc.domain.errors import InvalidValue
from svc.tools.ai import operator_commands, usage
from svc.tools.ai.operator_commands import GrantCredits
from svc.tools.ai.usage import GetStatement


def _amount(_ctx: click.Context, _param: click.Parameter, value: str) -> Credits:
    try:
        return Credits.read(value)
    except InvalidValue as error:
        raise click.BadParameter(str(error)) from None


@click.group("credits")
def command() -> None:
    """Credits, with which organizations pay the service's AI providers."""


@command.command("grant")
@click.argument("organization")
@click.argument("amount", metavar="CREDITS", callback=_amount)
@click.option("--note", help="What they are given for; `ai.statement` shows it.")
@as_operator
def grant(operator: Operator, organization: str, amount: Credits, note: str | None) -> None:
    """Give the organization ORGANIZATION CREDITS, such as 12.5, and print what it is free to spend then."""
    body = GrantCredits(
        organization_id=operator.organization(organization).id, amount_micro_credits=int(amount), note=note
    )
    made = operator.run(operator_commands.grant_credits, body)
    click.echo(f"{made.id}; credits that are free to spend:", err=True)
    click.echo(credits_text(made.balance_after_micro_credits))


@command.command("statement")
@click.argument("organization", required=False)
@as_operator
def statement(operator: Operator, organization: str | None) -> None:
    """List the ledger of ORGANIZATION, which may be left out if there is only one; the newest entry first."""
    home = operator.organization(organization).id
    rows: list[tuple[Any, ...]] = [
        (
            entry.at,
            entry.kind,
            credits_text(entry.amount_micro_credits),
            credits_text(entry.balance_after_micro_credits),
            entry.call_id or "-",
            entry.note or "",
        )
        for page in operator.look_pages(usage.statement, home, GetStatement())
        for entry in page.entries
    ]
    echo_table(("AT", "KIND", "CREDITS", "FREE THEN", "CALL", "NOTE"), rows)
