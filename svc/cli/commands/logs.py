"""`svc logs`: what the log says about one request."""

import sys
from collections.abc import Iterator
from lzma import LZMAError
from pathlib import Path
from typing import BinaryIO
from zlib import error as ZlibError  # noqa: N812  # a class

import click

from svc.cli.failures import Failure, as_failure
from svc.logging.reading import LogRecord, open_log, records_of, rotated

_REQUEST_ID_MAX = 128


def _request_id(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    if not (0 < len(value) <= _REQUEST_ID_MAX and all("!" <= character <= "~" for character in value)):
        raise click.BadParameter(f"a request id has 1 to {_REQUEST_ID_MAX} visible ASCII characters")
    return value


@click.command("logs")
@click.option(
    "--request",
    "request_id",
    required=True,
    metavar="ID",
    callback=_request_id,
    help="The request, as X-Request-Id and requestId name it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the records as they are in the log.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, dir_okay=False), metavar="[FILE]...")
def command(*, request_id: str, as_json: bool, files: tuple[Path, ...]) -> None:
    r"""Print what the log has about one request, by time: its own lines, and those of all actors it reached.

    FILE is a log; what a rotation made of it is read as well (FILE.1, FILE.2.gz, FILE-20261123). Without
    FILE, the standard input is read, such as that of journalctl:

    \b
        journalctl -u svc | svc logs --request ID
    """
    if not files and sys.stdin.isatty():
        raise click.UsageError(
            "name a file of the log, or give it on the standard input: journalctl -u svc |"
        )
    with as_failure(OSError, EOFError, LZMAError, ZlibError):
        found = [record for file in _opened(files) for record in records_of(request_id, file)]
    if not found:
        raise Failure(f"no line of the log belongs to the request {request_id}")
    for record in sorted(found, key=_by_time):
        click.echo(record.raw if as_json else record.shown)


def _opened(files: tuple[Path, ...]) -> Iterator[BinaryIO]:
    """The logs to read, each of them once; `-` is the standard input."""
    paths = dict.fromkeys(one for file in files for one in ([file] if str(file) == "-" else rotated(file)))
    if not paths:
        yield sys.stdin.buffer
    for path in paths:
        if str(path) == "-":
            yield sys.stdin.buffer
            continue
        with open_log(path) as file:
            yield file


def _by_time(record: LogRecord) -> str:
    return record.timestamp
