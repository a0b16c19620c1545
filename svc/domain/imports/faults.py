"""Faults of an import: why lines are refused, or cells left out, grouped by reason with a few examples."""

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from svc.domain.imports.limits import (
    IMPORT_EXAMPLE_CHARS_MAX,
    IMPORT_FAULT_EXAMPLES_MAX,
    IMPORT_FAULT_GROUPS_MAX,
    IMPORT_REASON_CHARS_MAX,
)
from svc.domain.input.near_names import shown

FaultEffect = Literal["refused", "left_out"]
"""What a fault costs: its line, or its cell alone."""

OTHER_REASONS: Final = "other reasons"
"""What the last group is called, where there are more than `IMPORT_FAULT_GROUPS_MAX`."""
_IDS: Final = re.compile(r"\b[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}\b")


class Reason(NamedTuple):
    """Why a line, or a cell of it, is not taken."""

    about: str
    """The heading of the column, or the slug of the property; empty for the line as a whole."""
    detail: str
    general: str = ""
    """*detail* without what differs from line to line; empty if that is to be found by the cell."""

    def __str__(self) -> str:
        return f"{self.about}: {self.detail}" if self.about else self.detail


class FaultExample(msgspec.Struct, frozen=True, kw_only=True):
    """A line with a fault."""

    line: int
    value: str | None
    """The cell, cut; None where the fault is the line's."""


class FaultGroup(msgspec.Struct, kw_only=True):
    """Faults of one reason in one column."""

    effect: FaultEffect
    column: str
    """The heading, or in lines of JSON the property; empty for the line as a whole."""
    reason: str
    count: int = 0
    examples: list[FaultExample] = []


class Occurrence(NamedTuple):
    """One fault of one line, with the cell that it is about."""

    effect: FaultEffect
    line: int
    column: str
    reason: Reason
    value: str | None


def added(groups: Sequence[FaultGroup], occurrences: Iterable[Occurrence]) -> list[FaultGroup]:
    """*groups* with *occurrences* counted in them; each group keeps its first examples."""
    by_key = {(group.effect, group.column, group.reason): group for group in groups}
    for one in occurrences:
        key = (one.effect, one.column, _general(one))
        if key not in by_key and len(by_key) >= IMPORT_FAULT_GROUPS_MAX:
            key = (one.effect, "", OTHER_REASONS)
        group = by_key.get(key)
        if group is None:
            group = by_key[key] = FaultGroup(effect=key[0], column=key[1], reason=key[2], examples=[])
        group.count += 1
        if len(group.examples) < IMPORT_FAULT_EXAMPLES_MAX:
            value = None if one.value is None else _cut(one.value, IMPORT_EXAMPLE_CHARS_MAX)
            group.examples.append(FaultExample(line=one.line, value=value))
    return [*by_key.values()]


def largest_first(groups: Sequence[FaultGroup]) -> list[FaultGroup]:
    """*groups*, those that cost a line first, and of these the largest."""
    return sorted(groups, key=lambda group: (group.effect != "refused", -group.count))


def _general(one: Occurrence) -> str:
    """The reason without its line's own value, so that lines with other values have the same one."""
    reason = one.reason
    general = reason.general
    if not general:
        general = _IDS.sub("…", reason.detail)
        if one.value:
            general = general.replace(shown(one.value), "`…`")
    return _cut(general, IMPORT_REASON_CHARS_MAX)


def _cut(text: str, chars_max: int) -> str:
    """*text* as it can be stored, and no longer."""
    storable = text.encode(errors="replace").decode().replace("\0", "")
    return storable if len(storable) <= chars_max else storable[: chars_max - 1] + "…"
