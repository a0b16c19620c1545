"""What the process uses of the machine, as Linux tells it."""

import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_STATM: Final = Path("/proc/self/statm")
_DESCRIPTORS: Final = Path("/proc/self/fd")
_RESIDENT: Final = 1
"""The place of resident pages in `statm`: proc(5)."""


def figures() -> Iterator[tuple[str, str, float]]:
    """Name, meaning and value of each, named as Prometheus's own clients name them."""
    pages = int(_STATM.read_bytes().split()[_RESIDENT])
    used = resource.getrusage(resource.RUSAGE_SELF)
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield "process_resident_memory_bytes", "Memory in use.", pages * resource.getpagesize()
    yield "process_cpu_seconds_total", "CPU time used.", used.ru_utime + used.ru_stime
    yield "process_open_fds", "File descriptors in use.", sum(1 for _ in _DESCRIPTORS.iterdir())
    yield "process_max_fds", "File descriptors that may be.", most
