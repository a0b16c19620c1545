"""The MCP door: its answers over HTTP, message by message."""

import base64
from collections.abc import AsyncIterator

import msgspec
import pytest

from svc.domain.identity.callers import operator_call
from svc.domain.limits import CALLS_MAX, TOOL_BODY_BYTES_MAX
from svc.http.mcp.door import FULL_PATH, PATH
from svc.http.problems.problems import UNAUTHORIZED
from svc.storage.identity import api_keys
from svc.tools.catalogue import REGISTRY
from tests import tables
from tests.mcp.asking import ENVELOPE, NEWEST, mcp_town

VERSIONS = ("2025-03-26", "2025-06-18", "2025-11-25")
ADA = {"objectType": "contact", "properties": {"name": "Ada", "email": "ada@example.com"}}
PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [
        *((one, one) for one in VERSIONS),
        ("2024-11-05", "2025-06-18"),
        (NEWEST, "2025-06-18"),
        ("", "2025-06-18"),
    ],
)
async def test_a_handshake_agrees_on_a_version(asked, agreed, autojump_clock):
    """The client's own where it is spoken and has handshakes, else that of the contract."""
    async with mcp_town() as here:
        params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        answer = await here.ask("initialize", params)

        result = answer.json()["result"]
        assert (agreed, {"tools": {}}, "svc") == (
            result["protocolVersion"],
            result["capabilities"],
            result["serverInfo"]["name"],
        )
        assert "mcp-session-id" not in answer.headers


async def test_the_instructions_say_what_the_key_may_do(autojump_clock):
    """How many tools it may call, its permissions, and how to go about it."""
    async with mcp_town() as here:
        key = await here.mint(role_id="viewer")
        params = {"protocolVersion": "2025-06-18"}
        told = (await here.result("initialize", params, key=key))["instructions"]
        flat = (await here.result("initialize", params, key=key, full=True))["instructions"]
        listed = (await here.result("tools/list", key=key, full=True))["tools"]

        assert f"This key may call {len(listed)} of {len(REGISTRY)} tools" in told
        assert "permissions: records.read." in told
        assert ("tool_search" in told, "tool_search" in flat) == (True, False)


async def test_the_newest_version_shakes_no_hands(autojump_clock):
    """`server/discover` has all that `initialize` has; the methods of the handshake do not exist."""
    async with mcp_town() as here:
        told = await here.result("server/discover", version=NEWEST)
        gone = [await here.ask(method, version=NEWEST) for method in ("initialize", "ping")]
        early = await here.ask("server/discover")

        assert ([*VERSIONS, NEWEST], "complete", "private") == (
            told["supportedVersions"],
            told["resultType"],
            told["cacheScope"],
        )
        assert "svc" == told["_meta"]["io.modelcontextprotocol/serverInfo"]["name"]
        assert [(404, -32601)] * 2 == [(one.status_code, one.json()["error"]["code"]) for one in gone]
        assert (200, -32601) == (early.status_code, early.json()["error"]["code"])


