"""What a document may say when it is saved: every fault, each at its place."""

import time
from typing import Any

import msgspec
import pytest

from svc.domain.identity.roles import PERMISSIONS
from svc.domain.limits import FAULTS_MAX
from svc.domain.records.properties import Property
from svc.domain.workflows.checking import checked
from tests.workflow_documents import (
    KNOWN,
    MEMBER,
    NOW,
    RECORD,
    TRIGGERS,
    Object,
    document,
    faults_of,
    pointers,
)

NOTE: dict[str, Any] = {"type": "add_note", "body": "x"}
STOP: dict[str, Any] = {"type": "stop"}


def test_a_good_document_is_taken_with_its_name_trimmed():
    taken = checked(document(name=" Demo wanted "), KNOWN, PERMISSIONS, now=NOW)

    assert document() == taken


def test_every_fault_is_told_at_once():
    """Each at its place, in the order of the document, with the nearest name."""
    faults = faults_of(
        name="",
        trigger={"type": "submitted a form", "formId": "frm_2"},
        conditions=[{"property": "submision.id", "op": "eq", "value": "x"}],
        steps=[
            {"key": "a", "type": "add_note", "body": "{{record.emial}}"},
            {
                "key": "a",
                "type": "call_webhook",
                "webhookId": "whk_2",
                "body": {"x/y": ["{{steps.b.recordId}}"]},
            },
            {"key": "b", "type": "create_record", "objectType": "lamps"},
        ],
    )

    assert [
        "/name",
        "/trigger/formId",
        "/conditions/0/property",
        "/steps/0/body",
        "/steps/1/key",
        "/steps/1/webhookId",
        "/steps/1/body/x~1y/0",
        "/steps/2/objectType",
    ] == [fault.pointer for fault in faults]
    assert "did you mean `submission`" in faults[2].detail
    assert "did you mean `email`" in faults[3].detail
    assert "did you mean `lamp`" in faults[7].detail


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"colour": 1}, ("/colour", "unknown_field")),
        ({"steps": []}, ("/steps", "invalid_value")),
        ({"steps": [{"key": "a", "type": "summon"}]}, ("/steps/0/type", "invalid_value")),
        ({"steps": [{"key": "a", "type": "stop", "when": 1}]}, ("/steps/0/when", "unknown_field")),
        ({"steps": [{"type": "stop"}]}, ("/steps/0/key", "missing")),
        ({"trigger": {"type": "record.exploded"}}, ("/trigger/type", "invalid_value")),
        ({"trigger": {}}, ("/trigger/type", "missing")),
        ({"steps": [{"key": "a", "type": "wait", "seconds": 0}]}, ("/steps/0/seconds", "invalid_value")),
        (
            {"steps": [{"key": "a", "type": "wait", "seconds": 31_536_001}]},
            ("/steps/0/seconds", "invalid_value"),
        ),
    ],
)
def test_a_document_is_closed(given: dict[str, Any], fault: tuple[str, str]):
    """Types that are not known yet are not taken."""
    assert [fault] == [(one.pointer, one.code) for one in faults_of(**given)]


@pytest.mark.parametrize("key", ["", "A", "1a", "_a", "a-b", "a b", "ä", "a" * 51, "a\n", "a.b"])
def test_a_key_is_a_short_plain_name(key: str):
    assert ["/steps/0/key"] == pointers("form", STOP | {"key": key})


def test_a_key_is_in_a_document_once():
    """In whichever branch."""
    inner = {
        "key": "b",
        "type": "branch",
        "conditions": [_if()],
        "then": [STOP | {"key": "a"}],
        "else": [STOP | {"key": "b"}],
    }

    assert ["/steps/1/then/0/key", "/steps/1/else/0/key"] == pointers("form", NOTE | {"key": "a"}, inner)


def _if(prop: str = "event.id") -> dict[str, Any]:
    return {"property": prop, "op": "is_empty"}


