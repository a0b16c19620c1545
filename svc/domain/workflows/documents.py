"""Documents: what a workflow does, as its author writes it and as each version is stored.

Inputs are closed: a member or a type that is not known is refused. What is stored outlives the program that
wrote it, since a run keeps its version across upgrades. Therefore:

- `decode_stored` ignores members that it does not know, and does not repeat the checks of `checking`, which
  may become stricter, and depend on objects that may be gone.
- A later program may add types, and members with a default that means what their absence meant before. It
  never changes a default, never takes a member, a type or a choice away, and never tightens a limit here:
  what new documents may not say any more is refused by `checking`.
- A type that is not known, as after a downgrade, makes the document `Unreadable`; its runs stay where they
  are until a program that knows it steps them.
"""

import re
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, inspect

from svc.domain.approvals.limits import APPROVAL_SECONDS, APPROVAL_SECONDS_MAX
from svc.domain.errors import Unreadable
from svc.domain.records.limits import FILTERS_MAX, PROPERTIES_MAX
from svc.domain.records.queries import Filter
from svc.domain.workflows.limits import (
    CALL_WAIT_SECONDS_MAX,
    CRON_CHARS_MAX,
    DEBOUNCE_SECONDS_MAX,
    STEP_KEY_CHARS_MAX,
    WAIT_SECONDS_MAX,
    WORKFLOW_STEPS_MAX,
)

OnError = Literal["fail", "continue"]

KEY: Final = re.compile(f"[a-z][a-z0-9_]{{0,{STEP_KEY_CHARS_MAX - 1}}}")
"""What a step's key is like."""

_Slug = Annotated[str, Meta(description="Slug of the object.")]
_Path = Annotated[str, Meta(description="A path such as `record.email` or `steps.big.statusCode`.")]
_Record = Annotated[str, Meta(description="An id, or a path to one; the record of the trigger without it.")]
_Properties = Annotated[
    dict[str, Any], Meta(description="Values by slug, as for `record.create`; texts are templates.")
]
_Text = Annotated[str, Meta(description="A template: `{{path}}` becomes what the path leads to.")]
_Filters = Annotated[
    tuple[Filter, ...],
    Meta(
        max_length=FILTERS_MAX,
        description="Must all hold. `property` is a slug of the trigger's record, or a path.",
    ),
]


class _Part(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, forbid_unknown_fields=True
):
    """The base of all parts of a document."""


class Debounce(_Part, frozen=True, kw_only=True):
    """One run for a burst of events, with the last of them."""

    by: Annotated[str, Meta(description="Events with the same value at this path are one burst.")]
    seconds: Annotated[
        int, Meta(ge=1, le=DEBOUNCE_SECONDS_MAX, description="The run starts so long after the last event.")
    ]
    at_most: Annotated[
        int,
        Meta(ge=1, le=DEBOUNCE_SECONDS_MAX, description="Seconds after the first event: it starts by then."),
    ]


class Trigger(_Part, frozen=True, kw_only=True, tag_field="type"):
    """What starts a run."""


class EventTrigger(Trigger, frozen=True, kw_only=True):
    """A trigger that is an event."""

    debounce: Debounce | None = None


class FormSubmitted(EventTrigger, frozen=True, kw_only=True, tag="submitted a form"):
    """A submission was filed. Its record is the contact."""

    form_id: Annotated[str, Meta(description="`frm_…`: of this form only.")] | None = None


class RecordCreated(EventTrigger, frozen=True, kw_only=True, tag="record.created"):
    """A record was created."""

    object_type: _Slug


class RecordUpdated(EventTrigger, frozen=True, kw_only=True, tag="record.updated"):
    """A record was changed."""

    object_type: _Slug
    properties: Annotated[
        tuple[str, ...],
        Meta(max_length=PROPERTIES_MAX, description="Slugs: only when one of these was changed."),
    ] = ()


class MessageReceived(EventTrigger, frozen=True, kw_only=True, tag="message.received"):
    """A message came. Its record is the conversation's contact, if that is known."""

    connection_id: Annotated[str, Meta(description="`con_…`: by this connection only.")] | None = None


class Schedule(Trigger, frozen=True, kw_only=True, tag="schedule"):
    """A time. It has no record."""

    cron: Annotated[
        str, Meta(max_length=CRON_CHARS_MAX, description="Minute, hour, day, month, day of the week.")
    ]
    time_zone: Annotated[str, Meta(description="A zone of the IANA database.")] = "UTC"


class Manual(Trigger, frozen=True, kw_only=True, tag="manual"):
    """`workflow.run` alone. Its record is the one that is named there, of whichever object."""


AnyTrigger = FormSubmitted | RecordCreated | RecordUpdated | MessageReceived | Schedule | Manual


class Step(_Part, frozen=True, kw_only=True, tag_field="type"):
    """One step. Its result is at `steps.<key>.…` for the steps after it."""

    key: Annotated[str, Meta(pattern=f"^{KEY.pattern}$", description="Its name, once in the document.")]
    on_error: Annotated[OnError, Meta(description="Whether a refusal ends the run.")] = "fail"


class CreateRecordStep(Step, frozen=True, kw_only=True, tag="create_record"):
    """Create a record."""

    object_type: _Slug
    properties: _Properties = {}


class UpdateRecordStep(Step, frozen=True, kw_only=True, tag="update_record"):
    """Change a record."""

    record: _Record | None = None
    properties: _Properties


