"""Debouncing: one run for a burst of events, with the last of them."""

from typing import Any

import msgspec

from svc.domain.workflows.contexts import Context
from svc.domain.workflows.documents import Debounce


class Burst(msgspec.Struct, frozen=True):
    """Events with the same value that have not started their run. Times are ms since the epoch."""

    first_at: int
    due_at: int


def burst_key(debounce: Debounce, context: Context) -> str:
    """What an event is told by: equal for events of one burst, whatever the length of the value."""
    raise NotImplementedError


def extended(debounce: Debounce, burst: Burst | None, at: int) -> Burst:
    """The burst after an event at *at*: a new one if there is none, or the one there is due already.

    Its run is due `seconds` after the last event, and `atMost` seconds after the first at the latest.
    """
    raise NotImplementedError
