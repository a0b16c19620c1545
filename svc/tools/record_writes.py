"""`record.*`, what changes records."""

from typing import Annotated, Any, Final

import msgspec

from svc.domain.callers import Call
from svc.domain.errors import Conflict, NotFound
from svc.domain.limits import RECORDS_CREATED_MAX
from svc.domain.times import rfc3339
from svc.storage import organizations, record_merges, record_upserts, records
from svc.storage.store import Tx
from svc.tools.records import EXAMPLE, ObjectType, RecordAnswer, RecordId, answer_of, facts_of
from svc.tools.tool import Answer, Asked, Timestamp, about, tool, writes

NewProperties = Annotated[
    dict[str, Any],
    about(description="Values by the slugs of the object's properties, each in its property's type."),
]
ChangedProperties = Annotated[
    dict[str, Any],
    about(description="Values by slug; null clears one, and what is absent stays as it is."),
]
_EXAMPLE_FACTS: Final = msgspec.structs.asdict(EXAMPLE)


class CreateRecord(Asked, frozen=True, kw_only=True):
    """A record to be made."""

    object_type: ObjectType
    properties: NewProperties


@tool(
    "record.create",
    writes,
    needs="records.write",
    refuses=(NotFound, Conflict),
    example=CreateRecord(object_type="contact", properties=EXAMPLE.properties),
    answer=EXAMPLE,
)
def create(tx: Tx, call: Call, asked: CreateRecord) -> RecordAnswer:
    """Create a record.

    Values are checked by the types of their properties: `object.get` shows them. Nothing is matched: use
    `record.upsert` for a record that may be there already.
    """
    organization = organizations.get(tx.conn, call.caller.organization_id)
    made = records.create(tx, organization, asked.object_type, asked.properties, source=call.source())
    return answer_of(made)


class NewRecord(Asked, frozen=True, kw_only=True):
    """One of several records to be made."""

    properties: NewProperties


class CreateManyRecords(Asked, frozen=True, kw_only=True):
    """Records of one object to be made."""

    object_type: ObjectType
    records: Annotated[tuple[NewRecord, ...], about(min_length=1, max_length=RECORDS_CREATED_MAX)]


class CreatedRecords(Answer, frozen=True, kw_only=True):
    """Records that were made."""

    records: Annotated[tuple[RecordAnswer, ...], about(description="In the order in which they were given.")]


@tool(
    "record.create_many",
    writes,
    needs="records.write",
    refuses=(NotFound, Conflict),
    example=CreateManyRecords(object_type="contact", records=(NewRecord(properties=EXAMPLE.properties),)),
    answer=CreatedRecords(records=(EXAMPLE,)),
)
def create_many(tx: Tx, call: Call, asked: CreateManyRecords) -> CreatedRecords:
    """Create several records of one object: all of them, or none.

    What is wrong with any of them is told for all of them at once.
    """
    organization = organizations.get(tx.conn, call.caller.organization_id)
    made = records.create_many(
        tx,
        organization,
        asked.object_type,
        [one.properties for one in asked.records],
        source=call.source(),
    )
    return CreatedRecords(records=tuple(map(answer_of, made)))


class UpdateRecord(Asked, frozen=True, kw_only=True):
    """What to change of a record."""

    object_type: ObjectType
    id: RecordId
    properties: ChangedProperties


@tool(
    "record.update",
    writes,
    needs="records.write",
    refuses=(NotFound, Conflict),
    example=UpdateRecord(object_type="contact", id=EXAMPLE.id, properties={"city": "London"}),
    answer=EXAMPLE,
)
def update(tx: Tx, call: Call, asked: UpdateRecord) -> RecordAnswer:
    """Change values of a record.

    What changes nothing leaves no trace: `updatedAt` stays as it was.
    """
    organization = organizations.get(tx.conn, call.caller.organization_id)
    changed = records.update_one(
        tx, organization, asked.object_type, asked.id, asked.properties, source=call.source()
    )
    return answer_of(changed)


