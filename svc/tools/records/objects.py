"""`object.*`: the kinds of records that an organization has, built-in and custom."""

from typing import Annotated, Final

import msgspec

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.locale.times import Timestamp
from svc.domain.records.answers import ObjectType
from svc.domain.records.limits import LABEL_CHARS_MAX, OPTION_CHARS_MAX, OPTIONS_MAX, SLUG_CHARS_MAX
from svc.domain.records.objects import BUILTIN_OBJECTS
from svc.domain.records.properties import PropertyType
from svc.domain.versions import Version
from svc.storage.records import objects
from svc.storage.records.objects import StoredObject, StoredProperty
from svc.storage.store import Tx, View
from svc.tools.projections import Projection
from svc.tools.tool import IfVersion, ToolInput, ToolOutput, about, reads, writes

_BUILTIN: Final = frozenset(object_.slug for object_ in BUILTIN_OBJECTS)

Slug = Annotated[
    str,
    about(
        description="A name for programs, in snake case; it never changes.",
        max_length=SLUG_CHARS_MAX,
        examples=["job_title"],
    ),
]
Label = Annotated[
    str, about(description="A name for people.", min_length=1, max_length=LABEL_CHARS_MAX, examples=["Boat"])
]
LabelPlural = Annotated[
    str,
    about(
        description="The name of several of them.",
        min_length=1,
        max_length=LABEL_CHARS_MAX,
        examples=["Boats"],
    ),
]
Type = Annotated[PropertyType, about(description="What its values are; a property never changes its type.")]
Options = Annotated[
    tuple[Annotated[str, about(max_length=OPTION_CHARS_MAX)], ...],
    about(
        description="The choices of a `select` or `multi_select`, in their order; "
        "of a `relation`, the slug of the one object that it leads to.",
        max_length=OPTIONS_MAX,
    ),
]
Personal = Annotated[
    bool,
    about(
        description="Whether the values are about a person, and so never in an embed. "
        "E-mails, phones and a contact's names are, and stay so."
    ),
]
Unique = Annotated[
    bool,
    about(description="Whether no two records have the same value; `record.upsert` can look up by it."),
]


class PropertyAnswer(ToolOutput, frozen=True, kw_only=True):
    """A property of an object."""

    id: Annotated[str, about(description="The property's id.")]
    slug: Slug
    label: Label
    type: Type
    options: Options
    personal: Personal
    unique: Unique
    version: Version


class ObjectSummary(ToolOutput, frozen=True, kw_only=True):
    """An object without its properties."""

    id: Annotated[str, about(description="The object's id.")]
    slug: Annotated[str, about(description="What other tools take as `objectType`.", examples=["boat"])]
    label: Label
    label_plural: LabelPlural
    built_in: Annotated[bool, about(description="Whether every organization has it.")]
    publishable: Annotated[bool, about(description="Whether it may appear in embeds.")]
    version: Version
    created_at: Timestamp


class ObjectAnswer(ObjectSummary, frozen=True, kw_only=True):
    """An object."""

    properties: Annotated[tuple[PropertyAnswer, ...], about(description="Its properties, in their order.")]


class ObjectList(ToolOutput, frozen=True, kw_only=True):
    """The objects of an organization."""

    objects: Annotated[tuple[ObjectSummary, ...], about(description="The built-in ones first.")]


property_answer: Final = Projection(StoredProperty, PropertyAnswer)


def _is_built_in(object_: StoredObject) -> bool:
    return object_.slug in _BUILTIN


_summary: Final = Projection(StoredObject, ObjectSummary, built_in=_is_built_in)
_answer: Final = Projection(
    StoredObject,
    ObjectAnswer,
    built_in=_is_built_in,
    properties=lambda object_: tuple(map(property_answer, object_.properties.values())),
)

