"""Names that tools had before. A tool keeps its old name for six months at least."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from svc.domain.identity.tool_names import RENAMED
from svc.domain.locale.times import ms_of
from svc.tools.tool import DeprecationTimes, Tool

SEPTEMBER_2026: Final = DeprecationTimes(
    since_at=ms_of("2026-09-18T00:00:00Z"),
    sunset_at=ms_of("2027-03-17T00:00:00Z"),
    gone_at=ms_of("2027-03-18T00:00:00Z"),
)
"""The times of all that was renamed in that month, members of answers among them."""


class Renaming(NamedTuple):
    """All tools of the noun *old* became those of another: see `RENAMED`."""

    old: str
    times: DeprecationTimes


RENAMINGS: Final = (Renaming("automation", SEPTEMBER_2026),)


def old_names(tools: Iterable[Tool[Any, Any]]) -> Iterator[Tool[Any, Any]]:
    """The aliases of those *tools* that were renamed."""
    for tool in tools:
        for old, times in RENAMINGS:
            if tool.noun == RENAMED[old]:
                yield tool.alias(f"{old}.{tool.name.partition('.')[2]}", times)