@pytest.mark.parametrize(
    ("headers", "params", "code"),
    [
        ({"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}, {}, -32602),
        ({"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}, {"_meta": {}}, -32602),
        ({"mcp-protocol-version": "2026-07-28"}, {"_meta": ENVELOPE}, -32020),
        ({"mcp-protocol-version": "2026-07-28", "mcp-method": "TOOLS/LIST"}, {"_meta": ENVELOPE}, -32020),
        ({}, {"_meta": ENVELOPE}, -32020),
        ({"mcp-protocol-version": "2025-06-18"}, {"_meta": ENVELOPE}, -32020),
        ({"mcp-protocol-version": "2027-01-01"}, {}, -32022),
        ({"mcp-protocol-version": "2025-06-18, 2025-06-18"}, {}, -32022),
    ],
)
async def test_headers_and_envelope_have_to_agree(headers, params, code, autojump_clock):
    """A request that says two things, or leaves out what its version asks for, is 400."""
    async with mcp_town() as here:
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": params}
        answer = await here.post(msgspec.json.encode(message), headers=headers)

        error = answer.json()["error"]
        assert (400, 7, code) == (answer.status_code, answer.json()["id"], error["code"])
        if code == -32022:
            assert {"supported": [*VERSIONS, NEWEST], "requested": headers["mcp-protocol-version"]} == error[
                "data"
            ]


@pytest.mark.parametrize(
    ("name", "header", "status"),
    [
        ("record_get", "record_get", 200),
        ("record_get", None, 400),
        ("record_get", "record_create", 400),
        ("é", f"=?base64?{base64.b64encode('é'.encode()).decode()}?=", 400),
        ("é", "=?base64?w6k?=", 400),
    ],
)
async def test_a_header_repeats_the_tools_name(name, header, status, autojump_clock):
    """In the newest version; what is no ASCII is wrapped in Base64, and has to be good Base64."""
    async with mcp_town() as here:
        params = {"name": name, "arguments": {"objectType": "contact", "id": "rec_1"}, "_meta": ENVELOPE}
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
        headers = {"mcp-protocol-version": NEWEST, "mcp-method": "tools/call"}
        given = headers | ({} if header is None else {"mcp-name": header})
        answer = await here.post(msgspec.json.encode(message), headers=given)

        broken = name == "é" and header == "=?base64?w6k?="
        expected = -32020 if header is None or header == "record_create" or broken else -32602
        assert status == answer.status_code
        assert status == 200 or expected == answer.json()["error"]["code"]


@pytest.mark.parametrize("version", [None, *VERSIONS])
async def test_a_ping_is_answered_with_nothing(version, autojump_clock):
    """An empty object, in every version that has it."""
    async with mcp_town() as here:
        assert {} == await here.result("ping", version=version)


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}',
        b'{"jsonrpc": "2.0", "method": "no/such"}',
        b'{"jsonrpc": "2.0", "id": 1, "result": {}}',
        b'{"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": ""}}',
    ],
)
async def test_what_needs_no_answer_gets_none(body, autojump_clock):
    """202 without a body, for notifications and for responses."""
    async with mcp_town() as here:
        answers = [await here.post(body), await here.post(body, headers={"mcp-protocol-version": NEWEST})]

        assert [(202, b"")] * 2 == [(one.status_code, one.content) for one in answers]


@pytest.mark.parametrize(
    ("body", "code", "reply_id"),
    [
        (b"", -32700, None),
        (b"{", -32700, None),
        (b"[1", -32700, None),
        (b"{} {}", -32700, None),
        (b"\xef\xbb\xbf" + PING, -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}', -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"name": "\xff"}}', -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "unread": "\xff"}', -32700, None),
        (b'{"a":' * 2_000 + b"1" + b"}" * 2_000, -32700, None),
        (b"[]", -32600, None),
        (b"[" + PING + b"]", -32600, None),
        (b"null", -32600, None),
        (b"1", -32600, None),
        (b"{}", -32600, None),
        (b'{"id": 1, "method": "ping"}', -32600, 1),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600, 1),
        (b'{"jsonrpc": "2.0", "id": "a"}', -32600, "a"),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 1}', -32600, 1),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "a"}', -32600, 1),
    ],
)
async def test_what_is_no_message_is_refused(body, code, reply_id, autojump_clock):
    """400, with the id where there is a good one."""
    async with mcp_town() as here:
        answer = await here.post(body)

        told = answer.json()
        assert (400, code, reply_id) == (answer.status_code, told["error"]["code"], told["id"])
        assert "599" == answer.headers["ratelimit-remaining"]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "method": "tools/list"}', "/method"),
        (rb'{"jsonrpc": "2.0", "id": 1, "method": "ping", "\u006dethod": "ping"}', "/method"),
        (
            b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a", "name": "b"}}',
            "/params/name",
        ),
        (
            b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"arguments": {"a": 1, "a": 2}}}',
            "/params/arguments/a",
        ),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "unread": [{"a": 1, "a": 1}]}', "/unread/0/a"),
        (b'{"jsonrpc": "2.0", "method": "notifications/x", "params": {"a": 1, "a": 1}}', "/params/a"),
    ],
)
async def test_a_message_with_a_name_twice_in_one_object_is_refused(body, pointer, autojump_clock):
    """400 with its position, also in a member that is not read."""
    async with mcp_town() as here:
        answer = await here.post(body)

        error = answer.json()["error"]
        assert (400, -32600) == (answer.status_code, error["code"])
        assert error["message"].endswith(f": {pointer}")


