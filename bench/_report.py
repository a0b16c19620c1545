"""What a bench found: a table to read, and a file to compare with later."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from bench._machine import describe
from bench._world import RESULTS

MET: Final = "passed"
MISSED: Final = "MISSED"


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A figure that must hold."""

    name: str
    figure: float
    bound: float
    at_least: bool = False
    """Whether *bound* is the least that the figure may be; else it is the most."""
    unit: str = ""

    @property
    def met(self) -> bool:
        return self.figure >= self.bound if self.at_least else self.figure <= self.bound


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str | float]]) -> None:
    """Print *rows* in columns; numbers stand to the right."""
    texts = [[_text(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *texts, strict=True)]
    print(f"\n{title}")
    print(
        "  ".join(
            name.rjust(width) if at else name.ljust(width) for at, (name, width) in _columns(header, widths)
        )
    )
    for row in texts:
        print(
            "  ".join(
                cell.rjust(width) if at else cell.ljust(width) for at, (cell, width) in _columns(row, widths)
            )
        )


def _columns(cells: Sequence[str], widths: Sequence[int]) -> "enumerate[tuple[str, int]]":
    return enumerate(zip(cells, widths, strict=True))


def _text(cell: str | float) -> str:
    if isinstance(cell, str):
        return cell
    return f"{cell:,.0f}" if abs(cell) >= 100 else f"{cell:,.2f}"


def print_targets(targets: Sequence[Target]) -> None:
    """Print each target beside its figure."""
    print_table(
        "Targets",
        ["", "figure", "must be", ""],
        [
            [
                target.name,
                f"{_text(target.figure)} {target.unit}".rstrip(),
                f"{'≥' if target.at_least else '≤'} {_text(target.bound)} {target.unit}".rstrip(),
                MET if target.met else MISSED,
            ]
            for target in targets
        ],
    )


def save(bench: str, figures: Any, targets: Sequence[Target] = ()) -> None:
    """Write everything to `results/<bench>.json`."""
    RESULTS.mkdir(exist_ok=True)
    found = {
        "machine": describe(RESULTS),
        "targets": [msgspec.to_builtins(target) | {"met": target.met} for target in targets],
        "figures": figures,
    }
    path = RESULTS / f"{bench}.json"
    path.write_bytes(msgspec.json.format(msgspec.json.encode(found)))
    print(f"\nAll figures: {path.relative_to(RESULTS.parent.parent)}")
