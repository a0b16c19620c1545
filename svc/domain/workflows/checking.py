"""Checks of a document when it is saved, so that what can be seen to fail is not found out by its runs."""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Final, assert_never

import msgspec

from svc.domain.errors import Fault, InvalidInput, InvalidValue
from svc.domain.identity.people import clean_name
from svc.domain.identity.roles import Permission
from svc.domain.input import json as json_input
from svc.domain.input.near_names import hint, listed, shown
from svc.domain.limits import FAULTS_MAX
from svc.domain.workflows.documents import (
    KEY,
    AnyStep,
    AnyTrigger,
    Document,
    EventTrigger,
    Fork,
    FormSubmitted,
    Manual,
    MessageReceived,
    RecordCreated,
    RecordUpdated,
    Schedule,
    encode,
)
from svc.domain.workflows.expressions.conditions import filter_faults
from svc.domain.workflows.expressions.paths import parse
from svc.domain.workflows.expressions.scopes import Scope, trigger_scope
from svc.domain.workflows.known import WorkflowVocabulary, object_fault, reference_fault
from svc.domain.workflows.limits import WORKFLOW_BRANCHES_MAX, WORKFLOW_BYTES_MAX, WORKFLOW_STEPS_MAX
from svc.domain.workflows.positions import every_step
from svc.domain.workflows.rights import step_needs, trigger_needs
from svc.domain.workflows.schedules import Timetable
from svc.domain.workflows.step_checks import StepChecks

_ONCE: Final = "is the key of another step; each has its own"


def checked(
    document: Document, known: WorkflowVocabulary, permissions: Collection[Permission], *, now: int
) -> Document:
    """*document*, checked, with its name trimmed.

    *permissions* are those of the caller that saves or enables it. Raises `InvalidInput` with every fault,
    each with the pointer to its place in the document.
    """
    faults = [*_size_faults(document)] or [
        *islice(_Checks(document, known, permissions, now).faults(), FAULTS_MAX)
    ]
    if faults:
        raise InvalidInput(faults)
    return msgspec.structs.replace(document, name=clean_name(document.name))


def _size_faults(document: Document) -> Iterator[Fault]:
    """What is too large to be looked at any further."""
    deep = next(_too_deep(document.steps, "/steps", 0), None)
    if deep is not None:
        yield Fault(deep, "too_deep", f"branches stand at most {WORKFLOW_BRANCHES_MAX} deep in one another")
        return
    count = sum(1 for _ in every_step(document.steps))
    if count > WORKFLOW_STEPS_MAX:
        detail = f"at most {WORKFLOW_STEPS_MAX}, those in branches included, not {count:,}"
        yield Fault("/steps", "too_many", detail)
    size = len(encode(document))
    if size > WORKFLOW_BYTES_MAX:
        yield Fault("", "too_large", f"a document has at most {WORKFLOW_BYTES_MAX:,} bytes, not {size:,}")


def _too_deep(steps: Sequence[AnyStep], at: str, depth: int) -> Iterator[str]:
    """Pointers to the branches below *depth* others that stand too deep."""
    for place, step in enumerate(steps):
        if not isinstance(step, Fork):
            continue
        if depth == WORKFLOW_BRANCHES_MAX:
            yield f"{at}/{place}"
        else:
            yield from _too_deep(step.then, f"{at}/{place}/then", depth + 1)
            yield from _too_deep(step.otherwise, f"{at}/{place}/else", depth + 1)


