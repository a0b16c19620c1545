"""Which events start a run, and one run for a burst of them."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.workflows.documents import AnyTrigger, Debounce
from svc.domain.workflows.expressions.contexts import Event
from svc.domain.workflows.triggers import Burst, burst_key, event_type_of, extended, starts
from tests.workflow_documents import TRIGGERS

NOW = 1_800_000_000_000
TEN = Debounce(by="record.id", seconds=10, at_most=60)


def trigger(name: str, **given: Any) -> AnyTrigger:
    return msgspec.convert(TRIGGERS[name] | given, AnyTrigger)  # type: ignore[no-any-return]


def event(type_: str, **data: Any) -> Event:
    return Event(
        id="evt_1", type=type_, timestamp="2026-09-18T00:00:00.000Z", organization_id="org_1", data=data
    )


@pytest.mark.parametrize(
    ("by", "happened", "started"),
    [
        (trigger("form"), event("submission.filed", formId="frm_2"), True),
        (trigger("form", formId="frm_1"), event("submission.filed", formId="frm_1"), True),
        (trigger("form", formId="frm_1"), event("submission.filed", formId="frm_2"), False),
        (trigger("form"), event("submission.held", formId="frm_1"), False),
        (trigger("created"), event("record.created", objectType="lamp"), True),
        (trigger("created"), event("record.created", objectType="deal"), False),
        (trigger("created"), event("record.updated", objectType="lamp"), False),
        (trigger("updated"), event("record.updated", objectType="lamp", changed={"lit": {}}), True),
        (trigger("updated"), event("record.updated", objectType="deal", changed={"lit": {}}), False),
        (
            trigger("updated", properties=["lit"]),
            event("record.updated", objectType="lamp", changed={"lit": {}}),
            True,
        ),
        (
            trigger("updated", properties=["lit"]),
            event("record.updated", objectType="lamp", changed={"name": {}}),
            False,
        ),
        (trigger("updated", properties=["lit"]), event("record.updated", objectType="lamp"), False),
        (trigger("message"), event("message.received", connectionId="con_2"), True),
        (trigger("message", connectionId="con_1"), event("message.received", connectionId="con_1"), True),
        (trigger("message", connectionId="con_1"), event("message.received", connectionId="con_2"), False),
        (trigger("schedule"), event("record.created", objectType="lamp"), False),
        (trigger("manual"), event("record.created", objectType="lamp"), False),
    ],
)
def test_an_event_starts_the_runs_of_its_trigger(by: AnyTrigger, happened: Event, started: bool):
    assert started == starts(by, happened)


def test_a_trigger_says_which_events_to_look_at():
    """Of all that start something; times and people have none."""
    assert {
        "form": "submission.filed",
        "created": "record.created",
        "updated": "record.updated",
        "message": "message.received",
        "schedule": None,
        "manual": None,
    } == {name: event_type_of(trigger(name)) for name in TRIGGERS}


def test_a_run_is_due_once_it_has_been_quiet():
    first = extended(TEN, None, NOW)
    second = extended(TEN, first, NOW + 9_999)

    assert Burst(NOW, NOW + 10_000) == first
    assert Burst(NOW, NOW + 19_999) == second


def test_a_burst_that_does_not_end_is_cut():
    """So long after its first event."""
    burst = extended(TEN, None, NOW)
    for second in range(1, 60):
        burst = extended(TEN, burst, NOW + second * 1_000)

    assert Burst(NOW, NOW + 60_000) == burst


def test_a_burst_that_is_due_is_over():
    """What comes then begins another."""
    assert Burst(NOW + 10_000, NOW + 20_000) == extended(TEN, Burst(NOW, NOW + 10_000), NOW + 10_000)


@given(st.lists(st.integers(0, 30_000), min_size=1, max_size=60))
def test_every_event_is_in_one_burst_that_starts_in_time(pauses: list[int]):
    """At least ten quiet seconds before each start, or sixty since the first event."""
    now, burst, starts = NOW, None, []
    for pause in pauses:
        now += pause
        if burst is not None and burst.due_at <= now:
            starts.append((burst.first_at, burst.due_at))
        burst = extended(TEN, burst, now)
        assert now < burst.due_at <= now + 10_000
        assert burst.due_at <= burst.first_at + 60_000
        assert not starts or starts[-1][1] <= burst.first_at


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("rec_1", "rec_1", True),
        ("rec_1", "rec_2", False),
        (1, "1", False),
        (None, None, True),
        ([1], [1], True),
    ],
)
def test_events_with_the_same_value_are_of_one_burst(one: Any, other: Any, same: bool):
    def key(value: Any) -> str:
        return burst_key(TEN, {"record": {"id": value}})

    assert same == (key(one) == key(other))
    assert 64 == len(key("x" * 100_000))
