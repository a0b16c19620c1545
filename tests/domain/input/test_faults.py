"""What is said of JSON that is not of the shape that was asked for."""

from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import given, settings

from svc.domain.errors import InvalidInput, MalformedJson
from svc.domain.input import json as json_input
from svc.domain.input.faults import CheckedValue
from svc.domain.limits import FAULTS_MAX, SHOWN_NAME_CHARS_MAX
from svc.tools.catalogue import REGISTRY

TOOLS = sorted(REGISTRY)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 300)
    | st.sampled_from([1.0, 2.5, -0.0, 1e20])
    | st.text(max_size=3)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@st.composite
def nearly_good(draw: st.DrawFn) -> tuple[str, Any]:
    """A tool, and its example with members changed, taken away or added, at any depth."""
    name = draw(st.sampled_from(TOOLS))
    body = msgspec.json.decode(msgspec.json.encode(REGISTRY[name].example))
    for _ in range(draw(st.integers(1, 3))):
        place = body
        while True:
            inner = [one for one in _members(place) if isinstance(_at(place, one), dict | list)]
            if not inner or draw(st.booleans()):
                break
            place = _at(place, draw(st.sampled_from(inner)))
        names = list(_members(place))
        if isinstance(place, dict) and draw(st.booleans()):
            place[draw(st.sampled_from([*names, "limit", "nmae", "objectType"]))] = draw(VALUES)
        elif names:
            chosen = draw(st.sampled_from(names))
            if draw(st.booleans()):
                place[chosen] = draw(VALUES)
            else:
                del place[chosen]
                break
    return name, body


def _members(place: Any) -> Any:
    return list(place) if isinstance(place, dict) else range(len(place))


def _at(place: Any, name: Any) -> Any:
    return place[name]


@pytest.mark.fuzz
@settings(max_examples=1_000)
@given(nearly_good())
def test_it_finds_a_fault_exactly_where_msgspec_refuses(case: tuple[str, Any]) -> None:
    """Of the inputs of every tool; only whole numbers written with a fraction of zero are taken besides."""
    name, body = case
    kind = REGISTRY[name].request_type
    try:
        expected: Any = msgspec.json.decode(msgspec.json.encode(body), type=kind)
    except msgspec.ValidationError:
        expected = None
    checked = CheckedValue(kind, msgspec.json.decode(msgspec.json.encode(body)))

    if expected is not None:
        assert [] == checked.faults
        assert expected == msgspec.convert(checked.value, kind)
    elif not checked.faults:
        assert body != checked.value or _has_whole_float(body)
        msgspec.convert(checked.value, kind)


def _has_whole_float(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_whole_float, value.values()))
    if isinstance(value, list):
        return any(map(_has_whole_float, value))
    return isinstance(value, float) and value.is_integer()


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    kind: str


class Shape(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    object_type: str
    limit: int = 1
    inner: list[Inner] = []
    open: dict[str, int] = {}


DECODER = msgspec.json.Decoder(Shape)


def refusal(body: bytes) -> list[tuple[str, str, str]]:
    with pytest.raises(InvalidInput) as caught:
        json_input.read(DECODER, body)
    return [(one.pointer, one.code, one.detail) for one in caught.value.faults]


def test_every_fault_is_reported_at_its_place() -> None:
    """Missing and unknown members by their own names, all of them in one answer."""
    assert [
        ("/objectType", "missing", "is required: a string"),
        ("/limit", "invalid_value", "must be an integer, not a string"),
        ("/inner/1/kind", "missing", "is required: a string"),
        ("/inner/1/kid", "unknown_field", "is not known here; did you mean `kind`?"),
        ("/open/a~1b", "invalid_value", "must be an integer, not null"),
        ("/object_type", "unknown_field", "is not known here; did you mean `objectType`?"),
    ] == refusal(
        b'{"object_type": "contact", "limit": "10", "inner": [{"kind": "a"}, {"kid": "b"}],'
        b' "open": {"a/b": null}}'
    )


def test_a_whole_number_is_an_integer_however_it_is_written() -> None:
    """JSON Schema says so of 1.0 and 1e2; 1.5 is none."""
    assert 100 == json_input.read(DECODER, b'{"objectType": "a", "limit": 1e2}').limit
    assert [("/limit", "invalid_value", "must be an integer, not a number")] == refusal(
        b'{"objectType": "a", "limit": 1.5}'
    )


def test_reported_faults_are_limited() -> None:
    """However many faults there are, and however long a name is."""
    many = refusal(b'{"objectType":"a",' + b",".join(b'"x%d":1' % n for n in range(500)) + b"}")
    long = refusal(b'{"objectType":"a","' + b"x" * 100_000 + b'":1}')

    assert FAULTS_MAX == len(many)
    assert [("", "unknown_field")] == [one[:2] for one in long]
    assert len(long[0][2]) < 2 * SHOWN_NAME_CHARS_MAX
    with pytest.raises(InvalidInput, match=f"and {FAULTS_MAX - 5} more$"):
        json_input.read(DECODER, b"{" + b",".join(b'"x%d":1' % n for n in range(500)) + b"}")


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"", "the body is empty: send a JSON object"),
        (b" \n", "the body is empty: send a JSON object"),
        (b'{"objectType": "a",}', "the body is not JSON: trailing comma in object at line 1, column 20"),
        (b'{\n  "objectType" "a"}', "the body is not JSON: expected ':' at line 2, column 16"),
        (b"{'objectType': 1}", "the body is not JSON: object keys must be strings at line 1, column 2"),
        (b'{"objectType": "a"', "the body is not JSON: it ends too early, at line 1, column 19"),
        (b'{"objectType": "a"} x', "the body is not JSON: trailing characters at line 1, column 21"),
        (
            '{"objectType": "é", x'.encode(),
            "the body is not JSON: object keys must be strings at line 1, column 21",
        ),
        (b'{"limit": "no", "x": tru', "the body is not JSON: it ends too early, at line 1, column 25"),
        (b'{"limit": tru}', "the body is not JSON: invalid literal at line 1, column 11"),
        (b'{"limit": tr}', "the body is not JSON: invalid literal at line 1, column 11"),
        (b'{"limit":\n  nul\n\n\n\n}', "the body is not JSON: invalid literal at line 2, column 3"),
        (b'{"limit": fals,\n"x": 1}', "the body is not JSON: invalid literal at line 1, column 11"),
        ('{"é": falé}'.encode(), "the body is not JSON: invalid literal at line 1, column 7"),
        (b'{"limit": NaN, "x": tru}', "the body is not JSON: invalid character at line 1, column 11"),
        (b'{"limit": "tru}\n"}', "the body is not JSON: invalid character at line 1, column 16"),
        (b'{"objectType": "\xff"}', "the body is not UTF-8: line 1, column 17 is no character"),
        (b"[" * 100_000, "the body is nested too deeply"),
    ],
)
def test_what_is_no_json_is_pointed_at(body: bytes, detail: str) -> None:
    """By line and column, as an editor counts them."""
    with pytest.raises(MalformedJson) as caught:
        json_input.read(DECODER, body)

    assert detail == str(caught.value)


def test_no_value_is_repeated() -> None:
    """What was sent may be a secret: the fault names its type only."""
    assert "hunter2" not in str(refusal(b'{"objectType": ["hunter2"], "limit": "hunter2"}'))
