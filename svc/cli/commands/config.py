"""`svc config`: the effective configuration, and a file to begin one with."""

from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec.structs import asdict, fields

from svc.cli.options import configured
from svc.config.base_url import BaseUrl
from svc.config.loading import Configuration, documented
from svc.config.masked import MASK, MaskedText

DEFAULT = "default"


def _print_example(ctx: click.Context, _param: click.Parameter, asked: bool) -> None:
    """Print it and end, before a configuration is read, which may be the one that has to be written anew."""
    if asked and not ctx.resilient_parsing:
        click.echo(documented(), nl=False)
        ctx.exit()


@click.command("config")
@click.option(
    "--example",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_example,
    help="Print a file with every setting, its default and what it does, and end.",
)
@configured()
def command(configuration: Configuration) -> None:
    """Show the effective configuration, and where each value comes from. Secrets are masked."""
    click.echo(render(configuration), nl=False)


def render(configuration: Configuration) -> str:
    """The configuration as TOML, with the origin of each value in a comment."""
    blocks = []
    for section in fields(type(configuration.settings)):
        values = asdict(getattr(configuration.settings, section.name))
        lines = [
            f"{name} = {shown(value)}  # {configuration.origins.get(f'{section.name}.{name}', DEFAULT)}"
            for name, value in values.items()
        ]
        blocks.append("\n".join([f"[{section.name}]", *lines]) + "\n")
    return "\n".join(blocks)


def shown(value: Any) -> str:
    """*value* as TOML, in which strings and lists are as in JSON. An unset value is an empty string."""
    match value:
        case None:
            return '""'
        case MaskedText():
            return f'"{MASK}"'
        case bool():
            return str(value).lower()
        case msgspec.Struct():
            given = ((name, one) for name, one in asdict(value).items() if one is not None)
            return f"{{{', '.join(f'{name} = {shown(one)}' for name, one in given)}}}"
        case tuple():
            return f"[{', '.join(map(shown, value))}]"
        case str() | Path() | BaseUrl():
            return msgspec.json.encode(str(value)).decode()
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return str(value)
