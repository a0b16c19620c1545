"""Running a tool inside its unit of work: effect, audit row and idempotency row are one transaction."""

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection

from svc.domain.callers import Call
from svc.storage import audit, idempotency
from svc.storage.idempotency import Repeatable
from svc.storage.store import Tx, View
from svc.tools.tool import Asked, Tool

_encode: Final = msgspec.json.Encoder().encode
_canonical: Final = msgspec.json.Encoder(order="sorted").encode


class Done(msgspec.Struct, frozen=True):
    """What a tool answered, as JSON."""

    body: bytes
    replayed: bool = False
    """It is what the first call under the same idempotency key was answered, and nothing was done now."""
    unindexed: tuple[str, ...] = ()
    """See `View.unindexed`."""


def read(
    conn: Connection, now: int, tool: Tool[Any, Any], call: Call, asked: Asked, *, patient: bool = False
) -> Done:
    """Run a tool that reads. Raises what it refuses, and `TakesLong` unless *patient*."""
    view = View(conn, now, patient=patient)
    body = _encode(tool(view, call, asked))
    return Done(body, unindexed=view.unindexed)


def write(tx: Tx, tool: Tool[Any, Any], call: Call, asked: Asked, key: str | None = None) -> Done:
    """Run a tool that writes, or answer as the first call under the idempotency *key*.

    Raises what the tool refuses, and `IdempotencyMismatch`.
    """
    repeatable = None if key is None else repeatable_call(tool, call, asked, key)
    if repeatable is not None:
        before = idempotency.first_answer(tx.conn, repeatable, tx.now)
        if before is not None:
            return Done(before, replayed=True)
    answer = tool(tx, call, asked)
    for target in _targets(asked, answer):
        audit.note(tx, call, tool.name, target)
    body = _encode(answer)
    if repeatable is not None:
        idempotency.keep(tx, repeatable, body)
    return Done(body)


def repeatable_call(tool: Tool[Any, Any], call: Call, asked: Asked, key: str) -> Repeatable:
    """The call under its idempotency *key*. What it asks is compared as it was understood, not as written."""
    fingerprint = hashlib.sha256(_canonical(asked)).digest()
    return Repeatable(call.caller.organization_id, call.caller.id, tool.name, key, fingerprint)


def _targets(asked: Asked, answer: msgspec.Struct) -> Sequence[str | None]:
    """What a write was done to: the answer says it by `id`, or by the ids of `records` that it made."""
    several = getattr(answer, "records", None)
    if several is not None:
        return [one.id for one in several]
    target: str | None = getattr(answer, "id", None) or getattr(asked, "id", None)
    return [target]
