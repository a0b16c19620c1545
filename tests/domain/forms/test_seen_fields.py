"""The fields that were seen: where each goes, and where it might."""

from typing import Any

from svc.domain.forms.limits import FORM_FIELDS_MAX
from svc.domain.forms.seen_fields import RecentField, seen_fields

SLUGS = ("name", "email", "phone", "city", "company", "job_title")


def of(*submissions: Any, mapping: dict[str, str] | None = None) -> dict[str, RecentField]:
    return {field.name: field for field in seen_fields(submissions, mapping or {}, SLUGS)}


def test_fields_have_the_name_and_the_value_that_came_last():
    """Names that differ in case are one; a value that is empty says less than an older one."""
    seen = of({"City": "", "n": 0}, {"city": "Kiel", "old": None})

    assert ["City", "n", "old"] == list(seen)
    assert ("Kiel", 0, None) == (seen["City"].example, seen["n"].example, seen["old"].example)


def test_fields_go_where_the_form_or_their_name_says():
    """The form's mapping comes first; what is recognised needs none."""
    seen = of({"mail": "a@b", "town": "Kiel", "lamp": "Skerry"}, mapping={"Town": "city"})

    assert ("email", "city", None) == tuple(seen[name].property for name in ("mail", "town", "lamp"))
    assert [None, None] == [seen[name].proposed for name in ("mail", "town")]


def test_what_goes_nowhere_is_proposed_by_its_name():
    """To a property that no other field goes to."""
    seen = of({"Job title": "x", "company-name": "y", "colour": "z"})
    taken = of({"Job title": "x", "role": "y"}, mapping={"role": "job_title"})

    assert ("job_title", "company", None) == tuple(one.proposed for one in seen.values())
    assert taken["Job title"] == RecentField(name="Job title", example="x", property=None, proposed=None)


def test_there_are_so_many_at_most():
    """However many names were sent."""
    assert FORM_FIELDS_MAX == len(of(*({f"f{number}": 1} for number in range(FORM_FIELDS_MAX + 9))))
