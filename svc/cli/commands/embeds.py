"""`svc embed`: embeds, which show published records and forms on pages elsewhere."""

import click

from svc.cli.operator_calls import Operator
from svc.cli.options import ORGANIZATION, as_operator
from svc.cli.tables import echo_table
from svc.domain.limits import LIST_ROWS_MAX
from svc.tools.embeds import embeds
from svc.tools.embeds.blocks import EmbedAnswer
from svc.tools.embeds.embeds import ListEmbeds, NamedEmbed
from svc.tools.tool import Tool


@click.group("embed")
def command() -> None:
    """Embeds. `svc call embed.create JSON` creates one."""


@command.command("list")
@ORGANIZATION
@as_operator
def list_all(operator: Operator, organization: str | None) -> None:
    """List the embeds with their public keys."""
    home = operator.organization(organization).id
    echo_table(
        ("ID", "NAME", "STATUS", "SITE", "KEY"),
        [
            (embed.id, embed.name, embed.status, embed.domain or "any", embed.embed_key)
            for page in operator.look_pages(embeds.list_, home, ListEmbeds(limit=LIST_ROWS_MAX))
            for embed in page.embeds
        ],
    )


def _run(
    operator: Operator, organization: str | None, tool: Tool[NamedEmbed, EmbedAnswer], embed_id: str
) -> None:
    operator.call(tool, operator.organization(organization).id, NamedEmbed(id=embed_id))


@command.command("pause")
@click.argument("embed_id", metavar="ID")
@ORGANIZATION
@as_operator
def pause(operator: Operator, embed_id: str, organization: str | None) -> None:
    """Stop showing the embed ID until it is resumed."""
    _run(operator, organization, embeds.pause, embed_id)


@command.command("resume")
@click.argument("embed_id", metavar="ID")
@ORGANIZATION
@as_operator
def resume(operator: Operator, embed_id: str, organization: str | None) -> None:
    """Show the embed ID again."""
    _run(operator, organization, embeds.resume, embed_id)


@command.command("remove")
@click.argument("embed_id", metavar="ID")
@ORGANIZATION
@as_operator
def remove(operator: Operator, embed_id: str, organization: str | None) -> None:
    """Remove the embed ID. This cannot be undone."""
    home = operator.organization(organization).id
    operator.call(embeds.remove, home, NamedEmbed(id=embed_id))
