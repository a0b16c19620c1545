"""Calls that may come again under an idempotency key: its shape, and that one of them runs at a time."""

from collections.abc import Iterator
from contextlib import contextmanager

from svc.actors.system import System
from svc.domain.errors import Fault, IdempotencyInProgress, InvalidInput
from svc.domain.limits import IDEMPOTENCY_KEY_CHARS_MAX


def check_key(key: str) -> None:
    """Raises `InvalidInput` for what is no idempotency key."""
    if not (
        0 < len(key) <= IDEMPOTENCY_KEY_CHARS_MAX and key.isascii() and key.isprintable() and " " not in key
    ):
        detail = f"an idempotency key has 1 to {IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters"
        raise InvalidInput([Fault("", "invalid_value", detail)])


@contextmanager
def alone(system: System, organization_id: str, caller_id: str, name: str, key: str) -> Iterator[None]:
    """Nobody else does the same meanwhile. That is a courtesy: the row decides, see `idempotency`.

    Raises `IdempotencyInProgress`.
    """
    this = (organization_id, caller_id, name, key)
    if this in system.under_way:
        raise IdempotencyInProgress("the first call under this idempotency key is still under way")
    system.under_way.add(this)
    try:
        yield
    finally:
        system.under_way.discard(this)
