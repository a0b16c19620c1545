"""`property.*`: what the records of an object may hold."""

from typing import Annotated

import msgspec

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.locale.times import Timestamp, rfc3339
from svc.domain.records.answers import ObjectType
from svc.domain.records.properties import Property
from svc.storage.records import properties
from svc.storage.store import Tx
from svc.tools.records.objects import (
    Label,
    Options,
    Personal,
    PropertyAnswer,
    Slug,
    Type,
    Unique,
    property_answer,
)
from svc.tools.tool import IfVersion, ToolInput, ToolOutput, about, writes

PropertySlug = Annotated[str, about(description="The property's slug.", examples=["color"])]

_EXAMPLE = PropertyAnswer(
    id="prp_01K5D3V7Q2M8Z4X6C9B1N0T5RC",
    slug="color",
    label="Color",
    type="select",
    options=("Red", "Blue"),
    personal=False,
    unique=False,
    version=1,
)


class CreateProperty(ToolInput, frozen=True, kw_only=True):
    """A property to be added."""

    object_type: ObjectType
    slug: Slug
    label: Label
    type: Type
    options: Options = ()
    personal: Personal = False
    unique: Unique = False


@writes(
    "property.create",
    needs="settings",
    raises=(NotFound, Conflict),
    example=CreateProperty(
        object_type="lamp", slug="color", label="Color", type="select", options=("Red", "Blue")
    ),
    answer=_EXAMPLE,
)
def create(tx: Tx, call: Call, request: CreateProperty) -> PropertyAnswer:
    """Add a property to an object.

    One that was deleted comes back with all its values, when slug, type and uniqueness are what they were. A
    `text`, `number`, `email`, `phone` or `url` may be unique; that is decided here and does not change.
    """
    prop = Property(
        slug=request.slug,
        label=request.label,
        type=request.type,
        options=request.options,
        personal=request.personal,
        unique=request.unique,
    )
    created = properties.create(tx, call.caller.organization_id, request.object_type, prop)
    return property_answer(created)


class UpdateProperty(ToolInput, frozen=True, kw_only=True):
    """What to change of a property; what is absent stays."""

    object_type: ObjectType
    slug: PropertySlug
    label: Label | None = None
    options: Options | None = None
    personal: Personal | None = None
    if_version: IfVersion = None


@writes(
    "property.update",
    needs="settings",
    raises=(NotFound, Conflict),
    example=UpdateProperty(object_type="lamp", slug="finish", options=("Matt", "Polished", "Raw")),
    answer=msgspec.structs.replace(
        _EXAMPLE, slug="finish", label="Finish", options=("Matt", "Polished", "Raw")
    ),
)
def update(tx: Tx, call: Call, request: UpdateProperty) -> PropertyAnswer:
    """Change a property's label, its choices, or whether it is personal.

    `options` are all the choices from now on; records keep one that is taken away.
    """
    changed = properties.update(
        tx,
        call.caller.organization_id,
        request.object_type,
        request.slug,
        label=request.label,
        options=request.options,
        personal=request.personal,
        if_version=request.if_version,
    )
    return property_answer(changed)


class DeleteProperty(ToolInput, frozen=True, kw_only=True):
    """Which property to delete."""

    object_type: ObjectType
    slug: PropertySlug


class DeletedProperty(ToolOutput, frozen=True, kw_only=True):
    """A property that was deleted."""

    id: Annotated[str, about(description="The property's id.")]
    slug: PropertySlug
    deleted_at: Timestamp


@writes(
    "property.delete",
    needs="settings",
    runs="approval",
    raises=(NotFound, Conflict),
    example=DeleteProperty(object_type="lamp", slug="old_number"),
    answer=DeletedProperty(id=_EXAMPLE.id, slug="old_number", deleted_at="2026-09-18T09:30:00.000Z"),
)
def delete(tx: Tx, call: Call, request: DeleteProperty) -> DeletedProperty:
    """Delete a property, and hide its values in every record.

    `property.create` with the same slug and type brings both back. What a built-in object needs stays: a
    contact's name, e-mail and phone; a deal's name, stage and contact.
    """
    hidden = properties.delete(tx, call.caller.organization_id, request.object_type, request.slug)
    return DeletedProperty(id=hidden.id, slug=hidden.slug, deleted_at=rfc3339(tx.now))
