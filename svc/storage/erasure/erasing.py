"""An erasure from its beginning to its end: what is found is erased, until nothing more is found.

It reads in one place and writes in another: each write is one unit of a few rows, and may be repeated. So an
erasure that is broken off is given again, and goes on from what is left.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from svc.domain.erasure.marks import Marks
from svc.domain.limits import ERASED_ROWS_MAX, ERASURE_PASSES_MAX
from svc.storage.erasure import finding, sweep, treatments
from svc.storage.erasure.person import Person, Wanted
from svc.storage.erasure.rows import ErasedRows
from svc.storage.erasure.scans import Reads
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


class Kept(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Rows that have something of the person and are not changed."""

    table: str
    column: str
    rows: int
    why: str


class Findings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What an erasure found, and what it did."""

    records: tuple[str, ...]
    tables: tuple[TableFindings, ...]
    kept: tuple[Kept, ...]
    shared: int
    """E-mails, phones and names of the person that another contact or a member has, too."""
    complete: bool
    """Whether the last look through everything found nothing more."""

    @property
    def changed_anything(self) -> bool:
        """Whether a row was deleted, emptied or changed."""
        return any(one.deleted or one.emptied or one.changed for one in self.tables)


def erase(
    read: Reads, write: Erase | None, organization_id: str, wanted: Wanted, told: Callable[[str], None]
) -> Findings:
    """Erase a person from an organization; without *write*, only find what there is.

    *told* is called with the name of each table before it is looked through. Raises as `finding.find`.
    """
    found = {one.table.name: TableFindings(table=str(one.table.name)) for one in treatments.in_order()}
    person: Person | None = None
    complete = write is None
    for number in range(1 if write is None else ERASURE_PASSES_MAX):
        person = finding.find(read, organization_id, wanted, person)
        kept: Counter[tuple[str, str]] = Counter()
        changed = 0
        for treatment in treatments.in_order():
            told(str(treatment.table.name))
            of_table = found[treatment.table.name]
            hits = sweep.hits(read, organization_id, treatment, person)
            for some in _batches(hits):
                kept.update((of_table.table, hit.column) for hit in some if hit.column is not None)
                touched = [hit for hit in some if hit.how != "kept"]
                if number == 0:
                    of_table.found += len(touched)
                if write is None or not touched:
                    continue
                done = write(of_table.table, touched, person.marks)
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
            Kept(table=table, column=column, rows=rows, why=treatments.BY_TABLE[table].kept[column])
            for (table, column), rows in sorted(kept.items())
        ),
        shared=len(person.shared),
        complete=complete,
    )


def _batches(hits: Iterable[Hit]) -> Iterator[list[Hit]]:
    batch: list[Hit] = []
    for hit in hits:
        batch.append(hit)
        if len(batch) == ERASED_ROWS_MAX:
            yield batch
            batch = []
    if batch:
        yield batch
