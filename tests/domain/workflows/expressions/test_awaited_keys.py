"""Keys of runs that wait for an event: an event that matches a run has its key."""

from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from svc.domain.errors import InvalidInput, InvalidValue
from svc.domain.records.queries import Filter
from svc.domain.workflows.expressions.awaited_keys import FIRST, LAST, awaited_key, keys_of
from svc.domain.workflows.expressions.conditions import Conditions
from svc.domain.workflows.expressions.contexts import Context, Event, event_context
from svc.domain.workflows.expressions.scopes import awaited_scope
from svc.domain.workflows.expressions.templates import written_out
from tests.workflow_documents import KNOWN, MEMBER, RECORD

UPDATED = awaited_scope("record.updated", KNOWN.objects)
FILED = awaited_scope("submission.filed", KNOWN.objects)
MESSAGE = awaited_scope("message.received", KNOWN.objects)

TIME = "2026-09-18T00:00:00.000Z"
TEXTS = [
    *(
        "Leeds",
        " leeds ",
        "LEEDS",
        "Straße",
        "STRASSE",
        "ﬁn",
        "fin",
        "a b",
        "a  b",
        "\u00a0x",
        "x",
        "´",
        " ´",
    ),
    *(
        "Ada@Bücher.example",
        "ada@xn--bcher-kva.example",
        "+44 20 7946 0123",
        "020 7946 0123",
        "+442079460123",
    ),
    *("yes", "5", "5.0", "5, 6", '{"a":5}', "{}", "2026-09-18", "2026-09-18T02:00:00+02:00"),
    *("2026-09-18T00:00:00.000Z", "Won", "New", "red", RECORD, MEMBER),
]
texts = st.sampled_from(TEXTS) | st.text(max_size=6)
plain = texts | st.none() | st.booleans() | st.integers(-9, 9) | st.just(5.0) | st.just(0.5)
json = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b", "a.b"]), inner),
    max_leaves=4,
)
SLUGS = ["name", "city", "email", "phone", "stage", "watts", "lit", "colours", "due", "keeper", "company"]
PATHS = [
    *SLUGS,
    *("record.id", "record.objectType", "createdAt", "changed.city.to", "changed.city.from"),
    *("event.id", "event.timestamp", "event.data.a", "event.data.b.a", "event.data.record.properties.city"),
    *("submission.fields.a", "submission.fields.a.b", "message.text", "message.contactId"),
]


@st.composite
def asked_of_events(draw: st.DrawFn) -> tuple[Context, Filter]:
    """An event with something at a path, and a filter `eq` there, whose value is often much the same."""
    path = draw(st.sampled_from(PATHS))
    found = draw(texts | json)
    happened = Event(id="evt_1", type="x", timestamp=TIME, organization_id="org_1")
    record = {"id": RECORD, "objectType": "contact", "createdAt": TIME, "updatedAt": TIME}
    context = event_context(happened, record=record)
    root, *names = path.split(".", 2 if path.startswith("submission.") else -1)
    tree: Any = context[root] if names else context["record"]
    for name in names[:-1]:
        tree = tree.setdefault(name, {})
    tree[names[-1] if names else path] = found
    text = written_out(found)
    alike = [found, text, text.upper(), f" {text} ", text.removesuffix(".0")]
    return context, Filter(path, "eq", draw(st.sampled_from(alike) | texts))


@settings(deadline=None, max_examples=300)
@given(asked_of_events())
def test_an_event_that_matches_has_the_key(one: tuple[Context, Filter]):
    """So that a run whose key it has not need not be judged."""
    context, asked = one
    for scope in (UPDATED, FILED, MESSAGE):
        try:
            matches = Conditions([asked], scope, "GB").holds(context)
            key = awaited_key([asked], [asked], scope, "GB") if matches else None
        except (InvalidInput, InvalidValue):
            continue
        event(f"it {'matches' if matches else 'does not match'}, and there is {'a' if key else 'no'} key")

        assert key in {None, context["record"]["id"], *keys_of(context)}


@pytest.mark.parametrize(
    ("path", "value", "data"),
    [
        ("event.data.replyId", "rpl_1", {"replyId": "rpl_1"}),
        ("message.conversationId", "cnv_1", {"conversationId": "cnv_1"}),
        ("message.text", " Yes ", {"text": "yes"}),
        ("submission.fields.the.topic", "5", {"fields": {"the.topic": 5}}),
        ("changed.stage.to", "Won", {"changed": {"stage": {"from": "New", "to": "Won"}}}),
        ("city", "Leeds", {"record": {"properties": {"city": "LEEDS"}}}),
        ("phone", "020 7946 0123", {"record": {"properties": {"phone": "+442079460123"}}}),
    ],
)
def test_a_text_that_is_asked_for_is_a_key(path: str, value: str, data: dict[str, Any]):
    """At a path of any root, and however it is written."""
    type_ = "message.received" if path.startswith("message.") else "record.updated"
    scope = FILED if path.startswith("submission.") else awaited_scope(type_, KNOWN.objects)
    happened = Event(id="evt_1", type=type_, timestamp="", organization_id="org_1", data=data)
    asked = [Filter("event.id", "is_not_empty"), Filter(path, "eq", value)]
    key = awaited_key(asked, asked, scope, "GB")

    assert key is not None
    assert FIRST < key < LAST
    assert key in set(keys_of(event_context(happened)))


@pytest.mark.parametrize(
    "asked",
    [
        [],
        [Filter("stage", "neq", "Won")],
        [Filter("record.id", "in", [RECORD])],
        [Filter("event.data.a", "eq", 5)],
        [Filter("event.data.a", "eq", '{"a":5}')],
        [Filter("email", "eq", "nobody")],
    ],
)
def test_without_a_text_that_it_has_to_have_there_is_no_key(asked: list[Filter]):
    """Then every event of the type is judged."""
    assert awaited_key(asked, asked, UPDATED, "GB") is None


def test_the_record_comes_first_and_then_what_was_filled_in():
    """Of a run's own record there are fewer events than of a stage that many wait for."""
    stage, reply, record = (
        Filter("stage", "eq", "Won"),
        Filter("event.data.replyId", "eq", "{{steps.hello.replyId}}"),
        Filter("record.id", "eq", "{{record.id}}"),
    )
    filled_in = [Filter("event.data.replyId", "eq", "rpl_1"), Filter("record.id", "eq", RECORD)]

    assert RECORD == awaited_key([stage, reply, record], [stage, *filled_in], UPDATED, "GB")
    assert awaited_key([reply], filled_in[:1], UPDATED, "GB") == awaited_key(
        [stage, reply], [stage, filled_in[0]], UPDATED, "GB"
    )
