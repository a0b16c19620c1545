"""Drafts: documents that are not saved, what is wrong with them, and what they would do."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, Final, TypeVar

import msgspec

from svc.domain.errors import Fault, InvalidInput, MalformedJson
from svc.domain.identity.callers import Call, Caller
from svc.domain.input import json as json_input
from svc.domain.limits import FAULTS_MAX
from svc.domain.locale.times import Timestamp, rfc3339
from svc.domain.versions import FIRST_VERSION
from svc.domain.workflows.checking import checked
from svc.domain.workflows.documents import Document
from svc.domain.workflows.limits import PAST_EVENTS_MAX
from svc.domain.workflows.rights import run_needs
from svc.domain.workflows.triggers import event_type_of
from svc.storage.store import Tx, View
from svc.storage.workflows import past_events, triggering, workflows
from svc.storage.workflows.known import StoredVocabulary
from svc.storage.workflows.workflows import Workflow
from svc.tools.tool import ToolOutput, about
from svc.tools.workflows.workflows import CreateWorkflow

T = TypeVar("T")

_DECODER: Final = msgspec.json.Decoder(CreateWorkflow)


class DraftFault(ToolOutput, frozen=True, kw_only=True):
    """Something that is wrong with a draft."""

    pointer: Annotated[str, about(description="Where, as a JSON pointer into the draft.")]
    code: str
    detail: str


class PastEvent(ToolOutput, frozen=True, kw_only=True):
    """An event that a trigger is for."""

    id: Annotated[str, about(description="To try the draft with it, by `workflow.run`.")]
    at: Annotated[Timestamp, about(description="When it happened.")]
    name: Annotated[str | None, about(description="What it was about: a record's name, or who wrote.")]
    why_not: Annotated[
        tuple[str, ...], about(description="What keeps it from starting a run; empty where it would.")
    ]


class DraftReport(ToolOutput, frozen=True, kw_only=True):
    """What a draft is like."""

    faults: Annotated[
        tuple[DraftFault, ...],
        about(description="Those for which it would not be saved.", max_length=FAULTS_MAX),
    ]
    events: Annotated[
        tuple[PastEvent, ...],
        about(
            description="The latest events that its trigger is for, the newest first, as far as you may see "
            "them.",
            max_length=PAST_EVENTS_MAX,
        ),
    ]


def report(view: View, caller: Caller, draft: Mapping[str, Any]) -> DraftReport:
    """What is wrong with *draft*, and which past events it would start for."""
    faults: tuple[Fault, ...] = ()
    try:
        document = document_of(json_input.read_part(_DECODER, msgspec.Raw(msgspec.json.encode(draft))))
        checked(
            document,
            StoredVocabulary(view.conn, caller.organization_id),
            caller.permissions,
            now=view.now,
        )
    except InvalidInput as error:
        faults = tuple(error.faults)
    except MalformedJson as error:
        faults = (Fault("", error.code, str(error)),)
    return DraftReport(
        faults=tuple(DraftFault(**msgspec.structs.asdict(fault)) for fault in faults),
        events=tuple(_events(view, caller, draft)),
    )


def document_of(draft: CreateWorkflow) -> Document:
    """The document that *draft* is, not checked yet."""
    return Document(**msgspec.structs.asdict(draft))


def tried(
    tx: Tx, call: Call, draft: CreateWorkflow, workflow_id: str | None, attempt: Callable[[Workflow], T]
) -> T:
    """What *attempt* answers of *draft*, saved as the workflow's next version, or as a new one.

    Nothing of it stays. Raises `InvalidInput` with pointers below `/draft`.
    """
    done: list[T] = []
    try:
        with tx.savepoint():
            done.append(attempt(_saved(tx, call, draft, workflow_id)))
            raise _Undone  # noqa: TRY301  # nothing but this rolls a savepoint back
    except _Undone:
        return done[0]


class _Undone(Exception):
    """Raised to roll a try back."""


def _saved(tx: Tx, call: Call, draft: CreateWorkflow, workflow_id: str | None) -> Workflow:
    with _below_draft():
        if workflow_id is None:
            return workflows.create(tx, call, document_of(draft))
        before = workflows.get(tx.conn, call.caller.organization_id, workflow_id)
        return workflows.update(tx, call, workflow_id, before.version, msgspec.structs.asdict(draft))


@contextmanager
def _below_draft() -> Iterator[None]:
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(
            Fault("/draft" + fault.pointer, fault.code, fault.detail) for fault in error.faults
        ) from None


def _events(view: View, caller: Caller, draft: Mapping[str, Any]) -> Iterator[PastEvent]:
    """The past events of the draft's trigger, judged by its conditions: its steps may be unfinished."""
    judged = {name: draft[name] for name in ("trigger", "conditions") if name in draft}
    try:
        document = msgspec.convert({"name": "", "steps": [_NO_STEP], **judged}, Document)
    except msgspec.ValidationError:
        return
    event_type = event_type_of(document.trigger)
    if event_type is None or not run_needs([event_type]) <= caller.permissions:
        return
    workflow = Workflow(
        id="",
        organization_id=caller.organization_id,
        name="",
        enabled=True,
        version=FIRST_VERSION,
        document=document,
        created_at=view.now,
        updated_at=view.now,
    )
    for row, name in past_events.list_latest(view.conn, caller.organization_id, document.trigger):
        why_not = tuple(triggering.why_not(view.conn, workflow, row))
        yield PastEvent(id=row.id, at=rfc3339(row.at), name=name, why_not=why_not)


_NO_STEP: Final = {"key": "end", "type": "stop"}
