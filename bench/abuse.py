"""What a hostile client, a hostile disk and a busy neighbour can do to the others. Each part runs alone, too.

`python -m bench abuse` runs them all; `python -m bench._abuse_trailers`, say, one.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final

import trio

from bench import (
    _abuse_connections,
    _abuse_neighbours,
    _abuse_outgoing,
    _abuse_sign_in,
    _abuse_stalled_disk,
    _abuse_stop,
    _abuse_strangers,
    _abuse_trailers,
    _abuse_windows,
)

PARTS: Final[dict[str, Callable[[], Any]]] = {
    "bytes after the body": _abuse_trailers.run,
    "all connections from one address": _abuse_connections.run,
    "shut windows": _abuse_windows.run,
    "one organization's load": _abuse_neighbours.run,
    "dead names and a slow receiver of one organization": _abuse_outgoing.run,
    "a disk that stalls": _abuse_stalled_disk.run,
    "a stop in the middle of pushes": _abuse_stop.run,
    "keys and hosts that nobody has": _abuse_strangers.run,
    "guessing at sign-in": _abuse_sign_in.run,
}


def main() -> None:
    for title, run in PARTS.items():
        print(f"\n-- {title}", flush=True)
        if run in _ASYNC:
            trio.run(run)
        else:
            run()


_ASYNC: Final[tuple[Callable[[], Awaitable[None]], ...]] = (_abuse_stop.run, _abuse_sign_in.run)
