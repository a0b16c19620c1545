"""The writing side of an erasure: a few rows of one table, each as it is now.

What was erased already is left alone, so a unit may be repeated.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.changes import ResourceChanged
from svc.domain.erasure.limits import ERASED_ROWS_MAX
from svc.domain.erasure.marks import Marks, Scrubber, scrubber
from svc.domain.errors import Fault, InvalidInput
from svc.storage.agent import runs as agent_runs
from svc.storage.agent import tables as agent_tables
from svc.storage.approvals import tables as approvals_tables
from svc.storage.channels import tables as channels_tables
from svc.storage.erasure import record_rows, used_files
from svc.storage.erasure.emptied import EMPTIED
from svc.storage.erasure.scans import key_of
from svc.storage.erasure.sweep import Hit
from svc.storage.erasure.treatments import BY_TABLE, Treatment
from svc.storage.files import tables as files_tables
from svc.storage.forms import search_blocks
from svc.storage.forms import tables as forms_tables
from svc.storage.records import tables as records_tables
from svc.storage.schema import facts_of
from svc.storage.store import Tx
from svc.storage.views import tables as views_tables
from svc.storage.webhooks import queues
from svc.storage.webhooks import tables as webhooks_tables
from svc.storage.workflows import runs as workflow_runs
from svc.storage.workflows import tables as workflows_tables

_encode: Final = msgspec.json.Encoder().encode


class ErasedRows(msgspec.Struct, kw_only=True):
    """What became of the rows."""

    deleted: int = 0
    emptied: int = 0
    """Rows of the person's own that are needed as a place that others refer to."""
    changed: int = 0
    records: tuple[str, ...] = ()
    """Ids of the records that were emptied."""


def erase(
    tx: Tx, organization_id: str, table: str, hits: Sequence[Hit], marks: Marks, *, source: Mapping[str, Any]
) -> ErasedRows:
    """Erase the person from the rows *hits* of *table*, at most `ERASED_ROWS_MAX`. Raises `InvalidInput`."""
    treatment = BY_TABLE.get(table)
    if treatment is None or len(hits) > ERASED_ROWS_MAX:
        detail = f"not up to {ERASED_ROWS_MAX} rows of a table that has people in it"
        raise InvalidInput([Fault("/rows", "invalid_value", detail)])
    unit = _Unit(tx, organization_id, treatment, marks, source=source)
    for hit in hits:
        unit.erase(hit)
    unit.end()
    return unit.done


class _Unit:
    """One unit of work, over rows of one table."""

    def __init__(
        self, tx: Tx, organization_id: str, treatment: Treatment, marks: Marks, *, source: Mapping[str, Any]
    ) -> None:
        self.done = ErasedRows()
        self._tx = tx
        self._organization_id = organization_id
        self._treatment = treatment
        self._table = treatment.table
        self._marks = marks
        self._source = source
        self._queues: set[tuple[str, str]] = set()
        """Subscriptions and subjects of which deliveries were deleted."""

    def erase(self, hit: Hit) -> None:
        """Erase the person from one row, if it is there."""
        row = self._row(hit)
        if row is None or hit.how == "kept":
            return
        if hit.how == "own":
            self._erase_own(row, hit)
        else:
            self._erase_marks(row, hit)

    def end(self) -> None:
        """Put right what depends on all of the rows together."""
        for webhook_id, subject in sorted(self._queues):
            queues.reorder(self._tx, webhook_id, [subject])

    def _erase_own(self, row: sa.Row[Any], hit: Hit) -> None:
        if self._table is records_tables.records:
            if record_rows.empty(self._tx, self._organization_id, row.id, self._source):
                self.done.emptied += 1
                self.done.records += (row.id,)
            return
        if self._table is files_tables.files:
            self.done.emptied += used_files.remove_unused(self._tx, self._organization_id, row.id)
            return
        prepare = _PREPARATIONS.get(self._table)
        if prepare is not None:
            prepare(self._tx, row)
        emptied = EMPTIED.get(self._table)
        if emptied is None:
            self._delete(hit)
            if self._table is webhooks_tables.webhook_deliveries:
                self._queues.add((row.webhook_id, row.subject))
            return
        # A column that was ended by the preparation is not taken from the row that was read before it.
        values = emptied(row)
        if any(getattr(row, name) != value for name, value in values.items()):
            self._write(hit, values)
            self.done.emptied += 1

    def _erase_marks(self, row: sa.Row[Any], hit: Hit) -> None:
        texts = scrubber(self._marks, linked=hit.how == "linked")
        if self._table is records_tables.records:
            self.done.changed += record_rows.scrub(
                self._tx, self._organization_id, row.id, texts, hit.ids, source=self._source
            )
            return
        if self._table is workflows_tables.workflow_bursts and hit.ids:
            self._delete(hit)
            return
        if self._table is approvals_tables.approvals and hit.ids:
            _withdraw(self._tx, row)
        values = self._scrubbed(row, texts, hit)
        if values:
            if "key" in values:  # of an idempotency row, where it is a part of what tells the row
                self._delete(hit)
                return
            self._write(hit, values)
            self.done.changed += 1

    def _scrubbed(self, row: sa.Row[Any], texts: Scrubber, hit: Hit) -> dict[str, Any]:
        """What changes in a row."""
        values: dict[str, Any] = {}
        for name in (*self._treatment.texts, *self._treatment.codes):
            stored = getattr(row, name)
            if stored is None:
                continue
            blank = self._treatment.blanked.get(name)
            if blank is not None and hit.ids and _is_about(stored, hit):
                after: Any = blank
            elif name in self._treatment.codes:
                after = texts.code(stored)
            elif name == "candidates":
                after = _without(stored, hit.ids)
            elif self._is_json(name):
                after = _scrubbed_json(self._table, stored, texts)
            else:
                after = texts.text(stored)
            if after != stored:
                values[name] = after
        if self._table is channels_tables.conversations and row.contact_id in hit.ids:
            values["contact_id"] = None
        if "name" in values and _is_unique_by_name(self._table):
            values["name"] = f"{values['name']} {row.id[-6:]}"
        return values

    def _is_json(self, name: str) -> bool:
        column = self._table.c[name]
        return facts_of(column).json is not None or isinstance(column.type, sa.LargeBinary)

    def _row(self, hit: Hit) -> sa.Row[Any] | None:
        return self._tx.conn.execute(sa.select(self._table).where(*self._where(hit))).one_or_none()

    def _where(self, hit: Hit) -> list[sa.ColumnElement[bool]]:
        where = [column == part for column, part in zip(key_of(self._table), hit.key, strict=True)]
        if "organization_id" in self._table.c:
            where.append(self._table.c.organization_id == self._organization_id)
        return where

    def _delete(self, hit: Hit) -> None:
        self._tx.conn.execute(sa.delete(self._table).where(*self._where(hit)))
        self.done.deleted += 1

    def _write(self, hit: Hit, values: Mapping[str, Any]) -> None:
        self._tx.conn.execute(sa.update(self._table).where(*self._where(hit)).values(dict(values)))
        if self._table is forms_tables.submissions:
            search_blocks.replace(self._tx, self._organization_id, str(hit.key[0]))
        noun = _NOUNS.get(str(self._table.name))
        if noun is not None:
            self._tx.announce(ResourceChanged(self._organization_id, noun, str(hit.key[0])))


