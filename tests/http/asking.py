"""A client that hands its requests to an application as a server would."""

from typing import Final

import httpx

from svc.http.asgi import ASGIApp

ADDRESS: Final = "192.0.2.7"
"""The client's own."""


def client_of(app: ASGIApp, address: str = ADDRESS) -> httpx.AsyncClient:
    """A client of *app* whose requests come from *address*."""
    transport = httpx.ASGITransport(app=app, client=(address, 1))
    return httpx.AsyncClient(transport=transport, base_url="http://svc.test", headers={"user-agent": "test"})
