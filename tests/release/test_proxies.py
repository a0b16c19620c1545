"""The configurations in `deploy/` for Caddy and nginx, each in front of the demo.

Only ports, names and places are replaced in them.
"""

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest

from svc.domain.files.limits import FILE_BYTES_MAX
from tests.cli.running import Service
from tests.release.fronts import PROXIES, VISITOR, client_by_name, proxied
from tests.release.journeys import demo_in, submit, walk_through
from tests.release.printed import blocks


class Front:
    """A proxy that runs: how clients reach the service through it."""

    def __init__(
        self, kind: str, port: int, certificate: Path, demo: dict[str, Any], service: Service
    ) -> None:
        self.kind = kind
        self.demo = demo
        self.service = service
        self._port = port
        self._certificate = certificate

    def client(self, *, http2: bool = True) -> AbstractContextManager[httpx.Client]:
        return client_by_name(self._port, self._certificate, http2=http2)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The demo, configured as the guide says."""
    place = tmp_path_factory.mktemp("service")
    (place / "svc.toml").write_text(blocks("install", "## Behind a reverse proxy")[0])
    service = Service(place / "data", "--demo", "--config", str(place / "svc.toml"))
    try:
        service.ready()
        yield service
    finally:
        service.close()


@pytest.fixture(scope="module", params=sorted(PROXIES))
def front(
    request: pytest.FixtureRequest, service: Service, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Front]:
    """One of the proxies, in front of the demo."""
    directory = tmp_path_factory.mktemp(request.param)
    demo = demo_in(service.data.path)
    with proxied(request.param, directory, demo["baseUrl"].removeprefix("http://")) as port:
        yield Front(request.param, port, directory / "cert.pem", demo, service)


def test_every_journey_works_through_it_by_http2(front: Front) -> None:
    """A form, an embed, a screen, an MCP call; a completion arrives in parts."""
    with front.client() as client:
        walk_through(client, front.demo)
        answer = client.get("/api/v1/openapi.json")

    assert "HTTP/2" == answer.http_version


def test_a_stream_is_passed_on_as_it_comes(front: Front) -> None:
    """Screens are told of changes in a response that does not end: its first line is there at once."""
    with front.client() as client:
        client.post("/app/api/sign-in", json=front.demo["owner"]).raise_for_status()
        with client.stream(
            "GET",
            "/app/api/events",
            params={"org": front.demo["organizationId"]},
            headers={"Sec-Fetch-Site": "same-origin"},
        ) as events:
            assert 200 == events.status_code
            lines = events.iter_lines()
            assert next(lines)
            with front.client() as other:
                submit(other, front.demo)
            changed = next(line for line in lines if line.startswith("event: "))

    assert "event: changed" == changed


def test_a_long_poll_waits_as_long_as_it_asked(front: Front) -> None:
    """A bridge that pulls is answered when its time is over, and not by the proxy before."""
    connection = front.demo["pullConnection"]
    with front.client() as client:
        headers = {"Authorization": f"Bearer {connection['channelKey']}"}
        while (
            client.post("/api/channels/v1/channel.outbox.pull", headers=headers, json={})
            .json()
            .get("replies")
        ):
            continue
        before = time.monotonic()
        answer = client.post("/api/channels/v1/channel.outbox.pull", headers=headers, json={"waitSeconds": 3})
        took = time.monotonic() - before

    assert 200 == answer.status_code, answer.text
    assert took > 2.5


def test_a_file_of_25_mb_is_taken_and_given_back(front: Front) -> None:
    """The largest that the service takes; one byte more is refused by the service, in its words."""
    content = os.urandom(1 << 20) * (FILE_BYTES_MAX >> 20)
    headers = {"Authorization": f"Bearer {front.demo['apiKey']}", "Content-Type": "application/octet-stream"}
    headers["Content-Disposition"] = 'attachment; filename="large.bin"'
    with front.client() as client:
        stored = client.post("/api/v1/files", headers=headers, content=content)
        assert stored.is_success, stored.text
        given = client.get(f"/api/v1/files/{stored.json()['fileId']}", headers=headers)
    # By HTTP/1.1: over HTTP/2, httpx goes on waiting for room to send, though it is answered already.
    with front.client(http2=False) as client:
        larger = client.post("/api/v1/files", headers=headers, content=content + b"x")

    assert content == given.content
    assert 413 == larger.status_code
    assert "application/problem+json" == larger.headers["content-type"]


def test_the_clients_address_is_the_visitors_and_cannot_be_claimed(front: Front) -> None:
    """A visitor behind the proxy is the same sender as without it, whatever address the visitor claims."""

    def send(client: httpx.Client, email: str, **headers: str) -> None:
        body = {"f": front.demo["formKey"], "v": {"email": email, "message": "Hello"}}
        assert {"ok": True} == client.post("/api/f/s", json=body, headers=headers).json()

    name = front.kind
    with front.client() as client:
        send(client, f"proxied-{name}@example.com", **{"X-Forwarded-For": "203.0.113.9"})
    for address in (VISITOR, "127.0.0.10"):
        transport = httpx.HTTPTransport(local_address=address)
        with httpx.Client(base_url=front.demo["baseUrl"], transport=transport) as client:
            send(client, f"{address}-{name}@example.com")
    senders = dict(front.service.rows("SELECT email, sender FROM submissions"))

    proxied = senders[f"proxied-{name}@example.com"]
    assert senders[f"{VISITOR}-{name}@example.com"] == proxied
    assert senders[f"127.0.0.10-{name}@example.com"] != proxied
