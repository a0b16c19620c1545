"""Uploads of imports: parts in their order. A part that is given again changes nothing."""

import hashlib
from collections.abc import Iterator
from typing import Final

import sqlalchemy as sa

from svc.domain.errors import Conflict, Fault, InvalidInput, InvalidValue
from svc.domain.imports.imports import ImportState
from svc.domain.imports.layouts import HEAD_BYTES, layout_of
from svc.domain.imports.limits import IMPORT_CHUNK_BYTES, IMPORT_PART_BYTES
from svc.storage.imports import rows as import_rows
from svc.storage.imports.announcing import announce_progress
from svc.storage.imports.rows import IMPORTS, Import
from svc.storage.imports.tables import import_chunks, import_parts
from svc.storage.statements import Statement
from svc.storage.store import Tx

_INSERT_PART: Final = Statement(sa.insert(import_parts))
_PART: Final = Statement(
    sa.select(import_parts.c.digest).where(
        import_parts.c.import_id == sa.bindparam("import_id"), import_parts.c.number == sa.bindparam("number")
    ),
    bytes,
)
_INSERT_CHUNK: Final = Statement(sa.insert(import_chunks))
_CHUNKS: Final = Statement(
    sa.select(import_chunks.c.data)
    .where(
        import_chunks.c.import_id == sa.bindparam("import_id"),
        import_chunks.c.number >= sa.bindparam("first"),
        import_chunks.c.number <= sa.bindparam("last"),
    )
    .order_by(import_chunks.c.number),
    bytes,
)
_DELETE_CHUNKS: Final = Statement(
    sa.delete(import_chunks).where(
        import_chunks.c.import_id == sa.bindparam("of_import"),
        import_chunks.c.number >= sa.bindparam("from_number"),
        import_chunks.c.number < sa.bindparam("to_number"),
    )
)


def parts_of(size: int) -> int:
    """How many parts an upload of *size* bytes has."""
    return -(-size // IMPORT_PART_BYTES)


def part_bytes(size: int, number: int) -> int:
    """The length of the part *number*, from 0 on, of an upload of *size* bytes."""
    return min(IMPORT_PART_BYTES, size - number * IMPORT_PART_BYTES)


def put_part(
    tx: Tx, organization_id: str, import_id: str, number: int, *, data: bytes, told: bytes | None = None
) -> Import:
    """Store the part *number*, from 0 on; with the last one, the first lines of the file are looked at.

    *told* is the SHA-256 that the part has to have.

    Raises:
        NotFound: no such import.
        InvalidInput: there is no such part, or it has another length.
        Conflict: another part comes next, or this one was given with other bytes; or the upload has ended.
    """
    import_ = import_rows.find(tx.conn, organization_id, import_id)
    if not 0 <= number < parts_of(import_.bytes):
        raise InvalidInput([Fault("/part", "invalid_value", f"there are {parts_of(import_.bytes)} parts")])
    expected = part_bytes(import_.bytes, number)
    if len(data) != expected:
        detail = f"the part {number} has {expected:,} bytes, not {len(data):,}"
        raise InvalidInput([Fault("", "invalid_value", detail)])
    digest = hashlib.sha256(data).digest()
    if told not in {None, digest}:
        raise InvalidInput([Fault("", "invalid_value", "the bytes are others than `Content-Digest` says")])
    if number < import_.next_part:
        stored = _PART.one(tx.conn, import_id=import_id, number=number)
        if stored != digest:
            raise Conflict(f"the part {number} was given already, with other bytes")
        return import_
    if import_.state != "uploading":
        raise Conflict(f"this import takes no parts: it is {import_.state}")
    if number > import_.next_part:
        raise Conflict(f"the part {import_.next_part} comes next, not {number}")
    _store(tx, import_, number, digest, data)
    import_.next_part += 1
    import_.updated_at = tx.now
    if import_.next_part == parts_of(import_.bytes):
        _look_at_head(tx, import_)
    IMPORTS.replace(tx.conn, import_)
    announce_progress(tx, import_)
    return import_


def read(conn: sa.Connection, import_id: str, at: int, size: int) -> bytes:
    """At most *size* bytes of the upload, from the position *at* on."""
    first, skipped = divmod(at, IMPORT_CHUNK_BYTES)
    last = (at + size - 1) // IMPORT_CHUNK_BYTES
    chunks = _CHUNKS.all(conn, import_id=import_id, first=first, last=last)
    return b"".join(chunks)[skipped : skipped + size]


def forget(tx: Tx, import_id: str, before: int, until: int) -> None:
    """Delete the chunks that end between the positions *before* and *until*."""
    first, last = before // IMPORT_CHUNK_BYTES, until // IMPORT_CHUNK_BYTES
    if first < last:
        _DELETE_CHUNKS.run(tx.conn, of_import=import_id, from_number=first, to_number=last)


def _store(tx: Tx, import_: Import, number: int, digest: bytes, data: bytes) -> None:
    _INSERT_PART.run(tx.conn, import_id=import_.id, number=number, digest=digest)
    first = number * IMPORT_PART_BYTES // IMPORT_CHUNK_BYTES
    _INSERT_CHUNK.many(
        tx.conn,
        [
            {"import_id": import_.id, "number": place, "data": chunk}
            for place, chunk in enumerate(_cut(data), start=first)
        ],
    )


def _cut(data: bytes) -> Iterator[bytes]:
    yield from (data[at : at + IMPORT_CHUNK_BYTES] for at in range(0, len(data), IMPORT_CHUNK_BYTES))


def _look_at_head(tx: Tx, import_: Import) -> None:
    """Find out how the file is written; one that is none of its format fails."""
    head = read(tx.conn, import_.id, 0, HEAD_BYTES)
    state: ImportState = "uploaded"
    try:
        import_.layout = layout_of(head, import_.format, whole=len(head) == import_.bytes)
    except InvalidValue as error:
        state, import_.failure, import_.ended_at = "failed", str(error), tx.now
    import_.state = state
