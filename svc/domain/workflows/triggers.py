"""Triggers: which events start a run, and when a burst of them does."""

from hashlib import sha256
from typing import Final, assert_never

import msgspec

from svc.domain.channels import events as channel_events
from svc.domain.forms import events as form_events
from svc.domain.locale.times import SECOND_MS
from svc.domain.records import events as record_events
from svc.domain.workflows.documents import (
    AnyTrigger,
    Debounce,
    FormSubmitted,
    Manual,
    MessageReceived,
    RecordCreated,
    RecordUpdated,
    Schedule,
)
from svc.domain.workflows.expressions.contexts import Context, Event
from svc.domain.workflows.expressions.event_roots import CHANGED
from svc.domain.workflows.expressions.paths import lookup, parse

_FORM: Final = form_events.SubmissionFiled.data_name("form_id")
_CONNECTION: Final = channel_events.MessageReceived.data_name("connection_id")


def event_type_of(trigger: AnyTrigger) -> str | None:
    """The type of the events that may start a run by *trigger*; None if no event does."""
    match trigger:
        case FormSubmitted():
            return form_events.SubmissionFiled.type
        case RecordCreated():
            return record_events.RecordCreated.type
        case RecordUpdated():
            return record_events.RecordUpdated.type
        case MessageReceived():
            return channel_events.MessageReceived.type
        case Schedule() | Manual():
            return None
        case _:
            assert_never(trigger)


def starts(trigger: AnyTrigger, event: Event) -> bool:
    """Whether *event* starts a run by *trigger*, if the conditions of the document hold, too."""
    if event.type != event_type_of(trigger):
        return False
    match trigger:
        case FormSubmitted():
            return trigger.form_id in {None, event.data.get(_FORM)}
        case RecordCreated():
            return trigger.object_type == event.object_type
        case RecordUpdated():
            watched, changed = frozenset(trigger.properties), event.data.get(CHANGED, {})
            return trigger.object_type == event.object_type and not (watched and watched.isdisjoint(changed))
        case MessageReceived():
            return trigger.connection_id in {None, event.data.get(_CONNECTION)}
        case Schedule() | Manual():
            return False
        case _:
            assert_never(trigger)


class Burst(msgspec.Struct, frozen=True):
    """Events with the same value that have not started their run. Times are ms since the epoch."""

    first_at: int
    due_at: int


def burst_key(debounce: Debounce, context: Context) -> str:
    """The digest of an event's value at the path `by`: equal for events of one burst.

    Events without a value there are a burst, too.
    """
    value = lookup(parse(debounce.by), context)
    return sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def extended(debounce: Debounce, burst: Burst | None, at: int) -> Burst:
    """The burst after an event at *at*: a new one if there is none, or if its run is due already.

    The run is due `seconds` after the last event, and `atMost` seconds after the first at the latest.
    """
    first_at = at if burst is None or burst.due_at <= at else burst.first_at
    due_at = min(at + debounce.seconds * SECOND_MS, first_at + debounce.at_most * SECOND_MS)
    return Burst(first_at, due_at)