@pytest.mark.parametrize("full", [False, True])
async def test_arguments_with_a_name_twice_in_one_object_are_refused(full, autojump_clock):
    """As other bad arguments are, by a result that says where; nothing is done."""
    async with mcp_town() as here:
        contact = '{"objectType": "contact", "properties": {"name": "Ada", "name": "Eve"}}'
        arguments = contact if full else f'{{"name": "record.create", "arguments": {contact}}}'
        name = "record_create" if full else "tool_call"
        message = (
            '{"jsonrpc": "2.0", "id": 7, "method": "tools/call",'
            f' "params": {{"name": "{name}", "arguments": {arguments}}}}}'
        )
        answer = await here.post(message.encode(), full=full)

        result = answer.json()["result"]
        pointer = "/properties/name" if full else "/arguments/properties/name"
        assert (200, True) == (answer.status_code, result["isError"])
        assert f"\n- {pointer}: stands twice in one object\n" in result["content"][0]["text"]
        assert "structuredContent" not in result
        assert 0 == await here.count(tables.records)


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("no/such", {}, -32601),
        ("resources/list", {}, -32601),
        ("tools/list", [], -32602),
        ("tools/list", {"cursor": 1}, -32602),
        ("tools/list", {"cursor": "x"}, -32602),
        ("tools/list", {"_meta": 1}, -32602),
        ("tools/call", {}, -32602),
        ("tools/call", {"name": 1}, -32602),
        ("tools/call", {"name": "no_such_tool"}, -32602),
        ("initialize", {}, -32602),
    ],
)
@pytest.mark.parametrize("full", [False, True])
async def test_what_is_asked_wrongly_is_an_error(method, params, code, full, autojump_clock):
    """In the answer to the request, which is 200 in the versions with a handshake."""
    async with mcp_town() as here:
        answer = await here.ask(method, params, full=full)

        assert (200, code) == (answer.status_code, answer.json()["error"]["code"])


async def test_an_id_comes_back_as_it_was_written(autojump_clock):
    """However large, and whatever is in it."""
    async with mcp_town() as here:
        ids = [b'"\\u00e9\\n"', b"-1", b"123456789012345678901234567890", b'""']
        answers = [await here.post(b'{"jsonrpc": "2.0", "id": %b, "method": "ping"}' % one) for one in ids]

        assert [b'{"jsonrpc":"2.0","id":%b,"result":{}}' % one for one in ids] == [
            one.content for one in answers
        ]


@pytest.mark.parametrize("path", [PATH, FULL_PATH])
@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD", "OPTIONS"])
async def test_only_posts_are_taken(path, method, autojump_clock):
    """Nothing is streamed, and there is no session to end."""
    async with mcp_town() as here:
        answer = await here.client.request(method, path, headers={"authorization": f"Bearer {here.key}"})

        assert (405, "POST") == (answer.status_code, answer.headers["allow"])


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        ("http://localhost:6274", 200),
        ("http://127.0.0.1", 200),
        ("http://[::1]:1", 200),
        ("https://own.example", 200),
        ("https://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("http://svc.test", 403),
        ("null", 403),
        ("", 403),
        ("é", 403),
    ],
)
async def test_pages_of_others_are_kept_out(origin, status, autojump_clock):
    """By their origin, with whatever key and host: a name may have been rebound to us."""
    async with mcp_town() as here:
        here.system.base_url = "https://own.example/svc"
        headers = [(b"authorization", f"Bearer {here.key}".encode()), (b"content-type", b"application/json")]
        if origin is not None:
            headers.append((b"origin", origin.encode()))
        answer = await here.client.post(PATH, content=PING, headers=headers)

        assert status == answer.status_code


@pytest.mark.parametrize("path", [PATH, FULL_PATH])
@pytest.mark.parametrize("origin", ["http://localhost:6274", "https://own.example"])
async def test_pages_of_this_machine_read_every_answer(path, origin, autojump_clock):
    """After a preflight, with a token and without cookies: what is answered, refused, and asked for anew."""
    async with mcp_town() as here:
        here.system.base_url = "https://own.example/svc"
        page = {"origin": origin}
        bearer = page | {"authorization": f"Bearer {here.key}"}
        asked = {
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization, content-type, mcp-protocol-version",
        }
        preflight = await here.client.options(path, headers=page | asked)
        json = {"content-type": "application/json"}
        answers = [
            await here.client.post(path, content=PING, headers=bearer | json),
            await here.client.post(path, content=PING, headers=page),
            await here.client.get(path, headers=bearer),
            await here.client.get(path, headers=page),
            await here.client.post(path, content=b"{", headers=bearer | json),
        ]

    assert 204 == preflight.status_code
    assert "POST" == preflight.headers["access-control-allow-methods"]
    assert asked["access-control-request-headers"] == preflight.headers["access-control-allow-headers"]
    assert [200, 401, 405, 405, 400] == [answer.status_code for answer in answers]
    for answer in [preflight, *answers]:
        assert origin == answer.headers["access-control-allow-origin"]
        assert "Origin" == answer.headers["vary"]
        assert "access-control-allow-credentials" not in answer.headers
    assert all("WWW-Authenticate" in one.headers["access-control-expose-headers"] for one in answers)


