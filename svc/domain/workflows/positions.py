"""Positions: where in a document a run is.

A run's position is the key of the step that is next. A key is in a document once and a run keeps its version,
so a key is a whole position, within however many branches; after the last step there is none. What comes
after a branch follows from the document, and is not stored.
"""

from collections.abc import Iterator, Mapping, Sequence

from svc.domain.workflows.documents import AnyStep, Fork


def every_step(steps: Sequence[AnyStep]) -> Iterator[AnyStep]:
    """*steps* and those in their branches, in the order of the document."""
    for step in steps:
        yield step
        if isinstance(step, Fork):
            yield from every_step(step.then)
            yield from every_step(step.otherwise)


class Outline:
    """The steps of a document by key, and which follows which."""

    def __init__(self, steps: Sequence[AnyStep]) -> None:
        self.steps: Mapping[str, AnyStep] = {step.key: step for step in every_step(steps)}
        self.first: str | None = steps[0].key if steps else None
        """Where a run begins."""
        self._after: dict[str, str | None] = {}
        self._order(steps, None)

    def after(self, key: str) -> str | None:
        """The position after the step *key* ended: out of as many branches as end there; None at the end.

        Raises `KeyError` for a step that is not in the document.
        """
        return self._after[key]

    def into(self, fork: Fork, *, holds: bool) -> str | None:
        """The position after *fork* was decided: by its conditions, or by a person."""
        steps = fork.then if holds else fork.otherwise
        return steps[0].key if steps else self.after(fork.key)

    def _order(self, steps: Sequence[AnyStep], following: str | None) -> None:
        """Note what comes after each of *steps*, and *following* after the last of them."""
        for place, step in enumerate(steps):
            after = steps[place + 1].key if place + 1 < len(steps) else following
            self._after[step.key] = after
            if isinstance(step, Fork):
                self._order(step.then, after)
                self._order(step.otherwise, after)
