"""`svc call`: call any tool as the operator."""

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
    """Call TOOL as the operator with JSON as its input, and print its answer. Without TOOL, list the tools.

    JSON is an object, `@FILE` to read a file, or `-` to read the standard input; `{}` if left out.
    `svc call tool.describe '{"names": ["record.create"]}'` shows the input of a tool.
    """
    if tool is None:
        echo_table(("TOOL", "WHAT IT DOES"), [(listed.name, listed.summary) for listed in REGISTRY.values()])
        return
    named: Tool[Any, Any] | None = REGISTRY.named(tool)
    if named is None:
        raise Failure(f"there is no tool {tool!r}{REGISTRY.hint(tool)}; `svc call` lists them")
    body = named.read(_body(json))
    home = operator.organization(organization).id
    permit(
        operator_call(home).caller,
        named.name,
        needs=named.needs,
        own=named.own,
        runs=named.runs,
        reads=named.effect == "reads",
    )
    run = operator.look_json if named.effect == "reads" else operator.call_json
    click.echo(msgspec.json.format(run(named, home, body)))


def _body(argument: str) -> bytes:
    """The input, as JSON. Raises `Failure` for a file that cannot be read."""
    if argument == _STDIN:
        return sys.stdin.buffer.read()
    if not argument.startswith(_FROM_FILE):
        return argument.encode()
    path = Path(argument.removeprefix(_FROM_FILE))
    try:
        return path.read_bytes()
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror}") from error
