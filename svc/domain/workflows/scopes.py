"""Scopes: which paths there are at a place of a document, and of which type the values at their ends are.

A scope has the shape of the context that a run will have there. The type of a value is a `Property`, as whose
values it is compared and written; the id of a record is of type `relation`, to the record's object.
"""

from collections.abc import Mapping
from typing import Any, Final, Protocol, TypeAlias

from svc.domain.errors import InvalidValue
from svc.domain.near_names import hint, listed, shown
from svc.domain.records.objects import CONTACT, DEAL
from svc.domain.records.properties import CURRENCY_SUFFIX, Property, PropertyType
from svc.domain.records.queries import CREATED_AT, TIMES, UPDATED_AT
from svc.domain.workflows.documents import (
    AddNote,
    AnyStep,
    AnyTrigger,
    Assign,
    Branch,
    CallWebhook,
    CreateDeal,
    CreateRecord,
    FormSubmitted,
    Manual,
    MessageReceived,
    RecordCreated,
    RecordUpdated,
    Reply,
    Schedule,
    Step,
    Stop,
    UpdateRecord,
    Wait,
)
from svc.domain.workflows.paths import Path, Root, parse
from svc.domain.workflows.templates import lone


class ObjectFacts(Protocol):
    """An object of the organization, as far as scopes need it."""

    @property
    def properties(self) -> Mapping[str, Property]: ...


Objects = Mapping[str, ObjectFacts]
"""The organization's objects, by slug."""


class _Anything:
    """The shape of JSON of which nothing is known until it is there."""


ANYTHING: Final = _Anything()

Shape: TypeAlias = "Property | _Anything | Mapping[str, Shape]"


def value_of(kind: PropertyType, *options: str) -> Property:
    """The type of a value that is no record's."""
    return Property(slug="value", label="Value", type=kind, options=options)


_TEXT: Final = value_of("long_text")
_EVENT: Final[Mapping[str, Shape]] = {"id": _TEXT, "type": _TEXT, "timestamp": value_of("datetime")}
_AWAITED_EVENT: Final[Mapping[str, Shape]] = {**_EVENT, "data": ANYTHING}
_SUBMISSION: Final[Mapping[str, Shape]] = {"id": _TEXT, "formId": _TEXT, "fields": ANYTHING}
_MESSAGE: Final[Mapping[str, Shape]] = {
    "id": _TEXT,
    "text": _TEXT,
    "conversationId": _TEXT,
    "connectionId": _TEXT,
    "contactId": value_of("relation", CONTACT),
}


class Scope:
    """The paths at one place of a document."""

    def __init__(self, roots: Mapping[Root, Shape]) -> None:
        self._roots = roots

    def type_at(self, path: Path) -> Property | None:
        """The type of the value at *path*; None where that is not known before it is there.

        Raises `InvalidValue` if it leads nowhere, or not to a single value.
        """
        shape: Shape = self._roots.get(path.root, {})
        if not shape:
            known = listed(root for root in self._roots if self._roots[root])
            raise InvalidValue(f"{shown(str(path))} leads nowhere here, where there are {known}")
        for name in path.names:
            if isinstance(shape, _Anything):
                return None
            if isinstance(shape, Property) or name not in shape:
                known_names = [] if isinstance(shape, Property) else [*shape]
                raise InvalidValue(f"{shown(str(path))} leads nowhere{hint(name, known_names)}")
            shape = shape[name]
        if isinstance(shape, Property):
            return shape
        if isinstance(shape, _Anything):
            return None
        raise InvalidValue(f"{shown(str(path))} leads to no single value{hint('', [*shape])}")

    def object_at(self, record: str | None) -> str | None:
        """The object of the record that a step names: an id, a path to one, or None for the trigger's.

        None if that is known only once it is there. Raises `InvalidValue` if it leads to no record.
        """
        if record is not None and record.startswith("rec_"):
            return None
        if record is None and not self._roots.get("record"):
            raise InvalidValue("is required: with this trigger there is no record")
        kind = self.type_at(record_path(record))
        if kind is None:
            return None
        if kind.type != "relation":
            raise InvalidValue(f"{shown(record or '')} leads to no record, such as `record.id` does")
        return kind.options[0] if kind.options else None


def record_path(record: str | None) -> Path:
    """The path to the id of a record that a step names by it: plain, or as one `{{path}}` alone.

    Without one it is the trigger's. Raises `InvalidValue` if it is no path.
    """
    if record is None:
        return Path("record", ("id",))
    alone = lone(record)
    return parse(record if alone is None else alone)


