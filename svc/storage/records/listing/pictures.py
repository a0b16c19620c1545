"""Which files are pictures of records, and the check that all of them are known as uses."""

from collections.abc import Iterator
from typing import Any

import msgspec
import sqlalchemy as sa

from svc.domain.files.files import is_file_id
from svc.storage.files import tables as files_tables
from svc.storage.records import tables
from svc.storage.sql.expressions import Utf8


def unknown(conn: sa.Connection) -> Iterator[str]:
    """Name each record with a picture that is a file, of which no row says that the record uses it."""
    properties, records, uses = tables.properties, tables.records, files_tables.file_uses
    pictures = conn.execute(
        sa.select(properties.c.id, properties.c.object_id, properties.c.slug).where(
            properties.c.type == "picture"
        )
    ).all()
    for property_id, object_id, slug in pictures:
        rows = conn.execute(
            sa.select(records.c.id, Utf8(records.c.properties), uses.c.file_id)
            .outerjoin(uses, sa.and_(uses.c.subject_id == records.c.id, uses.c.place == property_id))
            .where(records.c.object_id == object_id)
            .execution_options(yield_per=1_000)
        )
        for record_id, stored, file_id in rows.tuples():
            try:
                value = msgspec.json.decode(stored, type=dict[str, Any]).get(slug)
            except msgspec.DecodeError:
                continue  # another check names it
            if is_file_id(value) and value != file_id:
                yield f"{record_id}, its {slug}"
