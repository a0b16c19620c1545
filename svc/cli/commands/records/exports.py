"""`svc export`: records into a file, or a whole organization into a directory."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, assert_never

import click
import msgspec
import trio

from svc.cli.failures import Failure
from svc.cli.transfers.installation import Caller, pages
from svc.cli.transfers.organization_export import export_all
from svc.cli.transfers.selection import Selection, on_installation
from svc.domain.imports.exported import CsvWriter, json_lines
from svc.domain.limits import LIST_ROWS_MAX
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.properties import Property
from svc.storage.private_files import replacing_private

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_STDOUT: Final = Path("-")
_LISTS: Final = frozenset({"in", "not_in"})
_ALONE: Final = frozenset({"is_empty", "is_not_empty"})
_JSON_SUFFIXES: Final = frozenset({".ndjson", ".jsonl"})
_PARTS: Final = 3
"""Of a filter: a property, an operator and a value."""


class Filter(msgspec.Struct, frozen=True):
    """A filter as it was given: its value is read by the property's type."""

    property: str
    op: str
    text: str


def _filters(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> list[Filter]:
    filters = []
    for value in values:
        words = value.split(maxsplit=_PARTS - 1)
        if len(words) < _PARTS - 1 or (len(words) < _PARTS and words[1] not in _ALONE):
            raise click.BadParameter(f'{value!r} is no filter such as "city eq Leeds"')
        filters.append(Filter(words[0], words[1], words[2] if len(words) == _PARTS else ""))
    return filters


@click.command("export")
@click.argument("object_type", metavar="OBJECT", required=False)
@click.argument("file", required=False, default=_STDOUT, type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--format", "file_format", type=click.Choice(["csv", "ndjson"]), help="By default as FILE ends."
)
@click.option(
    "--filter",
    "filters",
    multiple=True,
    callback=_filters,
    metavar='"PROPERTY OP VALUE"',
    help='Only records that match, such as "city eq Leeds". May be given several times.',
)
@click.option(
    "--all",
    "directory",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Everything that belongs to the organization, into DIR, which must be new or empty.",
)
@click.option("--bom", is_flag=True, help="Begin CSV with a byte order mark, which some spreadsheets need.")
@click.option(
    "--names",
    is_flag=True,
    help="Relations by name and members by e-mail, so that another organization finds them.",
)
@on_installation
def command(
    selection: Selection,
    /,
    *,
    object_type: str | None,
    file: Path,
    file_format: str | None,
    filters: list[Filter],
    directory: Path | None,
    bom: bool,
    names: bool,
) -> None:
    """Export the records of OBJECT to FILE, or to the standard output, the oldest first.

    CSV has a column for each property, and begins a text that a spreadsheet would run with an apostrophe;
    `svc import` reads it as it was. Lines of JSON are the records as tools answer them.

    With --all, everything that belongs to the organization is written into a directory, on the machine of
    the data.
    """
    if (object_type is None) == (directory is None):
        raise click.UsageError("say OBJECT, or --all DIR")
    if directory is not None:
        if selection.server is not None:
            raise Failure("--all reads the data directory: run it on the machine of the service")
        export_all(selection.operator, selection.organization, directory)
        return
    assert object_type is not None  # noqa: S101  # said above
    is_json = (file_format or ("ndjson" if file.suffix.lower() in _JSON_SUFFIXES else "csv")) == "ndjson"
    if names and is_json:
        raise click.UsageError("--names is for CSV: lines of JSON have ids")
    trio.run(partial(_export, selection, object_type, file, filters, is_json=is_json, bom=bom, names=names))


async def _export(
    selection: Selection,
    object_type: str,
    file: Path,
    filters: list[Filter],
    *,
    is_json: bool,
    bom: bool,
    names: bool,
) -> None:
    async with selection.opened_to_read() as installation:
        properties = await _properties(installation, object_type)
        asked = {
            "objectType": object_type,
            "filters": [_filter(one, properties) for one in filters],
            "sort": [{"property": "createdAt"}],
            "limit": LIST_ROWS_MAX,
            "texts": names,
        }
        emails = await _emails(installation, properties) if names else {}
        csv = CsvWriter(properties.values())
        head = b"" if is_json else (_BYTE_ORDER_MARK if bom else b"") + csv.head().encode()
        with _writing(file) as written:
            async for page in pages(installation, "record.list", asked):
                records = page["records"]
                if names:
                    records = [_named(record, properties, emails) for record in records]
                lines = json_lines(records) if is_json else csv.lines(records).encode()
                written.write(head + lines)
                head = b""


async def _properties(installation: Caller, object_type: str) -> dict[str, Property]:
    object_ = await installation.call("object.get", {"objectType": object_type})
    return {
        told["slug"]: Property(
            slug=told["slug"],
            label=told["label"],
            type=told["type"],
            options=tuple(told.get("options") or ()),
        )
        for told in object_["properties"]
    }


async def _emails(installation: Caller, properties: dict[str, Property]) -> dict[str, str]:
    """The e-mails of all members by their ids, if any of the *properties* is a member."""
    if not any(KINDS[prop.type].refers_to == "member" for prop in properties.values()):
        return {}
    listed = pages(installation, "member.list", {"limit": LIST_ROWS_MAX})
    return {member["id"]: member["email"] async for page in listed for member in page["members"]}


def _named(record: dict[str, Any], properties: dict[str, Property], emails: dict[str, str]) -> dict[str, Any]:
    """*record* with what it refers to by name and e-mail; by id where there is none."""
    values: dict[str, Any] = {}
    for slug, value in record["properties"].items():
        match KINDS[properties[slug].type].refers_to if slug in properties else None:
            case "record":
                values[slug] = record["texts"].get(slug) or value
            case "member":
                values[slug] = emails.get(value, value)
            case "file" | None:
                values[slug] = value
            case other:
                assert_never(other)
    return record | {"properties": values}


def _filter(given: Filter, properties: dict[str, Property]) -> dict[str, Any]:
    asked: dict[str, Any] = {"property": given.property, "op": given.op}
    if given.op in _ALONE:
        return asked
    texts = [text.strip() for text in given.text.split(",")] if given.op in _LISTS else [given.text]
    prop = properties.get(given.property)
    is_json = prop is not None and KINDS[prop.type].json_type not in {str, list}
    values = [_value(text) if is_json else text for text in texts]
    return asked | {"value": values if given.op in _LISTS else values[0]}


def _value(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text  # the tool says what is wrong with it


@contextmanager
def _writing(file: Path) -> Iterator[IO[bytes]]:
    """The file to be written, which is there once all of it is; or the standard output."""
    if file == _STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with replacing_private(file) as written:
            yield written
    except OSError as error:
        raise Failure(f"{file} cannot be written: {error.strerror}") from error
