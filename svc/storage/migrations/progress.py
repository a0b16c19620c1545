"""How a migration goes on, told to whoever waits for the start."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final

import sqlalchemy as sa

from svc.storage.migrations.plan import MigrationPlan
from svc.storage.sqlite.engine import raw

SILENT_SECONDS: Final = 10.0
"""A migration that takes longer says again and again that it is under way."""
STEPS_BETWEEN_LOOKS: Final = 1_000_000
"""Steps of SQLite's machine between two looks at the clock: some tens of milliseconds."""
TELLING_SHARE: Final = 0.1
"""Of all work; what less than that took says little about the rest."""

Report = Callable[..., None]
"""Called with an event and what belongs to it, as the methods of a log are."""


class MigrationProgress:
    """Reports the begin, each step and the end of *plan*, with what is left of it by the speed so far."""

    def __init__(self, plan: MigrationPlan, report: Report, now: Callable[[], float] = monotonic) -> None:
        self._plan = plan
        self._report = report
        self._now = now
        self._began = self._last = self._applied = now()
        self._done = 0

    def begin(self) -> None:
        plan = self._plan
        self._report(
            "the data is being migrated, and the service starts after that",
            before=plan.before,
            after=plan.after,
            migrations=len(plan.steps),
            rows=plan.rows,
            estimate_seconds=_seconds(plan.estimate_seconds),
        )

    def applied(self, revision: str) -> None:
        """Note that *revision* is done."""
        step = self._plan.steps[self._done]
        assert step.revision == revision  # noqa: S101  # one line of revisions, which a test holds
        self._done += 1
        self._applied = self._now()
        self._tell("a migration is done", self._done - 1)

    def look(self) -> None:
        """Report that a step is under way, if nothing was reported for long."""
        if self._now() - self._last >= SILENT_SECONDS and self._done < len(self._plan.steps):
            self._tell("a migration is under way", self._done)

    def end(self) -> None:
        """Report the end, once all of it is on the disk."""
        self._report(
            "the data is migrated", revision=self._plan.after, seconds=_seconds(self._now() - self._began)
        )

    def _tell(self, event: str, index: int) -> None:
        self._last = self._now()
        step = self._plan.steps[index]
        self._report(
            event,
            revision=step.revision,
            title=step.title,
            done=self._done,
            of=len(self._plan.steps),
            seconds=_seconds(self._last - self._began),
            remaining_seconds=self._remaining(),
        )

    def _remaining(self) -> float | None:
        """By the speed of the finished steps, once they say something; None if it takes longer than that."""
        done = sum(step.work for step in self._plan.steps[: self._done])
        expected = self._plan.estimate_seconds
        if done >= self._plan.work * TELLING_SHARE:
            expected = self._plan.work * (self._applied - self._began) / done
        remaining = expected - (self._now() - self._began)
        return _seconds(remaining) if remaining >= 0 else None


@contextmanager
def looked_at(conn: sa.Connection, progress: MigrationProgress) -> Iterator[None]:
    """Meanwhile long statements of *conn* are interrupted for a look at *progress*."""

    def look() -> int:
        progress.look()
        return 0

    sqlite = raw(conn)
    sqlite.set_progress_handler(look, STEPS_BETWEEN_LOOKS)
    try:
        yield
    finally:
        sqlite.set_progress_handler(None, 0)


def unheard(_event: str, **_about: Any) -> None:
    """A report that nobody hears."""


def _seconds(seconds: float) -> float:
    return round(seconds, 1)
