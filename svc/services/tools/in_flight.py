"""Calls that are running under an idempotency key, one at a time for each key."""

from collections.abc import Iterator
from contextlib import contextmanager

from svc.actors.system import System
from svc.domain.errors import IdempotencyInProgress


@contextmanager
def exclusive(system: System, organization_id: str, caller_id: str, name: str, key: str) -> Iterator[None]:
    """Reject a concurrent call with the same key early; the idempotency row guarantees that one runs.

    Raises `IdempotencyInProgress`.
    """
    call = (organization_id, caller_id, name, key)
    if call in system.calls.under_way:
        raise IdempotencyInProgress("the first call under this idempotency key is still under way")
    system.calls.under_way.add(call)
    try:
        yield
    finally:
        system.calls.under_way.discard(call)
