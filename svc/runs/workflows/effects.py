"""Effects of steps: each runs a tool as its workflow, so that rules, rights and audit are the tool's."""

from collections.abc import Mapping
from typing import Any, Final, assert_never

import msgspec

from svc.domain.errors import InvalidValue, at
from svc.domain.identity.callers import Call, permit
from svc.domain.records.objects import CONTACT, DEAL, DEAL_STAGES
from svc.domain.workflows.documents import (
    AddNote,
    Assign,
    CreateDeal,
    CreateRecordStep,
    Reply,
    ToolStep,
    UpdateRecordStep,
)
from svc.domain.workflows.expressions.contexts import Context
from svc.storage.store import Tx
from svc.tools import execution
from svc.tools.inbox import conversations, messages
from svc.tools.records import notes, records
from svc.tools.tool import Tool

_encode: Final = msgspec.json.Encoder().encode

Output = dict[str, Any]


def perform(tx: Tx, call: Call, step: ToolStep, filled: Mapping[str, Any], context: Context) -> Output:
    """Do what *step* says, with its input *filled* in, and return what later steps see of it.

    Raises what the tool refuses; pointers are into the tool's request.
    """
    match step:
        case CreateRecordStep():
            return {"recordId": _run(tx, call, records.create, filled)}
        case UpdateRecordStep():
            asked = {"id": filled["record"], "properties": filled["properties"]}
            return {"recordId": _run(tx, call, records.update, asked)}
        case AddNote():
            asked = {"recordId": filled["record"], "title": filled.get("title", ""), "body": filled["body"]}
            return {"noteId": _run(tx, call, notes.create, asked)}
        case CreateDeal():
            return {"recordId": _run(tx, call, records.create, _deal(filled, context))}
        case Assign(property=str(slug)):
            asked = {"id": filled["record"], "properties": {slug: filled["memberId"]}}
            _run(tx, call, records.update, asked)
            return {}
        case Assign():
            to = {name: filled[name] for name in ("memberId", "teamId") if name in filled}
            _run(tx, call, conversations.assign, {"id": _conversation(context), **to})
            return {}
        case Reply():
            asked = {"conversationId": _conversation(context), "text": filled["text"]}
            return {"replyId": _run(tx, call, messages.reply, asked)}
        case _:
            assert_never(step)


def _run(tx: Tx, call: Call, tool: Tool[Any, Any], asked: Mapping[str, Any]) -> str:
    """Run *tool* and return the id in its answer."""
    permit(
        call.caller, tool.name, needs=tool.needs, own=tool.own, runs=tool.runs, reads=tool.effect == "reads"
    )
    answer: Any = execution.perform(tx, tool, call, tool.read(_encode(asked)))
    id_: str = answer.id
    return id_


def _deal(filled: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """The deal of the trigger's contact, in the first stage unless the step names one."""
    contact = context["record"]
    with at("/record"):
        if contact is None or contact["objectType"] != CONTACT:
            raise InvalidValue("there is no contact any more, whose deal it would be")
    properties = {"stage": DEAL_STAGES[0], **filled.get("properties", {})}
    return {
        "objectType": DEAL,
        "properties": {**properties, "name": filled["name"], "contact": contact["id"]},
    }


def _conversation(context: Context) -> str:
    conversation_id = context["message"]["conversationId"]
    with at("/type"):
        if not isinstance(conversation_id, str):
            raise InvalidValue("there is no conversation: no message began this run")
    return conversation_id