def scope_after(trigger: AnyTrigger, objects: Objects, earlier: Mapping[str, AnyStep]) -> Scope:
    """What a step sees after *earlier* ones, by key, in their order."""
    roots = dict(trigger_roots(trigger, objects))
    results: dict[str, Shape] = {}
    roots["steps"] = results
    scope = Scope(roots)
    for key, step in earlier.items():
        results[key] = {**_result(step, scope), "error": _TEXT}
    return scope


def trigger_scope(trigger: AnyTrigger, objects: Objects) -> Scope:
    """What the conditions of *trigger* see."""
    return Scope(trigger_roots(trigger, objects))


def awaited_scope(event_type: str, objects: Objects) -> Scope:
    """What the conditions of a step that waits for an event of *event_type* see of it."""
    roots: dict[Root, Shape] = {"event": _AWAITED_EVENT}
    if event_type.startswith("record."):
        roots["record"] = _any_record(objects)
        roots["changed"] = ANYTHING
    if event_type.startswith("submission."):
        roots["submission"] = _SUBMISSION
    if event_type == "message.received":
        roots["message"] = _MESSAGE
    return Scope(roots)


def trigger_roots(trigger: AnyTrigger, objects: Objects) -> Mapping[Root, Shape]:
    """The shape of the context that *trigger* makes."""
    match trigger:
        case FormSubmitted():
            return {
                "record": _record(CONTACT, objects),
                "deal": _record(DEAL, objects),
                "submission": _SUBMISSION,
                "event": _EVENT,
            }
        case RecordCreated():
            return {"record": _record(trigger.object_type, objects), "event": _EVENT}
        case RecordUpdated():
            properties = _properties(trigger.object_type, objects)
            changed = {slug: {"from": prop, "to": prop} for slug, prop in properties.items()}
            return {
                "record": _record(trigger.object_type, objects),
                "changed": changed,
                "event": _EVENT,
            }
        case MessageReceived():
            return {"record": _record(CONTACT, objects), "message": _MESSAGE, "event": _EVENT}
        case Schedule():
            return {"event": _EVENT}
        case Manual():
            return {"record": _any_record(objects), "event": _EVENT}


def _result(step: Step, scope: Scope) -> Mapping[str, Shape]:
    """What is below `steps.<key>` after *step*."""
    match step:
        case CreateRecord():
            return {"recordId": value_of("relation", step.object_type)}
        case UpdateRecord():
            try:
                object_type = scope.object_at(step.record)
            except InvalidValue:  # a fault of that step, and told there
                object_type = None
            return {"recordId": value_of("relation", *([object_type] if object_type else []))}
        case AddNote():
            return {"noteId": _TEXT}
        case CreateDeal():
            return {"recordId": value_of("relation", DEAL)}
        case Reply():
            return {"replyId": _TEXT}
        case CallWebhook():
            return {
                "deliveryId": _TEXT,
                "state": _TEXT,
                "statusCode": value_of("number"),
                "answer": _TEXT,
            }
        case Wait():
            return {"event": _AWAITED_EVENT} if step.event is not None else {}
        case Branch():
            return {"taken": _TEXT}
    return {}


def _record(object_type: str, objects: Objects) -> Mapping[str, Shape]:
    return {**_properties(object_type, objects), **_facts(object_type)}


def _facts(*object_types: str) -> Mapping[str, Shape]:
    return {
        "id": value_of("relation", *object_types),
        "objectType": _TEXT,
        CREATED_AT: TIMES[CREATED_AT],
        UPDATED_AT: TIMES[UPDATED_AT],
    }


def _properties(object_type: str, objects: Objects) -> Mapping[str, Property]:
    """The properties of an object, with the currencies of its amounts."""
    object_ = objects.get(object_type)
    properties = {} if object_ is None else dict(object_.properties)
    amounts = [slug for slug, prop in properties.items() if prop.type == "amount"]
    return {**properties, **{slug + CURRENCY_SUFFIX: value_of("text") for slug in amounts}}


def _any_record(objects: Objects) -> Mapping[str, Shape]:
    """A record of whichever object: what all objects that have a property say of it."""
    shapes: dict[str, Any] = {}
    for slug in objects:
        for name, prop in _properties(slug, objects).items():
            known = shapes.setdefault(name, prop)
            if isinstance(known, Property) and (known.type, known.options) != (prop.type, prop.options):
                shapes[name] = ANYTHING
    return {**shapes, **_facts()}
