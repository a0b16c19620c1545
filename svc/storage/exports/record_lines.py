"""The lines of an export of records."""

from collections.abc import Iterator

import sqlalchemy as sa

from svc.domain.exports.limits import EXPORT_PIECE_ROWS
from svc.domain.exports.lines import BYTE_ORDER_MARK, Piece
from svc.domain.imports.exported import CsvWriter, json_lines
from svc.domain.locale.times import rfc3339
from svc.domain.records.limits import FILTERED_FIRST_MAX
from svc.domain.records.queries import parse
from svc.storage.exports.rows import Export
from svc.storage.identity import organizations
from svc.storage.records import objects
from svc.storage.records.listing import matching, scans
from svc.storage.records.listing.candidates import COLUMNS, CandidateReader
from svc.storage.records.listing.narrowing import narrowed_groups
from svc.storage.records.listing.search import word_search
from svc.storage.records.rows import visible


def pieces(conn: sa.Connection, export: Export) -> Iterator[Piece]:
    """The records of an export, in the order and with the values that `record.list` shows.

    One statement has all of them, so that the database sorts once. Raises `NotFound` and `InvalidInput` where
    the object or its properties have changed since the start.
    """
    organization = organizations.get(conn, export.organization_id)
    object_ = objects.get(conn, organization.id, export.object_type or "")
    asked = export.query
    query = parse(object_.properties, asked.filters, asked.sort, organization.country)
    query = query._replace(search=word_search(object_, asked.search))
    shown = {
        slug: object_.properties[slug]
        for slug in (object_.properties if asked.fields is None else asked.fields)
        if slug in object_.properties
    }
    csv = CsvWriter(shown.values()) if export.format == "csv" else None
    if csv is not None:
        yield Piece(((BYTE_ORDER_MARK if asked.bom else "") + csv.head()).encode(), 0)
    reader = CandidateReader(object_, query)
    with matching.matched(conn, object_, query) as found:
        found.plan(narrowed_groups(object_, query), FILTERED_FIRST_MAX + 1)
        select = found.select(*COLUMNS).order_by(*scans.in_order(query.order))
        for rows in conn.execute(select, execution_options={"yield_per": EXPORT_PIECE_ROWS}).partitions():
            records = [
                {
                    "id": record.id,
                    "objectType": record.object_type,
                    "version": record.version,
                    "properties": visible(shown, record.properties),
                    "createdAt": rfc3339(record.created_at),
                    "updatedAt": rfc3339(record.updated_at),
                }
                for record in (candidate.record for candidate in reader.read_all(rows, None))
            ]
            data = json_lines(records) if csv is None else csv.lines(records).encode()
            yield Piece(data, len(records))
