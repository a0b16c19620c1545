"""Paths, and what they lead to."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.errors import InvalidValue
from svc.domain.workflows.expressions.contexts import Event, event_context
from svc.domain.workflows.expressions.paths import Path, lookup, parse, parse_property

CONTACT = {
    "id": "rec_1",
    "objectType": "contact",
    "version": 3,
    "properties": {"email": "ada@example.com", "id": "shadowed", "version": "v2"},
    "createdAt": "2026-09-18T00:00:00.000Z",
    "updatedAt": "2026-09-18T00:00:00.000Z",
}
FILED = Event(
    id="evt_1",
    type="submission.filed",
    timestamp="2026-09-18T00:00:01.000Z",
    organization_id="org_1",
    data={"submissionId": "sub_1", "formId": "frm_1", "fields": {"Your topic": "demo", "a.b": 7}},
)
UPDATED = Event(
    id="evt_2",
    type="record.updated",
    timestamp="2026-09-18T00:00:02.000Z",
    organization_id="org_1",
    data={
        "record": CONTACT,
        "objectType": "contact",
        "changed": {"email": {"from": None, "to": "ada@example.com"}},
    },
)
MESSAGE = Event(
    id="evt_3",
    type="message.received",
    timestamp="2026-09-18T00:00:03.000Z",
    organization_id="org_1",
    data={"messageId": "msg_1", "text": "Hello", "conversationId": "cnv_1", "connectionId": "con_1"},
)


@pytest.mark.parametrize(
    ("event", "path", "value"),
    [
        (FILED, "submission.id", "sub_1"),
        (FILED, "submission.formId", "frm_1"),
        (FILED, "submission.fields.Your topic", "demo"),
        (FILED, "submission.fields.a.b", 7),
        (FILED, "submission.fields.nothing", None),
        (FILED, "record.email", None),
        (FILED, "deal.name", None),
        (FILED, "event.type", "submission.filed"),
        (UPDATED, "record.email", "ada@example.com"),
        (UPDATED, "record.id", "rec_1"),
        (UPDATED, "record.version", "v2"),
        (UPDATED, "record.objectType", "contact"),
        (UPDATED, "record.createdAt", "2026-09-18T00:00:00.000Z"),
        (UPDATED, "record.email.deeper", None),
        (UPDATED, "changed.email.from", None),
        (UPDATED, "changed.email.to", "ada@example.com"),
        (UPDATED, "changed.city.to", None),
        (UPDATED, "event.data.objectType", "contact"),
        (UPDATED, "steps.hello.noteId", None),
        (MESSAGE, "message.id", "msg_1"),
        (MESSAGE, "message.text", "Hello"),
        (MESSAGE, "message.contactId", None),
    ],
)
def test_a_path_leads_into_the_event_and_its_record(event: Event, path: str, value: object):
    """And to nothing where there is nothing."""
    assert value == lookup(parse(path), event_context(event))


def test_the_record_and_deal_of_a_submission_are_loaded_for_it():
    """They are not in the event."""
    deal = {"id": "rec_2", "objectType": "deal", "properties": {"name": "Lamps"}}
    context = event_context(FILED, record=CONTACT, deal=deal)

    assert ("ada@example.com", "Lamps", "rec_2") == tuple(
        lookup(parse(path), context) for path in ("record.email", "deal.name", "deal.id")
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "email",
        "recrod.email",
        "record.",
        "record..email",
        ".record",
        "a" * 201,
        "record." + "a" * 200,
    ],
)
def test_what_is_no_path_is_refused(text: str):
    with pytest.raises(InvalidValue):
        parse(text)


def test_an_unknown_beginning_names_the_nearest():
    with pytest.raises(InvalidValue, match="did you mean `record`"):
        parse("recrod.email")


def test_the_property_of_a_filter_is_a_slug_or_a_path():
    """A slug is that of the record."""
    assert Path("record", ("city",)) == parse_property("city")
    assert Path("message", ("text",)) == parse_property("message.text")


@given(st.text(max_size=300))
def test_any_text_is_a_path_or_refused(text: str):
    """And a path is written as it was read."""
    with suppress(InvalidValue):
        assert text == str(parse(text))
