"""The configurations in `deploy/` for Caddy and nginx, each in front of the demo.

Only ports, names and places are replaced in them.
"""

import os
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from svc.domain.limits import FILE_BYTES_MAX
from tests.certificates import certify
from tests.cli.running import Service
from tests.release.journeys import demo_in, submit, walk_through

DEPLOY: Final = Path(__file__).parents[2] / "deploy"
NAME: Final = "crm.example.com"
VISITOR: Final = "127.0.0.9"
"""Where clients connect from, so that they are not the proxy."""
START_SECONDS: Final = 30
TRUSTING: Final = (
    "import os; os.environ['SVC_SERVER__TRUSTED_PROXIES'] = '127.0.0.1'; from svc.cli import main; main()"
)
"""The program, configured as `deploy/` asks."""


def replaced(text: str, *changes: tuple[str, str]) -> str:
    """*text* with each of *changes*, all of which have to be in it."""
    for before, after in changes:
        assert before in text, f"the example has no {before!r}"
        text = text.replace(before, after)
    return text


def caddy(directory: Path, port: int, plain: int, backend: str) -> list[str]:
    """The command of Caddy with the example, and the certificate of *directory*."""
    options = f"{{\n\tadmin off\n\thttp_port {plain}\n\tstorage file_system {directory}/caddy\n}}\n"
    own = f"\ttls {directory}/cert.pem {directory}/key.pem\n\treverse_proxy"
    text = replaced(
        (DEPLOY / "Caddyfile").read_text(),
        (f"\n{NAME} {{", f"\n{NAME}:{port} {{"),
        ("127.0.0.1:8000", backend),
        ("\treverse_proxy", own),
    )
    (directory / "Caddyfile").write_text(options + text)
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(directory / "Caddyfile")]


def nginx(directory: Path, port: int, plain: int, backend: str) -> list[str]:
    """The command of nginx with the example, and the certificate of *directory*."""
    text = replaced(
        (DEPLOY / "nginx.conf").read_text(),
        ("listen 443", f"listen 127.0.0.1:{port}"),
        ("listen [::]:443", f"listen [::1]:{port}"),
        ("listen 80", f"listen 127.0.0.1:{plain}"),
        ("listen [::]:80", f"listen [::1]:{plain}"),
        ("127.0.0.1:8000", backend),
        (f"/etc/ssl/certs/{NAME}.pem", f"{directory}/cert.pem"),
        (f"/etc/ssl/private/{NAME}.key", f"{directory}/key.pem"),
    )
    places = "".join(
        f"{kind}_temp_path {directory}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = f"events {{}}\nhttp {{\naccess_log off;\n{places}{text}}}\n"
    user = "user root;\n" if os.geteuid() == 0 else ""  # its workers write to the test's directory
    (directory / "nginx.conf").write_text(f"{user}daemon off;\npid {directory}/pid;\n{whole}")
    return ["nginx", "-e", "stderr", "-c", str(directory / "nginx.conf")]


PROXIES: Final[dict[str, Callable[[Path, int, int, str], list[str]]]] = {"caddy": caddy, "nginx": nginx}


class Front:
    """A proxy that runs: how clients reach the service through it."""

    def __init__(
        self, kind: str, port: int, trusted: ssl.SSLContext, demo: dict[str, Any], service: Service
    ) -> None:
        self.kind = kind
        self.port = port
        self.demo = demo
        self.service = service
        self._trusted = trusted

    @contextmanager
    def client(self, *, http2: bool = True) -> Iterator[httpx.Client]:
        """A client that finds the name here."""
        extensions = {"sni_hostname": NAME}

        def named(request: httpx.Request) -> None:
            request.extensions = {**request.extensions, **extensions}

        with httpx.Client(
            base_url=f"https://127.0.0.1:{self.port}",
            headers={"Host": NAME},
            transport=httpx.HTTPTransport(http2=http2, verify=self._trusted, local_address=VISITOR),
            timeout=20,
            event_hooks={"request": [named]},
        ) as client:
            yield client


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_listening(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Return once something accepts connections at *port*. Fails if *process* ends."""
    ends = time.monotonic() + START_SECONDS
    while time.monotonic() < ends:
        assert process.poll() is None, "the proxy ended: its output is above"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            continue
        return
    pytest.fail("the proxy does not listen")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The demo, configured as the examples say."""
    service = Service(tmp_path_factory.mktemp("service") / "data", "--demo", program=("-c", TRUSTING))
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
    if shutil.which(request.param) is None:
        pytest.skip(f"not on this machine: {request.param} (tests/ensure_programs.sh installs it)")
    directory = tmp_path_factory.mktemp(request.param)
    certify(directory, NAME)
    trusted = ssl.create_default_context(cafile=str(directory / "cert.pem"))
    demo = demo_in(service.data.path)
    port, plain = free_port(), free_port()
    backend = demo["baseUrl"].removeprefix("http://")
    command = PROXIES[request.param](directory, port, plain, backend)
    process = subprocess.Popen(command, stderr=sys.stderr, env=os.environ | {"HOME": str(directory)})
    try:
        wait_listening(port, process)
        yield Front(request.param, port, trusted, demo, service)
    finally:
        process.terminate()
        process.wait(30)


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
