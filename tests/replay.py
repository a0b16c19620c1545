"""Replay: runs in which everything that is random follows from a seed."""

import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar
from unittest.mock import patch

import trio
from trio.testing import MockClock

from svc.domain.randomness import Randomness

R = TypeVar("R")


@contextmanager
def seeded_scheduling(seed: int) -> Iterator[None]:
    """Have the order of Trio's tasks follow from *seed*, in the one run that begins and ends in this block.

    Without that, Trio runs tasks that are ready at one moment in an order of its own choice
    (https://trio.readthedocs.io/en/stable/design.html).
    """
    with (
        patch("trio._core._run._ALLOW_DETERMINISTIC_SCHEDULING", new=True),
        patch("trio._core._run._r", new=random.Random(seed)),
    ):
        yield


def run_seeded(seed: int, fn: Callable[[Randomness], Awaitable[R]]) -> R:
    """Run *fn* with a source of randomness, in virtual time; all that is random in it follows from *seed*."""
    with seeded_scheduling(seed):
        return trio.run(fn, random.Random(seed).randbytes, clock=MockClock(autojump_threshold=0))
