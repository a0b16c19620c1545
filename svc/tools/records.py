"""`record.*`: records of every object, built-in and custom."""

from typing import Annotated, Any, Final

from svc.domain.callers import Call
from svc.domain.errors import Conflict, NotFound
from svc.domain.times import rfc3339
from svc.storage import organizations, records
from svc.storage.records import Record
from svc.storage.store import Tx, View
from svc.tools.tool import Answer, Asked, Timestamp, about, reads, tool, writes

ObjectType = Annotated[
    str, about(description="The object's slug: `contact`, `company`, `deal` or a custom one.")
]
RecordId = Annotated[str, about(description="The record's id.", examples=["rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
Properties = Annotated[
    dict[str, Any],
    about(description="Values by the slugs of the object's properties; what has no value is not there."),
]


class RecordAnswer(Answer, frozen=True, kw_only=True):
    """A record."""

    id: RecordId
    object_type: ObjectType
    properties: Properties
    created_at: Timestamp
    updated_at: Timestamp


def answer_of(record: Record) -> RecordAnswer:
    """The record as tools answer it."""
    return RecordAnswer(
        id=record.id,
        object_type=record.object_type,
        properties=record.properties,
        created_at=rfc3339(record.created_at),
        updated_at=rfc3339(record.updated_at),
    )


EXAMPLE: Final = RecordAnswer(
    id="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    object_type="contact",
    properties={"name": "Ada Lovelace", "email": "ada@example.com", "city": "London"},
    created_at="2026-09-18T09:30:00.000Z",
    updated_at="2026-09-18T09:30:00.000Z",
)


class GetRecord(Asked, frozen=True, kw_only=True):
    """Which record to show."""

    object_type: ObjectType
    id: RecordId


@tool(
    "record.get",
    reads,
    needs="records.read",
    refuses=(NotFound,),
    example=GetRecord(object_type="contact", id=EXAMPLE.id),
    answer=EXAMPLE,
)
def get(view: View, call: Call, asked: GetRecord) -> RecordAnswer:
    """Show a record.

    The id of a record that was merged into another shows the other.
    """
    return answer_of(records.get(view.conn, call.caller.organization_id, asked.object_type, asked.id))


class CreateRecord(Asked, frozen=True, kw_only=True):
    """A record to be made."""

    object_type: ObjectType
    properties: Annotated[
        dict[str, Any], about(description="Values by the slugs of the object's properties.")
    ]


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
