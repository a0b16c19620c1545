"""Every test is run by one target of the Makefile, and `.ci/run` calls them all."""

import re
import tomllib
from itertools import chain, combinations
from pathlib import Path
from typing import Final

from _pytest.mark.expression import Expression

from tests.costly import COSTLY

ROOT: Final = Path(__file__).parents[1]
MARKS: Final = [
    line.partition(":")[0]
    for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"][
        "markers"
    ]
    if not line.startswith("sqlite:")  # which leaves tests out of a run on PostgreSQL, and chooses none
]
RECIPES: Final = dict(
    re.findall(r"^(test[\w-]*):.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
)
"""What each target of tests calls. That of Quart runs some a second time, and so does not choose by marks."""
CHOICES: Final = {
    name: found[1] for name, recipe in RECIPES.items() if (found := re.search(r'-m "([^"]+)"', recipe))
}
"""Of each target, the expression of marks that chooses its tests."""


def is_chosen(choice: str, has: dict[str, bool]) -> bool:
    """As pytest has it; another word than a mark is a `KeyError`."""

    def of(mark: str, /, **_: str | int | bool | None) -> bool:
        return has[mark]

    return Expression.compile(choice).evaluate(of)


def test_whatever_its_marks_a_test_is_in_one_target():
    """No marks, one, or several."""
    for marks in chain.from_iterable(combinations(MARKS, number) for number in range(len(MARKS) + 1)):
        has = {mark: mark in marks for mark in MARKS}
        chosen = [name for name, choice in CHOICES.items() if is_chosen(choice, has)]

        assert 1 == len(chosen), (marks, chosen)


def test_all_targets_are_called_before_a_change_lands():
    called = re.findall(r"^make ([\w-]+)$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)

    assert {"test", *(f"test-{mark}" for mark in MARKS)} == set(CHOICES)
    assert RECIPES.keys() <= set(called)


def test_targets_find_the_files_with_their_mark():
    """A mark stands in a line of its own, above a test, in a file that pytest collects."""
    for mark in MARKS:
        assert f"$(call FILES_WITH,{mark})" in RECIPES[f"test-{mark}"]
    for path in ROOT.glob("tests/**/*.py"):
        lines = path.read_text().splitlines()
        tests = [line for line in lines if re.match(r"\s*(async )?def test_", line)]
        for mark in MARKS:
            marked = [line for line in lines if f"mark.{mark}" in line and path != Path(__file__)]

            assert {line.strip() for line in marked} <= {
                f"@pytest.mark.{mark}",
                f"pytestmark = pytest.mark.{mark}",
            }, path
            assert not marked or tests, path
        assert not tests or path.match("test_*.py"), path


def test_the_costly_files_are_there():
    """Each once; and of those that need a browser all, before all others."""
    browsers = [str(path.relative_to(ROOT)) for path in ROOT.glob("tests/browser/**/test_*.py")]

    assert {*browsers} == {*COSTLY[: len(browsers)]}
    assert sorted(set(COSTLY)) == sorted(COSTLY)
    assert [] == [name for name in COSTLY if not (ROOT / name).is_file()]
