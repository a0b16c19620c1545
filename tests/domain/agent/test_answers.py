"""Answers of models to an agent: what is read as one."""

import json

import pytest

from svc.domain.agent.answers import read_answer
from svc.domain.agent.limits import AGENT_ANSWER_BYTES_MAX


def answer(content: str) -> bytes:
    return json.dumps({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}).encode()


@pytest.mark.parametrize(
    ("size", "is_read"), [(AGENT_ANSWER_BYTES_MAX, True), (AGENT_ANSWER_BYTES_MAX + 1, False)]
)
def test_an_answer_that_is_too_large_is_none(size: int, *, is_read: bool) -> None:
    """All of it is decoded, while nothing else is done."""
    text = "x" * (size - len(answer("")))
    read = read_answer(answer(text))

    assert is_read is (read is not None)
    assert read is None or read.text == text
