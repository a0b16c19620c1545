"""Documents are closed when they come in, and open to what other versions of the program stored."""

from typing import Any

import msgspec
import pytest

from svc.domain.errors import Unreadable
from svc.domain.input.faults import CheckedValue
from svc.domain.workflows.documents import (
    AddNote,
    Branch,
    Document,
    FormSubmitted,
    Wait,
    decode_stored,
    encode,
)
from tests.workflow_documents import DEMO_WANTED, document

KEPT = """
{"name":"All of it","trigger":{"type":"record.updated","debounce":{"by":"record.id","seconds":5,"atMost":60},
"objectType":"contact","properties":["city"]},
"conditions":[{"property":"changed.city.to","op":"in","value":["Leeds","York"]}],
"steps":[
{"type":"create_record","key":"a","onError":"continue","objectType":"company","properties":{"name":"X"}},
{"type":"update_record","key":"b","record":"steps.a.recordId","properties":{"city":"{{record.city}}"}},
{"type":"add_note","key":"c","record":"record.company","title":"T","body":"B"},
{"type":"create_deal","key":"d","name":"N","properties":{"stage":"New"}},
{"type":"assign","key":"e","memberId":"usr_1"},
{"type":"assign","key":"f","record":"steps.d.recordId","property":"keeper","memberId":"usr_1"},
{"type":"reply","key":"g","text":"Hello"},
{"type":"call_webhook","key":"h","webhookId":"whk_1","body":[1,{"a":null}],"seconds":60},
{"type":"wait","key":"i","seconds":1},
{"type":"wait","key":"j","until":"record.createdAt"},
{"type":"wait","key":"k","event":"record.created","where":[{"property":"record.id","op":"eq","value":"{{record.id}}"}],"seconds":9},
{"type":"branch","key":"l","conditions":[{"property":"city","op":"is_empty","value":null}],
"then":[{"type":"stop","key":"m","reason":"none"}],"else":[{"type":"stop","key":"n"}]}]}
"""
"""What this program stored on the day of this test. Every later one has to read it, and mean the same."""


def test_the_document_of_the_guide_is_read():
    read = document()

    hello, big, _ = read.steps
    assert read.trigger == FormSubmitted(form_id="frm_1")
    assert hello == AddNote(key="hello", body="Wants a demo: {{submission.fields.message}}")
    assert isinstance(big, Branch)
    assert (Wait(key="pause", seconds=172_800),) == big.otherwise


def test_a_document_is_answered_as_it_was_written():
    """Defaults are left out, and `else` is called so."""
    assert DEMO_WANTED == msgspec.json.decode(encode(document()))


def test_what_is_stored_is_read_as_the_same():
    assert document() == decode_stored(encode(document()))


def test_what_was_kept_is_read_by_every_later_program():
    kept = decode_stored(KEPT)

    assert msgspec.json.decode(KEPT) == msgspec.json.decode(encode(kept))
    assert kept == decode_stored(encode(kept))


@pytest.mark.parametrize(
    ("place", "pointer"),
    [
        ([], "/later"),
        (["trigger"], "/trigger/later"),
        (["conditions", 0], "/conditions/0/later"),
        (["steps", 0], "/steps/0/later"),
        (["steps", 1, "then", 0], "/steps/1/then/0/later"),
        (["steps", 1, "conditions", 0], "/steps/1/conditions/0/later"),
    ],
)
def test_an_unknown_member_is_refused_coming_in_and_ignored_in_what_is_stored(place: list[Any], pointer: str):
    """At every place: a later program may have added it."""
    value = msgspec.json.decode(msgspec.json.encode(DEMO_WANTED))
    part = value
    for step in place:
        part = part[step]
    part["later"] = {"any": ["thing"]}

    assert [(pointer, "unknown_field")] == [
        (fault.pointer, fault.code) for fault in CheckedValue(Document, value).faults
    ]
    assert document() == decode_stored(msgspec.json.encode(value))


def test_unknown_members_are_kept_where_any_json_may_be():
    """The body of a call is its author's."""
    step = {
        "key": "a",
        "type": "call_webhook",
        "webhookId": "whk_1",
        "body": {"type": "x", "later": [{"y": 1}]},
    }
    stored = document(steps=[step])

    assert stored == decode_stored(encode(stored))


@pytest.mark.parametrize(
    "given",
    [
        {"trigger": {"type": "moon.rose"}},
        {"steps": [{"key": "a", "type": "approval", "reason": "Sure?"}]},
        {
            "steps": [
                {"key": "a", "type": "branch", "conditions": [], "then": [{"key": "b", "type": "later"}]}
            ]
        },
    ],
)
def test_a_stored_type_that_is_not_known_is_unreadable(given: dict[str, Any]):
    """After a downgrade; it is not taken for something else."""
    with pytest.raises(Unreadable):
        decode_stored(msgspec.json.encode(DEMO_WANTED | given))


@pytest.mark.parametrize("stored", ["", "[]", "{", '{"name":"x"}', "null"])
def test_what_is_no_document_is_unreadable(stored: str):
    with pytest.raises(Unreadable):
        decode_stored(stored)
