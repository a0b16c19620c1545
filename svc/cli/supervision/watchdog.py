"""A watchdog against a shutdown that hangs."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from math import inf
from time import monotonic
from types import FrameType
from typing import Final, NoReturn

import structlog

log = structlog.get_logger("svc.service")

EXIT_CODE: Final = 1
FRAMES_MAX: Final = 5


class Watchdog:
    """Kills the process if its shutdown takes too long.

    It runs in a thread, since what hangs may be the event loop, or a wait that cannot be cancelled, such as
    for a disk. What was answered is on disk, so for clients this is no worse than a crash.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._ends_at = inf
        self._watching = True

    def end_within(self, seconds: float) -> None:
        """Start the countdown: the shutdown may take *seconds*. The earliest of several deadlines counts."""
        with self._changed:
            self._ends_at = min(self._ends_at, monotonic() + seconds)
            self._changed.notify()

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Watch until the block ends."""
        threading.Thread(target=self._run, name="svc watchdog", daemon=True).start()
        try:
            yield
        finally:
            with self._changed:
                self._watching = False
                self._changed.notify()

    def _run(self) -> None:
        with self._changed:
            while self._watching:
                left = self._ends_at - monotonic()
                if left <= 0:
                    _end()
                self._changed.wait(min(left, threading.TIMEOUT_MAX))


def _end() -> NoReturn:
    try:
        log.critical("the service did not end in time, and is ended now", threads=_stacks())
    finally:
        os._exit(EXIT_CODE)


def _stacks() -> dict[str, list[str]]:
    """The innermost stack frames of each other thread, by its name, the innermost first."""
    frames = sys._current_frames()
    return {
        thread.name: list(islice(_stack(frames[thread.ident]), FRAMES_MAX))
        for thread in threading.enumerate()
        if thread.ident in frames and thread is not threading.current_thread()
    }


def _stack(innermost: FrameType) -> Iterator[str]:
    frame: FrameType | None = innermost
    while frame is not None:
        code = frame.f_code
        yield f"{code.co_filename}:{frame.f_lineno} in {code.co_name}"
        frame = frame.f_back
