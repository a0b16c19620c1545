"""Idempotency: the first answers of calls that carry an idempotency key.

The row is inserted in the transaction of the effect, so neither exists without the other: a call that is
retried after a crash either finds its answer, or its effect did not happen.
"""

import hashlib
from collections.abc import Callable
from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Fault, IdempotencyMismatch, InvalidInput
from svc.domain.limits import IDEMPOTENCY_KEY_CHARS_MAX, IDEMPOTENCY_LIFE_MS
from svc.domain.tool_results import ToolResult
from svc.storage import tables
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_replace


class Repeatable(msgspec.Struct, frozen=True):
    """A call that may be retried: its organization, caller, tool and key, and a digest of its arguments.

    A person is the same caller in every organization that they work in, and calls of them in each.
    """

    organization_id: str
    caller_id: str
    tool: str
    key: str
    fingerprint: bytes


_encode: Final = msgspec.json.Encoder().encode
_canonical: Final = msgspec.json.Encoder(order="sorted").encode

_FIND = Statement(
    sa.select(tables.idempotency.c.fingerprint, tables.idempotency.c.answer).where(
        tables.idempotency.c.organization_id == sa.bindparam("organization_id"),
        tables.idempotency.c.caller_id == sa.bindparam("caller_id"),
        tables.idempotency.c.tool == sa.bindparam("tool"),
        tables.idempotency.c.key == sa.bindparam("key"),
        tables.idempotency.c.created_at > sa.bindparam("since"),
    )
)
# An expired row that was not pruned yet is replaced.
_KEEP = Statement(insert_or_replace(tables.idempotency, ["organization_id", "caller_id", "tool", "key"]))


def check_key(key: str) -> None:
    """Raises `InvalidInput` for what is no idempotency key."""
    if not (
        0 < len(key) <= IDEMPOTENCY_KEY_CHARS_MAX and key.isascii() and key.isprintable() and " " not in key
    ):
        detail = f"an idempotency key has 1 to {IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters"
        raise InvalidInput([Fault("", "invalid_value", detail)])


def repeatable(
    organization_id: str, caller_id: str, tool: str, key: str, asked: msgspec.Struct
) -> Repeatable:
    """The call under its *key*. Its arguments are compared as decoded, not as sent."""
    fingerprint = hashlib.sha256(_canonical(asked)).digest()
    return Repeatable(organization_id, caller_id, tool, key, fingerprint)


def first_answer(conn: sa.Connection, call: Repeatable, now: int) -> bytes | None:
    """The answer of the first such call; None where this is the first.

    Raises `IdempotencyMismatch` if the first had other arguments.
    """
    since = now - IDEMPOTENCY_LIFE_MS
    row = _FIND.one(conn, msgspec.structs.asdict(call) | {"since": since})
    if row is None:
        return None
    if row.fingerprint != call.fingerprint:
        raise IdempotencyMismatch("this idempotency key was used with another body: take a new one")
    return bytes(row.answer)


def keep(tx: Tx, call: Repeatable, answer: bytes) -> None:
    """Store the answer of a first call, for `IDEMPOTENCY_LIFE_MS`."""
    _KEEP.run(tx.conn, msgspec.structs.asdict(call) | {"answer": answer, "created_at": tx.now})


def once(tx: Tx, call: Repeatable | None, do: Callable[[], msgspec.Struct]) -> ToolResult:
    """The answer of *do*, or of the first such *call*. Raises `IdempotencyMismatch`."""
    if call is None:
        return ToolResult(_encode(do()))
    before = first_answer(tx.conn, call, tx.now)
    if before is not None:
        return ToolResult(before, replayed=True)
    body = _encode(do())
    keep(tx, call, body)
    return ToolResult(body)
