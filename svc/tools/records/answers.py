"""What tools ask and say of records: the types of members, and the answer that shows one."""

from typing import Annotated, Any, Final

from svc.domain.records.answers import RecordAnswer
from svc.storage.records.rows import Record
from svc.tools.projections import Projection
from svc.tools.tool import about

ObjectTypeOfId = Annotated[
    str | None,
    about(description="The object's slug. The id says it already: given, it has to be the record's."),
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


answer_of: Final = Projection(Record, RecordAnswer)
