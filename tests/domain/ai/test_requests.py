"""Requests: what is checked, what goes out, and how much it may cost."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.ai.errors import GatewayError
from svc.domain.ai.requests import CompletionRequest

HELLO = {"role": "user", "content": "Hello"}


def body(**members: Any) -> bytes:
    return json.dumps({"model": "m", "messages": [HELLO]} | members).encode()


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"", ("invalid_json", None)),
        (b"{", ("invalid_json", None)),
        (b"[]", ("invalid_json", None)),
        (b'"x"', ("invalid_json", None)),
        (b'{"model": "m", "messages": [\xff]}', ("invalid_json", None)),
        (b'{"model": "m", "messages": [{"role": "\\ud800"}]}', ("invalid_json", None)),
        (b'{"model":"a","model":"b","messages":[{}]}', ("invalid_value", "model")),
        (b'{"model":"m","messages":[{"a":1,"a":2}]}', ("invalid_value", "messages.0.a")),
        (b"[" * 100_000, ("invalid_json", None)),
        (body(model=None), ("invalid_value", "model")),
        (body(model=1), ("invalid_value", "model")),
        (body(model=""), ("invalid_value", "model")),
        (body(model="m" * 201), ("invalid_value", "model")),
        (body(messages=None), ("invalid_value", "messages")),
        (body(messages=[]), ("invalid_value", "messages")),
        (body(messages={}), ("invalid_value", "messages")),
        (body(messages=[HELLO, "x"]), ("invalid_value", "messages[1]")),
        (body(stream="yes"), ("invalid_value", "stream")),
        (body(stream=1), ("invalid_value", "stream")),
        (body(stream=True, stream_options=[]), ("invalid_value", "stream_options")),
        (
            body(stream=True, stream_options={"include_usage": 1}),
            ("invalid_value", "stream_options.include_usage"),
        ),
        (body(n=0), ("invalid_value", "n")),
        (body(n=129), ("invalid_value", "n")),
        (body(n=1.0), ("invalid_value", "n")),
        (body(n=True), ("invalid_value", "n")),
        (body(max_tokens=0), ("invalid_value", "max_tokens")),
        (body(max_tokens=1.5), ("invalid_value", "max_tokens")),
        (body(max_completion_tokens="9"), ("invalid_value", "max_completion_tokens")),
    ],
)
def test_what_cannot_be_a_request_is_refused(sent: bytes, expected: tuple[str, str | None]):
    """With the member that is at fault, and none of the caller's text."""
    with pytest.raises(GatewayError) as refused:
        CompletionRequest(sent)

    assert expected == (refused.value.kind, refused.value.param)
    assert 400 == refused.value.status
    assert "Hello" not in str(refused.value)


def test_all_else_goes_out_as_it_was_written():
    """Numbers to the digit, white space and unknown members: only the model is another one."""
    sent = (
        b' {"temperature":0.10000000000000000001,\n "mod\\u0065l" : "m",'
        b'"messages":[{"role":"user","content":"\\u00e4"}],'
        b'"seed":123456789012345678901234567890, "x":{"model": "m"},"e":1E400,"stream":false} \n'
    )

    assert sent.replace(b'"m",', b'"upstream",') == CompletionRequest(sent).outgoing("upstream")
    assert sent == CompletionRequest(sent).outgoing("m")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", '{"stream_options":{"include_usage":true},"model":"m","messages":[{}],"stream":true}'),
        (
            ',"stream_options":null',
            '{"model":"m","messages":[{}],"stream":true,"stream_options":{"include_usage":true}}',
        ),
        (
            ',"stream_options": {}',
            '{"model":"m","messages":[{}],"stream":true,"stream_options": {"include_usage":true}}',
        ),
        (
            ',"stream_options":{"x":1.0}',
            '{"model":"m","messages":[{}],"stream":true,"stream_options":{"include_usage":true,"x":1.0}}',
        ),
        (
            ',"stream_options":{"include_usage": false, "x":1}',
            '{"model":"m","messages":[{}],"stream":true,"stream_options":{"include_usage": true, "x":1}}',
        ),
        (
            ',"stream_options":{"include_usage":true}',
            '{"model":"m","messages":[{}],"stream":true,"stream_options":{"include_usage":true}}',
        ),
    ],
)
def test_usage_is_asked_for_in_streams(options: str, expected: str):
    """Unless its provider cannot; whether the caller asked for it is known."""
    sent = f'{{"model":"m","messages":[{{}}],"stream":true{options}}}'.encode()
    request = CompletionRequest(sent)

    assert expected.encode() == request.outgoing("m")
    assert sent == request.outgoing("m", usage_in_stream=False)
    assert ('"include_usage":true' in options) == request.includes_usage


def test_a_call_that_is_not_streamed_keeps_its_options():
    """They are the provider's business."""
    sent = body(stream_options={"include_usage": False})

    assert sent == CompletionRequest(sent).outgoing("m")


names = st.sampled_from(["a", "b", "stream_options", 'q"', "ä", "\\", "model2"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(names, values, max_size=5), st.booleans(), st.sampled_from([None, 1]))
def test_whatever_else_is_in_it_stays(others: dict[str, Any], ascii_only: bool, indent: int | None):
    """Every other member has its value, and the body's bytes around the model are the same."""
    members = others | {"model": "m", "messages": [HELLO]}
    sent = json.dumps(members, ensure_ascii=ascii_only, indent=indent).encode()

    out = CompletionRequest(sent).outgoing("u")

    assert members | {"model": "u"} == json.loads(out)
    assert len(sent) == len(out)


def test_the_prompt_is_estimated_by_its_strings():
    """Those of messages and tools, four tokens a message, and none of an attachment's data."""
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 4_000}}
    messages = [HELLO, {"role": "user", "content": [{"type": "text", "text": "ä"}, picture]}]
    tools = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    strings = len("userHello") + len("user" + "text" + "image_url") + 2 + len("function" + "look" + "object")

    sent = body(messages=messages, tools=tools)
    request = CompletionRequest(sent)

    assert -(-strings // 4) + 2 * 4 == request.prompt_estimate()
    assert len(sent) - (4_000 + 22) + 4_096 == request.prompt_bound


def test_only_the_data_of_an_attachment_is_left_out():
    """What calls itself one and holds text elsewhere counts byte for byte, and an address counts too."""
    hidden = [
        {"type": "image_url", "text": "x" * 500},
        {"type": "image_url", "image_url": ["y" * 500]},
        {"type": ["file"], "file": {"file_data": "z" * 500}},
    ]

    sent = body(messages=[{"role": "user", "content": hidden}])
    request = CompletionRequest(sent)

    assert 2 == request.attachments.number
    assert len(sent) + 2 * 4_096 == request.prompt_bound
    assert request.prompt_estimate() > 1_500 // 4


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({}, None),
        ({"max_tokens": 5}, 5),
        ({"max_completion_tokens": 6}, 6),
        ({"max_completion_tokens": 6, "max_tokens": 6}, 6),
        ({"max_completion_tokens": None, "max_tokens": 5}, 5),
    ],
)
def test_the_newer_limit_of_tokens_counts_first(members: dict[str, Any], expected: int | None):
    """Null is none."""
    assert expected == CompletionRequest(body(**members)).completion_tokens_max
