"""Blocks of the texts that submissions are searched by, so that a search reads few rows.

A block has the e-mail addresses, phone numbers and names of 500 successive submissions of an organization, in
one value. A search looks for its text in the blocks, and then reads the rows of the lines that have it; the
row decides. Submissions after the last block are not in any: the Indexer adds blocks when a search had to
look at as many rows as one has. So storing a submission costs nothing for it, nor does an organization that
never searches.
"""

from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from heapq import merge
from itertools import islice
from typing import Final, NamedTuple

import sqlalchemy as sa

from svc.storage.forms import tables
from svc.storage.sql.expressions import Utf8
from svc.storage.statements import LOOKED_UP_MAX, Statement
from svc.storage.store import Tx

BLOCK_ROWS: Final = LOOKED_UP_MAX
"""As many ids as one statement looks up."""

_LINE_END: Final = b"\0"
_TEXT_END: Final = b"\n"


class _Texts(NamedTuple):
    """The texts of a block, a line for each submission."""

    first_id: str
    texts: bytes


class _Block(NamedTuple):
    """A block."""

    first_id: str
    texts: bytes
    ids: bytes


_block: Final = tables.submission_blocks.c
_own: Final = _block.organization_id == sa.bindparam("of_organization")
_LAST: Final = Statement(sa.select(_block.end_id).where(_own).order_by(_block.first_id.desc()).limit(1), str)
_TEXTS: Final = Statement(
    sa.select(_block.first_id, _block.texts)
    .where(_own, _block.first_id < sa.bindparam("before"))
    .order_by(_block.first_id.desc()),
    _Texts,
)
_IDS: Final = Statement(sa.select(_block.ids).where(_own, _block.first_id == sa.bindparam("first")), bytes)
_WITH: Final = Statement(
    sa.select(_block.first_id, _block.texts, _block.ids)
    .where(_own, _block.first_id <= sa.bindparam("submission"), _block.end_id > sa.bindparam("submission"))
    .order_by(_block.first_id.desc())
    .limit(1),
    _Block,
)
_INSERT: Final = Statement(sa.insert(tables.submission_blocks))
_REPLACE: Final = Statement(
    sa.update(tables.submission_blocks)
    .where(_own, _block.first_id == sa.bindparam("first"))
    .values(texts=sa.bindparam("new_texts"))
)
_CUT: Final = Statement(
    sa.update(tables.submission_blocks)
    .where(_own, _block.first_id == sa.bindparam("first"))
    .values(texts=sa.bindparam("new_texts"), ids=sa.bindparam("new_ids"))
)
_DELETE: Final = Statement(
    sa.delete(tables.submission_blocks).where(_own, _block.first_id == sa.bindparam("first"))
)
_OF_FORM: Final = Statement(
    sa.select(tables.submissions.c.id)
    .where(
        tables.submissions.c.form_id == sa.bindparam("of_form"),
        tables.submissions.c.id >= sa.bindparam("since"),
    )
    .order_by(tables.submissions.c.id),
    str,
)
# Bytes, so that a text that cannot be decoded takes no block with it.
_SEARCHED: Final = tuple(
    Utf8(column).label(column.name)
    for column in (tables.submissions.c.email, tables.submissions.c.phone, tables.submissions.c.name)
)


def end(conn: sa.Connection, organization_id: str) -> str:
    """The id from which on submissions are in no block."""
    return _LAST.one(conn, of_organization=organization_id) or ""


def is_full(conn: sa.Connection, form_ids: Collection[str], since: str) -> bool:
    """Whether these forms have more submissions from *since* on than a block has."""
    column = tables.submissions.c
    after = sa.select(column.id).where(column.form_id.in_(form_ids), column.id >= since)
    counted = after.limit(BLOCK_ROWS + 1).subquery()
    return conn.execute(sa.select(sa.func.count()).select_from(counted)).scalar_one() > BLOCK_ROWS


def candidates(conn: sa.Connection, organization_id: str, search: str, before: str) -> Generator[str]:
    """Ids of the submissions before one that have *search* in a text, the newest first.

    They are of any form and in any state. Letters of ASCII are alike in both cases, as for the database.
    Close it (`contextlib.closing`) where it may not be read to its end.
    """
    wanted = _folded(search.encode())
    with closing(_TEXTS.each(conn, of_organization=organization_id, before=before)) as blocks:
        for block in blocks:
            if wanted not in block.texts:
                continue
            ids = _ids(_IDS.all(conn, of_organization=organization_id, first=block.first_id)[0])
            lines = block.texts.split(_LINE_END)
            found = [id_ for id_, line in zip(ids, lines, strict=True) if wanted in line and id_ < before]
            yield from reversed(found)


