"""A provider's key in what the provider sends: found however JSON has it, and over pieces of a stream."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.ai.key_guard import KeyGuard, KeyRepeated

KEY = "sk-live/4f0Kq8Zt2LmN6bWc3XrV9sYd"
VISIBLE = st.characters(min_codepoint=33, max_codepoint=126)
KEYS = st.text(VISIBLE, min_size=20, max_size=60)


def has(key: str, body: bytes | bytearray) -> bool:
    """Whether the guard finds *key* in *body*."""
    guard = KeyGuard(key)
    try:
        guard.check(body)
    except KeyRepeated:
        assert guard.has_found
        return True
    return False


def escaped(text: str, upper: bool = False) -> str:
    r"""*text* with each character as `\u0073`."""
    return "".join(f"\\u{ord(one):04{'X' if upper else 'x'}}" for one in text)


@pytest.mark.parametrize(
    "said",
    [
        KEY,
        KEY.replace("/", "\\/"),
        escaped(KEY),
        escaped(KEY, upper=True),
        escaped(KEY[:1]) + KEY[1:],
        KEY[:-1] + escaped(KEY[-1:]),
        json.dumps(f'{{"key": "{escaped(KEY)}"}}')[1:-1],
    ],
    ids=["plain", "slash", "all", "capitals", "first", "last", "JSON in JSON"],
)
@pytest.mark.parametrize("before", [0, 262_100, 600_000])
def test_a_key_is_found_however_it_is_written(said: str, before: int):
    """Anywhere in an answer, however large that is."""
    body = b'{"x": "' + b"x" * before + said.encode() + b'"}'

    assert has(KEY, body)
    assert has(KEY, bytearray(body))


@given(KEYS, st.data())
def test_any_escaping_of_any_key_is_found(key: str, data: st.DataObject):
    """Each character as it is, by its code, or after a backslash where that is allowed."""
    short = {"/": ["\\/"], '"': ['\\"'], "\\": ["\\\\"]}

    def written(one: str) -> str:
        plain = [] if one in '"\\' else [one]
        return data.draw(
            st.sampled_from([*plain, escaped(one), escaped(one, upper=True), *short.get(one, [])])
        )

    body = ('{"x": "' + "".join(map(written, key)) + '"}').encode()

    assert {"x": key} == json.loads(body)
    assert has(key, body)


@given(KEYS, st.text(max_size=200))
def test_what_is_not_there_is_not_found(key: str, text: str):
    """In no text of others."""
    body = json.dumps({"x": text}).encode()

    assert has(key, body) == (key in text)


@given(KEYS, st.text(VISIBLE), st.text(VISIBLE), st.lists(st.integers(0, 120)), st.integers(0, 3))
def test_a_key_is_found_over_pieces(key: str, before: str, after: str, cuts: list[int], place: int):
    """However it is cut, before more than its half could be shown."""
    text = before + key + after
    ends = sorted({min(cut, len(text)) for cut in cuts} | {len(text)})
    guard = KeyGuard(key)
    shown: list[str] = []

    def follow() -> None:
        for start, end in zip([0, *ends], ends, strict=False):
            guard.follow(place, text[start:end])
            if not guard.is_pending:
                shown.append(text[:end])

    with pytest.raises(KeyRepeated):
        follow()

    assert not any(
        "".join(shown[-1:]).endswith(key[:size]) for size in range(-(-len(key) // 2), len(key) + 1)
    )


def test_texts_of_several_choices_are_followed_one_by_one():
    """They come in turns; what is begun in one is not ended by another."""
    guard = KeyGuard(KEY)
    guard.follow(0, KEY[:20])
    assert guard.is_pending

    guard.follow(6, KEY[20:])
    assert guard.is_pending

    guard.follow(0, " and so on")
    assert not guard.is_pending


def test_what_only_begins_like_a_key_goes_on():
    """Once it is seen to be something else; then the key is still found."""
    guard = KeyGuard(KEY)
    for text in (KEY[:20], "!", KEY[:20], KEY[:5], KEY[5:18]):
        guard.follow(0, text)

    with pytest.raises(KeyRepeated):
        guard.follow(0, KEY[18:])


def test_a_word_for_a_key_is_looked_for_in_refusals_alone():
    """A server of one's own may take `none`, which answers have in them."""
    assert KeyGuard(KEY).is_for_answers
    assert not KeyGuard("none").is_for_answers
    assert has("none", b'{"error": {"message": "none"}}')
    assert not has("", b"anything")
    assert KEY not in repr(KeyGuard(KEY))
