"""Versions of records: whether what a call would write was changed since the version that it names."""

from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Fault, InvalidInput
from svc.domain.events import Source
from svc.domain.locale.times import rfc3339
from svc.domain.records.limits import (
    VERSION_CHANGES_BYTES_MAX,
    VERSION_CHANGES_MAX,
    VERSION_COMPARISONS_BYTES_MAX,
)
from svc.domain.records.values import Values
from svc.domain.versions import FIRST_VERSION, ChangedProperty, ChangedSince
from svc.storage.readable import LenientDecoder
from svc.storage.records import rows as record_rows
from svc.storage.records import tables
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import RecordHead
from svc.storage.statements import Statement


class _Change(NamedTuple):
    id: str
    at: int
    changed: str
    source: str


class NewChange(NamedTuple):
    """A change that is not stored yet: the version that it makes, when, what it changes, and its source."""

    version: int
    at: int
    difference: Mapping[str, Any]
    source: Source


class ComparisonBudget:
    """How much the comparisons of one unit may still read."""

    __slots__ = ("bytes_left",)

    def __init__(self) -> None:
        self.bytes_left = VERSION_COMPARISONS_BYTES_MAX


_CHANGE_BYTES: Final = 128
"""What reading a change takes besides what it changed, as if it were bytes of that."""


_SINCE = Statement(
    sa.select(*(tables.record_changes.c[name] for name in _Change._fields))
    .where(
        tables.record_changes.c.record_id == sa.bindparam("record_id"),
        tables.record_changes.c.version > sa.bindparam("if_version"),
    )
    .order_by(tables.record_changes.c.version.desc())
    .limit(sa.bindparam("limit", type_=sa.Integer)),
    _Change,
)
_object: Final = msgspec.json.Decoder(dict[str, Any])
_changed: Final = LenientDecoder(_object, dict, tables.record_changes.c.changed)
_source: Final = LenientDecoder(_object, dict, tables.record_changes.c.source)


def written(before: Values, after: Values) -> Values:
    """The values that a write changes, as it leaves them; None for those that it clears."""
    return {slug: after.get(slug) for slug in {**before, **after} if before.get(slug) != after.get(slug)}


def check(
    conn: sa.Connection,
    object_: StoredObject,
    row: RecordHead,
    if_version: int,
    *,
    stored: Values,
    wanted: Mapping[str, Any] | None,
    pending: Iterable[NewChange] = (),
    budget: ComparisonBudget | None = None,
) -> None:
    """Check that nothing of *wanted*, the values to be written, was changed since *if_version*.

    None of *wanted* stands for all values, which are to be deleted. *stored* are those of *row*, a record of
    *object_*. *pending* are its changes that are not stored yet, the newest first. Comparisons of one unit
    share a *budget*.

    Raises `ChangedSince`, and `InvalidInput` for a version that the record has never had.
    """
    if not FIRST_VERSION <= if_version <= row.version:
        detail = f"the record is at version {row.version}"
        raise InvalidInput([Fault("/ifVersion", "invalid_value", detail)])
    if if_version == row.version or wanted == {}:
        return
    all_slugs = stored.keys() if wanted is None else wanted
    # When each property was changed last, and the source of that.
    latest: dict[str, tuple[int, Source]] = {}
    for new in pending:
        if new.version > if_version:
            for slug in new.difference:
                latest.setdefault(slug, (new.at, new.source))
    for slug, change in _latest_changes(
        conn, row.id, if_version, all_slugs, budget or ComparisonBudget()
    ).items():
        if slug not in latest:
            latest[slug] = change.at, _source.read(change.source, change.id)
    conflicts = tuple(
        ChangedProperty(
            property=slug,
            yours=None if wanted is None else wanted[slug],
            theirs=stored.get(slug),
            changed_by=source,
            changed_at=rfc3339(at),
        )
        for slug, (at, source) in record_rows.visible(object_.properties, latest).items()
        if wanted is None or slug in wanted
    )
    if conflicts:
        raise ChangedSince.version(if_version, conflicts)


def _latest_changes(
    conn: sa.Connection, record_id: str, if_version: int, all_slugs: Collection[str], budget: ComparisonBudget
) -> dict[str, _Change]:
    """The latest change of each property since *if_version*.

    Behind `VERSION_CHANGES_MAX` changes, or `VERSION_CHANGES_BYTES_MAX` of them, or what is left of *budget*,
    any of *all_slugs* may have been changed: then it counts as such.
    """
    latest: dict[str, _Change] = {}
    bytes_max = min(VERSION_CHANGES_BYTES_MAX, budget.bytes_left)
    bytes_read = 0
    limit = VERSION_CHANGES_MAX + 1
    with closing(_SINCE.each(conn, record_id=record_id, if_version=if_version, limit=limit)) as changes:
        for looked_at, change in enumerate(changes):
            is_behind = looked_at == VERSION_CHANGES_MAX or bytes_read > bytes_max
            for slug in all_slugs if is_behind else _changed.read(change.changed, change.id):
                latest.setdefault(slug, change)
            if is_behind:
                break
            bytes_read += len(change.changed)
            budget.bytes_left -= len(change.changed) + _CHANGE_BYTES
    return latest