def _nested(levels: int) -> dict[str, Any]:
    """That many branches inside one another."""
    inner = STOP | {"key": "end"} if levels == 1 else _nested(levels - 1)
    return {"key": f"b{levels}", "type": "branch", "conditions": [_if()], "then": [], "else": [inner]}


def test_branches_stand_five_deep():
    assert [] == pointers("form", _nested(5))
    assert ["/steps/0" + "/else/0" * 5] == pointers("form", _nested(6))


def test_there_are_fifty_steps():
    """Those in branches counted."""
    assert [] == pointers("form", *[STOP] * 50)
    branch = {"type": "branch", "conditions": [_if()], "then": [STOP | {"key": f"t{n}"} for n in range(49)]}
    assert [] == pointers("form", branch)
    assert ["/steps"] == pointers("form", branch, STOP)
    assert ["/steps"] == pointers("form", *[STOP] * 51)


def test_there_are_twenty_filters():
    assert [] == pointers(conditions=[_if()] * 20, steps=[STOP | {"key": "a"}])
    assert ["/conditions"] == pointers(conditions=[_if()] * 21, steps=[STOP | {"key": "a"}])


def test_a_document_has_64_kib():
    """A template of a megabyte is refused for its size, at once."""
    body = "{{" * 500_000
    began = time.process_time()

    assert [("", "too_large")] == [
        (fault.pointer, fault.code)
        for fault in faults_of(steps=[{"key": "a", "type": "add_note", "body": body}])
    ]
    assert time.process_time() - began < 2
    assert [] == pointers("form", NOTE | {"body": "x" * 63_000})


def test_faults_are_counted_out():
    """However many there are, a few dozen are found, told, and no more is looked for."""
    body = ["{{record.nmae}}"] * 3_000
    faults = faults_of(steps=[{"key": "a", "type": "call_webhook", "webhookId": "whk_1", "body": body}])

    assert FAULTS_MAX == len(faults)


def test_a_large_organization_is_checked_as_soon():
    """A hundred objects of 250 properties: a manual trigger knows what any of them has."""
    many = {
        f"object_{n}": Object(
            {f"p{n}_{p}": Property(slug=f"p{n}_{p}", label="P", type="text") for p in range(250)}
        )
        for n in range(97)
    }
    known = msgspec.structs.replace(KNOWN, objects={**KNOWN.objects, **many})
    steps = [
        {"key": f"a{n}", "type": "add_note", "body": "{{record.p1_x}} {{record.p1_1}}"} for n in range(50)
    ]
    began = time.process_time()

    assert FAULTS_MAX == len(faults_of(known=known, trigger={"type": "manual"}, conditions=[], steps=steps))
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    ("trigger", "pointer"),
    [
        ({"type": "submitted a form", "formId": "frm_2"}, "/trigger/formId"),
        ({"type": "message.received", "connectionId": "con_2"}, "/trigger/connectionId"),
        ({"type": "record.created", "objectType": "lmap"}, "/trigger/objectType"),
        ({"type": "record.updated", "objectType": "lmap", "properties": ["x"]}, "/trigger/objectType"),
        ({"type": "record.updated", "objectType": "lamp", "properties": ["wats"]}, "/trigger/properties/0"),
        (
            {"type": "record.updated", "objectType": "lamp", "properties": ["lit", "lit"]},
            "/trigger/properties/1",
        ),
        ({"type": "schedule", "cron": "0 9 * *"}, "/trigger/cron"),
        ({"type": "schedule", "cron": "0 0 31 2 *"}, "/trigger/cron"),
        ({"type": "schedule", "cron": "0 0 */30 2 MON#5"}, "/trigger/cron"),
        ({"type": "schedule", "cron": "0 9 * * *", "timeZone": "Mars/Olympus"}, "/trigger/timeZone"),
        ({"type": "schedule", "cron": "0 9 * * *", "debounce": {}}, "/trigger/debounce"),
        (
            {"type": "message.received", "debounce": {"by": "message.from", "seconds": 5, "atMost": 60}},
            "/trigger/debounce/by",
        ),
        (
            {"type": "message.received", "debounce": {"by": "message.text", "seconds": 5, "atMost": 4}},
            "/trigger/debounce/atMost",
        ),
    ],
)
def test_a_trigger_that_never_starts_a_run_is_refused(trigger: dict[str, Any], pointer: str):
    faults = faults_of(trigger=trigger, conditions=[], steps=[STOP | {"key": "a"}])

    assert [pointer] == [fault.pointer for fault in faults]


