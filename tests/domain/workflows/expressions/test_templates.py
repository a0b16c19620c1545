"""Templates: plain substitution, with types kept where one path stands alone."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.errors import InvalidValue
from svc.domain.workflows.expressions.templates import Filling, holes, is_template, lone, texts
from svc.domain.workflows.limits import STEP_INPUT_BYTES_MAX

CONTEXT: dict[Any, Any] = {
    "record": {
        "name": "Ada",
        "age": 36,
        "score": 4.0,
        "lit": True,
        "colours": ["red", "green"],
        "sly": "{{record.name}}",
        "empty": None,
    },
    "steps": {"call": {"answer": {"a": [1, None]}}},
}


def fill(value: Any, context: dict[Any, Any]) -> Any:
    return Filling(context).fill(value)


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{record.name}}", "Ada"),
        ("{{ record.name }}", "Ada"),
        ("{{record.age}}", 36),
        ("{{record.lit}}", True),
        ("{{record.colours}}", ["red", "green"]),
        ("{{record.empty}}", None),
        ("{{record.nothing}}", None),
        ("{{steps.call.answer}}", {"a": [1, None]}),
        (" {{record.age}}", " 36"),
        ("{{record.name}} is {{record.age}}.", "Ada is 36."),
        ("{{record.age}}{{record.score}}", "364"),
        ("lit: {{record.lit}}", "lit: yes"),
        ("in {{record.colours}}", "in red, green"),
        ("[{{record.empty}}]", "[]"),
        ("got {{steps.call.answer}}", 'got {"a":[1,null]}'),
        ("plain", "plain"),
        ("{{", "{{"),
        ("}} {record.name} {{", "}} {record.name} {{"),
        ("{{{record.name}}}", "{Ada}"),
        ("{{record.{{record.name}}", "{{record.Ada"),
        ("it says {{record.sly}}", "it says {{record.name}}"),
        (7, 7),
        (None, None),
        ({"who": "{{record.name}}", "all": [1, "{{record.age}}"]}, {"who": "Ada", "all": [1, 36]}),
        ({"{{record.name}}": 1}, {"{{record.name}}": 1}),
    ],
)
def test_a_template_is_filled_in(template: Any, value: Any):
    """Once: what comes from a value is never a template itself."""
    assert value == fill(template, CONTEXT)


def test_a_text_stays_one_where_a_text_is_needed():
    assert "36" == Filling(CONTEXT).text("{{record.age}}")
    assert "" == Filling(CONTEXT).text("{{record.empty}}")


@pytest.mark.parametrize(
    "template", ["{{}}", "{{ }}", "{{record..name}}", "{{1 + 1}}", "{{name}}", "a {{name}}"]
)
def test_what_is_no_path_is_refused(template: str):
    """There are no expressions."""
    with pytest.raises(InvalidValue):
        fill(template, CONTEXT)


def test_a_value_becomes_no_larger_than_its_limit():
    """It is cut off while it grows: a thousand times a long text is never built."""
    context: dict[Any, Any] = {"record": {"note": "x" * 60_000}}

    assert STEP_INPUT_BYTES_MAX > len(fill("{{record.note}} " * 4, context))
    for large in ("{{record.note}} " * 4_000, ["{{record.note}}"] * 4_000, {"a": ["{{record.note}}"] * 5}):
        with pytest.raises(InvalidValue, match="larger than"):
            fill(large, context)


@given(st.text(alphabet="{} ab.", max_size=60))
def test_without_holes_a_text_stays_as_it_is(text: str):
    """Whatever braces are in it."""
    if not is_template(text):
        assert text == fill(text, CONTEXT)
        assert lone(text) is None
        assert [] == [*holes(text)]


@given(st.lists(st.sampled_from(["{{record.name}}", "{{record.age}}", "x", "{", "x}", " "]), max_size=12))
def test_each_hole_is_replaced_where_it_stands(parts: list[str]):
    """As Python's own replacement of the two has it."""
    text = "".join(parts)
    plain = text.replace("{{record.name}}", "Ada").replace("{{record.age}}", "36")

    assert plain == Filling(CONTEXT).text(text)


@pytest.mark.parametrize(
    "piece", ["{", "}", "{{", "}}", "{{a", "{{}", "{}", "{{{}", "{{ ", "{{record.name}", "{{a{{b"]
)
def test_a_text_of_a_megabyte_is_looked_at_once(piece: str):
    """Ten times the text takes no more than some ten times as long, however its braces stand."""

    def seconds(size: int) -> float:
        text = (piece * size)[:size]
        best = 9.0
        for _ in range(3):
            began = time.process_time()
            sum(1 for _ in holes(text))
            lone(text)
            best = min(best, time.process_time() - began)
        return best

    assert seconds(1_000_000) < 30 * max(seconds(100_000), 0.001)


def test_every_text_has_its_pointer():
    """Through lists and objects, with names escaped."""
    value = {"a/b": ["x", {"~": "y"}], "n": 1}

    assert [("/body/a~1b/0", "x"), ("/body/a~1b/1/~0", "y")] == [*texts(value, "/body")]
