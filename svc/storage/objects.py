"""Objects and their properties."""

import msgspec
from sqlalchemy import Connection, bindparam, insert, select

from svc.domain.ids import new_id
from svc.domain.objects import BUILTIN_OBJECTS
from svc.domain.properties import Property
from svc.storage.prepared import Prepared
from svc.storage.store import Tx
from svc.storage.tables import objects, properties

_decode_options = msgspec.json.Decoder(tuple[str, ...]).decode


def create_builtin(tx: Tx, organization_id: str) -> None:
    """Give a new organization the objects that every one starts with."""
    for builtin in BUILTIN_OBJECTS:
        object_id = new_id("obj", tx.now)
        tx.conn.execute(
            insert(objects).values(
                id=object_id,
                organization_id=organization_id,
                slug=builtin.slug,
                label=builtin.label,
                label_plural=builtin.label_plural,
                publishable=False,
                created_at=tx.now,
            )
        )
        tx.conn.execute(
            insert(properties),
            [
                {
                    "id": new_id("prp", tx.now),
                    "organization_id": organization_id,
                    "object_id": object_id,
                    "slug": prop.slug,
                    "label": prop.label,
                    "type": prop.type,
                    "options": msgspec.json.encode(prop.options).decode(),
                    "personal": prop.personal,
                    "position": position,
                    "created_at": tx.now,
                }
                for position, prop in enumerate(builtin.properties)
            ],
        )


def ids_by_slug(conn: Connection, organization_id: str) -> dict[str, str]:
    """Ids of the organization's objects, by slug."""
    rows = conn.execute(
        select(objects.c.slug, objects.c.id).where(objects.c.organization_id == organization_id)
    )
    return {slug: object_id for slug, object_id in rows}  # noqa: C416  # rows are not pairs to mypy


_PROPERTIES = Prepared(
    select(
        properties.c.slug,
        properties.c.label,
        properties.c.type,
        properties.c.options,
        properties.c.personal,
    )
    .where(properties.c.object_id == bindparam("object_id"))
    .order_by(properties.c.position)
)


def properties_of(conn: Connection, object_id: str) -> dict[str, Property]:
    """The properties of an object, by slug, in their order."""
    rows = _PROPERTIES.all(conn, {"object_id": object_id})
    return {
        slug: Property(
            slug=slug,
            label=label,
            type=kind,
            options=_decode_options(options),
            personal=bool(personal),
        )
        for slug, label, kind, options, personal in rows
    }
