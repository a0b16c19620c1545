"""Running a tool inside its unit of work: effect, audit row and idempotency row are one transaction."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection

from svc.domain.identity.callers import Call
from svc.domain.tool_results import StoredRefusal, ToolResult
from svc.storage import audit, idempotency
from svc.storage.store import Tx, View
from svc.tools.tool import Tool, ToolInput

_encode: Final = msgspec.json.Encoder().encode


def read(
    conn: Connection,
    now: int,
    tool: Tool[Any, Any],
    call: Call,
    request: ToolInput,
    *,
    patient: bool = False,
    is_late: Callable[[], bool] = lambda: False,
) -> ToolResult:
    """Run a tool that reads. Raises what the tool refuses, and `TakesLong` unless *patient*.

    *is_late*: see `View.is_late`.
    """
    view = View(conn, now, patient=patient, is_late=is_late)
    body = _encode(tool(view, call, request))
    return ToolResult(
        body,
        unindexed=view.unindexed,
        unindexed_submissions=view.unindexed_submissions,
        wait=view.wait,
    )


def write(tx: Tx, tool: Tool[Any, Any], call: Call, request: ToolInput, key: str | None = None) -> ToolResult:
    """Run a tool that writes, or replay the answer of the first call under the idempotency *key*.

    Raises what the tool refuses, and `IdempotencyMismatch`. A refusal that is to be stored is in the result,
    for the caller to raise after the commit.
    """
    caller = call.caller
    repeatable = None
    if key is not None:
        repeatable = idempotency.repeatable(
            caller.organization_id, caller.id, tool.lasting_name, key, request
        )
    try:
        return idempotency.once(tx, repeatable, lambda: perform(tx, tool, call, request))
    except StoredRefusal as stored:
        return ToolResult(b"", refusal=stored.error)


def perform(tx: Tx, tool: Tool[Any, Any], call: Call, request: ToolInput) -> msgspec.Struct:
    """Run a tool that writes, with its audit row, and return its answer. Raises what the tool refuses."""
    answer: msgspec.Struct = tool(tx, call, request)
    if tool.unaudited:
        return answer
    asked_by = getattr(answer, "asked_by", None)
    if asked_by is not None:
        call = msgspec.structs.replace(call, asked_by=msgspec.to_builtins(asked_by))
    for target in _targets(request, answer):
        audit.note(tx, call, tool.lasting_name, target)
    return answer


def _targets(request: ToolInput, answer: msgspec.Struct) -> Sequence[str | None]:
    """The ids to audit a write under: the answer's `targets` or `records`, or its or the request's `id`."""
    targets: Sequence[str] | None = getattr(answer, "targets", None)
    if targets is not None:
        return targets
    records = getattr(answer, "records", None)
    if records is not None:
        return [record.id for record in records]
    target: str | None = getattr(answer, "id", None) or getattr(request, "id", None)
    return [target]
