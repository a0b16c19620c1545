"""Scopes: which paths there are at a place of a document, and of which type the values at their ends are.

A scope has the shape of the context that a run will have there. The type of a value is a `Property`, as whose
values it is compared and written; the id of a record is of type `relation`, to the record's object.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Protocol, TypeAlias, assert_never

from svc.domain.errors import InvalidValue
from svc.domain.input.near_names import hint, listed, shown
from svc.domain.records.limits import PROPERTIES_MAX
from svc.domain.records.objects import CONTACT, DEAL
from svc.domain.records.properties import CURRENCY_SUFFIX, Property, PropertyType
from svc.domain.records.queries import CREATED_AT, TIMES, UPDATED_AT
from svc.domain.records.values import read
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
from svc.domain.workflows.expressions.event_roots import MESSAGE, SUBMISSION, EventRoot
from svc.domain.workflows.expressions.paths import Path, Root
from svc.domain.workflows.expressions.templates import record_path


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


_HINTED_MAX: Final = 2 * PROPERTIES_MAX + 10
"""Names among which near ones are looked for: those of one object, with currencies and what a record has."""
_TEXT: Final = value_of("long_text")
_EVENT: Final[Mapping[str, Shape]] = {"id": _TEXT, "type": _TEXT, "timestamp": value_of("datetime")}
_AWAITED_EVENT: Final[Mapping[str, Shape]] = {**_EVENT, "data": ANYTHING}
_CALLED: Final[Mapping[str, Shape]] = {
    "deliveryId": _TEXT,
    "state": _TEXT,
    "statusCode": value_of("number"),
    "answer": _TEXT,
}

_DECISION: Final[Mapping[str, Shape]] = {
    "approvalId": _TEXT,
    "state": _TEXT,
    "taken": _TEXT,
    "decidedBy": _TEXT,
    "rejectionReason": _TEXT,
}


def _shape_of(root: EventRoot) -> Mapping[str, Shape]:
    """The shape of what is below a root that has an event's members."""
    return {
        name: ANYTHING
        if member.type is None
        else value_of(member.type, *([member.object_type] if member.object_type else []))
        for name, member in root.members.items()
    }


_SUBMISSION: Final = _shape_of(SUBMISSION)
_MESSAGE: Final = _shape_of(MESSAGE)


class Scope:
    """The paths at one place of a document."""

    def __init__(
        self, roots: Mapping[Root, Shape], results: Mapping[str, Mapping[str, Shape]] | None = None
    ) -> None:
        """*results* are the shapes of what earlier steps made, by their keys."""
        self._roots = roots
        self._results = results or {}

    @property
    def roots(self) -> tuple[Root, ...]:
        """What paths begin with here, beside `steps`."""
        return tuple(self._roots)

    def paths(self) -> Iterator[tuple[str, Property | None]]:
        """Every path to a single value here, but those of steps; None for JSON that is not known before."""
        for root, shape in self._roots.items():
            yield from _paths(root, shape)

    def made_by(self, step: AnyStep) -> Iterator[tuple[str, Property | None]]:
        """As `paths`, what is below `steps.<key>` after *step*, which sees this scope."""
        for name, shape in _result(step, self).items():
            yield from _paths(name, shape)

    def after(self, steps: Iterable[AnyStep]) -> "Scope":
        """The scope once these *steps* may have run, too."""
        results = dict(self._results)
        for step in steps:
            results[step.key] = {**_result(step, Scope(self._roots, results)), "error": _TEXT}
        return Scope(self._roots, results)

    def type_at(self, path: Path) -> Property | None:
        """The type of the value at *path*; None where that is not known before it is there.

        Raises `InvalidValue` if it leads nowhere, or not to a single value.
        """
        shape: Shape = self._results if path.root == "steps" else self._roots.get(path.root, {})
        if path.root == "steps" and (not path.names or path.names[0] not in self._results):
            key = path.names[0] if path.names else ""
            raise InvalidValue(f"no step before this one has the key {shown(key)}{hint(key, self._results)}")
        if not shape:
            raise InvalidValue(
                f"{shown(str(path))} leads nowhere here, where there are {listed(self._roots)}"
            )
        for name in path.names:
            if isinstance(shape, _Anything):
                return None
            if isinstance(shape, Property) or name not in shape:
                raise InvalidValue(f"{shown(str(path))} leads nowhere{_hint(name, shape)}")
            shape = shape[name]
        if isinstance(shape, Mapping):
            raise InvalidValue(f"{shown(str(path))} is no single value{_hint('', shape)}")
        return shape if isinstance(shape, Property) else None

    def object_at(self, record: str | None) -> str | None:
        """The object of the record that a step names: an id, a path to one, or None for the trigger's.

        None if that is known only once it is there. Raises `InvalidValue` if it leads to no record.
        """
        path = record_path(record)
        if path is None:
            read(value_of("relation"), record, "")
            return None
        if record is None and "record" not in self._roots:
            raise InvalidValue("is required: with this trigger there is no record")
        kind = self.type_at(path)
        if kind is None:
            return None
        if kind.type != "relation":
            raise InvalidValue(f"{shown(record or '')} leads to no record, as `record.id` does")
        return kind.options[0] if kind.options else None


