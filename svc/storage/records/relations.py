"""Relations in reverse: the records that lead to one."""

import msgspec
import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.cursors import Position
from svc.domain.limits import LIST_ROWS
from svc.storage.pages import Keyset
from svc.storage.readable import each
from svc.storage.records import objects, tables
from svc.storage.records import rows as record_rows
from svc.storage.records.rows import Record


class RelatedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record that leads to the one asked for, and the property by which it does."""

    property: str
    record: Record


def leading_to(
    conn: sa.Connection,
    organization_id: str,
    object_slug: str,
    record_id: str,
    *,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
    pointer: str = "",
) -> tuple[list[RelatedRecord], str | None]:
    """The records that lead to this one, in the order of their making, and the cursor that goes on.

    A relation leads to one record; its many end is this. Raises `NotFound`, and `InvalidInput` of *cursor*
    and *limit*, which are below *pointer* in what was asked.
    """
    record_rows.get_live(conn, organization_id, object_slug, record_id)
    cursors.check_limit(limit, pointer=f"{pointer}/limit")
    keyset = Keyset(["related", record_id], cursor, limit, keys=1, pointer=pointer)
    after = ("", "") if keyset.after is None else (keyset.after.id, keyset.after.keys[0].decode())
    by_id = {object_.id: object_ for object_ in objects.list_all(conn, organization_id)}
    rows = conn.execute(
        sa.select(tables.records, tables.properties.c.slug)
        .join(tables.relations, tables.relations.c.record_id == tables.records.c.id)
        .join(tables.properties, tables.properties.c.id == tables.relations.c.property_id)
        .where(
            tables.relations.c.target_id == record_id,
            sa.tuple_(tables.relations.c.record_id, tables.properties.c.slug)
            > sa.tuple_(*map(sa.literal, after)),
            tables.properties.c.deleted_at.is_(None),
            tables.records.c.deleted_at.is_(None),
        )
        .order_by(tables.records.c.id, tables.properties.c.slug)
        .limit(limit + 1)
    ).all()
    page, next_cursor = keyset.cut(rows, lambda last: Position((last.slug.encode(),), last.id))
    related = each(
        page,
        lambda row: RelatedRecord(property=row.slug, record=record_rows.from_row(by_id[row.object_id], row)),
        "records",
    )
    return related, next_cursor
