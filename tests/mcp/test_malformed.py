"""Messages of every malformed kind: the right code, never a fault of ours, never a hang."""

from typing import Any

import msgspec
import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.mcp.asking import ENVELOPE, NEWEST, mcp_town

CODES = {-32700, -32600, -32601, -32602, -32020, -32022}
SECONDS_MAX = 30

numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | st.text(max_size=20)
values = st.recursive(
    scalars,
    lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=8), one, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(
    ["tool_search", "tool_describe", "tool_call", "record_get", "record.create", "no_such", ""]
)
methods = st.sampled_from(
    ["initialize", "ping", "tools/list", "tools/call", "server/discover", "notifications/x", ""]
)
arguments = values | st.fixed_dictionaries(
    {},
    optional={
        "name": names | values,
        "names": values,
        "query": values,
        "limit": values,
        "objectType": values,
        "arguments": values,
    },
)
params = values | st.fixed_dictionaries(
    {},
    optional={
        "_meta": values | st.just(ENVELOPE) | st.fixed_dictionaries({"svc/idempotencyKey": values}),
        "name": names | values,
        "arguments": arguments,
        "cursor": values,
        "protocolVersion": values,
    },
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | values,
        "id": st.just(1) | values,
        "method": methods | values,
        "params": params,
        "result": values,
    },
)


def encoded(value: Any) -> bytes:
    """*value* as JSON; integers that are too large for that as floats."""
    try:
        return msgspec.json.encode(value)
    except (OverflowError, UnicodeEncodeError, TypeError):
        return b"1e400"


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """Bytes, JSON of whatever shape, messages that are nearly right; some are cut, or have a byte changed."""
    body = draw(st.binary(max_size=40) | (values | messages | st.lists(messages, max_size=3)).map(encoded))
    if draw(st.booleans()) or not body:
        return body
    place = draw(st.integers(0, len(body) - 1))
    return draw(st.sampled_from([body[:place], body[:place] + b"\xff" + body[place + 1 :]]))


headers = st.sampled_from(
    [
        {},
        {"mcp-protocol-version": "2025-06-18"},
        {"mcp-protocol-version": NEWEST, "mcp-method": "tools/call", "mcp-name": "tool_call"},
        {"mcp-protocol-version": NEWEST, "mcp-method": "tools/list"},
        {"mcp-protocol-version": "2020-01-01"},
    ]
)


@pytest.mark.fuzz
@given(asked=st.lists(st.tuples(bodies(), headers, st.booleans()), min_size=1, max_size=20))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_message_is_answered(asked):
    """With a result, with an error of a known code, or with nothing where nothing is due."""

    async def ask() -> list[tuple[int, bytes]]:
        with trio.fail_after(SECONDS_MAX):
            async with mcp_town() as here:
                answers = [await here.post(body, headers=given, full=full) for body, given, full in asked]
                return [(one.status_code, one.content) for one in answers]

    for status, content in trio.run(ask):
        assert status in {200, 202, 400, 404}
        assert (status == 202) == (content == b"")
        if content:
            told = msgspec.json.decode(content)
            assert told["jsonrpc"] == "2.0"
            assert ("result" in told) != ("error" in told)
            if "error" in told:
                assert told["error"]["code"] in CODES
            else:
                assert status == 200