@pytest.mark.parametrize(
    ("path", "triggers"),
    [
        ("record.id", {"form", "created", "updated", "message", "manual"}),
        ("record.createdAt", {"form", "created", "updated", "message", "manual"}),
        ("record.email", {"form", "message", "manual"}),
        ("record.watts", {"created", "updated", "manual"}),
        ("record.price_currency", {"created", "updated", "manual"}),
        ("record.version", set()),
        ("deal.name", {"form"}),
        ("submission.id", {"form"}),
        ("submission.fields.any.thing", {"form"}),
        ("changed.watts.from", {"updated"}),
        ("changed.price_currency.to", {"updated"}),
        ("changed.email.to", set()),
        ("message.text", {"message"}),
        ("message.contactId", {"message"}),
        ("event.id", {*TRIGGERS}),
        ("event.timestamp", {*TRIGGERS}),
        ("event.data.objectType", set()),
        ("steps.a.recordId", set()),
    ],
)
def test_each_trigger_has_its_paths(path: str, triggers: set[str]):
    """And no others: what it does not have leads nowhere."""
    step = STOP | {"reason": f"{{{{{path}}}}}"}

    assert triggers == {trigger for trigger in TRIGGERS if not pointers(trigger, step)}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("steps.first.recordId", True),
        ("steps.first.error", True),
        ("steps.first.noteId", False),
        ("steps.here.error", False),
        ("steps.later.noteId", False),
        ("steps.nowhere.noteId", False),
        ("steps", False),
        ("steps.first", False),
        ("steps.choice.taken", True),
        ("steps.yes.noteId", True),
        ("steps.no.noteId", True),
        ("steps.called.statusCode", True),
        ("steps.waited.event.data.anything.at.all", True),
        ("steps.paused.event.id", False),
    ],
)
def test_a_step_sees_the_steps_before_it(path: str, found: bool):
    """Those that may have run, and not itself."""
    branch = {
        "key": "choice",
        "type": "branch",
        "conditions": [_if()],
        "then": [NOTE | {"key": "yes"}],
        "else": [NOTE | {"key": "no"}],
    }
    steps: list[dict[str, Any]] = [
        {"key": "first", "type": "create_record", "objectType": "lamp"},
        branch,
        {"key": "called", "type": "call_webhook", "webhookId": "whk_1"},
        {"key": "waited", "type": "wait", "event": "record.created", "seconds": 1},
        {"key": "paused", "type": "wait", "seconds": 1},
        {"key": "here", "type": "stop", "reason": f"{{{{{path}}}}}"},
        NOTE | {"key": "later"},
    ]

    assert ([] if found else ["/steps/5/reason"]) == pointers("form", *steps)


def test_one_arm_of_a_branch_does_not_see_the_other():
    """They never both run; each sees the branch itself."""
    branch = {
        "key": "choice",
        "type": "branch",
        "conditions": [_if()],
        "then": [NOTE | {"key": "yes", "body": "{{steps.choice.taken}}"}],
        "else": [NOTE | {"key": "no", "body": "{{steps.yes.noteId}}"}],
    }

    assert ["/steps/0/else/0/body"] == pointers("form", branch)


