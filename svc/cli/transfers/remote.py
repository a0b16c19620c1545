"""A service that is reached by its address, with an API key."""

import base64
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx
import trio

from svc.cli.failures import Failure
from svc.client import ServiceError, Tools
from svc.client.transport import ANSWER_SECONDS

POLL_SECONDS: Final = 0.5
"""How often an import is looked at; each look is a call of the key's budget."""


class RemoteInstallation:
    """A service, by its tools and the door of imports."""

    def __init__(self, tools: Tools, client: httpx.AsyncClient, url: str, key: str) -> None:
        self._tools = tools
        self._client = client
        self._url = url.rstrip("/")
        self._key = key

    async def call(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        return await self._tools.call(name, body)

    async def put_part(self, import_: dict[str, Any], number: int, data: bytes) -> None:
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
        headers = {
            "Content-Type": "application/octet-stream",
            "Content-Digest": f"sha-256=:{digest}:",
        }
        await self._tools.send(f"{import_['uploadPath']}{number}", data, headers)

    async def go_on(self, import_: dict[str, Any]) -> dict[str, Any]:
        await trio.sleep(POLL_SECONDS)
        return await self.call("import.get", {"id": import_["id"]})

    async def output(self, import_: dict[str, Any], kind: str) -> AsyncIterator[bytes]:
        headers = {"Authorization": f"Bearer {self._key}", "Accept-Encoding": "identity"}
        path = import_["refusedPath" if kind == "refused" else "reportPath"]
        async with self._client.stream("GET", self._url + path, headers=headers) as answer:
            if answer.status_code != httpx.codes.OK:
                raise Failure(f"the {kind} lines cannot be had: status {answer.status_code}")
            async for piece in answer.aiter_bytes():
                yield piece


@asynccontextmanager
async def remote(url: str, key: str) -> AsyncIterator[RemoteInstallation]:
    """The service at *url*, with an API key. Raises `Failure` for what cannot be a key."""
    async with httpx.AsyncClient(timeout=ANSWER_SECONDS) as client:
        try:
            tools = Tools(url, key, client=client)
        except ValueError as error:
            raise Failure("SVC_KEY is no API key") from error
        try:
            yield RemoteInstallation(tools, client, url, key.strip())
        except (ServiceError, httpx.HTTPError) as error:
            raise Failure(str(error) or f"{url} does not answer") from error
