"""What each step does once its templates are filled in."""

from typing import Any

import msgspec
import pytest

from svc.domain.errors import InvalidInput
from svc.domain.workflows.documents import AnyStep
from svc.domain.workflows.inputs import step_input

CONTEXT: dict[str, Any] = {
    "record": {"id": "rec_1", "name": "Ada", "company": "rec_2", "due": "2026-12-24", "keeper": "usr_1"},
    "deal": None,
    "submission": {"fields": {"when": "2026-12-24T10:00:00+01:00", "soon": "soon", "empty": " "}},
    "steps": {"made": {"recordId": "rec_3"}},
}


def input_of(step: dict[str, Any], zone: str = "UTC") -> dict[str, Any]:
    return step_input(msgspec.convert({"key": "a"} | step, AnyStep), CONTEXT, zone)


@pytest.mark.parametrize(
    ("step", "filled"),
    [
        (
            {
                "type": "create_record",
                "objectType": "lamp",
                "properties": {"name": "For {{record.name}}", "watts": 7},
            },
            {"objectType": "lamp", "properties": {"name": "For Ada", "watts": 7}},
        ),
        (
            {"type": "update_record", "properties": {"city": "{{record.city}}"}},
            {"record": "rec_1", "properties": {"city": None}},
        ),
        (
            {"type": "update_record", "record": "record.company", "properties": {}},
            {"record": "rec_2", "properties": {}},
        ),
        (
            {"type": "add_note", "record": "{{steps.made.recordId}}", "body": "{{record.missing}}"},
            {"record": "rec_3", "body": ""},
        ),
        (
            {"type": "add_note", "record": "rec_9", "title": "{{record.name}}", "body": "b"},
            {"record": "rec_9", "title": "Ada", "body": "b"},
        ),
        (
            {"type": "create_deal", "name": "{{record.name}}", "properties": {"stage": "New"}},
            {"name": "Ada", "properties": {"stage": "New"}},
        ),
        ({"type": "assign", "teamId": "tea_1"}, {"teamId": "tea_1"}),
        (
            {"type": "assign", "property": "keeper", "memberId": "{{record.keeper}}"},
            {"record": "rec_1", "property": "keeper", "memberId": "usr_1"},
        ),
        ({"type": "reply", "text": "Hello {{record.name}}"}, {"text": "Hello Ada"}),
        (
            {"type": "call_webhook", "webhookId": "whk_1", "body": {"who": ["{{record.id}}"]}},
            {"webhookId": "whk_1", "body": {"who": ["rec_1"]}, "seconds": 3_600},
        ),
        ({"type": "call_webhook", "webhookId": "whk_1", "seconds": 5}, {"webhookId": "whk_1", "seconds": 5}),
        ({"type": "wait", "seconds": 60}, {"seconds": 60}),
        ({"type": "wait", "until": "record.due"}, {"until": "2026-12-24T00:00:00.000Z"}),
        ({"type": "wait", "until": "{{submission.fields.when}}"}, {"until": "2026-12-24T09:00:00.000Z"}),
        (
            {
                "type": "wait",
                "event": "record.updated",
                "seconds": 60,
                "where": [{"property": "record.id", "op": "eq", "value": "{{record.id}}"}],
            },
            {
                "event": "record.updated",
                "seconds": 60,
                "where": [{"property": "record.id", "op": "eq", "value": "rec_1"}],
            },
        ),
        ({"type": "branch", "conditions": [{"property": "name", "op": "is_empty"}], "then": []}, {}),
        ({"type": "stop", "reason": "{{record.name}} again"}, {"reason": "Ada again"}),
        ({"type": "stop"}, {}),
    ],
)
def test_a_step_s_input_is_filled_in(step: dict[str, Any], filled: dict[str, Any]):
    """JSON-ready, as a run shows it."""
    got = input_of(step)

    assert filled == got
    assert got == msgspec.json.decode(msgspec.json.encode(got))


def test_a_date_begins_where_the_organization_is():
    """Berlin is an hour ahead of UTC in winter."""
    assert {"until": "2026-12-23T23:00:00.000Z"} == input_of(
        {"type": "wait", "until": "record.due"}, "Europe/Berlin"
    )


@pytest.mark.parametrize(
    ("step", "pointer"),
    [
        ({"type": "update_record", "record": "deal.id", "properties": {}}, "/record"),
        ({"type": "add_note", "record": "record.company.deeper", "body": "b"}, "/record"),
        ({"type": "assign", "memberId": "{{record.nobody}}"}, "/memberId"),
        ({"type": "wait", "until": "deal.close_date"}, "/until"),
        ({"type": "wait", "until": "submission.fields.soon"}, "/until"),
        ({"type": "wait", "until": "submission.fields.empty"}, "/until"),
        (
            {
                "type": "wait",
                "event": "record.updated",
                "seconds": 60,
                "where": [
                    {"property": "event.id", "op": "is_not_empty"},
                    {"property": "record.id", "op": "eq", "value": "{{deal.id}}"},
                ],
            },
            "/where/1/value",
        ),
        ({"type": "add_note", "body": "{{not a path}}"}, "/body"),
    ],
)
def test_what_leads_to_nothing_is_refused(step: dict[str, Any], pointer: str):
    """With the pointer to the member of the step."""
    with pytest.raises(InvalidInput) as caught:
        input_of(step)

    assert [pointer] == [fault.pointer for fault in caught.value.faults]


def test_all_members_of_a_step_share_the_limit():
    """Three of these are over it; two are not."""
    context = CONTEXT | {"record": {"id": "rec_1", "note": "x" * 100_000}}
    two = {"key": "a", "type": "add_note", "title": "{{record.note}}", "body": "{{record.note}}"}
    three = two | {"body": "{{record.note}}{{record.note}}"}

    assert 100_000 == len(step_input(msgspec.convert(two, AnyStep), context)["body"])
    with pytest.raises(InvalidInput) as caught:
        step_input(msgspec.convert(three, AnyStep), context)
    assert ["/body"] == [fault.pointer for fault in caught.value.faults]
