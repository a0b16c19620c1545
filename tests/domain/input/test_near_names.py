"""A choice that is none: told with the choices, the near ones first."""

from typing import Literal

import msgspec
import pytest

from svc.domain.input.faults import CheckedValue
from svc.domain.input.near_names import guess, hint

MANY = [f"choice_{number:02}" for number in range(25)]


@pytest.mark.parametrize(
    ("given", "choices", "told"),
    [
        ("Wno", ["New", "Lost", "Won"], "; did you mean `Won`? There are `Won`, `New`, `Lost`"),
        ("zz", ["New", "Lost", "Won"], "; there are `New`, `Lost`, `Won`"),
        ("zz", ["New"], "; there is `New`"),
        ("zz", [], ""),
    ],
)
def test_the_choices_are_told_the_near_one_first(given: str, choices: list[str], told: str) -> None:
    assert told == hint(given, choices)


def test_of_many_choices_twenty_are_told() -> None:
    """The near ones are among them, wherever they stand; and how many there are besides."""
    told = hint("choice_24", [*MANY, "other"])

    assert "There are `choice_24`, " in told
    assert 20 == told.partition("There are")[2].count("`") // 2
    assert told.endswith(" and 6 more")


def test_of_an_enumeration_as_well() -> None:
    """At its pointer, in JSON's words."""
    kinds = Literal[tuple(MANY)]  # type: ignore[valid-type]  # made for the test
    wrong = msgspec.defstruct("Wrong", [("kind", kinds)])
    [fault] = CheckedValue(wrong, {"kind": "choice24"}).faults

    assert fault.detail.startswith('must be one of "choice_24", ')
    assert " and 5 more; did you mean `choice_24`" in fault.detail


def test_an_unknown_name_of_many_is_told_with_the_nearest_alone() -> None:
    """Of a tool, a command or a member: the others are in the contract."""
    assert "; did you mean `choice_24`" in guess("choice_24", MANY)
    assert "There are" not in guess("choice_24", MANY)
    assert guess("zz", MANY) == ""
