"""Quart behind the fast path: the same routes, and the same answers."""

import re
from http import HTTPStatus
from typing import Any, cast

import httpx
import pytest

from svc.http.app import public_app
from svc.http.fast_path import FastPath
from tests.http.asking import client_of
from tests.tooling import tool_town

PATHS = [
    "/api/f/s",
    "/api/f/s/",
    "/api/t",
    "/api/e/svce_unknown",
    "/api/e/",
    "/api/channels/v1/channel.outbox.pull",
    "/api/v1/tools/organization.get",
    "/api/v1/tools/",
    "/api/v1/tools",
    "/api/v1/tools/a/b",
    "/api/v1/tools/organization.get/",
    "/api/v1//tools/organization.get",
    "/api/v1/tools/%2e%2e",
    "/api/v1/tools/a%2Fb",
    "/api/v1/tools/%C3%A9%20x",
    "/api/v1/files",
    "/api/v1/files/",
    "/api/v1/files/fil_1",
    "/app/api/files/fil_1",
    "/app/api/events",
    "/app/api/tools/organization.get",
    "/app/static/nothing.js",
    "/app/static/nothing.js/",
    "/api/ai/v1/models",
    "/api/ai/v1/key",
    "/api/ai/v1/chat/completions",
    "/api/v1/mcp",
    "/api/v1/mcp/",
    "/api/v1/mcp/full",
    "/api/v1/imports/",
    "/api/v1/imports/imp_1/refused",
    "/api/v1/imports/imp_1/parts/0",
    "/app/api/imports/a/b/c/",
    "/api/v1/openapi.json",
    "/nowhere",
]
VARYING = {"x-request-id", "date"} | {
    f"ratelimit{part}" for part in ("", "-limit", "-policy", "-remaining", "-reset")
}


def comparable(answer: httpx.Response) -> Any:
    """What an answer says, without new ids and what counts up with each call."""
    body = re.sub(rb'"requestId":"[^"]*"|[a-z]{3}_[0-9A-Z]{26}', b"", answer.content)
    headers = {name: value for name, value in answer.headers.multi_items() if name not in VARYING}
    return answer.status_code, body, headers, VARYING & {*answer.headers}


@pytest.mark.parametrize("path", PATHS)
async def test_quart_alone_answers_as_the_fast_path_does(path: str, autojump_clock) -> None:
    """Every method, with and without a key: status, headers and body are the same."""
    async with tool_town() as here:
        front = cast("FastPath", public_app(here.system))
        differing = []
        for method in ("GET", "HEAD", "POST", "OPTIONS", "DELETE", "BREW"):
            for headers in ({}, {"authorization": f"Bearer {here.key}", "content-type": "application/json"}):
                content = b"{}" if method == "POST" else b""
                async with client_of(front) as fast, client_of(front.app) as slow:
                    told = [
                        comparable(await one.request(method, path, headers=headers, content=content))
                        for one in (fast, slow)
                    ]
                if told[0] != told[1]:
                    differing.append((method, headers, *told))
                assert told[0][0] != HTTPStatus.INTERNAL_SERVER_ERROR

        assert [] == differing
