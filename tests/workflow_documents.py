"""Documents of workflows for tests, and an organization that they may refer to."""

import copy
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from hypothesis import strategies as st

from svc.domain.errors import Fault, InvalidInput
from svc.domain.identity.roles import PERMISSIONS, Permission
from svc.domain.input.faults import CheckedValue
from svc.domain.records.objects import BUILTIN_OBJECTS
from svc.domain.records.properties import Property
from svc.domain.workflows.checking import checked
from svc.domain.workflows.documents import Document

NOW: Final = 1_800_000_000_000
"""2027-01-15T08:00:00Z, a Friday."""


class Object(msgspec.Struct, frozen=True):
    properties: dict[str, Property]


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """An organization with the built-in objects, and lamps."""

    country: str = "GB"
    currency: str = "GBP"
    objects: Mapping[str, Object]
    event_types: tuple[str, ...] = ("record.created", "record.updated", "message.received", "message.status")
    form_ids: frozenset[str] = frozenset({"frm_1"})
    connection_ids: frozenset[str] = frozenset({"con_1"})
    webhook_ids: frozenset[str] = frozenset({"whk_1"})
    member_ids: frozenset[str] = frozenset({"usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA"})
    team_ids: frozenset[str] = frozenset({"tea_1"})


LAMP: Final = Object(
    {
        prop.slug: prop
        for prop in (
            Property(slug="name", label="Name", type="text"),
            Property(slug="watts", label="Watts", type="number"),
            Property(slug="price", label="Price", type="amount"),
            Property(slug="lit", label="Lit", type="boolean"),
            Property(slug="colours", label="Colours", type="multi_select", options=("red", "green")),
            Property(slug="due", label="Due", type="date"),
            Property(slug="keeper", label="Keeper", type="member"),
            Property(slug="owner", label="Owner", type="relation", options=("contact",)),
            Property(slug="maker", label="Maker", type="relation", options=("company",)),
        )
    }
)
KNOWN: Final = Known(
    objects={
        **{one.slug: Object({prop.slug: prop for prop in one.properties}) for one in BUILTIN_OBJECTS},
        "lamp": LAMP,
    }
)
MEMBER: Final = "usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA"
RECORD: Final = "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"

DEMO_WANTED: Final[dict[str, Any]] = {
    "name": "Demo wanted",
    "trigger": {"type": "submitted a form", "formId": "frm_1"},
    "conditions": [{"property": "submission.fields.topic", "op": "eq", "value": "demo"}],
    "steps": [
        {"key": "hello", "type": "add_note", "body": "Wants a demo: {{submission.fields.message}}"},
        {
            "key": "big",
            "type": "branch",
            "conditions": [{"property": "city", "op": "eq", "value": "Leeds"}],
            "then": [
                {
                    "key": "tell",
                    "type": "call_webhook",
                    "webhookId": "whk_1",
                    "body": {"who": "{{record.id}}"},
                }
            ],
            "else": [{"key": "pause", "type": "wait", "seconds": 172800}],
        },
        {"key": "title", "type": "update_record", "properties": {"job_title": "Lead"}},
    ],
}

TRIGGERS: Final[dict[str, dict[str, Any]]] = {
    "form": {"type": "submitted a form"},
    "created": {"type": "record.created", "objectType": "lamp"},
    "updated": {"type": "record.updated", "objectType": "lamp"},
    "message": {"type": "message.received"},
    "schedule": {"type": "schedule", "cron": "0 9 * * 1"},
    "manual": {"type": "manual"},
}


def document(**given: Any) -> Document:
    """The document of `DEMO_WANTED`, with the members that are *given*."""
    return msgspec.convert(DEMO_WANTED | given, Document)


def faults_of(
    *, known: Known = KNOWN, permissions: frozenset[Permission] = PERMISSIONS, **given: Any
) -> list[Fault]:
    """Every fault of `DEMO_WANTED` with the members that are *given*: of its types, else of the checks."""
    asked = DEMO_WANTED | given
    typed = CheckedValue(Document, asked)
    if typed.faults:
        return typed.faults
    try:
        checked(msgspec.convert(typed.value, Document), known, permissions, now=NOW)
    except InvalidInput as error:
        return [*error.faults]
    return []


def pointers(trigger: str = "form", *steps: dict[str, Any], **given: Any) -> list[str]:
    """Where a document with that trigger and those steps is at fault; steps without a key get one."""
    keyed = [{"key": f"step_{place}"} | step for place, step in enumerate(steps)]
    faults = faults_of(**{"trigger": TRIGGERS[trigger], "conditions": [], "steps": keyed} | given)
    return [fault.pointer for fault in faults]


IF: Final = {"property": "record.city", "op": "eq", "value": "{{submission.fields.town}}"}
STEPS: Final[list[dict[str, Any]]] = [
    {"type": "create_record", "objectType": "lamp", "properties": {"name": "{{record.email}}", "watts": 7}},
    {"type": "update_record", "properties": {"city": "{{submission.fields.town}}"}},
    {"type": "update_record", "record": "deal.id", "properties": {"stage": "Won"}},
    {"type": "add_note", "title": "T {{deal.name}}", "body": "{{steps.s0.recordId}}"},
    {"type": "create_deal", "name": "{{record.name}}"},
    {"type": "assign", "property": "keeper", "record": "steps.s0.recordId", "memberId": MEMBER},
    {"type": "reply", "text": "{{message.text}}"},
    {"type": "call_webhook", "webhookId": "whk_1", "body": [{"a": "{{event.id}}"}], "seconds": 60},
    {"type": "wait", "seconds": 60},
    {"type": "wait", "until": "deal.close_date"},
    {"type": "wait", "event": "record.updated", "seconds": 60, "where": [IF | {"property": "city"}]},
    {
        "type": "branch",
        "conditions": [IF],
        "then": [{"type": "stop"}],
        "else": [{"type": "wait", "seconds": 1}],
    },
    {
        "type": "approval",
        "reason": "{{record.name}}?",
        "then": [{"type": "stop"}],
        "else": [{"type": "wait", "seconds": 1}],
    },
    {"type": "stop", "reason": "{{event.type}}"},
]


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Documents of a few steps after any trigger, with keys in order."""
    chosen = draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=6))
    value = copy.deepcopy(
        DEMO_WANTED
        | {"trigger": TRIGGERS[draw(st.sampled_from([*TRIGGERS]))], "conditions": [], "steps": chosen}
    )
    for place, step in enumerate(value["steps"]):
        step["key"] = f"s{place}"
        for arm in ("then", "else"):
            for inner in step.get(arm, ()):
                inner["key"] = f"s{place}_{arm}"
    return value
