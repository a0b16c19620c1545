"""What the new records of a dry run would be found by.

A dry run writes no record, so a later batch would not see that an earlier line makes the same one.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from svc.domain.imports.faults import Reason
from svc.domain.imports.imports import BY_ID, BY_MATCH, Outcome
from svc.domain.imports.lines import MissingRecord
from svc.domain.records.matching import IDENTITY_KINDS
from svc.domain.records.sort_keys import fold
from svc.storage.imports.outputs import LineOutcome
from svc.storage.imports.rows import Import
from svc.storage.imports.tables import import_keys
from svc.storage.records.listing.index import unique_key
from svc.storage.records.objects import StoredObject
from svc.storage.statements import Statement
from svc.storage.store import Tx

_DIGEST_BYTES: Final = 16


class _Key(NamedTuple):
    """A value that a record is found by."""

    slug: str
    digest: bytes


_FIND: Final = Statement(
    sa.select(import_keys.c.line).where(
        import_keys.c.import_id == sa.bindparam("import_id"),
        import_keys.c.run == sa.bindparam("run"),
        import_keys.c.digest == sa.bindparam("digest"),
    ),
    int,
)
_INSERT: Final = Statement(sa.insert(import_keys))


def judge(
    tx: Tx, import_: Import, object_: StoredObject, judged: LineOutcome, properties: dict[str, Any]
) -> LineOutcome:
    """What becomes of a line that would make a record with *properties*, unless an earlier line makes it."""
    by = None if import_.settings is None else import_.settings.by
    found_by = IDENTITY_KINDS if by == BY_MATCH else () if by in {None, BY_ID} else (by,)
    keys = [*_keys(object_, properties, found_by)]
    for key in keys:
        earlier = _FIND.one(tx.conn, import_id=import_.id, run=import_.run, digest=key.digest)
        if earlier is not None and earlier != judged.line.number:
            outcome: Outcome = "updated"
            if key.slug not in found_by:
                outcome = "refused"
                detail = f"line {earlier} has this {key.slug}, which is unique"
                general = f"an earlier line has this {key.slug}, which is unique"
                judged.line.reasons.append(Reason("", detail, general))
            return judged._replace(outcome=outcome)
    for key in keys:
        _add(tx, import_, key.digest, judged.line.number)
    return judged


def count_new(tx: Tx, import_: Import, missing: Sequence[MissingRecord]) -> int:
    """How many of the records that are *missing* no earlier batch would have made."""
    return sum(
        _add(tx, import_, _digest(f"{one.object_type}\0\0{fold(one.name)}"), import_.at_line)
        for one in missing
    )


def _add(tx: Tx, import_: Import, digest: bytes, line: int) -> bool:
    """Add a key, unless it is there already."""
    if _FIND.one(tx.conn, import_id=import_.id, run=import_.run, digest=digest) is not None:
        return False
    _INSERT.run(tx.conn, import_id=import_.id, run=import_.run, digest=digest, line=line)
    return True


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=_DIGEST_BYTES).digest()


def _keys(object_: StoredObject, properties: dict[str, Any], found_by: tuple[str, ...]) -> Iterator[_Key]:
    for slug, value in properties.items():
        prop = object_.properties.get(slug)
        if prop is not None and (prop.unique or slug in found_by):
            yield _Key(slug, _digest(f"{slug}\0{unique_key(value)}"))