def build(tx: Tx, organization_id: str, rows: int = BLOCK_ROWS) -> bool:
    """Add the next block of so many *rows*, if there are more; whether there may be another to add."""
    ids = _ids_since(tx.conn, organization_id, end(tx.conn, organization_id), rows + 1)
    if len(ids) <= rows:
        return False
    *ids, end_id = ids
    column = tables.submissions.c
    texts = tx.conn.execute(sa.select(*_SEARCHED).where(column.id.in_(ids)).order_by(column.id))
    _INSERT.run(
        tx.conn,
        organization_id=organization_id,
        first_id=ids[0],
        end_id=end_id,
        texts=_LINE_END.join(_line(row) for row in texts.tuples()),
        ids="\n".join(ids).encode(),
    )
    return True


def replace(tx: Tx, organization_id: str, submission_id: str) -> None:
    """Replace the texts of a submission whose row was changed."""
    block = _WITH.one(tx.conn, of_organization=organization_id, submission=submission_id)
    if block is None:
        return
    row = tx.conn.execute(sa.select(*_SEARCHED).where(tables.submissions.c.id == submission_id)).one()
    lines = block.texts.split(_LINE_END)
    lines[_ids(block.ids).index(submission_id)] = _line(row)
    _REPLACE.run(
        tx.conn,
        of_organization=organization_id,
        first=block.first_id,
        new_texts=_LINE_END.join(lines),
    )


def remove(tx: Tx, organization_id: str, submission_id: str) -> None:
    """Forget a submission whose row is deleted. A block of which nothing is left is deleted."""
    block = _WITH.one(tx.conn, of_organization=organization_id, submission=submission_id)
    if block is None:
        return
    ids, lines = _ids(block.ids), block.texts.split(_LINE_END)
    place = ids.index(submission_id)
    del ids[place], lines[place]
    if not ids:
        _DELETE.run(tx.conn, of_organization=organization_id, first=block.first_id)
        return
    _CUT.run(
        tx.conn,
        of_organization=organization_id,
        first=block.first_id,
        new_texts=_LINE_END.join(lines),
        new_ids="\n".join(ids).encode(),
    )


def unlike_rows(conn: sa.Connection) -> Iterator[str]:
    """Blocks of which a line is not what its submission is searched by."""
    for organization_id, first_id, texts, ids in conn.execute(
        sa.select(_block.organization_id, _block.first_id, _block.texts, _block.ids)
    ):
        rows = conn.execute(
            sa.select(tables.submissions.c.id, *_SEARCHED)
            .where(tables.submissions.c.id.in_(_ids(ids)))
            .order_by(tables.submissions.c.id)
        ).all()
        if _ids(ids) != [row[0] for row in rows] or texts.split(_LINE_END) != [
            _line(row[1:]) for row in rows
        ]:
            yield f"{organization_id}, from {first_id} on"


def _ids_since(conn: sa.Connection, organization_id: str, first: str, most: int) -> list[str]:
    """The oldest *most* submissions from one on, of all forms."""
    forms = sa.select(tables.forms.c.id).where(tables.forms.c.organization_id == organization_id)
    with ExitStack() as stack:
        of_forms = [
            stack.enter_context(closing(_OF_FORM.each(conn, of_form=form_id, since=first)))
            for form_id in conn.scalars(forms).all()
        ]
        return list(islice(merge(*of_forms), most))


def _line(texts: Sequence[bytes | None]) -> bytes:
    """What a submission is searched by; no text has a byte 0, but for one that was written by hand."""
    known = [text for text in texts if text is not None]
    return _folded(_TEXT_END.join(known).replace(_LINE_END, _TEXT_END))


def _folded(text: bytes) -> bytes:
    """*text* with the letters of ASCII in lower case, and no others, as SQLite's `lower` has it."""
    return text.lower()


def _ids(stored: bytes) -> list[str]:
    return stored.decode().split("\n")