EXAMPLE_PROPERTY: Final = PropertyAnswer(
    id="prp_01K5D3V7Q2M8Z4X6C9B1N0T5RB",
    slug="name",
    label="Name",
    type="text",
    options=(),
    personal=False,
    unique=False,
    version=1,
)
_EXAMPLE: Final = ObjectAnswer(
    id="obj_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    slug="boat",
    label="Boat",
    label_plural="Boats",
    built_in=False,
    publishable=False,
    version=1,
    created_at="2026-09-18T09:30:00.000Z",
    properties=(EXAMPLE_PROPERTY,),
)
_LAMP: Final = msgspec.structs.replace(
    _EXAMPLE, slug="lamp", label="Lamp", label_plural="Lamps", publishable=True
)


class ListObjects(ToolInput, frozen=True, kw_only=True):
    """Nothing: all objects are listed."""


@reads(
    "object.list",
    needs="records.read",
    example=ListObjects(),
    answer=ObjectList(
        objects=(
            ObjectSummary(
                id="obj_01K5D3V7Q2M8Z4X6C9B1N0T5R0",
                slug="contact",
                label="Contact",
                label_plural="Contacts",
                built_in=True,
                publishable=False,
                version=1,
                created_at="2026-09-18T09:30:00.000Z",
            ),
        )
    ),
)
def list_(view: View, call: Call, request: ListObjects) -> ObjectList:  # noqa: ARG001  # a tool's parameters
    """List the objects that there are records of.

    `object.get` shows the properties of one.
    """
    rows = objects.list_all(view.conn, call.caller.organization_id)
    return ObjectList(objects=tuple(map(_summary, rows)))


class GetObject(ToolInput, frozen=True, kw_only=True):
    """Which object to show."""

    object_type: ObjectType


@reads(
    "object.get",
    needs="records.read",
    raises=(NotFound,),
    example=GetObject(object_type="lamp"),
    answer=_LAMP,
)
def get(view: View, call: Call, request: GetObject) -> ObjectAnswer:
    """Show an object with its properties: what its records may hold, and of which types."""
    return _answer(objects.get(view.conn, call.caller.organization_id, request.object_type))


class CreateObject(ToolInput, frozen=True, kw_only=True):
    """An object to be made."""

    slug: Slug
    label: Label
    label_plural: LabelPlural


@writes(
    "object.create",
    needs="settings",
    raises=(Conflict,),
    example=CreateObject(slug="boat", label="Boat", label_plural="Boats"),
    answer=_EXAMPLE,
)
def create(tx: Tx, call: Call, request: CreateObject) -> ObjectAnswer:
    """Make a custom object.

    It starts with the property `name`; `property.create` adds others.
    """
    organization_id = call.caller.organization_id
    return _answer(objects.create(tx, organization_id, request.slug, request.label, request.label_plural))


class UpdateObject(ToolInput, frozen=True, kw_only=True):
    """What to change of an object; what is absent stays."""

    object_type: ObjectType
    label: Label | None = None
    label_plural: LabelPlural | None = None
    if_version: IfVersion = None


@writes(
    "object.update",
    needs="settings",
    raises=(NotFound, Conflict),
    example=UpdateObject(object_type="lamp", label_plural="Lamps"),
    answer=_LAMP,
)
def update(tx: Tx, call: Call, request: UpdateObject) -> ObjectAnswer:
    """Rename an object, as people see it."""
    changed = objects.update_labels(
        tx,
        call.caller.organization_id,
        request.object_type,
        label=request.label,
        label_plural=request.label_plural,
        if_version=request.if_version,
    )
    return _answer(changed)


class PublishObject(ToolInput, frozen=True, kw_only=True):
    """Whether an object may appear in embeds."""

    object_type: ObjectType
    publishable: Annotated[
        bool, about(description="True: its records may be shown on websites. False: they are no more.")
    ]


@writes(
    "object.publish",
    needs="settings",
    runs="approval",
    raises=(NotFound,),
    example=PublishObject(object_type="lamp", publishable=True),
    answer=_LAMP,
)
def publish(tx: Tx, call: Call, request: PublishObject) -> ObjectAnswer:
    """Switch whether an object may appear in embeds.

    It is off at first. Switched off, embeds stop showing its records at once. Personal properties are never
    shown, whatever this says.
    """
    organization_id = call.caller.organization_id
    return _answer(objects.publish(tx, organization_id, request.object_type, publishable=request.publishable))
