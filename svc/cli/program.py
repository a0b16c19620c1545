"""The program `svc`: it imports commands on demand, and reports errors in one line."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

import click
import structlog

from svc.cli.failures import Failure, in_a_line, leaves
from svc.config.settings import LogSettings
from svc.domain.errors import DomainError
from svc.domain.input.near_names import nearest
from svc.logging import setup as logging
from svc.logging.output import steady
from svc.version import VERSION

log = structlog.get_logger("svc.cli")

_MODULES: Final = {
    "run": "run",
    "setup": "setup",
    "call": "call",
    "listen": "listen",
    "demo-messenger": "demo_messenger",
    "import": "records.imports",
    "export": "records.exports",
    "config": "config",
    "org": "identity.organizations",
    "user": "identity.users",
    "apikey": "identity.api_keys",
    "site": "sites",
    "form": "forms.forms",
    "submission": "forms.submissions",
    "serverkey": "forms.server_keys",
    "embed": "embeds",
    "connection": "connections",
    "credits": "credits",
    "backup": "backup:backup",
    "restore": "backup:restore",
    "erase-person": "erase_person",
    "check": "check",
    "doctor": "doctor",
    "upgrade": "upgrade",
    "move": "move",
    "logs": "logs",
    "top": "top",
    "trace": "trace",
    "openapi": "openapi",
}
"""The module of each command. It is imported on use, since most import much and `svc config` does not."""


class Program(click.Group):
    """The group of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # same
        if cmd_name not in _MODULES:
            return None
        module, _, name = _MODULES[cmd_name].partition(":")
        with _without_collection():
            command: click.Command = getattr(import_module(f"svc.cli.commands.{module}"), name or "command")
        _set_short_help(command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        if sys.stderr is not None:
            # No command may fail because its messages cannot be written.
            sys.stderr = steady(sys.stderr)
        # Until the configuration is known, so that errors before that do not log values either.
        logging.configure(LogSettings())
        with _errors_in_one_line():
            return super().invoke(ctx)


def _set_short_help(command: click.Command) -> None:
    """Show the first paragraph of the help in lists of commands, which click would cut to one line."""
    subcommands = command.commands.values() if isinstance(command, click.Group) else ()
    for listed in (command, *subcommands):
        listed.short_help = listed.short_help or (listed.help or "").partition("\n\n")[0]


def _with_near_names(error: click.NoSuchCommand) -> click.UsageError:
    """*error* with the names that were probably meant, for groups at every level.

    Click's own suggestions find neither commands that are imported on demand nor `org` for `organization`.
    """
    context = error.ctx
    near = (
        nearest(error.command_name, context.command.list_commands(context))
        if context is not None and isinstance(context.command, click.Group)
        else []
    )
    meant = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    return click.UsageError(f"{error.message}{meant}", context)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Keep the garbage collector away from what imports make, which stays: a fifth of a command's start."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def _errors_in_one_line() -> Iterator[None]:
    try:
        yield
    except click.NoSuchCommand as error:
        raise _with_near_names(error) from error
    except click.ClickException as error:
        log.debug("why it ends", exc_info=error)
        raise
    except (click.Abort, click.exceptions.Exit):
        raise
    except Exception as error:
        errors = leaves(error)
        if all(isinstance(leaf, DomainError | OSError) for leaf in errors):
            raise Failure(in_a_line(errors)) from error
        log.critical("ended by a fault of the program", exc_info=error)
        raise Failure("a fault of the program, which the log describes; please report it") from error


@click.command(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, message="%(prog)s %(version)s")
def main() -> None:
    """A self-hosted business platform's developer interface, in one process.

    Start it with a demo organization: svc run --demo
    """
