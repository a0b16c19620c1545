"""Conditions: filters over what a run sees, typed where the type is known."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.errors import InvalidInput, InvalidValue
from svc.domain.records.conditions import Condition
from svc.domain.records.objects import CONTACT
from svc.domain.records.operators import Op
from svc.domain.records.queries import Filter, PlainFilter
from svc.domain.workflows.documents import FormSubmitted, RecordUpdated
from svc.domain.workflows.expressions.awaited_keys import awaited_key
from svc.domain.workflows.expressions.conditions import Conditions, filled, filter_faults
from svc.domain.workflows.expressions.scopes import Scope, awaited_scope, trigger_scope
from tests.workflow_documents import KNOWN, RECORD

FORM = trigger_scope(FormSubmitted(), KNOWN.objects)
LAMP = trigger_scope(RecordUpdated(object_type="lamp"), KNOWN.objects)


def holds(scope: Scope, context: dict[Any, Any], *filters: tuple[str, Op, Any]) -> bool:
    return Conditions([Filter(*one) for one in filters], scope, "GB").holds(context)


def faults(scope: Scope, *filters: tuple[str, Op, Any]) -> list[str]:
    asked = [Filter(*one) for one in filters]
    return [fault.pointer for fault in filter_faults(asked, "/conditions", scope, scope, "GB")]


@pytest.mark.parametrize(
    ("prop", "op", "value", "expected"),
    [
        ("name", "eq", "LANTERN", True),
        ("record.name", "contains", "ter", True),
        ("watts", "gt", 7, True),
        ("watts", "gt", 8, False),
        ("colours", "contains", "red", True),
        ("colours", "in", ["green"], False),
        ("due", "lt", "2027-01-01", True),
        ("lit", "eq", True, True),
        ("keeper", "is_empty", None, True),
        ("price_currency", "eq", "GBP", True),
        ("record.id", "eq", RECORD, True),
        ("createdAt", "gte", "2026-09-18T00:00:00Z", True),
        ("changed.watts.from", "eq", 5, True),
        ("changed.watts.to", "in", [5, 6], False),
        ("changed.name.to", "is_not_empty", None, False),
    ],
)
def test_what_is_known_of_a_record_is_compared_as_in_its_lists(prop: str, op: Op, value: Any, expected: bool):
    record = {
        "id": RECORD,
        "name": "Lantern",
        "watts": 8,
        "price_currency": "GBP",
        "lit": True,
        "colours": ["red"],
        "due": "2026-12-24",
        "createdAt": "2026-09-18T00:00:00.000Z",
    }

    assert expected == holds(
        LAMP, {"record": record, "changed": {"watts": {"from": 5, "to": 8}}}, (prop, op, value)
    )


@given(
    st.one_of(st.none(), st.text(max_size=5)),
    st.text(min_size=1, max_size=3),
    st.sampled_from(["eq", "neq", "contains", "starts_with"]),
)
def test_conditions_are_the_filters_of_lists(found: str | None, wanted: str, op: Op):
    """To the letter, for whatever text."""
    prop = KNOWN.objects[CONTACT].properties["city"]
    try:
        condition = Condition(prop, op, wanted, "GB")
    except InvalidValue:
        assert [] != faults(FORM, ("city", op, wanted))
        return

    if "{{" not in wanted:
        assert condition.holds(found) == holds(FORM, {"record": {"city": found}}, ("city", op, wanted))


@pytest.mark.parametrize(
    ("found", "op", "value", "expected"),
    [
        ("demo", "eq", "Demo", True),
        ("12", "gt", 7, True),
        (12, "gt", 7, True),
        ("twelve", "gt", 7, False),
        ("twelve", "neq", 7, True),
        ("on", "eq", True, True),
        (False, "eq", True, False),
        (True, "eq", "yes", True),
        (7, "in", ["7", "8"], True),
        ("", "is_empty", None, True),
        (None, "is_empty", None, True),
        (0, "is_not_empty", None, True),
        (["a", "b"], "contains", "a, b", True),
        ({"a": 1}, "is_not_empty", None, True),
    ],
)
def test_a_form_s_field_is_read_as_what_it_is_compared_with(found: Any, op: Op, value: Any, expected: bool):
    """Nothing else is known of it."""
    context = {"submission": {"fields": {"x": found}}}

    assert expected == holds(FORM, context, ("submission.fields.x", op, value))


def test_all_conditions_must_hold():
    record = {"record": {"city": "Leeds", "country": "GB"}}

    assert holds(FORM, record)
    assert holds(FORM, record, ("city", "eq", "Leeds"), ("country", "eq", "GB"))
    assert not holds(FORM, record, ("city", "eq", "Leeds"), ("country", "eq", "FR"))


@pytest.mark.parametrize(
    ("op", "value", "expected"),
    [
        ("eq", "{{submission.fields.town}}", True),
        ("eq", "{{submission.fields.to}}wn", False),
        ("in", ["York", "{{submission.fields.town}}"], True),
        ("eq", "{{submission.fields.nothing}}", False),
        ("neq", "{{submission.fields.nothing}}", True),
        ("in", ["{{submission.fields.nothing}}"], False),
        ("not_in", ["{{submission.fields.nothing}}"], True),
    ],
)
def test_a_value_may_be_a_template(op: Op, value: Any, expected: bool):
    """One that becomes nothing is equal to nothing."""
    context = {"record": {"city": "Leeds"}, "submission": {"fields": {"town": "leeds", "to": "to"}}}

    assert expected == holds(FORM, context, ("city", op, value))


@pytest.mark.parametrize(
    ("prop", "value"), [("watts", "eight"), ("lit", 1), ("colours", "red"), ("name", {}), ("due", True)]
)
def test_a_value_of_another_type_counts_as_none(prop: str, value: Any):
    """Such as what an event has kept of a property that was of another type."""
    assert holds(LAMP, {"record": {prop: value}}, (prop, "is_empty", None))
    assert not holds(LAMP, {"record": {"watts": "eight"}}, ("watts", "gt", 7))


def test_conditions_say_what_they_look_at():
    """Also in their templates: the deal need not be loaded for these."""
    filters = [
        Filter("city", "in", ["x", "{{submission.fields.town}}"]),
        Filter("event.type", "is_not_empty"),
    ]

    assert {"record", "submission", "event"} == Conditions(filters, FORM, "GB").roots


def test_a_filled_in_value_of_another_type_is_refused():
    """It is no answer to say that it does not hold."""
    with pytest.raises(InvalidValue, match="number"):
        holds(
            LAMP,
            {"record": {"watts": 8}, "event": {"type": "record.updated"}},
            ("watts", "eq", "{{event.type}}"),
        )


@pytest.mark.parametrize(
    ("scope", "asked", "pointer"),
    [
        (FORM, ("town", "eq", "x"), "property"),
        (FORM, ("message.text", "eq", "x"), "property"),
        (FORM, ("changed.city.to", "eq", "x"), "property"),
        (FORM, ("steps.later.noteId", "eq", "x"), "property"),
        (FORM, ("submission.fields", "eq", "x"), None),
        (FORM, ("submission", "eq", "x"), "property"),
        (FORM, ("submission.fields.", "eq", "x"), "property"),
        (LAMP, ("changed.watts", "eq", 7), "property"),
        (LAMP, ("changed.watts.since", "eq", 7), "property"),
        (LAMP, ("watts", "contains", 7), "op"),
        (LAMP, ("watts", "contains", "{{event.id}}"), "op"),
        (LAMP, ("watts", "eq", "seven"), "value"),
        (LAMP, ("watts", "eq", None), "value"),
        (LAMP, ("watts", "is_empty", 7), "value"),
        (LAMP, ("watts", "is_empty", "{{event.id}}"), "value"),
        (LAMP, ("colours", "contains", "blue"), "value"),
        (LAMP, ("record.id", "eq", "lamp 7"), "value"),
        (LAMP, ("name", "eq", "{{record.nothing}}"), "value"),
        (LAMP, ("name", "in", ["a", "{{nothing}}"]), "value/1"),
        (FORM, ("submission.fields.x", "gt", "a"), "op"),
    ],
)
def test_a_filter_that_cannot_hold_is_refused_at_its_place(scope: Scope, asked: Any, pointer: str | None):
    """With the pointer to the member that is wrong."""
    assert ([] if pointer is None else [f"/conditions/1/{pointer}"]) == faults(
        scope, ("createdAt", "is_empty", None) if scope is LAMP else ("city", "is_empty", None), asked
    )


def test_stored_conditions_that_cannot_be_asked_any_more_name_every_fault():
    """Since properties were deleted."""
    with pytest.raises(InvalidInput) as caught:
        Conditions([Filter("a", "eq", 1), Filter("city", "eq", "x"), Filter("b", "eq", 1)], FORM, "GB")

    assert ["/0/property", "/2/property"] == [fault.pointer for fault in caught.value.faults]


def test_a_waiting_step_keeps_its_filters_filled_in():
    """So that they are judged without its run."""
    asked = [
        Filter("event.data.replyId", "eq", "{{steps.answer.replyId}}"),
        Filter("event.id", "is_not_empty"),
    ]
    kept = filled(asked, {"steps": {"answer": {"replyId": "rpl_1"}}})
    awaited = Conditions(kept, awaited_scope("message.status", KNOWN.objects), "GB")

    assert (Filter("event.data.replyId", "eq", "rpl_1"), Filter("event.id", "is_not_empty")) == kept
    assert awaited.holds({"event": {"id": "evt_1", "data": {"replyId": "rpl_1"}}})
    assert not awaited.holds({"event": {"id": "evt_1", "data": {"replyId": "rpl_2"}}})


def test_of_a_group_one_filter_has_to_hold():
    """Each is read and filled in as any other; every fault has the pointer of its own."""
    either = Filter(any=(PlainFilter("watts", "gt", 10), PlainFilter("name", "eq", "{{record.city}}")))
    conditions = Conditions([either, Filter("lit", "eq", True)], LAMP, "GB")
    wrong = Filter(any=(PlainFilter("watts", "contains", 1), PlainFilter("nothing.there", "is_empty")))

    assert {"record"} == conditions.roots
    assert conditions.holds({"record": {"watts": 11, "lit": True}})
    assert conditions.holds({"record": {"watts": 9, "name": "Wick", "city": "Wick", "lit": True}})
    assert not conditions.holds({"record": {"watts": 9, "name": "Wick", "city": "Bath", "lit": True}})
    assert not conditions.holds({"record": {"watts": 11, "lit": False}})
    assert ["/conditions/0/any/0/op", "/conditions/0/any/1/property"] == [
        fault.pointer for fault in filter_faults([wrong], "/conditions", LAMP, LAMP, "GB")
    ]
    many = [Filter(any=(PlainFilter("watts", "gt", 10),) * 11)] * 2
    assert ["/conditions"] == [
        fault.pointer for fault in filter_faults(many, "/conditions", LAMP, LAMP, "GB")
    ]


def test_a_waiting_step_keeps_its_groups_filled_in():
    """A run that waits with groups alone has no key: an event may match any of their filters."""
    asked = [
        Filter(any=(PlainFilter("event.id", "eq", "{{deal.id}}"), PlainFilter("event.id", "is_not_empty")))
    ]
    kept = filled(asked, {"deal": {"id": "evt_1"}})
    scope = awaited_scope("message.status", KNOWN.objects)

    assert (
        Filter(any=(PlainFilter("event.id", "eq", "evt_1"), PlainFilter("event.id", "is_not_empty"))),
    ) == kept
    assert awaited_key(asked, kept, scope, "GB") is None
    with pytest.raises(InvalidInput) as caught:
        filled(asked, {"deal": None})
    assert ["/0/any/0/value"] == [fault.pointer for fault in caught.value.faults]


def test_a_filter_that_is_filled_in_to_nothing_is_refused():
    """No event would match, for as long as the step waits."""
    with pytest.raises(InvalidInput) as caught:
        filled([Filter("record.id", "eq", "{{deal.id}}")], {"deal": None})

    assert ["/0/value"] == [fault.pointer for fault in caught.value.faults]
