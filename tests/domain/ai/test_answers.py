"""Answers: what is a completion, what it used, and what of it is shown."""

import json
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.ai import usage
from svc.domain.ai.answers import Answer, is_error, read_answer, read_chunk, with_cost
from svc.domain.ai.usage import Usage

USAGE = {"prompt_tokens": 3, "completion_tokens": 4}


def encoded(**members: Any) -> bytes:
    return msgspec.json.encode(members)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>busy</html>",
        b"{",
        b"null",
        b"[]",
        b"{}",
        b'{"choices": {}}',
        b'{"choices": [1]}',
        b'{"error": {"message": "no"}}',
        b'{"choices": [], "error": {"message": "no"}}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_what_is_no_completion(body: bytes):
    """Neither whole nor as an event."""
    assert (None, None) == (read_answer(body), read_chunk(body))


def test_text_of_every_kind_is_counted():
    """Content, refusals, reasoning, and the names and arguments of tool calls; nothing else."""
    message = {
        "role": "assistant",
        "content": "ä",
        "refusal": "no",
        "reasoning_content": "hm",
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        "annotations": ["not", "counted"],
    }
    parts = {"content": [{"type": "text", "text": "xy"}], "function_call": {"name": "g", "arguments": "[1]"}}
    choices = [{"message": message, "finish_reason": "stop"}, {"message": parts}, {}]

    answer = read_answer(encoded(choices=choices, temperature=1e300))

    assert Answer(text_bytes=2 + 2 + 2 + 3 + 6 + 4, is_finished=True) == answer


def test_text_beside_usage_is_not_counted():
    """It would be an estimate of what the provider has counted."""
    answer = read_answer(encoded(choices=[{"message": {"content": "ä"}}], usage=USAGE))

    assert Answer(usage=Usage(3, 0, 4)) == answer


def test_a_number_out_of_range_is_no_fault():
    """What a provider adds is its own business."""
    assert Answer() == read_chunk(b'{"choices": [], "x": 1e999, "y": 123456789012345678901234567890}')


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"choices": [{"delta": {"content": "abc"}}]}, Answer(text_bytes=3)),
        ({"choices": [{"delta": {}, "finish_reason": "stop"}]}, Answer(is_finished=True)),
        ({"choices": [], "usage": USAGE}, Answer(usage=Usage(3, 0, 4), is_usage_alone=True)),
        ({"choices": [{"delta": {}}], "usage": USAGE}, Answer(usage=Usage(3, 0, 4))),
        ({"choices": [], "usage": None}, Answer()),
        ({"choices": [{"delta": None}], "usage": {"prompt_tokens": "3"}}, Answer()),
    ],
)
def test_an_event_of_a_stream(data: dict[str, Any], expected: Answer):
    """The event with usage alone is told from those with choices."""
    read = read_chunk(encoded(**data))

    assert expected == (read and msgspec.structs.replace(read, pieces=()))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"error": {"message": "x"}}', True),
        (b'{"error": "x"}', False),
        (b"<html>", False),
        (b"[]", False),
    ],
)
def test_the_shape_of_an_error(body: bytes, expected: bool):
    """Of what may be passed on."""
    assert expected == is_error(body)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            b'{"a":1.10, "usage" : {"prompt_tokens": 3},"b":[ ]}\n',
            b'{"a":1.10, "usage" : {"cost_micro_credits":7,"prompt_tokens": 3},"b":[ ]}\n',
        ),
        (b'{"usage":{}}', b'{"usage":{"cost_micro_credits":7}}'),
        (b'{"usage":{"cost_micro_credits": 1}}', b'{"usage":{"cost_micro_credits": 7}}'),
        (b'{"usage":null}', b'{"usage":null}'),
        (b'{"a":1}', b'{"a":1}'),
        (b'{"usage":{},"usage":{}}', b'{"usage":{},"usage":{"cost_micro_credits":7}}'),
        (b'{"a":{},"usage":{},"b":{}}', b'{"a":{},"usage":{"cost_micro_credits":7},"b":{}}'),
        (b'{"usage":{},"b":[{},{},{},{}]}', b'{"usage":{},"b":[{},{},{},{}]}'),
        (b"[]", b"[]"),
    ],
)
def test_usage_that_is_shown_has_its_cost(body: bytes, expected: bytes):
    """All else stays, to the byte."""
    assert expected == with_cost(body, 7)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(json_values, st.booleans(), st.sampled_from([0, 10, 64 * 1024]))
def test_text_is_counted_piece_by_piece(value: Any, ascii_only: bool, piece_bytes: int):
    """As when it is decoded at once, however small the pieces, and whatever is escaped."""
    raw = json.dumps(value, ensure_ascii=ascii_only).encode()

    with patch.object(usage, "_PIECE_BYTES", piece_bytes):
        assert usage.text_bytes(value) == usage.json_text_bytes(raw)


def test_text_in_too_many_pieces_is_counted_as_it_is():
    """What nobody writes, but to keep the service busy."""
    raw = b"[" + b"{}," * 200_000 + b'"ab"]'

    assert 2 < usage.json_text_bytes(raw) <= len(raw)


@pytest.mark.parametrize("size", [1, 40_000])
def test_more_choices_than_there_may_be_are_no_completion(size: int):
    """Whether they are small together or large."""
    choice = {"message": {"content": "x" * size}}

    assert read_answer(encoded(choices=[choice] * 128)) is not None
    assert read_answer(encoded(choices=[choice] * 129)) is None
