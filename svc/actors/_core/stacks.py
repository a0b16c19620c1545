"""Where code stands: lines such as `svc/actors/channels/outbox.py:120 in Outbox.push`, without any value."""

from collections.abc import Iterable
from itertools import dropwhile
from pathlib import PurePath
from traceback import walk_tb
from types import CodeType, TracebackType
from typing import Final

import trio

LINES_MAX: Final = 40
"""Of a stack; the innermost ones."""

_RUNTIME: Final = str(PurePath(__file__).parent)
_PACKAGES: Final = ("site-packages", "svc")


def stack_of(task: trio.lowlevel.Task) -> list[str]:
    """Where *task* waits, outermost first, from where the runtime has called the actor's code."""
    return _lines((frame.f_code, line) for frame, line in task.iter_await_frames())


def stack_in(traceback: TracebackType | None) -> list[str]:
    """Where what was raised came from, outermost first."""
    return _lines((frame.f_code, line) for frame, line in walk_tb(traceback))


def _lines(frames: Iterable[tuple[CodeType, int]]) -> list[str]:
    own = list(dropwhile(lambda frame: frame[0].co_filename.startswith(_RUNTIME), frames))
    return [f"{_short(code.co_filename)}:{line} in {code.co_qualname}" for code, line in own[-LINES_MAX:]]


def _short(file: str) -> str:
    """*file* from its package on: where it is installed says nothing of the fault."""
    parts = PurePath(file).parts
    for package in _PACKAGES:
        if package in parts:
            place = len(parts) - 1 - parts[::-1].index(package)
            return "/".join(parts[place + (package == "site-packages") :])
    return "/".join(parts[-2:])
