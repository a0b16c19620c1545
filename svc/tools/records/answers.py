"""What tools say of records: their parts, the answer that shows one, and an example of it."""

from typing import Annotated, Any, Final

from svc.storage.records.rows import Record
from svc.tools.projections import Projection
from svc.tools.tool import Timestamp, ToolOutput, Version, about

ObjectType = Annotated[
    str, about(description="The object's slug: `contact`, `company`, `deal` or a custom one.")
]
ObjectTypeOfId = Annotated[
    str | None,
    about(description="The object's slug. The id says it already: given, it has to be the record's."),
]
RecordId = Annotated[str, about(description="The record's id.", examples=["rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
Properties = Annotated[
    dict[str, Any],
    about(description="Values by the slugs of the object's properties; what has no value is not there."),
]
NewProperties = Annotated[
    dict[str, Any],
    about(description="Values by the slugs of the object's properties, each in its property's type."),
]
ChangedProperties = Annotated[
    dict[str, Any],
    about(description="Values by slug; null clears one, and what is absent stays as it is."),
]
IfRecordVersion = Annotated[
    int | None,
    about(
        description="The `version` that the change was made from. If a value that this call changes was "
        "changed since, nothing is written: 409 `conflict`, with `conflicts`."
    ),
]


class RecordAnswer(ToolOutput, frozen=True, kw_only=True):
    """A record."""

    id: RecordId
    object_type: ObjectType
    version: Version
    properties: Properties
    created_at: Timestamp
    updated_at: Timestamp


answer_of: Final = Projection(Record, RecordAnswer)

EXAMPLE: Final = RecordAnswer(
    id="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    object_type="contact",
    version=1,
    properties={"name": "Ada Lovelace", "email": "ada@example.com", "city": "London"},
    created_at="2026-09-18T09:30:00.000Z",
    updated_at="2026-09-18T09:30:00.000Z",
)
