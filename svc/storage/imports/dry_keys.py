"""What the new records of a dry run would be found by.

A dry run writes no record, so a later batch would not see that an earlier line makes the same one.
"""

import hashlib
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.imports.imports import BY_ID, BY_MATCH, Outcome
from svc.domain.records.matching import IDENTITY_KINDS
from svc.domain.records.sort_keys import fold
from svc.storage.imports.outputs import LineOutcome
from svc.storage.imports.rows import Import
from svc.storage.imports.tables import import_keys
from svc.storage.records.objects import StoredObject
from svc.storage.statements import Statement
from svc.storage.store import Tx

_DIGEST_BYTES: Final = 16


class _Line(NamedTuple):
    line: int


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
    _Line,
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
        row = _FIND.one(tx.conn, import_id=import_.id, run=import_.run, digest=key.digest)
        if row is not None and row.line != judged.line.number:
            outcome: Outcome = "updated"
            if key.slug not in found_by:
                outcome = "refused"
                judged.line.reasons.append(f"line {row.line} has this {key.slug}, which is unique")
            return judged._replace(outcome=outcome)
    for key in {key.digest: key for key in keys}.values():
        if _FIND.one(tx.conn, import_id=import_.id, run=import_.run, digest=key.digest) is None:
            _INSERT.run(
                tx.conn,
                import_id=import_.id,
                run=import_.run,
                digest=key.digest,
                line=judged.line.number,
            )
    return judged


def _keys(object_: StoredObject, properties: dict[str, Any], found_by: tuple[str, ...]) -> Iterator[_Key]:
    for slug, value in properties.items():
        prop = object_.properties.get(slug)
        if prop is not None and (prop.unique or slug in found_by):
            text = fold(value) if isinstance(value, str) else msgspec.json.encode(value).decode()
            digest = hashlib.blake2b(f"{slug}\0{text}".encode(), digest_size=_DIGEST_BYTES).digest()
            yield _Key(slug, digest)
