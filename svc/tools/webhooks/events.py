"""`event.*`: what happened in the organization, to pull."""

from datetime import datetime
from typing import Annotated, Final

import msgspec

from svc.domain.errors import Fault, Gone, InvalidInput
from svc.domain.events import EVENT_TYPES, EventType
from svc.domain.identity.callers import Call
from svc.domain.input.near_names import hint, shown
from svc.domain.limits import EVENT_WAIT_SECONDS_MAX, LIST_ROWS
from svc.domain.locale.times import Timestamp, moment_ms, rfc3339
from svc.domain.records.answers import EXAMPLE as RECORD
from svc.domain.records.limits import OBJECTS_MAX
from svc.domain.webhooks.rights import check_may_see, visible_types
from svc.storage.events import pages as event_pages
from svc.storage.events.events import Event
from svc.storage.records import objects
from svc.storage.store import View
from svc.tools.tool import Limit, ToolInput, ToolOutput, about, reads
from svc.tools.webhooks.payloads import EXAMPLES, EventId


class EventAnswer(ToolOutput, frozen=True, kw_only=True):
    """An event, as webhooks send it."""

    id: EventId
    type: EventType
    timestamp: Annotated[Timestamp, about(description="When it happened.")]
    organization_id: str
    data: Annotated[
        msgspec.Raw,
        about(
            description="What it says, by its type: `webhooks` in the contract has each.",
            extra_json_schema={"type": "object"},
        ),
    ]


class ListEvents(ToolInput, frozen=True, kw_only=True):
    """Which events, from where on."""

    cursor: Annotated[
        str | None,
        about(description="`nextCursor` of the answer before, to go on. Without it, from the oldest on."),
    ] = None
    since: (
        Annotated[
            datetime,
            about(
                tz=True, description="From this time on: RFC 3339. For the first call, which has no `cursor`."
            ),
        ]
        | None
    ) = None
    types: (
        Annotated[
            tuple[EventType, ...],
            about(
                description="Only these; all that the caller may see by default.", max_length=len(EVENT_TYPES)
            ),
        ]
        | None
    ) = None
    object_types: Annotated[
        tuple[str, ...],
        about(
            description="Of events of records, only those of these objects, by slug; of all by default."
            " Other events are not left out.",
            max_length=OBJECTS_MAX,
        ),
    ] = ()
    wait_seconds: Annotated[
        float,
        about(description="Wait for so long where there are none yet.", ge=0, le=EVENT_WAIT_SECONDS_MAX),
    ] = 0
    limit: Annotated[int, Limit] = LIST_ROWS


class EventList(ToolOutput, frozen=True, kw_only=True):
    """Events, in the order in which they were dispatched."""

    events: list[EventAnswer]
    next_cursor: Annotated[
        str, about(description="Where to go on; it is never null, since more will happen. Keep it.")
    ]


_CREATED: Final = EXAMPLES["record.created"]
_ANSWER: Final = EventList(
    events=[
        EventAnswer(
            id=_CREATED.id,
            type="record.created",
            timestamp=_CREATED.timestamp,
            organization_id=_CREATED.organization_id,
            data=msgspec.Raw(msgspec.json.encode(_CREATED.data)),
        )
    ],
    next_cursor="kY3vYt0Zx8OSkKEx",
)


@reads(
    "event.list",
    needs="webhooks",
    raises=(Gone,),
    example=ListEvents(types=("record.created", "record.updated"), object_types=(RECORD.object_type,)),
    answer=_ANSWER,
)
def list_all(view: View, call: Call, request: ListEvents) -> EventList:
    """List what happened, in the order in which webhooks are sent it, and wait for what comes.

    Call it again and again with the `nextCursor` of the answer before: nothing is missed, and nothing comes
    twice. With `waitSeconds` the answer comes as soon as there is an event. A page may be empty and the next
    one not.

    Events of records need the permission `records.read` as well, those of submissions `forms`, those of
    messages and conversations `conversations`, those of connections `channels`, and those of workflows
    `workflows`. Events are kept for 30 days; a cursor that is older is answered 410 `gone`.
    """
    caller = call.caller
    check_may_see(caller, request.types or ())
    _check(view, caller.organization_id, request)
    page = event_pages.list_page(
        view.conn,
        caller.organization_id,
        types=visible_types(caller, EVENT_TYPES if request.types is None else request.types),
        object_types=request.object_types or None,
        cursor=request.cursor,
        since=None if request.since is None else moment_ms(request.since),
        limit=request.limit,
    )
    if not page.events and page.is_last and request.wait_seconds:
        view.wait_for(caller.organization_id, request.wait_seconds)
    return EventList(events=[_answer(event) for event in page.events], next_cursor=page.next_cursor)


def _check(view: View, organization_id: str, request: ListEvents) -> None:
    """Raises `InvalidInput` for a time beside a cursor, and for objects that there are not."""
    faults: list[Fault] = []
    if request.since is not None and request.cursor is not None:
        faults.append(Fault("/since", "invalid_value", "must be left out where there is a `cursor`"))
    if request.object_types:
        known = [one.slug for one in objects.list_all(view.conn, organization_id)]
        faults += (
            Fault(
                f"/objectTypes/{place}", "not_found", f"there is no object {shown(slug)}{hint(slug, known)}"
            )
            for place, slug in enumerate(request.object_types)
            if slug not in known
        )
    if faults:
        raise InvalidInput(faults)


def _answer(event: Event) -> EventAnswer:
    return EventAnswer(
        id=event.id,
        type=event.type,
        timestamp=rfc3339(event.at),
        organization_id=event.organization_id,
        data=msgspec.Raw(event.data.encode()),
    )
