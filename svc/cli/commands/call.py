"""`svc call`: any tool of the registry, in the operator's name."""

import sys
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from svc.cli.failures import Failure
from svc.cli.operator_calls import Operator
from svc.cli.options import ORGANIZATION, as_operator
from svc.cli.tables import echo_table
from svc.domain.identity.callers import operator_call, permit
from svc.tools.catalogue import REGISTRY
from svc.tools.tool import Tool

_STDIN: Final = "-"
_FROM_FILE: Final = "@"


@click.command("call")
@click.argument("tool", required=False, metavar="TOOL")
@click.argument("json", required=False, default="{}", metavar="[JSON]")
@ORGANIZATION
@as_operator
def command(operator: Operator, /, *, tool: str | None, json: str, organization: str | None) -> None:
    """Call TOOL with JSON, and print its answer as JSON. Without TOOL, list the tools.

    JSON is an object, `@FILE` or `-` for the standard input; nothing stands for `{}`. It is done in the
    operator's name. `svc call tool.describe '{"names": ["record.create"]}'` shows what a tool takes.
    """
    if tool is None:
        echo_table(("TOOL", "WHAT IT DOES"), [(one.name, one.summary) for one in REGISTRY.values()])
        return
    found: Tool[Any, Any] | None = REGISTRY.named(tool)
    if found is None:
        raise Failure(f"there is no tool {tool!r}{REGISTRY.hint(tool)}; `svc call` lists them")
    asked = found.read(_body(json))
    home = operator.organization(organization).id
    permit(operator_call(home).caller, found.name, needs=found.needs, own=found.own, runs=found.runs)
    run = operator.look_json if found.effect == "reads" else operator.call_json
    click.echo(msgspec.json.format(run(found, home, asked)))


def _body(given: str) -> bytes:
    """What is asked, as JSON. Raises `Failure` for a file that cannot be read."""
    if given == _STDIN:
        return sys.stdin.buffer.read()
    if not given.startswith(_FROM_FILE):
        return given.encode()
    path = Path(given.removeprefix(_FROM_FILE))
    try:
        return path.read_bytes()
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror}") from error
