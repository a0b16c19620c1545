"""The state machine of a reply's delivery, as pure functions of the clock.

A reply waits for its bridge, is taken, and ends with what the bridge reports or by itself::

    waiting ──► taken ──► sent ──► delivered ──► read
       ▲          │         (or any of these at once)
       └──────────┘ a lease lapses, a push fails
    waiting, taken, sent ──► failed ──► delivered, read
    waiting ──► cancelled ──► delivered, read

A pull takes it under a lease, which ends after a minute without a report. A push takes it while it is under
way; answered 2xx, the reply has reached its bridge and is taken without an end.

Leases and waiting replies expire without a timer: `settle` computes the current state of a reply from the
clock, whenever it is read.
"""

from typing import Final, Literal

import msgspec

from svc.domain.channels.limits import LAPSES_MAX, LEASE_MS, PUSH_HOLD_MS, PUSH_RETRIES_MS, REPLY_LIFE_MS
from svc.domain.retries import RetryPlan

ReplyState = Literal["waiting", "taken", "sent", "delivered", "read", "failed", "cancelled"]
ReportedState = Literal["sent", "delivered", "read", "failed"]

Failure = Literal["lapsed", "expired", "reported", "removed", "unreadable"]
"""Why a reply failed: its last lease lapsed; it expired; its bridge reported so; its connection was removed;
or its stored row cannot be decoded."""

_PUSH_PLAN: Final = RetryPlan(PUSH_RETRIES_MS, repeats_last=True)
_REPLACED_BY: Final[dict[ReportedState, frozenset[ReplyState]]] = {
    "sent": frozenset({"waiting", "taken"}),
    "delivered": frozenset({"waiting", "taken", "sent", "failed", "cancelled"}),
    "read": frozenset({"waiting", "taken", "sent", "delivered", "failed", "cancelled"}),
    "failed": frozenset({"waiting", "taken", "sent"}),
}
"""The states that each report replaces: only earlier ones. A report of delivery overrides a failure."""


class Dispatch(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a reply's delivery. Times are ms since the epoch."""

    state: ReplyState
    expires_at: int
    """While it waits: when it expires."""
    offer_at: int
    """While it waits: when it may be handed out. A failed push is retried after a delay."""
    attempts: int = 0
    """The number of times that it was handed out, and so the number of the latest attempt."""
    lapses: int = 0
    """Leases of pulls that ended without a report."""
    push_failures: int = 0
    """Pushes that failed, since it was queued or its connection resumed."""
    lease_id: str | None = None
    """The last lease of a pull, ended or not. Pushes have none."""
    lease_expires_at: int | None = None
    """When the lease ends, or the push under way counts as cut off. None while the reply is not taken, and
    once a push has reached the bridge."""
    failure: Failure | None = None


def queued(now: int) -> Dispatch:
    """The state of a new reply."""
    return Dispatch(state="waiting", expires_at=now + REPLY_LIFE_MS, offer_at=now)


def settle(reply: Dispatch, now: int, *, paused: bool) -> Dispatch:
    """*reply* with leases and expiry applied. While its connection is *paused*, it does not expire.

    A lease holds whatever happens to the connection; only waiting replies expire. A push that was cut off
    does not count as a lapse: it is unknown whether it reached the bridge.
    """
    if reply.lease_expires_at is not None and reply.lease_expires_at <= now:
        lapses = reply.lapses + (reply.lease_id is not None)
        reply = _put_back(reply, lapses=lapses)
        if lapses >= LAPSES_MAX:
            return fail(reply, "lapsed")
    if reply.state == "waiting" and not paused and reply.expires_at <= now:
        return fail(reply, "expired")
    return reply


def take(reply: Dispatch, lease_id: str, now: int) -> Dispatch:
    """*reply*, which waits, pulled by a bridge under that lease."""
    return _taken(reply, lease_id, now + LEASE_MS)


def begin_push(reply: Dispatch, now: int) -> Dispatch:
    """*reply*, which waits, while a push of it is under way."""
    return _taken(reply, None, now + PUSH_HOLD_MS)


def reach(reply: Dispatch) -> Dispatch:
    """*reply* after a push of it was answered 2xx: it has reached the bridge.

    It is not pushed again, whichever push that was, and however late the answer came. A final state stays.
    """
    if reply.state not in {"waiting", "taken"}:
        return reply
    return msgspec.structs.replace(reply, state="taken", lease_expires_at=None)


def put_off(reply: Dispatch, attempt: int, now: int, retry_after_ms: int = 0) -> Dispatch:
    """*reply* after the push with that number did not reach the bridge: it waits for the next one.

    Where the reply was handed out again since, has reached the bridge, or was reported, nothing changes.
    """
    if reply.lease_expires_at is None or reply.attempts != attempt:
        return reply
    wait_ms = max(_PUSH_PLAN.wait_ms(reply.push_failures) or 0, min(retry_after_ms, REPLY_LIFE_MS))
    return _put_back(reply, offer_at=now + wait_ms, push_failures=reply.push_failures + 1)


def give_back(reply: Dispatch, attempt: int) -> Dispatch:
    """*reply* after the push with that number was not sent: it waits as if it had not been taken."""
    if reply.lease_expires_at is None or reply.attempts != attempt:
        return reply
    return msgspec.structs.replace(_put_back(reply), attempts=reply.attempts - 1)


def resume(reply: Dispatch, now: int) -> Dispatch:
    """*reply* when its connection resumes: its expiry and the delays of its retries start again."""
    return msgspec.structs.replace(reply, expires_at=now + REPLY_LIFE_MS, offer_at=now, push_failures=0)


def report(reply: Dispatch, status: ReportedState, lease_id: str | None = None) -> Dispatch | None:
    """*reply* after its bridge reported *status*; None when the report comes too late to change it.

    An expired lease accepts reports until the reply is handed out again: from then on another bridge is
    responsible, and a report of the first one may be wrong.
    """
    if lease_id is not None and lease_id != reply.lease_id:
        return None
    if reply.state not in _REPLACED_BY[status]:
        return None
    if status == "failed":
        return fail(reply, "reported")
    return msgspec.structs.replace(reply, state=status, lease_expires_at=None, failure=None)


def fail(reply: Dispatch, why: Failure) -> Dispatch:
    """*reply*, failed."""
    return msgspec.structs.replace(reply, state="failed", lease_expires_at=None, failure=why)


def cancel(reply: Dispatch) -> Dispatch | None:
    """*reply*, cancelled by its author; None if it no longer waits."""
    return msgspec.structs.replace(reply, state="cancelled") if reply.state == "waiting" else None


def _taken(reply: Dispatch, lease_id: str | None, until: int) -> Dispatch:
    return msgspec.structs.replace(
        reply, state="taken", attempts=reply.attempts + 1, lease_id=lease_id, lease_expires_at=until
    )


def _put_back(
    reply: Dispatch,
    *,
    lapses: int | None = None,
    offer_at: int | None = None,
    push_failures: int | None = None,
) -> Dispatch:
    return msgspec.structs.replace(
        reply,
        state="waiting",
        lease_expires_at=None,
        lapses=reply.lapses if lapses is None else lapses,
        offer_at=reply.offer_at if offer_at is None else offer_at,
        push_failures=reply.push_failures if push_failures is None else push_failures,
    )
