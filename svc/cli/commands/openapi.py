"""`svc openapi`: the contract of the Tool API."""

import click
import msgspec

from svc.http.tools.contract import Contract
from svc.tools.catalogue import REGISTRY


@click.command("openapi")
def command() -> None:
    """Print the contract of the Tool API, as OpenAPI 3.1."""
    click.echo(msgspec.json.format(Contract(REGISTRY).body))