class AddNote(Step, frozen=True, kw_only=True, tag="add_note"):
    """Write a note on a record."""

    record: _Record | None = None
    title: _Text | None = None
    body: _Text


class CreateDeal(Step, frozen=True, kw_only=True, tag="create_deal"):
    """Create a deal of the trigger's contact."""

    name: _Text
    properties: _Properties = {}


class Assign(Step, frozen=True, kw_only=True, tag="assign"):
    """Assign the conversation to a member or a team; with `property`, a record to a member."""

    record: _Record | None = None
    property: Annotated[str, Meta(description="Slug of a property of type `member`.")] | None = None
    member_id: Annotated[str, Meta(description="`usr_…`, or a template.")] | None = None
    team_id: Annotated[str, Meta(description="The team's id, or a template.")] | None = None


class Reply(Step, frozen=True, kw_only=True, tag="reply"):
    """Answer in the conversation of the trigger's message."""

    text: _Text


class CallWebhook(Step, frozen=True, kw_only=True, tag="call_webhook"):
    """Send to a webhook's subscription, and wait for the outcome."""

    webhook_id: Annotated[str, Meta(description="`whk_…`: whose address it is sent to.")]
    body: Annotated[Any, Meta(description="Any JSON; the texts in it are templates.")] = None
    seconds: Annotated[
        int, Meta(ge=1, le=CALL_WAIT_SECONDS_MAX, description="How long the run waits for the outcome.")
    ] = CALL_WAIT_SECONDS_MAX


class Wait(Step, frozen=True, kw_only=True, tag="wait"):
    """Go on after `seconds`, at the time at `until`, or with an `event`, `seconds` at the latest."""

    seconds: Annotated[int, Meta(ge=1, le=WAIT_SECONDS_MAX)] | None = None
    until: Annotated[str, Meta(description="A path to a date or a time.")] | None = None
    event: Annotated[str, Meta(description="A type of event.")] | None = None
    where: Annotated[
        tuple[Filter, ...],
        Meta(
            max_length=FILTERS_MAX,
            description="Must all hold. `property` is a slug of the event's record, or a path into it.",
        ),
    ] = ()


class Branch(Step, frozen=True, kw_only=True, tag="branch"):
    """Take the steps of `then` if the conditions hold, else those of `else`."""

    conditions: Annotated[_Filters, Meta(min_length=1)]
    then: tuple["AnyStep", ...]
    otherwise: tuple["AnyStep", ...] = msgspec.field(name="else", default=())


class Approval(Step, frozen=True, kw_only=True, tag="approval"):
    """Ask a person: take the steps of `then` if they approve in time, else those of `else`."""

    reason: Annotated[str, Meta(description="What is to be decided: a template, which people read.")]
    seconds: Annotated[
        int, Meta(ge=1, le=APPROVAL_SECONDS_MAX, description="How long the run waits for a decision.")
    ] = APPROVAL_SECONDS
    then: tuple["AnyStep", ...]
    otherwise: tuple["AnyStep", ...] = msgspec.field(name="else", default=())


class Stop(Step, frozen=True, kw_only=True, tag="stop"):
    """End the run; it is done."""

    reason: _Text | None = None


ToolStep = CreateRecordStep | UpdateRecordStep | AddNote | CreateDeal | Assign | Reply
"""A step that runs a tool."""

AnyStep = ToolStep | CallWebhook | Wait | Branch | Approval | Stop

Fork = Branch | Approval  # the steps that have steps of their own


class Document(_Part, frozen=True, kw_only=True):
    """What a workflow does: with `trigger`, if all `conditions` hold, its `steps` one after another."""

    name: str
    trigger: AnyTrigger
    conditions: _Filters = ()
    steps: Annotated[tuple[AnyStep, ...], Meta(min_length=1, max_length=WORKFLOW_STEPS_MAX)]


def encode(document: Document) -> bytes:
    """*document* as it is stored."""
    return msgspec.json.encode(document)


def type_of(part: Trigger | Step) -> str:
    """The `type` of a trigger or a step, as documents have it."""
    return str(part.__struct_config__.tag)


@lru_cache(maxsize=256)
def decode_stored(stored: bytes | str) -> Document:
    """The document that `encode` wrote, in this program or in another version of it.

    Those that were decoded last are kept, since every event is matched with its organization's documents.
    Raises `Unreadable` if this program does not know a type in it.
    """
    try:
        return msgspec.convert(_known(_DOCUMENT, msgspec.json.decode(stored)), Document)
    except msgspec.DecodeError as error:
        raise Unreadable(
            f"the document says what this version of the program does not know: {error}"
        ) from None


_DOCUMENT: Final = inspect.type_info(Document)


def _known(kind: inspect.Type, value: Any) -> Any:
    """*value* of *kind*, without the members that this program does not know."""
    match kind:
        case inspect.Metadata():
            return _known(kind.type, value)
        case inspect.StructType() if isinstance(value, dict):
            fields = {field.encode_name: field.type for field in kind.fields}
            return {
                name: _known(fields[name], inner) if name in fields else inner
                for name, inner in value.items()
                if name in fields or name == kind.tag_field
            }
        case inspect.VarTupleType() if isinstance(value, list):
            return [_known(kind.item_type, inner) for inner in value]
        case inspect.UnionType() if isinstance(value, dict):
            structs = [one for one in kind.types if isinstance(one, inspect.StructType)]
            named = [one for one in structs if one.tag_field is None or value.get(one.tag_field) == one.tag]
            return _known(named[0], value) if named else value
    return value
