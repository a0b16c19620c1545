"""A record as answers and events show it, the types of its members, and an example."""

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from svc.domain.locale.times import Timestamp
from svc.domain.versions import Version

ObjectType = Annotated[
    str, Meta(description="The object's slug: `contact`, `company`, `deal` or a custom one.")
]
RecordId = Annotated[str, Meta(description="The record's id.", examples=["rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
Properties = Annotated[
    dict[str, Any],
    Meta(description="Values by the slugs of the object's properties; what has no value is not there."),
]


class RecordAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A record."""

    id: RecordId
    object_type: ObjectType
    version: Version
    properties: Properties
    created_at: Timestamp
    updated_at: Timestamp


EXAMPLE: Final = RecordAnswer(
    id="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    object_type="contact",
    version=1,
    properties={"name": "Ada Lovelace", "email": "ada@example.com", "city": "London"},
    created_at="2026-09-18T09:30:00.000Z",
    updated_at="2026-09-18T09:30:00.000Z",
)