@pytest.mark.parametrize(
    ("properties", "wrong"),
    [
        ({"name": "Lantern", "watts": 7, "price": 9.5, "price_currency": "EUR", "lit": True}, None),
        ({"colours": ["red"], "due": "2027-01-31", "keeper": MEMBER, "owner": RECORD}, None),
        ({"price": None, "price_currency": None, "name": None}, None),
        ({"wats": 7}, "wats"),
        ({"watts": "7"}, "watts"),
        ({"lit": "yes"}, "lit"),
        ({"colours": ["blue"]}, "colours"),
        ({"colours": "red"}, "colours"),
        ({"due": "tomorrow"}, "due"),
        ({"keeper": "Ada"}, "keeper"),
        ({"keeper": MEMBER[:-1] + "B"}, "keeper"),
        ({"owner": "Ada"}, "owner"),
        ({"price_currency": "EUR"}, "price_currency"),
        ({"price": "{{record.id}}", "price_currency": "EUR"}, "price"),
        ({"price": "{{submission.fields.price}}", "price_currency": "EUR"}, None),
        ({"price": 1, "price_currency": "{{submission.fields.currency}}"}, None),
        ({"price": 1, "price_currency": "XXY"}, "price_currency"),
        ({"name": "{{record.email}}", "watts": "{{submission.fields.watts}}"}, None),
        ({"watts": "{{record.city}}"}, "watts"),
        ({"watts": "{{submission.fields.watts}}0"}, "watts"),
        ({"lit": "{{record.createdAt}}"}, "lit"),
        ({"name": "{{deal.amount}}"}, "name"),
        ({"name": "For {{deal.amount}}"}, None),
        ({"due": "{{deal.close_date}}"}, None),
        ({"owner": "{{record.id}}"}, None),
        ({"owner": "{{deal.id}}"}, "owner"),
        ({"maker": "{{record.company}}"}, None),
        ({"maker": "{{record.id}}"}, "maker"),
        ({"keeper": "{{record.id}}"}, "keeper"),
        ({"colours": ["{{submission.fields.colour}}"]}, None),
        ({"name": ["{{record.email}}"]}, "name"),
        ({"name": "{{record.wrong}}"}, "name"),
        ({"nmae": "{{record.email}}"}, "nmae"),
    ],
)
def test_values_are_checked_against_the_object(properties: dict[str, Any], wrong: str | None):
    """Plain ones as for a record; a template by what it becomes, as far as that is known."""
    step = {"type": "create_record", "objectType": "lamp", "properties": properties}

    assert ([] if wrong is None else [f"/steps/0/properties/{wrong}"]) == pointers("form", step)


def test_an_update_may_change_a_currency_alone():
    """Its record may have the amount."""
    assert [] == pointers("created", {"type": "update_record", "properties": {"price_currency": "EUR"}})


@pytest.mark.parametrize(
    ("trigger", "record", "properties", "wrong"),
    [
        ("created", None, {"watts": 7}, None),
        ("form", None, {"watts": 7}, "properties/watts"),
        ("form", "deal.id", {"stage": "Won"}, None),
        ("form", "{{deal.id}}", {"stage": "Won"}, None),
        ("form", "record.company", {"website": "https://example.com/"}, None),
        ("form", "steps.step_0.recordId", {"watts": 7}, None),
        ("form", "steps.step_0.recordId", {"stage": "Won"}, "properties/stage"),
        ("form", RECORD, {"watts": 7, "stage": "Won"}, None),
        ("form", RECORD, {"wats": 7}, "properties/wats"),
        ("form", "rec_1", {"watts": 7}, "record"),
        ("form", "record.email", {"watts": 7}, "record"),
        ("form", "deal", {"watts": 7}, "record"),
        ("form", "steps.step_9.recordId", {"watts": 7}, "record"),
        ("form", "someone", {"watts": 7}, "record"),
        ("form", "submission.fields.id", {"watts": 7}, None),
        ("message", "message.contactId", {"city": "Leeds"}, None),
        ("schedule", None, {"watts": 7}, "record"),
        ("manual", None, {"watts": "any"}, None),
        ("manual", None, {"wats": 7}, "properties/wats"),
        ("created", None, {}, "properties"),
    ],
)
def test_the_record_of_a_step_is_found_or_refused(
    trigger: str, record: str | None, properties: dict[str, Any], wrong: str | None
):
    """And its properties are those of its object, where that is known."""
    first = {"type": "create_record", "objectType": "lamp"}
    step = {"type": "update_record", "properties": properties} | (
        {} if record is None else {"record": record}
    )

    assert ([] if wrong is None else [f"/steps/1/{wrong}"]) == pointers(trigger, first, step)


