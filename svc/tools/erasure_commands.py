"""The operator's commands that erase a person; see `svc.tools.operator_commands`.

`svc erase-person` finds the rows itself, in a process of its own, and has them erased by these: each is one
short unit of work.
"""

from typing import Final

from svc.domain.erasure.limits import SEARCH_MERGED_PAGES
from svc.domain.erasure.marks import Marks
from svc.domain.identity.callers import operator_call
from svc.storage import audit
from svc.storage.erasure import rows
from svc.storage.erasure.rows import ErasedRows
from svc.storage.erasure.sweep import Hit
from svc.storage.identity import organizations
from svc.storage.sql import full_text
from svc.storage.store import Tx
from svc.tools.command import command
from svc.tools.projections import Projection
from svc.tools.tool import ToolInput, ToolOutput

ERASURE: Final = "person.erase"
"""The action in the audit trail."""


class EraseRows(ToolInput, frozen=True, kw_only=True):
    """Rows of one table, at most `ERASED_ROWS_MAX`, and what tells the person in their texts."""

    organization_id: str
    table: str
    rows: tuple[Hit, ...]
    marks: Marks


class ErasureCount(ToolOutput, frozen=True, kw_only=True):
    """How many rows were deleted, emptied and changed, and the records among them that were emptied."""

    deleted: int
    emptied: int
    changed: int
    records: tuple[str, ...]


_count_of: Final = Projection(ErasedRows, ErasureCount)


@command("person.erase_rows")
def erase_rows(tx: Tx, request: EraseRows) -> ErasureCount:
    """Erase a person from rows. Raises `NotFound` and `InvalidInput`.

    Each record that is emptied is noted in the audit trail, by its id.
    """
    organizations.get(tx.conn, request.organization_id)
    call = operator_call(request.organization_id)
    done = rows.erase(
        tx, request.organization_id, request.table, request.rows, request.marks, source=call.source()
    )
    for record_id in done.records:
        audit.note(tx, call, ERASURE, record_id)
    return _count_of(done)


class NoteErasure(ToolInput, frozen=True, kw_only=True):
    """The organization from which a person without a record was erased."""

    organization_id: str


class ErasureNoted(ToolOutput, frozen=True, kw_only=True):
    """Nothing to answer."""


@command("person.note_erasure")
def note_erasure(tx: Tx, request: NoteErasure) -> ErasureNoted:
    """Note in the audit trail that a person was erased who was no record. Raises `NotFound`."""
    organizations.get(tx.conn, request.organization_id)
    audit.note(tx, operator_call(request.organization_id), ERASURE)
    return ErasureNoted()


class MergeSearch(ToolInput, frozen=True, kw_only=True):
    """Whether a merge of the index of words begins, or goes on."""

    begins: bool


class SearchMerged(ToolOutput, frozen=True, kw_only=True):
    """Whether there is more to merge."""

    more: bool


@command("search.merge", alone=True)
def merge_search(tx: Tx, request: MergeSearch) -> SearchMerged:
    """Merge a part of the index of words, so that what was deleted leaves it."""
    return SearchMerged(more=full_text.merge(tx.conn, SEARCH_MERGED_PAGES, begins=request.begins))
