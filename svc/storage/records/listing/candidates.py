"""Candidates: rows that a list plan reads, decoded and filtered."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
import sqlalchemy as sa

from svc.domain.cursors import Position
from svc.domain.locale.times import rfc3339
from svc.domain.records.queries import CREATED_AT, TIMES, UPDATED_AT, Query
from svc.domain.records.values import Values
from svc.storage import readable
from svc.storage.records import tables
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record, with_values

COLUMNS: Final = (
    tables.records.c.id,
    tables.records.c.properties,
    tables.records.c.created_at,
    tables.records.c.updated_at,
    tables.records.c.version,
)
"""What a `CandidateReader` reads of a record."""
RecordRow: TypeAlias = sa.Row[Any]
"""A row that has `COLUMNS`."""

_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


class Candidate(NamedTuple):
    """A record for which the conditions hold, with the sort keys of its position."""

    record: Record
    keys: tuple[bytes, ...]


class CandidateReader:
    """Decodes rows, and drops those for which the query's conditions do not hold."""

    def __init__(self, object_: StoredObject, query: Query) -> None:
        self.object_ = object_
        self.query = query
        slugs = {condition.prop.slug for condition in query.conditions}
        slugs |= {key.prop.slug for key in query.order.keys}
        self._uses_times = not slugs.isdisjoint(TIMES)

    def read(self, row: RecordRow) -> Candidate | None:
        """The row's record; None where a condition does not hold, or the row cannot be decoded."""
        try:
            stored: Values = _decode(row.properties)
        except msgspec.DecodeError as error:
            readable.tell("records", row.id, error)
            return None
        values = stored
        if self._uses_times:
            times = {CREATED_AT: rfc3339(row.created_at), UPDATED_AT: rfc3339(row.updated_at)}
            values = stored | times
        if not self.query.holds(values):
            return None
        return Candidate(with_values(self.object_, row, stored), self.query.order.sort_keys(values))

    def read_all(self, rows: Iterable[RecordRow], after: Position | None) -> Iterator[Candidate]:
        """The records of *rows* that match and come behind the position *after*."""
        for row in rows:
            candidate = self.read(row)
            if candidate is not None and self.follows(candidate, after):
                yield candidate

    def rank(self, candidate: Candidate) -> Any:
        """What sorts candidates into the order of the query."""
        return self.query.order.rank(candidate.keys, candidate.record.id)

    def follows(self, candidate: Candidate, after: Position | None) -> bool:
        """Whether the candidate comes behind the position *after*."""
        return after is None or self.rank(candidate) > self.query.order.rank(after.keys, after.id)