@pytest.mark.parametrize(
    ("trigger", "step", "wrong"),
    [
        ("form", NOTE | {"title": "T" * 201}, ["title"]),
        ("form", NOTE | {"body": " "}, ["body"]),
        ("form", NOTE | {"body": "{{}}"}, ["body"]),
        ("form", NOTE | {"body": "a\0b"}, ["body"]),
        ("schedule", NOTE, ["record"]),
        ("schedule", NOTE | {"record": RECORD}, []),
        (
            "form",
            {"type": "create_deal", "name": "Demo for {{record.name}}", "properties": {"stage": "New"}},
            [],
        ),
        (
            "form",
            {"type": "create_deal", "name": "D", "properties": {"contact": RECORD, "stge": 1}},
            ["properties/contact", "properties/stge"],
        ),
        ("created", {"type": "create_deal", "name": "D"}, ["type"]),
        ("schedule", {"type": "create_deal", "name": "D"}, ["type"]),
        ("manual", {"type": "create_deal", "name": "D"}, []),
        ("message", {"type": "reply", "text": "Hello {{record.name}}"}, []),
        ("message", {"type": "reply", "text": ""}, ["text"]),
        ("form", {"type": "reply", "text": "Hello"}, ["type"]),
        ("message", {"type": "assign", "memberId": MEMBER}, []),
        ("message", {"type": "assign", "teamId": "tea_1"}, []),
        ("message", {"type": "assign", "teamId": "tea_2"}, ["teamId"]),
        ("message", {"type": "assign", "memberId": "usr_2"}, ["memberId"]),
        ("message", {"type": "assign", "memberId": "{{record.city}}"}, []),
        ("message", {"type": "assign", "memberId": "{{record.cty}}"}, ["memberId"]),
        ("message", {"type": "assign"}, ["memberId"]),
        ("message", {"type": "assign", "memberId": MEMBER, "teamId": "tea_1"}, ["memberId"]),
        ("message", {"type": "assign", "record": "record.id", "memberId": MEMBER}, ["property"]),
        ("form", {"type": "assign", "memberId": MEMBER}, ["type"]),
        ("created", {"type": "assign", "property": "keeper", "memberId": MEMBER}, []),
        ("created", {"type": "assign", "property": "kepeer", "memberId": MEMBER}, ["property"]),
        ("created", {"type": "assign", "property": "owner", "memberId": MEMBER}, ["property"]),
        ("created", {"type": "assign", "property": "keeper", "teamId": "tea_1"}, ["memberId", "teamId"]),
        ("manual", {"type": "assign", "property": "keeper", "memberId": MEMBER}, []),
        ("form", {"type": "call_webhook", "webhookId": "whk_1", "seconds": 3_601}, ["seconds"]),
        ("form", {"type": "call_webhook", "webhookId": "https://example.com/"}, ["webhookId"]),
        ("form", {"type": "wait", "seconds": 31_536_000}, []),
        ("form", {"type": "wait"}, ["seconds"]),
        ("form", {"type": "wait", "until": "deal.close_date"}, []),
        ("form", {"type": "wait", "until": "{{event.timestamp}}"}, []),
        ("form", {"type": "wait", "until": "submission.fields.when"}, []),
        ("form", {"type": "wait", "until": "deal.name"}, ["until"]),
        ("form", {"type": "wait", "until": "tomorrow"}, ["until"]),
        ("form", {"type": "wait", "until": "deal.close_date", "seconds": 1}, ["seconds"]),
        ("form", {"type": "wait", "event": "record.created"}, ["seconds"]),
        ("form", {"type": "wait", "event": "record.creatd", "seconds": 1}, ["event"]),
        ("form", {"type": "wait", "until": "deal.close_date", "event": "record.created"}, ["event"]),
        ("form", {"type": "wait", "seconds": 1, "where": [_if()]}, ["where"]),
        (
            "form",
            {
                "type": "wait",
                "event": "record.updated",
                "seconds": 1,
                "where": [
                    {"property": "record.id", "op": "eq", "value": "{{deal.id}}"},
                    {"property": "stage", "op": "eq", "value": "Won"},
                    {"property": "changed.stage.to", "op": "eq", "value": "Won"},
                    {"property": "event.data.source.kind", "op": "neq", "value": "workflow"},
                ],
            },
            [],
        ),
        (
            "form",
            {
                "type": "wait",
                "event": "message.received",
                "seconds": 1,
                "where": [
                    {"property": "message.contactId", "op": "eq", "value": "{{record.idd}}"},
                    {"property": "deal.id", "op": "is_empty"},
                ],
            },
            ["where/0/value", "where/1/property"],
        ),
        ("form", {"type": "branch", "conditions": [], "then": []}, ["conditions"]),
        ("form", {"type": "branch", "conditions": [_if("cty")], "then": []}, ["conditions/0/property"]),
        ("form", STOP | {"reason": "r" * 1_001}, ["reason"]),
    ],
)
def test_a_step_that_cannot_be_done_is_refused(trigger: str, step: dict[str, Any], wrong: list[str]):
    assert [f"/steps/0/{one}" for one in wrong] == pointers(trigger, step)


