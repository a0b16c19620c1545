"""Rights: which permissions a document takes, of the person who enables it and again at each step."""

from collections.abc import Iterable
from typing import Final, assert_never

from svc.domain.events import EVENT_TYPES
from svc.domain.identity.roles import Permission
from svc.domain.webhooks.rights import event_needs
from svc.domain.workflows.documents import (
    AddNote,
    AnyStep,
    AnyTrigger,
    Approval,
    Assign,
    Branch,
    CallWebhook,
    CreateDeal,
    CreateRecordStep,
    FormSubmitted,
    Manual,
    MessageReceived,
    RecordCreated,
    RecordUpdated,
    Reply,
    Schedule,
    Stop,
    UpdateRecordStep,
    Wait,
)

_NONE: Final[frozenset[Permission]] = frozenset()
_READS: Final[frozenset[Permission]] = frozenset({"records.read"})
_WRITES: Final[frozenset[Permission]] = frozenset({"records.write"})
_ANSWERS: Final[frozenset[Permission]] = frozenset({"conversations"})
_FORMS: Final[frozenset[Permission]] = frozenset({"forms"})
_WEBHOOKS: Final[frozenset[Permission]] = frozenset({"webhooks"})


def trigger_needs(trigger: AnyTrigger) -> frozenset[Permission]:
    """The permissions to see what starts a run, and its record."""
    match trigger:
        case FormSubmitted():
            return _READS | _FORMS
        case MessageReceived():
            return _READS | _ANSWERS
        case RecordCreated() | RecordUpdated() | Manual():
            return _READS
        case Schedule():
            return _NONE
        case _:
            assert_never(trigger)


def step_needs(step: AnyStep) -> frozenset[Permission]:
    """The permissions that *step* takes, without those of the steps in its branches."""
    match step:
        case CreateRecordStep() | UpdateRecordStep() | AddNote() | CreateDeal():
            return _WRITES
        case Assign():
            return _ANSWERS if step.property is None else _WRITES
        case Reply():
            return _ANSWERS
        case CallWebhook():
            return _WEBHOOKS
        case Wait():
            # What is no type of an event is a fault of its own, and no matter of rights.
            return event_needs(step.event) if step.event in EVENT_TYPES else _NONE
        case Branch() | Approval() | Stop():
            return _NONE
        case _:
            assert_never(step)


def run_needs(event_types: Iterable[str]) -> frozenset[Permission]:
    """The permissions to see what a run does that has seen events of these types: those of its templates."""
    return _READS.union(*(event_needs(one) for one in event_types if one in EVENT_TYPES))
