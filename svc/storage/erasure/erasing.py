"""An erasure from its beginning to its end: what is found is erased, until nothing more is found.

It reads in one place and writes in another: each write is one unit of a few rows, and may be repeated. So an
erasure that is broken off is given again, and goes on from what is left.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from svc.domain.erasure.limits import ERASED_ROWS_MAX, ERASURE_PASSES_MAX
from svc.domain.erasure.marks import Marks
from svc.storage.erasure import finding, sweep, treatments
from svc.storage.erasure.found_files import FILES, FileSearch, FoundFile
from svc.storage.erasure.person import Person, PersonQuery
from svc.storage.erasure.rows import ErasedRows
from svc.storage.erasure.scans import Reads, batches
from svc.storage.erasure.sweep import Hit

Erase = Callable[[str, Sequence[Hit], Marks], ErasedRows]
"""Erases from rows of a table, in one unit of work."""


class TableFindings(msgspec.Struct, kw_only=True, rename="camel"):
    """What was found in a table."""

    table: str
    found: int = 0
    """Rows that are the person's own, or have something of them."""
    deleted: int = 0
    emptied: int = 0
    changed: int = 0


class KeptRows(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Rows that have something of the person and are not changed."""

    table: str
    column: str
    rows: int
    why: str


class Findings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What an erasure found, and what it did."""

    records: tuple[str, ...]
    tables: tuple[TableFindings, ...]
    kept: tuple[KeptRows, ...]
    files: tuple[FoundFile, ...]
    """Those that have to do with the person: each is removed, or stays."""
    files_unsearched: int
    """Files of the organization whose content is not looked into."""
    shared: int
    """E-mails, phones and names of the person that another contact or a member has, too."""
    complete: bool
    """Whether the last look through everything found nothing more."""

    @property
    def changed_anything(self) -> bool:
        """Whether a row was deleted, emptied or changed."""
        return any(one.deleted or one.emptied or one.changed for one in self.tables)


def erase(
    read: Reads,
    write: Erase | None,
    organization_id: str,
    wanted: PersonQuery,
    *,
    told: Callable[[str], None],
    contents: Path,
) -> Findings:
    """Erase a person from an organization; without *write*, only find what there is.

    *contents* is where those of files are. *told* is called with the name of each table before it is looked
    through. Raises as `finding.find`.
    """
    found = {one.table.name: TableFindings(table=str(one.table.name)) for one in treatments.in_order()}
    files = FileSearch(read, organization_id, contents)
    person: Person | None = None
    complete = write is None
    for number in range(1 if write is None else ERASURE_PASSES_MAX):
        person = finding.find(read, organization_id, wanted, person)
        kept: Counter[tuple[str, str]] = Counter()
        changed = 0
        for table, some in _all_hits(read, organization_id, person, files, told):
            of_table = found[table]
            kept.update((table, hit.column) for hit in some if hit.column is not None)
            touched = [hit for hit in some if hit.how != "kept"]
            if number == 0:
                of_table.found += len(touched)
            if write is None or not touched:
                continue
            done = write(table, touched, person.marks)
            of_table.deleted += done.deleted
            of_table.emptied += done.emptied
            of_table.changed += done.changed
            changed += done.deleted + done.emptied + done.changed
        if not changed:
            complete = True
            break
    assert person is not None  # noqa: S101  # there is one pass at least
    return Findings(
        records=tuple(sorted(person.records)),
        tables=tuple(one for one in found.values() if one.found or one.deleted or one.emptied or one.changed),
        kept=tuple(
            KeptRows(table=table, column=column, rows=rows, why=treatments.BY_TABLE[table].kept[column])
            for (table, column), rows in sorted(kept.items())
        ),
        files=files.found,
        files_unsearched=files.unsearched,
        shared=len(person.shared),
        complete=complete,
    )


def _all_hits(
    read: Reads, organization_id: str, person: Person, files: FileSearch, told: Callable[[str], None]
) -> Iterator[tuple[str, list[Hit]]]:
    """What an erasure has to touch, by table: rows first, then files that nothing uses any more."""
    for treatment in treatments.in_order():
        table = str(treatment.table.name)
        told(table)
        for some in batches(sweep.hits(read, organization_id, treatment, person), ERASED_ROWS_MAX):
            files.note(table, some)
            yield table, some
    told("contents of files")
    for some in batches(files.look(person.marks), ERASED_ROWS_MAX):
        yield FILES, some
