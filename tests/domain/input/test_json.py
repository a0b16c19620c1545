"""Reading JSON: names that stand twice, text that is none, and what all of it costs."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.errors import InvalidInput, MalformedJson
from svc.domain.input import json as json_input
from svc.domain.input.json import POINTER_CHARS_MAX, read, repeated_names
from svc.domain.limits import FAULTS_MAX

ANYTHING: Any = msgspec.json.Decoder()
NAMES = ["a", "b", "", '"', "\\", '\\"', '":', "é", "\u2028", "😀", "{", "a/b", "~", "\n"]
SPACES = st.text(" \t\r\n", max_size=2)


class Members(list[tuple[str, Any]]):
    """An object as it is written: each name as often as it stands there."""


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(0.5) | st.sampled_from(NAMES) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(st.tuples(st.sampled_from(NAMES), inner), max_size=4).map(Members)
    ),
    max_leaves=25,
)


@st.composite
def texts(draw: st.DrawFn, value: Any) -> str:
    """*value* as JSON, with spaces and escapes wherever JSON lets them stand."""

    def spaced(text: str) -> str:
        return draw(SPACES) + text + draw(SPACES)

    def string(text: str) -> str:
        escaped = "".join(
            "".join(f"\\u{unit:04x}" for unit in _utf_16(character)) if draw(st.booleans()) else character
            for character in text
        )
        plain = json.dumps(text, ensure_ascii=draw(st.booleans()))
        unsafe = any(character in escaped for character in '"\n') or escaped.count("\\") != escaped.count(
            "\\u"
        )
        return plain if unsafe or any(ord(one) < ord(" ") for one in escaped) else f'"{escaped}"'

    def write(value: Any) -> str:
        if isinstance(value, Members):
            written = ",".join(f"{spaced(string(name))}:{spaced(write(one))}" for name, one in value)
            return f"{{{written}}}"
        if isinstance(value, list):
            return "[" + ",".join(spaced(write(one)) for one in value) + "]"
        return string(value) if isinstance(value, str) else json.dumps(value)

    return spaced(write(value))


def _utf_16(character: str) -> list[int]:
    encoded = character.encode("utf-16-be")
    return [int.from_bytes(encoded[place : place + 2]) for place in range(0, len(encoded), 2)]


def expected_repeats(value: Any, pointer: str = "") -> list[str]:
    """The pointers of all names in *value* that stand there once more."""
    if isinstance(value, Members):
        seen: set[str] = set()
        pointers = []
        for name, one in value:
            at = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            if name in seen:
                pointers.append(at)
            seen.add(name)
            pointers += expected_repeats(one, at)
        return pointers
    if isinstance(value, list):
        return [at for place, one in enumerate(value) for at in expected_repeats(one, f"{pointer}/{place}")]
    return []


@given(data=st.data(), value=values)
def test_exactly_the_names_that_stand_twice_are_refused(data, value):
    """However they are escaped and wherever they stand; and nothing else is."""
    body = data.draw(texts(value)).encode()

    expected = set(expected_repeats(value))

    assert expected == {fault.pointer for fault in repeated_names(body)}
    if not expected:
        assert read(ANYTHING, body) == json.loads(body)


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        (b'{"a":1,"a":1}', ["/a"]),
        (rb'{"a":1,"\u0061":1}', ["/a"]),
        (rb'{"\u00e9":1,"\u00E9":1}', ["/é"]),
        ('{"é":1,"\\u00e9":2}'.encode(), ["/é"]),
        (rb'{"\ud83d\ude00":1,"\uD83D\uDE00":2}', ["/\U0001f600"]),
        (rb'{"\"":1,"\u0022":2}', ['/"']),
        (rb'{"\\":1,"\u005c":2}', ["/\\"]),
        (b'{"":1,"":2}', ["/"]),
        (b'[0,{"x":{"a":1,"b":{"c":1,"c":2},"a":3}}]', ["/1/x/a", "/1/x/b/c"]),
        (b'{"a":1,"a":2,"a":3}', ["/a"]),
        (b' \n{"a" : 1 ,\t"a"\r: 2 } ', ["/a"]),
    ],
)
def test_a_repeated_name_is_reported_by_its_place(body, pointers):
    """As 422 with a pointer to the member, once for each name."""
    with pytest.raises(InvalidInput) as refused:
        read(ANYTHING, body)

    assert [(pointer, "duplicate_name") for pointer in pointers] == [
        (fault.pointer, fault.code) for fault in refused.value.faults
    ]


@pytest.mark.parametrize(
    "body",
    [
        b'[{"a":1},{"a":1}]',
        b'{"a":{"a":{"a":1}}}',
        b'{"a":"\\"a\\":1","b":"{\\"a\\":1,\\"a\\":2}"}',
        rb'{"a\\":1,"a":"\\\":","c":"\\"}',
        b'{"A":1,"a":1}',
        '{"é":1,"e\u0301":1}'.encode(),
        b'{"a":[":",":",{}],"b":":"}',
        b'"{\\"a\\":1,\\"a\\":2}"',
        b'{"n":' + b"1" * 400 + b"}",
    ],
)
def test_what_only_looks_repeated_is_taken(body):
    """Other objects' names, names in strings, other spellings."""
    assert json.loads(body) == read(ANYTHING, body)


