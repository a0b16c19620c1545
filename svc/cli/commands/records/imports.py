"""`svc import`: records out of a file."""

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

import click
import msgspec
import trio

from svc.cli.failures import Failure
from svc.cli.tables import echo_table
from svc.cli.transfers.installation import Installation
from svc.cli.transfers.selection import Selection, on_installation
from svc.client import ServiceError
from svc.domain.errors import DomainError
from svc.domain.imports.columns import usable
from svc.domain.imports.limits import IMPORT_PART_BYTES
from svc.storage.private_files import replacing_private

_JSON_SUFFIXES: Final = frozenset({".ndjson", ".jsonl", ".json"})
_OUTCOMES: Final = ("created", "updated", "unchanged", "suggested", "refused")
_OF_REFUSALS: Final = frozenset({"dryRun", "onError", "makeMissing", "onBadCell"})
"""Options that are no other way of reading a file: what was taken with others would be written again."""
_SHOWN_MAX: Final = 10
"""Refused lines that are printed; the file has all of them."""


def _mapping(_ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pairs = [value.rpartition("=") for value in values]
    if any(not separator or not heading for heading, separator, _ in pairs):
        raise click.BadParameter('a mapping is "Heading=property"; nothing behind the = leaves a column out')
    return {heading.strip(): target.strip() for heading, _, target in pairs}


@click.command("import")
@click.argument("object_type", metavar="OBJECT")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option(
    "--format", "file_format", type=click.Choice(["csv", "ndjson"]), help="By default as FILE ends."
)
@click.option(
    "--by",
    metavar="PROPERTY",
    help="Look records up by it: a unique property, a contact's email or phone, id, or match.",
)
@click.option(
    "--map",
    "mapping",
    multiple=True,
    callback=_mapping,
    metavar='"HEADING=PROPERTY"',
    help="What a column is for; others are recognized by their headings. May be given several times.",
)
@click.option("--dry-run", is_flag=True, help="Only tell what would become of each line.")
@click.option(
    "--report", type=click.Path(path_type=Path, dir_okay=False), help="Write what a dry run tells, by line."
)
@click.option(
    "--refused",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the lines that are refused here; by default beside FILE.",
)
@click.option("--on-error", type=click.Choice(["skip", "stop"]), help="Skip refused lines, or stop at one.")
@click.option(
    "--encoding", type=click.Choice(["utf-8", "utf-16-le", "utf-16-be", "windows-1252"]), help="Of FILE."
)
@click.option("--separator", type=click.Choice([",", ";", "\t", "|"]), help="Of the cells.")
@click.option("--decimal", type=click.Choice([".", ","]), help="What stands before the decimals of numbers.")
@click.option(
    "--empty-cells", type=click.Choice(["keep", "clear"]), help="Keep the values there are, or clear them."
)
@click.option(
    "--make-missing",
    multiple=True,
    metavar="OBJECT",
    help="Make records of OBJECT that relations name and that are not there. May be given several times.",
)
@click.option(
    "--on-bad-cell",
    type=click.Choice(["refuse", "empty"]),
    help="Refuse the line of a cell that does not fit, or leave the cell out.",
)
@click.option(
    "--dates",
    type=click.Choice(["dmy", "mdy", "ymd"]),
    help="The order of day, month and year, where the dates of FILE do not tell it.",
)
@click.option("--again", is_flag=True, help="Import FILE although it was imported in the same way before.")
@on_installation
def command(
    selection: Selection,
    /,
    *,
    object_type: str,
    file: Path,
    file_format: str | None,
    by: str | None,
    mapping: dict[str, str],
    dry_run: bool,
    report: Path | None,
    refused: Path | None,
    on_error: str | None,
    encoding: str | None,
    separator: str | None,
    decimal: str | None,
    empty_cells: str | None,
    make_missing: tuple[str, ...],
    on_bad_cell: str | None,
    dates: str | None,
    again: bool,
) -> None:
    """Import the lines of FILE as records of OBJECT.

    Without --server it works on the data directory, while no service runs. An import that was broken off
    goes on when the same command is given again; one that has ended meanwhile is told as it ended. Lines that
    are refused are written to a file, which can be mended and imported. It ends with 1 if there were any.
    """
    asked = {
        "by": by,
        "dryRun": dry_run or None,
        "onError": on_error,
        "encoding": encoding,
        "separator": separator,
        "decimal": decimal,
        "emptyCells": empty_cells,
        "makeMissing": make_missing or None,
        "onBadCell": on_bad_cell,
        "dates": dates,
    }
    run = FileImport(
        object_type,
        file,
        file_format or ("ndjson" if file.suffix.lower() in _JSON_SUFFIXES else "csv"),
        mapping,
        {name: value for name, value in asked.items() if value is not None},
        again=again,
    )
    outputs = {
        "refused": refused or file.with_suffix(f".refused{file.suffix}"),
        "report": report,
    }
    trio.run(partial(_run, selection, run, outputs))


async def _run(selection: Selection, run: "FileImport", outputs: dict[str, Path | None]) -> None:
    async with selection.opened() as installation:
        import_ = await run.begin(installation)
        with _bar("Reading", import_["bytes"]) as bar:
            while import_["state"] == "running":
                import_ = await installation.go_on(import_)
                bar.update(import_["readBytes"])
        if import_["refusedPath"]:
            await _save(installation, import_, "refused", outputs["refused"])
        if import_["reportPath"]:
            await _save(installation, import_, "report", outputs["report"])
        if import_["state"] == "checked":
            await installation.call("import.cancel", {"id": import_["id"]})
    _tell(import_, outputs)


class FileImport:
    """The import of one file."""

    def __init__(
        self,
        object_type: str,
        file: Path,
        file_format: str,
        mapping: dict[str, str],
        asked: dict[str, Any],
        *,
        again: bool,
    ) -> None:
        self._object_type = object_type
        self._file = file
        self._format = file_format
        self._mapping = mapping
        self._asked = asked
        # A dry run doubles nothing.
        self._again = again or "dryRun" in asked

    async def begin(self, installation: Installation) -> dict[str, Any]:
        """Upload the file, as far as that was not done before, and have it read."""
        size = self._file.stat().st_size
        if not size:
            raise Failure(f"{self._file} is empty")
        opening = {
            "objectType": self._object_type,
            "format": self._format,
            "name": self._file.name,
            "bytes": size,
            "fingerprint": self._fingerprint(),
            "again": self._again,
        }
        import_ = await installation.call("import.start", opening)
        if import_["endedAt"] is not None:
            click.echo(
                f"{self._file} was imported before: {import_['id']} ended at {import_['endedAt']}, as told"
                " here. Give --again to import it once more.",
                err=True,
            )
            return import_
        if import_["nextPart"] is not None:
            import_ = await self._upload(installation, import_)
        if import_["state"] in {"uploaded", "checked"}:
            return await self._start(installation, import_)
        if import_["state"] == "running":
            click.echo(f"{import_['id']} was begun before, and goes on as it was started", err=True)
        return import_

    def _fingerprint(self) -> str:
        """What tells this file, read in this way, from others."""
        with self._file.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        reading = {name: value for name, value in self._asked.items() if name not in _OF_REFUSALS}
        way = msgspec.json.encode([reading, self._mapping], order="sorted")
        return f"{digest} {hashlib.sha256(way).hexdigest()}"

    async def _upload(self, installation: Installation, import_: dict[str, Any]) -> dict[str, Any]:
        first = import_["nextPart"]
        with self._file.open("rb") as content, _bar("Sending", import_["bytes"]) as bar:
            content.seek(first * IMPORT_PART_BYTES)
            number = first
            while part := content.read(IMPORT_PART_BYTES):
                await installation.put_part(import_, number, part)
                number += 1
                bar.update(content.tell())
        return await installation.call("import.get", {"id": import_["id"]})

    async def _start(self, installation: Installation, import_: dict[str, Any]) -> dict[str, Any]:
        asked = dict(self._asked)
        if self._mapping:
            proposed = usable(import_["columns"], asked.get("by"))
            given = {*self._mapping.values()}
            columns = {heading: slug for heading, slug in proposed.items() if slug not in given}
            asked["columns"] = {heading: slug for heading, slug in (columns | self._mapping).items() if slug}
        try:
            started = await installation.call("import.start", {"id": import_["id"], **asked})
        except (DomainError, ServiceError):
            found = await installation.call("import.get", {"id": import_["id"]})
            if found["state"] not in {"uploaded", "checked"}:  # the same command, given twice at once
                return found
            await installation.call("import.cancel", {"id": import_["id"]})  # it would be in others' way
            raise
        if started["format"] == "csv":
            for heading in started["headings"]:
                slug = started["columns"].get(heading)
                click.echo(f"{heading} → {slug}" if slug else f"{heading} is left out", err=True)
        return started


async def _save(installation: Installation, import_: dict[str, Any], kind: str, path: Path | None) -> None:
    """Write what an import has left to *path*, whole or not at all."""
    if path is None:
        return
    with replacing_private(path) as written:
        async for piece in installation.output(import_, kind):
            written.write(piece)


def _tell(import_: dict[str, Any], outputs: dict[str, Path | None]) -> None:
    counts = import_["counts"]
    if import_["state"] in {"done", "checked", "failed"}:
        is_dry = import_["dryRun"]
        echo_table(
            ("LINES", "WOULD BE" if is_dry else "WERE"),
            [(str(counts[outcome]), outcome) for outcome in _OUTCOMES],
        )
        if counts["made"]:
            click.echo(f"{counts['made']:,} records that they name {'would be' if is_dry else 'were'} made")
        if counts["leftOut"]:
            cells = "cell" if counts["leftOut"] == 1 else "cells"
            click.echo(f"{counts['leftOut']:,} {cells} {'would be' if is_dry else 'were'} left out")
        _tell_faults(import_, "left_out")
        if counts["refused"] > _SHOWN_MAX:
            _tell_faults(import_, "refused")
    for refusal in import_["refusals"][:_SHOWN_MAX]:
        click.echo(f"line {refusal['line']}: {'; '.join(refusal['reasons'])}", err=True)
    if import_["state"] not in {"done", "checked"}:
        raise Failure(import_["failure"] or f"the import is {import_['state']}")
    if counts["refused"]:
        lines = "1 line was" if counts["refused"] == 1 else f"{counts['refused']:,} lines were"
        raise Failure(f"{lines} refused: mend them in {outputs['refused']}")


def _tell_faults(import_: dict[str, Any], effect: str) -> None:
    """Tell why lines were refused, or cells left out, by reason."""
    for fault in import_["faults"]:
        if fault["effect"] == effect:
            about = f"{fault['column']}: " if fault["column"] else ""
            lines = ", ".join(str(example["line"]) for example in fault["examples"])
            more = ", …" if fault["count"] > len(fault["examples"]) else ""
            word = "line" if fault["count"] == 1 else "lines"
            click.echo(f"{fault['count']:,} × {about}{fault['reason']} ({word} {lines}{more})", err=True)


class _Bar(Protocol):
    def update(self, done: int) -> None: ...


class _NoBar:
    def update(self, done: int) -> None: ...


class _TerminalBar:
    def __init__(self, bar: Any) -> None:
        self._bar = bar

    def update(self, done: int) -> None:
        self._bar.update(done - self._bar.pos)


@contextmanager
def _bar(label: str, size: int) -> Iterator[_Bar]:
    """A progress bar, on a terminal only."""
    if not sys.stderr.isatty():
        yield _NoBar()
        return
    with click.progressbar(length=size, label=label, file=sys.stderr) as bar:
        yield _TerminalBar(bar)
