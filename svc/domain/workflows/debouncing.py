"""Debouncing: one run for a burst of events, with the last of them."""

from hashlib import sha256

import msgspec

from svc.domain.times import SECOND_MS
from svc.domain.workflows.contexts import Context
from svc.domain.workflows.documents import Debounce
from svc.domain.workflows.paths import lookup, parse


class Burst(msgspec.Struct, frozen=True):
    """Events with the same value that have not started their run. Times are ms since the epoch."""

    first_at: int
    due_at: int


def burst_key(debounce: Debounce, context: Context) -> str:
    """The digest of an event's value at the path `by`: equal for events of one burst.

    Events without a value there are a burst, too.
    """
    value = lookup(parse(debounce.by), context)
    return sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def extended(debounce: Debounce, burst: Burst | None, at: int) -> Burst:
    """The burst after an event at *at*: a new one if there is none, or if its run is due already.

    The run is due `seconds` after the last event, and `atMost` seconds after the first at the latest.
    """
    first_at = at if burst is None or burst.due_at <= at else burst.first_at
    due_at = min(at + debounce.seconds * SECOND_MS, first_at + debounce.at_most * SECOND_MS)
    return Burst(first_at, due_at)
