"""Properties of objects: created, changed and hidden."""

from collections.abc import Sequence

import msgspec
import sqlalchemy as sa

from svc.domain.changes import ObjectsChanged
from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound
from svc.domain.input.near_names import hint, shown
from svc.domain.records import objects as rules
from svc.domain.records.limits import PROPERTIES_MAX
from svc.domain.records.properties import Property
from svc.domain.versions import check_version
from svc.storage.records import objects, tables
from svc.storage.records.objects import PROPERTIES, StoredObject, StoredProperty
from svc.storage.store import Tx


def create(tx: Tx, organization_id: str, object_slug: str, wanted: Property) -> StoredProperty:
    """Add a property; one that was deleted comes back, with its values, when its type is the same.

    Raises:
        NotFound: no such object.
        InvalidInput: with all that is wrong with *wanted*.
        Conflict: the slug is taken, was another type's, or the object has `PROPERTIES_MAX`.
    """
    object_ = objects.get(tx.conn, organization_id, object_slug)
    wanted = rules.check_property(
        object_.slug, wanted, frozenset(objects.ids_by_slug(tx.conn, organization_id))
    )
    if wanted.slug in object_.properties:
        raise Conflict("there is a property with this slug already")
    before = next((prop for prop in object_.kept if prop.slug == wanted.slug), None)
    if before is not None:
        if (before.type, before.unique) != (wanted.type, wanted.unique):
            raise Conflict("a deleted property had this slug: choose another, or bring that one back")
        _change(tx, organization_id, before.id, wanted)
    elif len(object_.kept) >= PROPERTIES_MAX:
        raise Conflict(f"an object has at most {PROPERTIES_MAX} properties")
    else:
        positions = sa.select(sa.func.max(tables.properties.c.position)).where(
            tables.properties.c.object_id == object_.id
        )
        last = tx.conn.scalars(positions).one()
        first = 0 if last is None else last + 1
        objects.insert_properties(tx, organization_id, object_.id, [wanted], first=first)
        tx.announce(ObjectsChanged(organization_id))
    return objects.get(tx.conn, organization_id, object_slug).properties[wanted.slug]


def update(
    tx: Tx,
    organization_id: str,
    object_slug: str,
    slug: str,
    *,
    label: str | None = None,
    options: Sequence[str] | None = None,
    personal: bool | None = None,
    if_version: int | None = None,
) -> StoredProperty:
    """Change the label, options or privacy of a property. Records keep a choice that is taken away.

    Raises:
        NotFound: no such object or property.
        InvalidInput: a value does not fit: a property that is always personal cannot be made public, and a
            relation leads to the object that it was made for.
        Conflict: it is at another version than *if_version*.
    """
    object_ = objects.get(tx.conn, organization_id, object_slug)
    kept = _get(object_, slug)
    check_version(kept.version, if_version)
    changes = {
        "label": label,
        "options": None if options is None else tuple(options),
        "personal": personal,
    }
    wanted = msgspec.structs.replace(
        kept, **{name: value for name, value in changes.items() if value is not None}
    )
    if personal is False and rules.is_personal(object_.slug, kept):
        raise InvalidInput([Fault("/personal", "invalid_value", "it is personal, and stays so")])
    if kept.type == "relation" and wanted.options != kept.options:
        detail = f"it leads to {kept.options[0]}, and records have values that do"
        raise InvalidInput([Fault("/options", "invalid_value", detail)])
    rules.check_property(object_.slug, wanted, frozenset(objects.ids_by_slug(tx.conn, organization_id)))
    _change(tx, organization_id, kept.id, wanted)
    return objects.get(tx.conn, organization_id, object_slug).properties[slug]


def delete(tx: Tx, organization_id: str, object_slug: str, slug: str) -> StoredProperty:
    """Hide a property and its values; `create` with its slug and type brings them back.

    Returns what was hidden.

    Raises `NotFound` for the object or property, and `Conflict` for one that a built-in object needs.
    """
    object_ = objects.get(tx.conn, organization_id, object_slug)
    kept = _get(object_, slug)
    if rules.is_needed(object_.slug, slug):
        raise Conflict("the object cannot do without this property")
    tx.conn.execute(
        sa.update(tables.properties)
        .where(tables.properties.c.id == kept.id)
        .values(deleted_at=tx.now, version=tables.properties.c.version + 1)
    )
    tx.announce(ObjectsChanged(organization_id))
    return kept


def _get(object_: StoredObject, slug: str) -> StoredProperty:
    if slug not in object_.properties:
        raise NotFound(f"{object_.slug} has no property {shown(slug)}{hint(slug, object_.properties)}")
    return object_.properties[slug]


def _change(tx: Tx, organization_id: str, property_id: str, wanted: Property) -> None:
    tx.conn.execute(
        PROPERTIES.update(
            tables.properties.c.id == property_id,
            label=wanted.label,
            options=wanted.options,
            personal=wanted.personal,
            deleted_at=None,
            version=tables.properties.c.version + 1,
        )
    )
    tx.announce(ObjectsChanged(organization_id))
