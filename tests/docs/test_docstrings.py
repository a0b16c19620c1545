"""The form of docstrings: one for what a function raises."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SENTENCE_ERRORS_MAX = 2
"""A sentence names up to that many errors; more are a section, in which each has its condition."""

ROOT = Path(__file__).parents[2]


def _docstrings() -> Iterator[tuple[str, str]]:
    """Each docstring of the program, with the place of what it is of."""
    for path in sorted((ROOT / "svc").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", ast.get_docstring(node) or ""


def _errors(docstring: str) -> tuple[int, int]:
    """How many errors the longest sentence about errors names, and the section."""
    sentences = re.findall(r"\b[Rr]aises\b(?!:$)[^.]*", docstring, re.MULTILINE)
    section = re.search(r"^Raises:\n((?: {4}.*\n?)+)", docstring, re.MULTILINE)
    names = re.findall(r"^ {4}(\w[^:]*):", section[1], re.MULTILINE) if section else []
    return (
        max((len(set(re.findall(r"`([A-Z]\w*[a-z]\w*)`", one))) for one in sentences), default=0),
        sum(len(of_a_line.split(", ")) for of_a_line in names),
    )


def test_up_to_two_errors_are_a_sentence_and_more_a_section() -> None:
    """`Raises` has one form, so that a reader finds the conditions at the same place."""
    counted = {place: _errors(docstring) for place, docstring in _docstrings()}

    assert {} == {
        place: (in_sentence, in_section)
        for place, (in_sentence, in_section) in counted.items()
        if in_sentence > SENTENCE_ERRORS_MAX or 0 < in_section <= SENTENCE_ERRORS_MAX
    }
    assert any(in_section for _, in_section in counted.values())
