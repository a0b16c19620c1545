"""Checks of one step of a document, whatever stands around it."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, assert_never

from svc.domain.approvals.limits import APPROVAL_REASON_CHARS_MAX
from svc.domain.channels.limits import DETAIL_CHARS_MAX, MESSAGE_CHARS_MAX
from svc.domain.errors import Fault, InvalidValue, pointer_to
from svc.domain.input.faults import json_type
from svc.domain.input.near_names import hint, shown
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.limits import NOTE_CHARS_MAX, NOTE_TITLE_CHARS_MAX, TEXT_CHARS_MAX
from svc.domain.records.objects import CONTACT, DEAL
from svc.domain.records.properties import Property
from svc.domain.records.values import changed
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
    MessageReceived,
    Reply,
    Stop,
    UpdateRecordStep,
    Wait,
)
from svc.domain.workflows.expressions.conditions import filter_faults, has_template, template_faults
from svc.domain.workflows.expressions.paths import parse
from svc.domain.workflows.expressions.scopes import Scope, awaited_scope, properties_of, value_of
from svc.domain.workflows.expressions.templates import is_template, lone, plain_path
from svc.domain.workflows.known import WorkflowVocabulary, object_fault, reference_fault

_SET_BY_STEP: Final = ("name", "contact")
"""The properties of a deal that `create_deal` sets by itself."""
_NO_CONVERSATION: Final = "needs the trigger `message.received`: with another there is no conversation"


class StepChecks:
    """The checks of steps that a trigger begins."""

    def __init__(self, trigger: AnyTrigger, known: WorkflowVocabulary) -> None:
        self._trigger = trigger
        self._known = known
        self._slugs = {slug for one in known.objects for slug in properties_of(one, known.objects) or ()}
        """The properties that any object has."""

    def faults(self, step: AnyStep, at: str, scope: Scope) -> Iterator[Fault]:
        """The faults of *step*, which stands at the pointer *at* and sees *scope*; not those of its key.

        Those of the steps in a branch are not among them.
        """
        known = self._known
        match step:
            case CreateRecordStep():
                yield from self._create_faults(step, at, scope)
            case UpdateRecordStep():
                yield from self._update_faults(step, at, scope)
            case AddNote():
                _, faults = _record_object(step.record, at, scope)
                yield from faults
                yield from _text_faults(f"{at}/title", step.title, NOTE_TITLE_CHARS_MAX, scope)
                yield from _text_faults(f"{at}/body", step.body, NOTE_CHARS_MAX, scope)
            case CreateDeal():
                yield from self._deal_faults(step, at, scope)
            case Assign():
                yield from self._assign_faults(step, at, scope)
            case Reply():
                yield from self._conversation_fault(at)
                yield from _text_faults(f"{at}/text", step.text, MESSAGE_CHARS_MAX, scope)
            case CallWebhook():
                yield from reference_fault(f"{at}/webhookId", "webhook", step.webhook_id, known.webhook_ids)
                yield from template_faults(step.body, f"{at}/body", scope)
            case Wait():
                yield from self._wait_faults(step, at, scope)
            case Branch():
                yield from filter_faults(step.conditions, f"{at}/conditions", scope, scope, known.country)
            case Approval():
                yield from _text_faults(f"{at}/reason", step.reason, APPROVAL_REASON_CHARS_MAX, scope)
            case Stop():
                yield from _text_faults(f"{at}/reason", step.reason, DETAIL_CHARS_MAX, scope)
            case _:
                assert_never(step)

    def _create_faults(self, step: CreateRecordStep, at: str, scope: Scope) -> Iterator[Fault]:
        objects = self._known.objects
        yield from object_fault(f"{at}/objectType", step.object_type, objects)
        if step.object_type in objects:
            yield from self._property_faults(step.properties, at, step.object_type, scope, new=True)

    def _update_faults(self, step: UpdateRecordStep, at: str, scope: Scope) -> Iterator[Fault]:
        object_type, faults = _record_object(step.record, at, scope)
        yield from faults
        if not step.properties:
            yield Fault(f"{at}/properties", "invalid_value", "must not be empty")
        if object_type is None:
            yield from self._any_property_faults(step.properties, at, scope)
        elif object_type in self._known.objects:
            yield from self._property_faults(step.properties, at, object_type, scope, new=False)

    def _deal_faults(self, step: CreateDeal, at: str, scope: Scope) -> Iterator[Fault]:
        try:
            object_type = scope.object_at(None)
        except InvalidValue:
            object_type = ""
        if object_type not in {None, CONTACT}:
            yield Fault(f"{at}/type", "invalid_value", "needs a trigger whose record is a contact")
        yield from _text_faults(f"{at}/name", step.name, TEXT_CHARS_MAX, scope)
        for slug in _SET_BY_STEP:
            if slug in step.properties:
                yield Fault(f"{at}/properties/{slug}", "invalid_value", "is set by the step itself")
        others = {slug: value for slug, value in step.properties.items() if slug not in _SET_BY_STEP}
        yield from self._property_faults(others, at, DEAL, scope, new=True)

    def _assign_faults(self, step: Assign, at: str, scope: Scope) -> Iterator[Fault]:
        known = self._known
        if step.property is None:
            yield from self._conversation_fault(at)
            if step.record is not None:
                yield Fault(f"{at}/property", "missing", "is required where a record is assigned")
            if (step.member_id is None) == (step.team_id is None):
                yield Fault(f"{at}/memberId", "invalid_value", "either this or `teamId` says to whom")
        else:
            yield from self._assigned_property_faults(step, step.property, at, scope)
        for name, what, id_, ids in (
            ("memberId", "member", step.member_id, known.member_ids),
            ("teamId", "team", step.team_id, known.team_ids),
        ):
            if id_ is not None and is_template(id_):
                yield from template_faults(id_, f"{at}/{name}", scope)
            else:
                yield from reference_fault(f"{at}/{name}", what, id_, ids)

    def _assigned_property_faults(self, step: Assign, slug: str, at: str, scope: Scope) -> Iterator[Fault]:
        if step.member_id is None:
            yield Fault(f"{at}/memberId", "missing", "is required: a record is assigned to a member")
        if step.team_id is not None:
            yield Fault(f"{at}/teamId", "invalid_value", "a record is assigned to a member, and to no team")
        object_type, faults = _record_object(step.record, at, scope)
        yield from faults
        properties = None if object_type is None else properties_of(object_type, self._known.objects)
        if properties is None:
            return
        if slug not in properties:
            detail = f"{shown(slug)} is no property of this object{hint(slug, properties)}"
            yield Fault(f"{at}/property", "unknown_property", detail)
        elif properties[slug].type != "member":
            yield Fault(f"{at}/property", "invalid_value", f"is of type {properties[slug].type}, not member")

    def _wait_faults(self, step: Wait, at: str, scope: Scope) -> Iterator[Fault]:
        if step.event is not None:
            if step.event not in self._known.event_types:
                detail = f"there is no event {shown(step.event)}{hint(step.event, self._known.event_types)}"
                yield Fault(f"{at}/event", "not_found", detail)
            awaited = awaited_scope(step.event, self._known.objects)
            yield from filter_faults(step.where, f"{at}/where", awaited, scope, self._known.country)
        elif step.where:
            yield Fault(f"{at}/where", "invalid_value", "comes with `event`")
        if step.until is not None:
            yield from _time_faults(step.until, f"{at}/until", scope)
            for name, given in (("seconds", step.seconds), ("event", step.event)):
                if given is not None:
                    yield Fault(f"{at}/{name}", "invalid_value", "does not come with `until`")
        elif step.seconds is None:
            yield Fault(
                f"{at}/seconds", "missing", "is required: how long the run waits, if not `until` a time"
            )

    def _conversation_fault(self, at: str) -> Iterator[Fault]:
        if not isinstance(self._trigger, MessageReceived):
            yield Fault(f"{at}/type", "invalid_value", _NO_CONVERSATION)

    def _property_faults(
        self, values: Mapping[str, Any], at: str, object_type: str, scope: Scope, *, new: bool
    ) -> Iterator[Fault]:
        """The faults of *values* for a record of an object that there is; *new* for one that is created."""
        known, pointer = self._known, f"{at}/properties"
        properties = properties_of(object_type, known.objects) or {}
        templates = {slug: value for slug, value in values.items() if has_template(value)}
        plain = {slug: value for slug, value in values.items() if slug not in templates}
        amounts = [slug for slug, prop in properties.items() if prop.type == "amount"]
        there = {slug: 0 for slug in amounts if slug in templates or not new}
        _, faults = changed(
            known.objects[object_type].properties,
            there,
            plain,
            country=known.country,
            currency=known.currency,
            pointer=pointer,
        )
        yield from faults
        faulty = {fault.pointer for fault in faults}
        for slug, value in plain.items():
            here = pointer + pointer_to(slug)
            if slug in properties and properties[slug].type == "member" and here not in faulty:
                yield from reference_fault(here, "member", value, known.member_ids)
        for slug, value in templates.items():
            here = pointer + pointer_to(slug)
            if slug not in properties:
                detail = f"is no property of this object{hint(slug, properties)}"
                yield Fault(here, "unknown_property", detail)
                continue
            paths = [*template_faults(value, here, scope)]
            yield from paths or _type_faults(properties[slug], value, here, scope)

    def _any_property_faults(self, values: Mapping[str, Any], at: str, scope: Scope) -> Iterator[Fault]:
        """The faults of *values* for a record whose object is known only once it is there."""
        for slug, value in values.items():
            here = f"{at}/properties{pointer_to(slug)}"
            if slug not in self._slugs:
                yield Fault(here, "unknown_property", "is no property of any object")
            yield from template_faults(value, here, scope)


def _record_object(record: str | None, at: str, scope: Scope) -> tuple[str | None, list[Fault]]:
    """The object of the record that a step is about, if it is known, and what is wrong with its `record`."""
    try:
        return scope.object_at(record), []
    except InvalidValue as error:
        code = "missing" if record is None else "unknown_path"
        return None, [Fault(f"{at}/record", code, str(error))]


def _text_faults(at: str, text: str | None, characters_max: int, scope: Scope) -> Iterator[Fault]:
    if text is None:
        return
    if not text.strip():
        yield Fault(at, "invalid_value", "must not be empty")
    if not is_template(text) and len(text) > characters_max:
        detail = f"must have at most {characters_max:,} characters, not {len(text):,}"
        yield Fault(at, "invalid_value", detail)
    yield from template_faults(text, at, scope)


def _time_faults(until: str, at: str, scope: Scope) -> Iterator[Fault]:
    try:
        kind = scope.type_at(plain_path(until))
    except InvalidValue as error:
        yield Fault(at, "unknown_path", str(error))
        return
    if kind is not None and kind.type not in {"date", "datetime"}:
        yield Fault(at, "invalid_value", f"leads to what is of type {kind.type}, not to a date or a time")


def _type_faults(prop: Property, value: Any, at: str, scope: Scope) -> Iterator[Fault]:
    """What no filled-in *value*, whose paths all lead somewhere, can be for *prop*; null always may be."""
    if not isinstance(value, str):
        if not (isinstance(value, list) and prop.type == "multi_select"):
            yield Fault(at, "invalid_value", f"must be {KINDS[prop.type].json_name}, not {json_type(value)}")
        return
    alone = lone(value)
    kind = value_of("text") if alone is None else scope.type_at(parse(alone))
    if kind is None:
        return
    wanted, becomes = KINDS[prop.type].json_name, KINDS[kind.type].json_name
    if wanted != becomes:
        yield Fault(at, "invalid_value", f"must be {wanted}, and becomes {becomes}")
    elif {KINDS[kind.type].refers_to, KINDS[prop.type].refers_to} <= {"record", "member"} and (
        kind.type != prop.type or (kind.options and prop.options and kind.options != prop.options)
    ):
        yield Fault(
            at, "invalid_value", f"must be the id of {_referred(prop)}, and becomes that of {_referred(kind)}"
        )


def _referred(kind: Property) -> str:
    return "a member" if kind.type == "member" else f"a {kind.options[0] if kind.options else 'record'}"
