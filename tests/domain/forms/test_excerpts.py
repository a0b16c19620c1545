"""The line of a submission in a list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.forms.excerpts import excerpt_of
from svc.domain.forms.limits import EXCERPT_CHARS_MAX


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        (
            {"name": "Ada King", "nachricht": "Haben Sie die Lampe in Messing?"},
            "Haben Sie die Lampe in Messing?",
        ),
        ({"message": "Two\n  lines,\tone here"}, "Two lines, one here"),
        ({"email": "ADA@example.com", "lamp": "Oslo"}, "Oslo"),
        ({"phone": "(07700) 900-101", "newsletter": True, "year": 2026}, None),
        ({"name": "Ada King"}, None),
        ({}, None),
        ({"message": " "}, None),
    ],
)
def test_it_is_the_longest_text_that_is_not_shown_beside_it(fields, line) -> None:
    """In any language, on one line; names, addresses and numbers are none."""
    assert line == excerpt_of(fields, ("Ada King", "ada@example.com", "+447700900101", None))


def test_a_long_one_is_cut() -> None:
    """At its limit, with a sign that there is more."""
    line = excerpt_of({"message": "word " * 100}, ())

    assert line is not None
    assert EXCERPT_CHARS_MAX >= len(line)
    assert line.endswith(" word…")


@given(st.dictionaries(st.text(max_size=5), st.one_of(st.text(), st.integers(), st.booleans())), st.text())
def test_it_fits_its_line_whatever_was_sent(fields, beside) -> None:
    """Neither longer than it may be, nor empty, nor more than a line."""
    line = excerpt_of(fields, (beside,))

    assert line is None or (0 < len(line) <= EXCERPT_CHARS_MAX and line.split() == line.split(" "))