def trigger_scope(trigger: AnyTrigger, objects: Objects) -> Scope:
    """What the conditions of *trigger* see, and its first step."""
    return Scope(_trigger_roots(trigger, objects))


def awaited_scope(event_type: str, objects: Objects) -> Scope:
    """What the conditions of a step that waits for an event of *event_type* see of it."""
    roots: dict[Root, Shape] = {"event": _AWAITED_EVENT}
    if event_type.startswith("record."):
        roots["record"] = _any_record(objects)
        roots["changed"] = ANYTHING
    if event_type.startswith("submission."):
        roots["submission"] = _SUBMISSION
    if event_type == MESSAGE.event_type:
        roots["message"] = _MESSAGE
    return Scope(roots)


def _trigger_roots(trigger: AnyTrigger, objects: Objects) -> Mapping[Root, Shape]:
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
            slug = trigger.object_type
            return {"record": _record(slug, objects), "changed": _changed(slug, objects), "event": _EVENT}
        case MessageReceived():
            return {"record": _record(CONTACT, objects), "message": _MESSAGE, "event": _EVENT}
        case Schedule():
            return {"event": _EVENT}
        case Manual():
            return {"record": _any_record(objects), "event": _EVENT}
        case _:
            assert_never(trigger)


def _result(step: AnyStep, scope: Scope) -> Mapping[str, Shape]:
    """What is below `steps.<key>` after *step*."""
    match step:
        case CreateRecordStep():
            return {"recordId": value_of("relation", step.object_type)}
        case UpdateRecordStep():
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
            return _CALLED
        case Wait():
            return {"event": _AWAITED_EVENT} if step.event is not None else {}
        case Branch():
            return {"taken": _TEXT}
        case Approval():
            return _DECISION
        case Assign() | Stop():
            return {}
        case _:
            assert_never(step)


def _record(object_type: str, objects: Objects) -> Shape:
    properties = properties_of(object_type, objects)
    return ANYTHING if properties is None else {**properties, **_facts(object_type)}


def _changed(object_type: str, objects: Objects) -> Shape:
    properties = properties_of(object_type, objects)
    if properties is None:
        return ANYTHING
    return {slug: {"from": prop, "to": prop} for slug, prop in properties.items()}


def _facts(*object_types: str) -> Mapping[str, Shape]:
    return {
        "id": value_of("relation", *object_types),
        "objectType": _TEXT,
        CREATED_AT: TIMES[CREATED_AT],
        UPDATED_AT: TIMES[UPDATED_AT],
    }


def properties_of(object_type: str, objects: Objects) -> Mapping[str, Property] | None:
    """The properties of an object, and the currencies of its amounts; None if there is no such object."""
    if object_type not in objects:
        return None
    properties = objects[object_type].properties
    amounts = [slug for slug, prop in properties.items() if prop.type == "amount"]
    return {**properties, **{slug + CURRENCY_SUFFIX: value_of("text") for slug in amounts}}


def _any_record(objects: Objects) -> Mapping[str, Shape]:
    """A record of whichever object: what all objects that have a property say of it."""
    shapes: dict[str, Any] = {}
    for slug in objects:
        for name, prop in (properties_of(slug, objects) or {}).items():
            known = shapes.setdefault(name, prop)
            if isinstance(known, Property) and (known.type, known.options) != (prop.type, prop.options):
                shapes[name] = ANYTHING
    return {**shapes, **_facts()}


def _paths(at: str, shape: Shape) -> Iterator[tuple[str, Property | None]]:
    if isinstance(shape, Mapping):
        for name, inner in shape.items():
            yield from _paths(f"{at}.{name}", inner)
    else:
        yield at, shape if isinstance(shape, Property) else None


def _hint(name: str, shape: Shape) -> str:
    """The names in *shape* that were probably meant by *name*; of very many none: comparing takes time."""
    known = shape if isinstance(shape, Mapping) else {}
    return hint(name, known) if len(known) <= _HINTED_MAX else ""
