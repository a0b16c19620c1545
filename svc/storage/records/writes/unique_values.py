"""The unique values of one object's records, as the writes of a unit leave them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.errors import Conflict, Fault, pointer_to
from svc.storage.records import tables
from svc.storage.records.listing import index as record_index
from svc.storage.records.listing.index import INSERT_UNIQUE, unique_key
from svc.storage.records.objects import StoredProperty
from svc.storage.statements import Statement

_Claim = tuple[str, str]
"""The id of a property, and the key of a value."""

_DELETE = Statement(
    sa.delete(tables.unique_values).where(
        tables.unique_values.c.property_id == sa.bindparam("of_property"),
        tables.unique_values.c.value == sa.bindparam("of_value"),
    )
)


class UniqueValues:
    """Which record has which unique value: stored, or written by this unit before."""

    def __init__(self, conn: sa.Connection, unique: Sequence[StoredProperty]) -> None:
        """*unique* are the unique properties."""
        self._conn = conn
        self._unique: Final = unique
        self._stored: dict[_Claim, str | None] = {}
        self._owners: dict[_Claim, str | None] = {}
        """Where a write of this unit has changed them."""

    def load(self, several: Iterable[Mapping[str, Any]]) -> None:
        """Look up the owners of all unique values in *several*, values by slug, at once."""
        several = list(several)
        for prop in self._unique:
            given = (values[prop.slug] for values in several if prop.slug in values)
            keys = list(dict.fromkeys(map(unique_key, given)))
            found = record_index.owners(self._conn, prop.id, keys) if keys else {}
            self._stored.update({(prop.id, key): found.get(key) for key in keys})

    def owner(self, property_id: str, value: Any) -> str | None:
        """The record that has *value*."""
        claim = property_id, unique_key(value)
        if claim in self._owners:
            return self._owners[claim]
        if claim not in self._stored:
            self._stored[claim] = record_index.owner(self._conn, *claim)
        return self._stored[claim]

    def check(self, record_id: str | None, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Raises `Conflict` if a value that *after* has and *before* has not is another record's."""
        taken = [
            prop.slug
            for prop in self._unique
            if prop.slug in after
            and after[prop.slug] != before.get(prop.slug)
            and self.owner(prop.id, after[prop.slug]) not in {None, record_id}
        ]
        if taken:
            detail = f"another record has this {', '.join(taken)}, which is unique"
            faults = [
                Fault("/properties" + pointer_to(slug), Conflict.code, "another record has this value")
                for slug in taken
            ]
            raise Conflict(detail, faults)

    def write(self, record_id: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Note that a record has the values *after* instead of *before*."""
        for prop in self._unique:
            if before.get(prop.slug) == after.get(prop.slug):
                continue
            if prop.slug in before:
                claim = prop.id, unique_key(before[prop.slug])
                self._stored.setdefault(claim, record_id)  # the record has its claim
                self._owners[claim] = None
            if prop.slug in after:
                self._owners[prop.id, unique_key(after[prop.slug])] = record_id

    def store(self) -> None:
        """Store what the writes have changed."""
        changed = {claim: owner for claim, owner in self._owners.items() if owner != self._stored.get(claim)}
        _DELETE.many(
            self._conn,
            [
                {"of_property": property_id, "of_value": key}
                for property_id, key in changed
                if self._stored.get((property_id, key)) is not None
            ],
        )
        INSERT_UNIQUE.many(
            self._conn,
            [
                {"property_id": property_id, "value": key, "record_id": owner}
                for (property_id, key), owner in changed.items()
                if owner is not None
            ],
        )