class UpsertRecord(Asked, frozen=True, kw_only=True):
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


class UpsertedRecord(RecordAnswer, frozen=True, kw_only=True):
    """A record that was changed or made."""

    created: Annotated[bool, about(description="Whether it was made now.")]


@tool(
    "record.upsert",
    writes,
    needs="records.write",
    refuses=(NotFound, Conflict),
    example=UpsertRecord(object_type="contact", by="email", properties=EXAMPLE.properties),
    answer=UpsertedRecord(**_EXAMPLE_FACTS, created=True),
)
def upsert(tx: Tx, call: Call, asked: UpsertRecord) -> UpsertedRecord:
    """Change the record that has a value, or create it where there is none.

    Two upserts at the same moment make one record. A contact is also known by the e-mails and phones of those
    that were merged into it. Several contacts with one e-mail or phone are a conflict: a person decides.
    """
    organization = organizations.get(tx.conn, call.caller.organization_id)
    record, created = record_upserts.upsert(
        tx, organization, asked.object_type, asked.by, asked.properties, source=call.source()
    )
    return UpsertedRecord(**facts_of(record), created=created)


class DeleteRecord(Asked, frozen=True, kw_only=True):
    """Which record to delete."""

    object_type: ObjectType
    id: RecordId


class DeletedRecord(Answer, frozen=True, kw_only=True):
    """A record that was deleted."""

    id: RecordId
    deleted_at: Timestamp


@tool(
    "record.delete",
    writes,
    needs="records.write",
    runs="approval",
    refuses=(NotFound,),
    example=DeleteRecord(object_type="contact", id=EXAMPLE.id),
    answer=DeletedRecord(id=EXAMPLE.id, deleted_at="2026-09-18T10:00:00.000Z"),
)
def delete(tx: Tx, call: Call, asked: DeleteRecord) -> DeletedRecord:
    """Delete a record; `record.restore` brings it back."""
    records.delete_one(tx, call.caller.organization_id, asked.object_type, asked.id, source=call.source())
    return DeletedRecord(id=asked.id, deleted_at=rfc3339(tx.now))


class RestoreRecord(Asked, frozen=True, kw_only=True):
    """Which record to bring back."""

    object_type: ObjectType
    id: RecordId


@tool(
    "record.restore",
    writes,
    needs="records.write",
    refuses=(NotFound, Conflict),
    example=RestoreRecord(object_type="contact", id=EXAMPLE.id),
    answer=EXAMPLE,
)
def restore(tx: Tx, call: Call, asked: RestoreRecord) -> RecordAnswer:
    """Bring a deleted record back as it was.

    That is a conflict where a unique value of it is another record's by now, or where it was merged.
    """
    back = records.restore(tx, call.caller.organization_id, asked.object_type, asked.id, source=call.source())
    return answer_of(back)


class MergeRecords(Asked, frozen=True, kw_only=True):
    """Which two records of one object are the same."""

    object_type: ObjectType
    id: Annotated[str, about(description="The record that stays.", examples=[EXAMPLE.id])]
    merged_id: Annotated[
        str,
        about(
            description="The record that it takes over; its id leads to the other from then on.",
            examples=["rec_01K5D3V7Q2M8Z4X6C9B1N0T5RK"],
        ),
    ]


@tool(
    "record.merge",
    writes,
    needs="records.write",
    runs="approval",
    refuses=(NotFound, Conflict),
    example=MergeRecords(object_type="contact", id=EXAMPLE.id, merged_id="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RK"),
    answer=EXAMPLE,
)
def merge(tx: Tx, call: Call, asked: MergeRecords) -> RecordAnswer:
    """Merge a record into another of the same object.

    The one that stays keeps its values and takes over what it has none of, with all notes, suggestions,
    visits, submissions and history; what led to the other leads to it. A merge cannot be undone.
    """
    survivor = record_merges.merge(
        tx,
        call.caller.organization_id,
        asked.object_type,
        asked.id,
        asked.merged_id,
        source=call.source(),
    )
    return answer_of(survivor)
