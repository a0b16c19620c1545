"""Options and arguments that commands share, and decorators that pass what they select."""

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import click

from svc.cli.data_directory import DataDirectory
from svc.cli.failures import BadConfiguration
from svc.cli.operator_calls import Operator
from svc.config.checks import ConfigError
from svc.config.loading import Configuration, load
from svc.logging import setup as logging
from svc.tools.tool import Tool

P = ParamSpec("P")

_CONFIG = click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Configuration file; by default config/svc.toml, if it exists.",
)
_DATA = click.option(
    "--data", "data", type=click.Path(), metavar="DIR", help="Data directory; by default ./data."
)


def _name(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    name = value.strip()
    if not (name and name.isprintable()):
        raise click.BadParameter("a name has visible characters, and is one line")
    return name


NAME = click.argument("name", callback=_name)
"""The name of what a command creates."""


def configured(*keys_of_flags: tuple[str, str, str]) -> Callable[..., Any]:
    """Pass a command its configuration: the file, the environment, and flags such as `--data` over them.

    *keys_of_flags*: the command's own flags that are settings: parameter, flag and key of each.
    """
    settable = (("data", "--data", "data.directory"), *keys_of_flags)

    def decorate(fn: Callable[Concatenate[Configuration, P], None]) -> Callable[..., None]:
        @_CONFIG
        @_DATA
        @wraps(fn)
        def command(config_file: Path | None, **kwargs: Any) -> None:
            flags = {key: (flag, kwargs.pop(parameter)) for parameter, flag, key in settable}
            try:
                configuration = load(config_file, os.environ, flags)
            except ConfigError as error:
                raise BadConfiguration(str(error)) from error
            logging.configure(configuration.settings.log)
            fn(configuration, **kwargs)  # type: ignore[call-arg]  # click passes the rest of the options

        return command

    return decorate


def on_data(fn: Callable[Concatenate[DataDirectory, P], None]) -> Callable[..., None]:
    """Pass a command the configured data directory."""

    @configured()
    @wraps(fn)
    def command(configuration: Configuration, *args: P.args, **kwargs: P.kwargs) -> None:
        fn(DataDirectory.of(configuration.settings.data), *args, **kwargs)

    return command  # type: ignore[no-any-return]  # `configured` takes commands of all shapes


def as_operator(fn: Callable[Concatenate[Operator, P], None]) -> Callable[..., None]:
    """Pass a command the operator of the configured installation."""

    @configured()
    @wraps(fn)
    def command(configuration: Configuration, *args: P.args, **kwargs: P.kwargs) -> None:
        fn(Operator(configuration.settings), *args, **kwargs)

    return command  # type: ignore[no-any-return]  # `configured` takes commands of all shapes


ORGANIZATION = click.option(
    "--organization", metavar="ID", help="The organization; needed if there are several."
)


def command_by_id(group: click.Group, name: str, tool: Tool[Any, Any], summary: str) -> None:
    """Add to *group* the command *name*, which calls a *tool* that needs an id and nothing else."""

    @group.command(name, help=summary)
    @click.argument("row_id", metavar="ID")
    @ORGANIZATION
    @as_operator
    def command(operator: Operator, row_id: str, organization: str | None) -> None:
        operator.call(tool, operator.organization(organization).id, tool.request_type(id=row_id))