@pytest.mark.parametrize(
    ("trigger", "step", "permissions", "faults"),
    [
        ("form", NOTE, {"records.read", "records.write", "forms"}, []),
        ("form", NOTE, {"records.read"}, [("/trigger/type", "forbidden"), ("/steps/0/type", "forbidden")]),
        ("created", STOP, {"records.read"}, []),
        ("created", STOP, set(), [("/trigger/type", "forbidden")]),
        ("message", {"type": "reply", "text": "x"}, {"records.read", "conversations"}, []),
        ("schedule", STOP, set(), []),
        ("schedule", {"type": "call_webhook", "webhookId": "whk_1"}, set(), [("/steps/0/type", "forbidden")]),
        (
            "schedule",
            {"type": "wait", "event": "message.received", "seconds": 1},
            set(),
            [("/steps/0/type", "forbidden")],
        ),
        (
            "created",
            {"type": "assign", "property": "keeper", "memberId": MEMBER},
            {"records.read", "records.write"},
            [],
        ),
    ],
)
def test_a_document_takes_the_rights_of_all_its_steps(
    trigger: str, step: dict[str, Any], permissions: set[Any], faults: list[tuple[str, str]]
):
    """Also of those in branches."""
    given: dict[str, Any] = {
        "trigger": TRIGGERS[trigger],
        "conditions": [],
        "permissions": frozenset(permissions),
    }
    plain = faults_of(**given, steps=[{"key": "a"} | step])
    branch = {"key": "b", "type": "branch", "conditions": [_if()], "then": [{"key": "a"} | step]}
    inner = faults_of(**given, steps=[branch])

    assert faults == [(fault.pointer, fault.code) for fault in plain]
    assert [(pointer.replace("/0/", "/0/then/0/"), code) for pointer, code in faults] == [
        (fault.pointer, fault.code) for fault in inner
    ]