class _Checks:
    """The checks of one document. Faults come in its order."""

    def __init__(
        self, document: Document, known: WorkflowVocabulary, permissions: Collection[Permission], now: int
    ) -> None:
        self._document = document
        self._known = known
        self._permissions = permissions
        self._now = now
        self._steps = StepChecks(document.trigger, known)
        self._keys: set[str] = set()

    def faults(self) -> Iterator[Fault]:
        document, known = self._document, self._known
        scope = trigger_scope(document.trigger, known.objects)
        try:
            clean_name(document.name)
        except InvalidValue as error:
            yield Fault("/name", "invalid_value", str(error))
        try:
            json_input.check_storable(document)
        except InvalidInput as error:
            yield from error.faults
        yield from self._trigger_faults(document.trigger, scope)
        yield from filter_faults(document.conditions, "/conditions", scope, scope, known.country)
        yield from self._step_faults(document.steps, "/steps", scope)

    def _trigger_faults(self, trigger: AnyTrigger, scope: Scope) -> Iterator[Fault]:
        known = self._known
        yield from self._right_faults(trigger_needs(trigger), "/trigger/type")
        match trigger:
            case FormSubmitted():
                yield from reference_fault("/trigger/formId", "form", trigger.form_id, known.form_ids)
            case MessageReceived():
                at = "/trigger/connectionId"
                yield from reference_fault(at, "connection", trigger.connection_id, known.connection_ids)
            case RecordCreated():
                yield from object_fault("/trigger/objectType", trigger.object_type, known.objects)
            case RecordUpdated():
                yield from object_fault("/trigger/objectType", trigger.object_type, known.objects)
                yield from self._watched_faults(trigger)
            case Schedule():
                yield from self._schedule_faults(trigger)
            case Manual():
                pass
            case _:
                assert_never(trigger)
        if isinstance(trigger, EventTrigger) and trigger.debounce is not None:
            try:
                scope.type_at(parse(trigger.debounce.by))
            except InvalidValue as error:
                yield Fault("/trigger/debounce/by", "unknown_path", str(error))
            if trigger.debounce.at_most < trigger.debounce.seconds:
                yield Fault("/trigger/debounce/atMost", "invalid_value", "must be at least `seconds`")

    def _watched_faults(self, trigger: RecordUpdated) -> Iterator[Fault]:
        object_ = self._known.objects.get(trigger.object_type)
        for place, slug in enumerate(trigger.properties if object_ else ()):
            at = f"/trigger/properties/{place}"
            if object_ and slug not in object_.properties:
                detail = f"{shown(slug)} is no property of this object{hint(slug, object_.properties)}"
                yield Fault(at, "unknown_property", detail)
            elif slug in trigger.properties[:place]:
                yield Fault(at, "invalid_value", "is named twice")

    def _schedule_faults(self, trigger: Schedule) -> Iterator[Fault]:
        try:
            comes = Timetable(trigger.cron, trigger.time_zone).next_after(self._now)
        except InvalidInput as error:
            yield from (Fault("/trigger" + fault.pointer, fault.code, fault.detail) for fault in error.faults)
            return
        if comes is None:
            yield Fault("/trigger/cron", "invalid_value", "is a time that never comes")

    def _step_faults(self, steps: Sequence[AnyStep], at: str, scope: Scope) -> Iterator[Fault]:
        for place, step in enumerate(steps):
            here = f"{at}/{place}"
            yield from self._key_faults(step, here)
            yield from self._right_faults(step_needs(step), f"{here}/type")
            yield from self._steps.faults(step, here, scope)
            scope = scope.after([step])
            if isinstance(step, Fork):
                yield from self._step_faults(step.then, f"{here}/then", scope)
                yield from self._step_faults(step.otherwise, f"{here}/else", scope)
                scope = scope.after(every_step([*step.then, *step.otherwise]))

    def _key_faults(self, step: AnyStep, at: str) -> Iterator[Fault]:
        if not KEY.fullmatch(step.key):
            yield Fault(
                f"{at}/key", "invalid_value", "must be such as `ask_again`: a-z, 0-9 and _, a-z first"
            )
        elif step.key in self._keys:
            yield Fault(f"{at}/key", "duplicate_key", _ONCE)
        self._keys.add(step.key)

    def _right_faults(self, needs: Collection[Permission], at: str) -> Iterator[Fault]:
        missing = sorted({*needs} - {*self._permissions})
        if missing:
            yield Fault(at, "forbidden", f"needs what your role does not permit: {listed(missing)}")
