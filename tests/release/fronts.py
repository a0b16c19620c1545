"""The examples for Caddy and nginx as commands, and clients that find the name of the examples here."""

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
from typing import Final

import httpx
import pytest

from tests.certificates import certify
from tests.release.printed import DEPLOY, replaced

NAME: Final = "crm.example.com"
VISITOR: Final = "127.0.0.9"
"""Where clients connect from, so that they are not the proxy."""
START_SECONDS: Final = 30


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


@contextmanager
def proxied(kind: str, directory: Path, backend: str) -> Iterator[int]:
    """A proxy of that *kind* in front of *backend*, with a certificate in *directory*; its port."""
    if shutil.which(kind) is None:
        pytest.skip(f"not on this machine: {kind} (tests/ensure_programs.sh installs it)")
    certify(directory, NAME)
    port, plain = free_port(), free_port()
    command = PROXIES[kind](directory, port, plain, backend)
    process = subprocess.Popen(command, stderr=sys.stderr, env=os.environ | {"HOME": str(directory)})
    try:
        wait_listening(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def client_by_name(port: int, certificate: Path, *, http2: bool = True) -> Iterator[httpx.Client]:
    """A client that finds the name at *port* of this machine."""
    extensions = {"sni_hostname": NAME}

    def named(request: httpx.Request) -> None:
        request.extensions = {**request.extensions, **extensions}

    trusted = ssl.create_default_context(cafile=str(certificate))
    with httpx.Client(
        base_url=f"https://127.0.0.1:{port}",
        headers={"Host": NAME},
        transport=httpx.HTTPTransport(http2=http2, verify=trusted, local_address=VISITOR),
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
