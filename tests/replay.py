"""Replay: runs in which everything that is random follows from a seed."""

import random
from collections.abc import Awaitable, Callable
from typing import TypeVar
from unittest.mock import patch

import trio
from trio.testing import MockClock

from svc.domain.randomness import Randomness

R = TypeVar("R")


def run_seeded(seed: int, fn: Callable[[Randomness], Awaitable[R]]) -> R:
    """Run *fn* with a source of randomness, in virtual time. Trio's order of tasks follows from *seed* too.

    Without that, Trio runs tasks that are ready at one moment in an order of its own choice
    (https://trio.readthedocs.io/en/stable/design.html).
    """
    with (
        patch("trio._core._run._ALLOW_DETERMINISTIC_SCHEDULING", new=True),
        patch("trio._core._run._r", new=random.Random(seed)),
    ):
        return trio.run(fn, random.Random(seed).randbytes, clock=MockClock(autojump_threshold=0))