def _scrubbed_json(table: sa.Table, stored: str | bytes, texts: Scrubber) -> str | bytes:
    try:
        value = msgspec.json.decode(stored)
    except msgspec.DecodeError:
        value = None
    if value is None:
        # What cannot be read is of no use, and may have anything in it.
        return stored if not texts.finds(_as_text(stored)) else type(stored)()
    if table is views_tables.views:
        value = _without_filters(value, texts)
    after = texts.json(value)
    if table is records_tables.properties:
        after = list(dict.fromkeys(after))
    if after == value and table is not views_tables.views:
        return stored
    encoded = _encode(after)
    return encoded if isinstance(stored, bytes) else encoded.decode()


def _without_filters(value: Any, texts: Scrubber) -> Any:
    """The input of a view without the filters by a mark: one by something else would find nothing."""
    filters = value.get("filters") if isinstance(value, dict) else None
    if not isinstance(filters, list):
        return value
    kept = [one for one in filters if texts.json(one) == one]
    return value if len(kept) == len(filters) else {**value, "filters": kept}


def _without(stored: str, ids: Sequence[str]) -> str | None:
    """A list of candidates without *ids*; None where none is left."""
    try:
        candidates = msgspec.json.decode(stored, type=list[str])
    except msgspec.DecodeError:
        candidates = []  # what cannot be read is of no use
    kept = [one for one in candidates if one not in ids]
    return _encode(kept).decode() if kept else None


def _is_about(stored: str | bytes, hit: Hit) -> bool:
    text = _as_text(stored)
    return any(one in text for one in hit.ids)


def _as_text(stored: str | bytes) -> str:
    return stored.decode(errors="replace") if isinstance(stored, bytes) else stored


def _is_unique_by_name(table: sa.Table) -> bool:
    return any(
        isinstance(one, sa.UniqueConstraint) and "name" in [column.name for column in one.columns]
        for one in table.constraints
    )


def _stop_agent(tx: Tx, row: Any) -> None:
    """Stop a run that is under way, so that nothing of the conversation goes on."""
    if row.ended_at is None:
        agent_runs.stop(tx, row.organization_id, row.id)


def _cancel_run(tx: Tx, row: Any) -> None:
    if row.ended_at is None:
        workflow_runs.cancel(tx, row.organization_id, row.id)


def _remove_files(tx: Tx, row: Any) -> None:
    used_files.remove(tx, row.organization_id, row.id)


def _withdraw(tx: Tx, row: Any) -> None:
    """Have a card that waits expire: what is to be done to the person must not be done any more."""
    approvals = approvals_tables.approvals
    if row.asker_kind == "agent":
        tx.conn.execute(
            sa.update(approvals)
            .where(approvals.c.id == row.id, approvals.c.state == "waiting")
            .values(
                state="expired",
                over_at=sa.case((approvals.c.over_at < tx.now, approvals.c.over_at), else_=tx.now),
            )
        )


_PREPARATIONS: Final[Mapping[sa.Table, Callable[[Tx, Any], None]]] = {
    agent_tables.agent_runs: _stop_agent,
    channels_tables.messages: _remove_files,
    workflows_tables.workflow_runs: _cancel_run,
}


_NOUNS: Final = {
    "submissions": "submission",
    "conversations": "conversation",
    "views": "view",
    "forms": "form",
    "embeds": "embed",
    "approvals": "approval",
    "files": "file",
}
"""What the screens show of a table."""
