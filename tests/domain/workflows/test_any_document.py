"""Whatever a document says, it is taken or every fault has its place; and what is taken can be run."""

from typing import Any, Final

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from svc.domain.errors import InvalidInput
from svc.domain.workflows.documents import AnyStep, Branch, Document, Wait, decode_stored, encode
from svc.domain.workflows.expressions.conditions import Conditions, filled
from svc.domain.workflows.expressions.contexts import Context, Event, event_context
from svc.domain.workflows.expressions.scopes import awaited_scope, trigger_scope
from svc.domain.workflows.inputs import step_input
from svc.domain.workflows.positions import Outline
from tests.workflow_documents import DEMO_WANTED, KNOWN, RECORD, documents, faults_of

WORDS: Final = [
    *(
        "",
        "x",
        "s0",
        "record",
        "record.id",
        "deal.id",
        "{{record.city}}",
        "{{",
        "{{}}",
        "rec_1",
        RECORD,
        "contact",
    ),
    *(
        "lamp",
        "eq",
        "is_empty",
        "branch",
        "wait",
        "approval",
        "schedule",
        "record.created",
        "0 0 * * *",
        "Mars",
        "\0",
        "a/b~c",
    ),
]
json = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 10**10), st.floats(), st.sampled_from(WORDS)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from([*WORDS, "type", "key", "then"]), inner, max_size=3),
    ),
    max_leaves=6,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in *value*, with each of its members."""
    members = [*value] if isinstance(value, dict) else [*range(len(value))] if isinstance(value, list) else []
    return [(value, member) for member in members] + [
        place for member in members for place in places(value[member])
    ]


def resolves(pointer: str, value: Any) -> bool:
    """Whether *pointer* leads to a member of *value*, or to one that an object has not."""
    for name in pointer.split("/")[1:]:
        name = name.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, dict):
            value = value.get(name)
        else:
            return False
    return True


@pytest.mark.fuzz
@settings(deadline=None, max_examples=400)
@given(documents(), st.data())
def test_a_mangled_document_is_taken_or_has_faults_at_its_places(value: dict[str, Any], data: st.DataObject):
    """And no fault is an accident."""
    for _ in range(data.draw(st.integers(0, 3))):
        container, member = data.draw(st.sampled_from(places(value)))
        if data.draw(st.booleans()) or isinstance(container, list):
            container[member] = data.draw(json)
        else:
            del container[member]
    missing = [name for name in DEMO_WANTED if name not in value]

    faults = [] if missing else faults_of(**value)

    assert [] == [fault for fault in faults if not resolves(fault.pointer, value)]
    assert len({(fault.pointer, fault.detail) for fault in faults}) == len(faults)


def missing_for(step: AnyStep, context: Context) -> set[str]:
    """Where the input of *step* cannot be filled in."""
    try:
        step_input(step, context)
    except InvalidInput as error:
        return {fault.pointer for fault in error.faults}
    return set()


@pytest.mark.fuzz
@settings(deadline=None, max_examples=200)
@given(
    documents(),
    st.dictionaries(st.sampled_from(["city", "email", "name"]), st.sampled_from(["Leeds", "", "a@b.c"])),
)
def test_what_is_taken_can_be_run(value: dict[str, Any], properties: dict[str, Any]):
    """Every path of it leads somewhere or to nothing; only a record or a time may be missing."""
    steps: list[dict[str, Any]] = []
    for step in value["steps"]:
        if not faults_of(**value | {"steps": [*steps, step]}):
            steps.append(step)
    assume(steps)
    document = msgspec.convert(value | {"steps": steps}, Document)
    event = Event(id="evt_1", type="x", timestamp="2026-09-18T00:00:00.000Z", organization_id="org_1")
    context = event_context(event, record={"id": RECORD, "objectType": "contact", "properties": properties})
    outline = Outline(document.steps)
    scope = trigger_scope(document.trigger, KNOWN.objects).after(outline.steps.values())

    assert document == decode_stored(encode(document))
    for step in outline.steps.values():
        if isinstance(step, Branch):
            assert Conditions(step.conditions, scope, "GB").holds(context) in {True, False}
        missing = missing_for(step, context)
        assert missing <= {"/record", "/until", "/where/0/value"}
        if isinstance(step, Wait) and step.event is not None and not missing:
            awaited = awaited_scope(step.event, KNOWN.objects)
            assert not Conditions(filled(step.where, context), awaited, "GB").holds({"record": None})