class _Closed(msgspec.Struct, forbid_unknown_fields=True):
    id: str


class _Open(msgspec.Struct):
    id: str


def test_a_repeated_name_is_reported_beside_another_fault():
    """Both faults are reported at once."""
    with pytest.raises(InvalidInput) as refused:
        read(msgspec.json.Decoder(_Closed), b'{"id": 5, "no": {"a": 1, "a": 2}}')

    assert ["/id", "/no", "/no/a"] == [fault.pointer for fault in refused.value.faults]


def test_only_so_many_repeated_names_are_reported():
    """A body full of them is not answered with another one as long."""
    body = b"[%b]" % b",".join([b'{"a":1,"a":1}'] * 10_000)

    with pytest.raises(InvalidInput) as refused:
        read(ANYTHING, body)

    assert FAULTS_MAX == len(refused.value.faults)


@pytest.mark.parametrize("body", [b"", b"{", b'{"a":}', b"\xff", b'{"a":1,"a":1', b"[" * 100_000])
def test_what_is_no_json_is_said_to_be_none(body):
    """Also where names would stand twice in what there is of it."""
    with pytest.raises(MalformedJson):
        read(ANYTHING, body)


def test_repeated_names_in_what_is_passed_over_are_refused():
    """A shape that ignores members does not hide what they hold."""
    with pytest.raises(InvalidInput) as refused:
        read(msgspec.json.Decoder(_Open), b'{"id":"x","other":{"deep":[{"a":1,"a":2}]}}')

    assert ["/other/deep/0/a"] == [fault.pointer for fault in refused.value.faults]


def test_texts_at_the_bottom_of_a_deep_body_are_looked_at_once(monkeypatch):
    """Half of a surrogate pair is looked for in steps as many as there are values, however deep they lie."""
    steps = 0
    children = json_input._children

    def counted(path: Any, value: Any) -> Any:
        nonlocal steps
        for one in children(path, value):
            steps += 1
            yield one

    monkeypatch.setattr(json_input, "_children", counted)
    depth, width = 200, 1_000
    body = b"[" * depth + b",".join([b'"x"'] * width) + rb',"\ud800"' + b"]" * depth

    with pytest.raises(InvalidInput) as refused:
        read(ANYTHING, body)

    assert ["/0" * (depth - 1) + f"/{width}"] == [fault.pointer for fault in refused.value.faults]
    assert steps <= depth + width + 1


@pytest.mark.parametrize("inner", ['{"a":1,"a":1}', r'"\ud800"'])
def test_a_pointer_that_would_be_long_ends_above(inner):
    """The answer to a body does not repeat its longest name for each fault in it."""
    body = "".join(['{"near": {"', "x" * POINTER_CHARS_MAX, '": [', ",".join([inner] * 50), "]}}"])

    with pytest.raises(InvalidInput) as refused:
        read(ANYTHING, body.encode())

    assert ["/near"] == [fault.pointer for fault in refused.value.faults]
