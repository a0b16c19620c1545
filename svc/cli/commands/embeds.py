"""`svc embed`: embeds, which show published records and forms on pages elsewhere."""

import click

from svc.cli.operator_calls import Operator
from svc.cli.options import ORGANIZATION, as_operator, command_by_id
from svc.cli.tables import echo_table
from svc.domain.limits import LIST_ROWS_MAX
from svc.tools.embeds import embeds
from svc.tools.embeds.embeds import ListEmbeds


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


command_by_id(command, "pause", embeds.pause, "Stop showing the embed ID until it is resumed.")
command_by_id(command, "resume", embeds.resume, "Show the embed ID again.")
command_by_id(command, "remove", embeds.remove, "Remove the embed ID. This cannot be undone.")
