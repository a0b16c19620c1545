"""Inputs: what a step does, with its templates filled in, as a run keeps and shows it."""

from datetime import date, datetime, time
from typing import Any, assert_never
from zoneinfo import ZoneInfo

import msgspec

from svc.domain.errors import Fault, InvalidInput, InvalidValue, at
from svc.domain.input.near_names import shown
from svc.domain.locale.times import moment_ms, ms_of, rfc3339
from svc.domain.records.values import read
from svc.domain.workflows.documents import (
    AddNote,
    AnyStep,
    Approval,
    Assign,
    Branch,
    CallWebhook,
    CreateDeal,
    CreateRecordStep,
    Reply,
    Stop,
    UpdateRecordStep,
    Wait,
)
from svc.domain.workflows.expressions.conditions import filled
from svc.domain.workflows.expressions.contexts import Context
from svc.domain.workflows.expressions.paths import lookup
from svc.domain.workflows.expressions.scopes import value_of
from svc.domain.workflows.expressions.templates import Filling, plain_path, record_path


def step_input(step: AnyStep, context: Context, time_zone: str = "UTC") -> dict[str, Any]:
    """The members of *step*, filled in, JSON-ready; a `record` as its id, and `until` as a time.

    A date is its beginning in *time_zone*. Raises `InvalidInput`, with the pointer into the step, where a
    record or a time is not there, or it becomes too large.
    """
    return {name: value for name, value in _Inputs(context, time_zone).of(step).items() if value is not None}


class _Inputs:
    """The input of one step while it is filled in."""

    def __init__(self, context: Context, time_zone: str) -> None:
        self._context = context
        self._filling = Filling(context)
        self._time_zone = time_zone

    def of(self, step: AnyStep) -> dict[str, Any]:
        match step:
            case CreateRecordStep():
                return {"objectType": step.object_type, **self._values(properties=step.properties)}
            case UpdateRecordStep():
                return {"record": self._record(step.record), **self._values(properties=step.properties)}
            case AddNote():
                return {"record": self._record(step.record), **self._texts(title=step.title, body=step.body)}
            case CreateDeal():
                return {**self._texts(name=step.name), **self._values(properties=step.properties)}
            case Assign():
                return self._assigned(step)
            case Reply():
                return self._texts(text=step.text)
            case CallWebhook():
                return {"webhookId": step.webhook_id, "seconds": step.seconds, **self._values(body=step.body)}
            case Wait():
                return self._wait(step)
            case Approval():
                return {**self._texts(reason=step.reason), "seconds": step.seconds}
            case Stop():
                return self._texts(reason=step.reason)
            case Branch():
                return {}
            case _:
                assert_never(step)

    def _assigned(self, step: Assign) -> dict[str, Any]:
        assigned: dict[str, Any] = {}
        if step.property is not None:
            assigned |= {"record": self._record(step.record), "property": step.property}
        for name, id_ in (("memberId", step.member_id), ("teamId", step.team_id)):
            if id_ is not None:
                with at(f"/{name}"):
                    assigned[name] = self._filling.fill(id_)
                    if not isinstance(assigned[name], str):
                        raise InvalidValue("leads to no member and to no team")
        return assigned

    def _wait(self, step: Wait) -> dict[str, Any]:
        if step.until is not None:
            with at("/until"):
                moment = moment_of(lookup(plain_path(step.until), self._context), self._time_zone)
                return {"until": rfc3339(moment)}
        if step.event is None:
            return {"seconds": step.seconds}
        try:
            where = filled(step.where, self._context)
        except InvalidInput as error:
            raise InvalidInput(
                Fault("/where" + fault.pointer, fault.code, fault.detail) for fault in error.faults
            ) from None
        return {
            "event": step.event,
            "seconds": step.seconds,
            "where": [msgspec.to_builtins(asked) for asked in where],
        }

    def _record(self, record: str | None) -> str:
        with at("/record"):
            path = record_path(record)
            found = record if path is None else lookup(path, self._context)
            if not isinstance(found, str):
                raise InvalidValue(f"there is no record at {shown(str(path))}")
            return found

    def _values(self, **members: Any) -> dict[str, Any]:
        return self._filled(self._filling.fill, members)

    def _texts(self, **members: str | None) -> dict[str, Any]:
        return self._filled(self._filling.text, members)

    def _filled(self, fill: Any, members: dict[str, Any]) -> dict[str, Any]:
        done = {}
        for name, value in members.items():
            with at(f"/{name}"):
                done[name] = None if value is None else fill(value)
        return done


def moment_of(value: Any, time_zone: str) -> int:
    """The time that *value*, a date or a time as text, is: ms since the epoch; a date begins in *time_zone*.

    Raises `InvalidValue` if it is neither.
    """
    if not isinstance(value, str):
        raise InvalidValue("leads to no date and to no time")
    try:
        day = read(value_of("date"), value, "")
    except InvalidValue:
        return ms_of(str(read(value_of("datetime"), value, "")))
    if day is None:
        raise InvalidValue("leads to no date and to no time")
    return moment_ms(datetime.combine(date.fromisoformat(str(day)), time.min, ZoneInfo(time_zone)))
