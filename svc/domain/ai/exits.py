"""The ends of a call, and what each is charged: the table of exits of `docs/decisions/0018-money.md`."""

from typing import Final, Literal, NamedTuple

import msgspec

from svc.domain.ai.money import Prices, cost
from svc.domain.ai.usage import NONE, Usage

Ended = Literal[
    "refused", "unanswered", "answered", "left", "broken", "silent", "limit", "stopped", "revoked", "lost"
]
"""How a call ended:

- `refused`: by us, before anything was sent
- `unanswered`: no provider gave an answer: no connection, 4xx, 429, 5xx, another shape, an error as the first
  event, a timeout before the first byte
- `answered`: with an answer, or with a stream to its end
- `left`: the client left
- `broken`: the provider broke off, or sent what is no completion
- `silent`: the provider sent nothing for too long
- `limit`: the answer was too large, or took too long
- `stopped`: the service was stopped
- `revoked`: the key was revoked, or ended in another way
- `lost`: the process ended while the call was under way
"""

FREE_OF_CHARGE: Final[frozenset[Ended]] = frozenset({"refused", "unanswered", "lost"})
"""Ends without a provider's answer."""
COMPLETE: Final[frozenset[Ended]] = frozenset({"answered"})
"""Ends that are no failure."""


class Exit(msgspec.Struct, frozen=True, kw_only=True):
    """How a call ended, and what is known of its usage."""

    ended: Ended
    sent: bool = True
    """Whether the request had gone out to a provider."""
    usage: Usage | None = None
    """The last usage that came; None where none did."""
    estimate: Usage = NONE
    """The estimate of the prompt, and of what came of the completion."""


class MeteredUsage(NamedTuple):
    """The usage that a call is charged for."""

    usage: Usage
    estimated: bool


def metered(exit_: Exit) -> MeteredUsage:
    """The usage that counts: the provider's, else the estimate, and none where no provider answered."""
    if exit_.ended in FREE_OF_CHARGE or not exit_.sent:
        return MeteredUsage(NONE, estimated=False)
    if exit_.usage is not None:
        return MeteredUsage(exit_.usage, estimated=False)
    return MeteredUsage(exit_.estimate, estimated=True)


class Charge(NamedTuple):
    """What a call costs, and who pays how much of it; all in micro-credits."""

    cost: int
    """At list price: what counts in the key's budget, whoever pays."""
    charged: int
    """What is taken from the credits."""
    uncovered: int
    """What neither the reservation nor what is free beside it covers. It is not owed."""


def charge(prices: Prices, usage: Usage, *, bound: int | None, free: int) -> Charge:
    """What *usage* is charged, with *bound* reserved of the credits and *free* beside it.

    *bound* is None for a call that an own provider served: it takes no credits.
    """
    total = cost(prices, usage)
    if bound is None:
        return Charge(total, 0, 0)
    charged = min(total, bound + free)
    return Charge(total, charged, total - charged)
