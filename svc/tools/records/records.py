"""`record.*`: records of every object, built-in and custom, one at a time.

`lists` has what finds them, `many` what writes several at once, `history` what was, what goes, and what comes
back.
"""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS
from svc.domain.records.answers import EXAMPLE, ObjectType, RecordAnswer, RecordId
from svc.storage.identity import organizations
from svc.storage.records import organization_objects, records
from svc.storage.records import relations as record_relations
from svc.storage.records.rows import Record
from svc.storage.records.writes.items import write_one
from svc.storage.records.writes.ways import Item
from svc.storage.store import Tx, View
from svc.tools.projections import Projection
from svc.tools.records import narrowing
from svc.tools.records.answers import (
    ChangedProperties,
    IfRecordVersion,
    NewProperties,
    ObjectTypeOfId,
    answer_of,
)
from svc.tools.records.presentation import ListedRecord, Presentation, ShownMembers
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes

_MARY: Final = msgspec.structs.replace(
    EXAMPLE, properties={"name": "Mary Jackson", "email": "mary@example.com", "city": "Hampton"}
)


class GetRelated(ToolInput, frozen=True, kw_only=True):
    """Which page of the records that lead to one."""

    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str, Cursor] | None = None


class GetRecord(ShownMembers, frozen=True, kw_only=True):
    """Which record to show, and whether with those that lead to it."""

    object_type: ObjectTypeOfId = None
    id: RecordId
    related: Annotated[
        GetRelated | None,
        about(
            description="Show, too, the records of any object whose relations lead to this one: "
            "a company's contacts and deals. `{}` asks for their first page."
        ),
    ] = None


class RelatedRecord(ToolOutput, frozen=True, kw_only=True):
    """A record that leads to another."""

    property: Annotated[str, about(description="The slug of its relation that does.")]
    record: RecordAnswer


class RelatedRecords(ToolOutput, frozen=True, kw_only=True):
    """Records that lead to one, in the order of their making."""

    records: Annotated[tuple[RelatedRecord, ...], about(description="In the order of their making.")]
    next_cursor: Annotated[str | None, NextCursor]


class ShownRecord(ListedRecord, frozen=True, kw_only=True):
    """A record, with those that lead to it where they were asked for."""

    related: RelatedRecords | UnsetType = UNSET


_shown: Final = Projection(Record, ShownRecord, given=("texts", "related"))


@reads(
    "record.get",
    needs="records.read",
    narrows=True,
    raises=(NotFound,),
    example=GetRecord(object_type="contact", id=EXAMPLE.id),
    answer=ShownRecord(**msgspec.structs.asdict(EXAMPLE)),
)
def get(view: View, call: Call, request: GetRecord) -> ShownRecord:
    """Show a record.

    The id of a record that was merged into another shows the other. A relation leads to one record; `related`
    shows its other end, all that leads to this one. To filter or sort those, use `record.list` with a filter
    on the relation. `expand` shows the record that a relation of this one leads to.
    """
    if request.related is not None:
        narrowing.check_not_narrowed(call.caller, "`related`")
    record = narrowing.record_for(view.conn, call.caller, request.object_type, request.id)
    related = UNSET if request.related is None else _related(view, call, record, request.related)
    if request.fields is None and not request.expand and not request.texts:
        return _shown(record, texts=UNSET, related=related)
    organization, object_ = organization_objects.find(
        view.conn, call.caller.organization_id, record.object_type
    )
    seen = narrowing.part_for(call.caller, object_, record.id)
    assert seen is not None  # noqa: S101  # the record was found
    [shown] = Presentation(view.conn, call.caller, organization, seen, request).of([record])
    return ShownRecord(**msgspec.structs.asdict(shown), related=related)


def _related(view: View, call: Call, record: Record, request: GetRelated) -> RelatedRecords:
    rows, next_cursor = record_relations.leading_to(
        view.conn,
        call.caller.organization_id,
        record.object_type,
        record.id,
        cursor=request.cursor,
        limit=request.limit,
        pointer="/related",
    )
    return RelatedRecords(
        records=tuple(RelatedRecord(property=row.property, record=answer_of(row.record)) for row in rows),
        next_cursor=next_cursor,
    )


class CreateRecord(ToolInput, frozen=True, kw_only=True):
    """A record to be made."""

    object_type: ObjectType
    properties: NewProperties


@writes(
    "record.create",
    needs="records.write",
    raises=(NotFound, Conflict),
    example=CreateRecord(object_type="contact", properties=EXAMPLE.properties),
    answer=EXAMPLE,
)
def create(tx: Tx, call: Call, request: CreateRecord) -> RecordAnswer:
    """Create a record.

    Values are checked by the types of their properties: `object.get` shows them. Nothing is matched: use
    `record.upsert` for a record that may be there already.
    """
    organization, object_ = organization_objects.find(
        tx.conn, call.caller.organization_id, request.object_type
    )
    item = Item(request.properties)
    return answer_of(write_one(tx, organization, object_, "create", item, source=call.source()).record)


class UpdateRecord(ToolInput, frozen=True, kw_only=True):
    """What to change of a record."""

    object_type: ObjectTypeOfId = None
    id: RecordId
    properties: ChangedProperties
    if_version: IfRecordVersion = None


@writes(
    "record.update",
    needs="records.write",
    raises=(NotFound, Conflict),
    example=UpdateRecord(object_type="contact", id=EXAMPLE.id, properties={"city": "London"}),
    answer=EXAMPLE,
)
def update(tx: Tx, call: Call, request: UpdateRecord) -> RecordAnswer:
    """Change values of a record.

    What changes nothing leaves no trace: `version` and `updatedAt` stay as they were. With `ifVersion`, two
    people who change two properties of one version both succeed.
    """
    organization = organizations.get(tx.conn, call.caller.organization_id)
    changed = records.update(
        tx,
        organization,
        request.object_type,
        request.id,
        request.properties,
        if_version=request.if_version,
        source=call.source(),
    )
    return answer_of(changed)


class UpsertRecord(ToolInput, frozen=True, kw_only=True):
    """A record to be found and changed, or else made."""

    object_type: ObjectType
    by: Annotated[
        str,
        about(
            description="The property that the record is looked up by: a unique one, or a contact's `email` "
            "or `phone`. `properties` has its value.",
            examples=["email"],
        ),
    ]
    properties: ChangedProperties
    if_version: IfRecordVersion = None


class UpsertedRecord(RecordAnswer, frozen=True, kw_only=True):
    """A record that was changed or made."""

    created: Annotated[bool, about(description="Whether it was made now.")]


_upserted: Final = Projection(Record, UpsertedRecord, given=("created",))


@writes(
    "record.upsert",
    needs="records.write",
    raises=(NotFound, Conflict),
    example=UpsertRecord(object_type="contact", by="email", properties=_MARY.properties),
    answer=UpsertedRecord(**msgspec.structs.asdict(_MARY), created=True),
)
def upsert(tx: Tx, call: Call, request: UpsertRecord) -> UpsertedRecord:
    """Change the record that has a value, or create it where there is none.

    Two upserts at the same moment make one record. A contact is also known by the e-mails and phones of those
    that were merged into it. Several contacts with one e-mail or phone are a conflict: a person decides.
    With `ifVersion` nothing is created: where there is no such record, that is a conflict, too.
    """
    organization = organizations.get(tx.conn, call.caller.organization_id)
    record, created = records.upsert(
        tx,
        organization,
        request.object_type,
        request.by,
        request.properties,
        if_version=request.if_version,
        source=call.source(),
    )
    return _upserted(record, created=created)
