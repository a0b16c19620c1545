"""`svc erase-person`: find and remove all traces of one person.

It looks through the data in this process, in short snapshots, so a service that is running does not wait for
it. What is found is erased in short units of work: by the service if it is running, else by this process.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import click
import msgspec
import trio

from svc.cli import offline
from svc.cli.data_directory import DataDirectory
from svc.cli.failures import as_failure
from svc.cli.offline import DataInUse
from svc.cli.operator_calls import Operator
from svc.cli.options import ORGANIZATION, as_operator
from svc.cli.tables import echo_table
from svc.domain.erasure.marks import Marks
from svc.storage.erasure import erasing
from svc.storage.erasure.erasing import Findings
from svc.storage.erasure.found_files import FoundFile
from svc.storage.erasure.person import PersonQuery
from svc.storage.erasure.rows import ErasedRows
from svc.storage.erasure.sweep import Hit
from svc.storage.files import sweeping
from svc.storage.files.directory import DirectoryFiles
from svc.storage.files.sweeping import RemovedFile
from svc.storage.sqlite.offline import compact, cut_log
from svc.storage.store import StoreError, StoreInUse, Tx
from svc.tools import erasure_commands
from svc.tools.erasure_commands import EraseRows, MergeSearch, NoteErasure

_ELSEWHERE: Final = (
    ("backups and exports", "they were made before; make new ones, and delete the old ones when you may"),
    ("deliveries and replies that went out", "they are with those who received them"),
    ("model providers", "they were sent what agents and the gateway asked them"),
)
_AT_RISK: Final = (
    "free space of the database",
    "the service is running: stop it and give this command again, which then rewrites the file",
)
_VACUUM: Final = (
    "dead rows of the database, its log, and copies of it",
    "PostgreSQL overwrites them in its own time; VACUUM FULL does so now, but in its log",
)
_LOG: Final = ("the write-ahead log", "it was in use: give the command again")


class Stays(msgspec.Struct, frozen=True):
    """What stays, and why."""

    what: str
    why: str
    rows: int | None = None


class Report(msgspec.Struct, frozen=True, rename="camel"):
    """What an erasure found, what it did, and what stays."""

    organization_id: str
    dry_run: bool
    findings: Findings
    stays: tuple[Stays, ...]


@click.command("erase-person")
@click.option("--email", metavar="E", help="The person's e-mail address.")
@click.option("--phone", metavar="P", help="The person's phone number.")
@click.option("--record", metavar="ID", help="The person's contact, or another record of a person.")
@click.option("--dry-run", is_flag=True, help="Only tell what there is.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@ORGANIZATION
@as_operator
def command(
    operator: Operator,
    /,
    *,
    email: str | None,
    phone: str | None,
    record: str | None,
    dry_run: bool,
    as_json: bool,
    organization: str | None,
) -> None:
    """Remove all traces of one person from an organization, and report what was found and what stays.

    It cannot be undone. Given again, it finds nothing more.
    """
    if email is None and phone is None and record is None:
        raise click.UsageError("say --email, --phone or --record")
    home = operator.organization(organization).id
    wanted = PersonQuery(email=email, phone=phone, record_id=record)
    with as_failure(StoreError):
        findings = erasing.erase(
            operator.read,
            None if dry_run else _eraser(operator, home),
            home,
            wanted,
            told=_teller(),
            contents=operator.directory.files,
        )
        stays = list(_stays(findings))
        if not dry_run:
            stays += _finish(operator, home, findings)
    report = Report(home, dry_run, findings, tuple(stays))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(report)))
    else:
        _show(report)


def _eraser(operator: Operator, organization_id: str) -> erasing.Erase:
    def erase(table: str, rows: Sequence[Hit], marks: Marks) -> ErasedRows:
        asked = EraseRows(organization_id=organization_id, table=table, rows=tuple(rows), marks=marks)
        done = operator.run(erasure_commands.erase_rows, asked)
        return ErasedRows(**msgspec.structs.asdict(done))

    return erase


def _finish(operator: Operator, organization_id: str, findings: Findings) -> list[Stays]:
    """Note the erasure, and see to it that what was deleted is gone from the files, too; what may be left."""
    if findings.changed_anything and not findings.records:
        operator.run(erasure_commands.note_erasure, NoteErasure(organization_id=organization_id))
    begins = True
    while operator.run(erasure_commands.merge_search, MergeSearch(begins=begins)).more:
        begins = False
    database = operator.directory.database
    try:
        _delete_contents(operator.directory)
        if operator.directory.database_url is not None:
            return [Stays(*_VACUUM)]
        compact(database)
    except StoreInUse:
        if operator.directory.database_url is not None:
            return [Stays(*_VACUUM)]
        left = [Stays(*_AT_RISK)]
        return left if cut_log(database) else [*left, Stays(*_LOG)]
    return []


def _delete_contents(directory: DataDirectory) -> None:
    """Delete the contents of files that were removed, as the service does it while it is running."""
    files = DirectoryFiles(directory.files)
    while removed := offline.read(directory, sweeping.removed_files):
        gone = []
        for one in removed:
            is_needed = offline.read(directory, sweeping.is_needed, one.organization_id, one.digest)
            if is_needed or trio.run(files.delete, one.organization_id, one.digest):
                gone.append(one)
        if not gone:  # a backup is being made
            return
        try:
            offline.write(directory, partial(_let_go, gone))
        except DataInUse as error:
            raise StoreInUse(str(error), error.holder) from error


def _let_go(gone: Sequence[RemovedFile], tx: Tx) -> None:
    for organization_id, ids in sweeping.by_organization(gone).items():
        sweeping.let_go(tx, organization_id, ids)


def _stays(findings: Findings) -> list[Stays]:
    stays = [Stays(f"{kept.column} of {kept.table}", kept.why, kept.rows) for kept in findings.kept]
    stays += [Stays(_file(file), file.why) for file in findings.files if not file.removed]
    if findings.files_unsearched:
        why = "what is in them is not looked into, but for where they hang on the person's records"
        stays.append(Stays("pictures, documents and archives", why, findings.files_unsearched))
    if findings.shared:
        why = "another contact or a member has them, too: they stay where nothing else leads to the person"
        stays.append(Stays("e-mails, phones and names", why, findings.shared))
    if not findings.complete:
        why = "something new came while it was looked for: give the command again"
        stays.append(Stays("what came meanwhile", why))
    return [*stays, *(Stays(what, why) for what, why in _ELSEWHERE)]


def _file(file: FoundFile) -> str:
    kind = file.media_type.partition(";")[0]
    return f"the file {file.id} ({kind}, {file.size:,} bytes)"


def _teller() -> Callable[[str], None]:
    """Tells on a terminal which table is looked through."""
    if sys.stderr is None or not sys.stderr.isatty():
        return lambda _table: None

    def tell(table: str) -> None:
        with suppress(OSError):
            click.echo(f"\r\x1b[Klooking through {table}", err=True, nl=False)

    return tell


def _show(report: Report) -> None:
    findings = report.findings
    if sys.stderr is not None and sys.stderr.isatty():
        click.echo("\r\x1b[K", err=True, nl=False)
    if findings.tables:
        rows = [
            (one.table, *(f"{rows:,}" for rows in (one.found, one.deleted, one.emptied, one.changed)))
            for one in findings.tables
        ]
        echo_table(("TABLE", "FOUND", "DELETED", "EMPTIED", "CHANGED"), rows)
    else:
        click.echo("nothing more is found")
    removed = [file for file in findings.files if file.removed]
    if removed:
        click.echo("\nFiles that go:")
    for file in removed:
        click.echo(f"- {_file(file)}: {file.why}")
    click.echo("\nWhat stays:")
    for stays in report.stays:
        rows_of = "" if stays.rows is None else f" ({stays.rows:,})"
        click.echo(f"- {stays.what}{rows_of}: {stays.why}")
    if report.dry_run:
        click.echo("\nNothing was changed: leave out --dry-run to erase it")