@pytest.mark.parametrize("origin", ["https://evil.example", "http://localhost.evil.example", "null"])
async def test_pages_of_others_read_no_answer(origin, autojump_clock):
    """Their browsers are told nothing at the preflight, nor at an answer."""
    async with mcp_town() as here:
        headers = {"origin": origin, "access-control-request-method": "POST"}
        bearer = {"authorization": f"Bearer {here.key}"}
        answers = [
            await here.client.options(PATH, headers=headers),
            await here.client.post(PATH, content=PING, headers=headers | bearer),
            await here.client.post(PATH, content=PING, headers=headers),
        ]

    assert [405, 403, 403] == [answer.status_code for answer in answers]
    assert not [name for one in answers for name in one.headers if name.startswith("access-control-")]


@pytest.mark.parametrize("path", [PATH, FULL_PATH])
@pytest.mark.parametrize("headers", [{}, {"origin": "https://evil.example"}])
@pytest.mark.parametrize("method", ["GET", "DELETE", "POST"])
async def test_a_refusal_for_all_shows_a_good_key_its_budget(path, headers, method, autojump_clock):
    """The wrong method and a foreign page are refused with any key and with none, which has no budget."""
    async with mcp_town() as here:
        bearer = {"authorization": f"Bearer {here.key}"}
        good = await here.client.request(method, path, headers=headers | bearer)
        none = await here.client.request(method, path, headers=headers)

        expected = 405 if method != "POST" else 403 if headers else None
        assert (expected or 415, expected or 401) == (good.status_code, none.status_code)
        assert "599" == good.headers["ratelimit-remaining"]
        assert "ratelimit-limit" not in none.headers


async def test_all_bad_keys_get_the_same_answer(autojump_clock):
    """That of the doors of tools, to the byte."""
    async with mcp_town() as here:
        answers = [
            await here.client.post(path, content=PING, headers=headers)
            for path in (PATH, FULL_PATH)
            for headers in (
                [],
                [(b"authorization", b"Bearer svck_unknown")],
                [(b"authorization", b"Basic " + here.key.encode())],
                [(b"authorization", b"Bearer " + here.key.encode())] * 2,
            )
        ]

        assert {(401, UNAUTHORIZED.body, "Bearer")} == {
            (one.status_code, one.content, one.headers["www-authenticate"]) for one in answers
        }


async def test_a_key_that_ends_meanwhile_gets_that_answer_too(autojump_clock):
    """To the header: it says no more of a budget than to a key that there never was."""
    async with mcp_town() as here:
        key = await here.mint(name="Ends")
        [kept] = await here.rows(tables.api_keys, name="Ends")
        message = {"method": "tools/call", "params": {"name": "organization.get"}}

        async def body() -> AsyncIterator[bytes]:
            await here.store.write(api_keys.revoke, operator_call(here.organization.id), kept.id)
            yield msgspec.json.encode({"jsonrpc": "2.0", "id": 1} | message)

        headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
        ended = await here.client.post(PATH, content=body(), headers=headers)
        never = await here.client.post(PATH, content=PING)

        told = [dict(one.headers) | {"x-request-id": ""} for one in (ended, never)]
        assert (401, UNAUTHORIZED.body) == (ended.status_code, ended.content)
        assert told[1] == told[0]


async def test_a_gateway_key_opens_no_tool(autojump_clock):
    """403, whatever is asked for, and the audit trail has it."""
    async with mcp_town() as here:
        key = await here.mint(limited_to="ai.gateway")
        answer = await here.ask("ping", key=key)
        [refused] = await here.rows(tables.audit, outcome="refused")

        assert (403, "forbidden") == (answer.status_code, answer.json()["code"])
        assert ("mcp", "mcp", "forbidden") == (refused.action, refused.door, refused.reason)


async def test_calls_at_both_doors_are_one_budget(autojump_clock):
    """And the call after the last one waits for as long as `Retry-After` says."""
    async with mcp_town() as here:
        first = await here.ask("ping")
        second = await here.call("no.such_tool")
        for _ in range(CALLS_MAX - 2):
            await here.ask("ping")
        refused = await here.ask("ping")

        assert ["599", "598"] == [one.headers["ratelimit-remaining"] for one in (first, second)]
        assert (429, "rate_limited", "60") == (
            refused.status_code,
            refused.json()["code"],
            refused.headers["retry-after"],
        )


async def test_a_body_is_json_of_a_bounded_size(autojump_clock):
    """Anything else is a problem, as at the doors of tools."""
    async with mcp_town() as here:
        other = await here.post(PING, headers={"content-type": "text/plain"})
        large = await here.post(b" " * (TOOL_BODY_BYTES_MAX + 1))

        assert [(415, "unsupported_media_type"), (413, "body_too_large")] == [
            (one.status_code, one.json()["code"]) for one in (other, large)
        ]
