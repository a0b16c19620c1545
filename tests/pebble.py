"""Pebble, Let's Encrypt's small ACME server, with a DNS that leads every name to this machine."""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import pytest

from tests.certificates import certify

PEBBLE: Final = shutil.which("pebble")
DNS: Final = shutil.which("pebble-challtestsrv")
needs_pebble = pytest.mark.skipif(not (PEBBLE and DNS), reason="pebble is not installed")


class Pebble(NamedTuple):
    """A running ACME server."""

    directory: str
    roots: Path
    """Verifies the server's own certificate."""
    http_port: int
    """Where it asks for answers to its challenges."""
    management: str
    dns: str

    def root(self) -> str:
        """The root of the certificates that it issues, in PEM."""
        return httpx.get(f"{self.management}/roots/0", verify=False, trust_env=False).text  # noqa: S501  # its own

    def ask_dns(self, path: str, body: dict[str, Any]) -> None:
        """Change what names lead to."""
        httpx.post(f"{self.dns}/{path}", json=body, trust_env=False).raise_for_status()


@contextmanager
def pebble(tmp_path: Path, **environment: str) -> Iterator[Pebble]:
    """Pebble on free ports of the loopback interface."""
    assert PEBBLE is not None
    assert DNS is not None
    api, management, http, tls, dns, dns_management = _free_ports(6)
    certificate = certify(tmp_path, "localhost", "127.0.0.1")
    config = tmp_path / "pebble.json"
    config.write_text(
        json.dumps(
            {
                "pebble": {
                    "listenAddress": f"127.0.0.1:{api}",
                    "managementListenAddress": f"127.0.0.1:{management}",
                    "certificate": str(certificate.chain_path),
                    "privateKey": str(certificate.key_path),
                    "httpPort": http,
                    "tlsPort": tls,
                    "ocspResponderURL": "",
                    "externalAccountBindingRequired": False,
                }
            }
        )
    )
    nothing = ("-http01", "", "-https01", "", "-tlsalpn01", "")
    with ExitStack() as stack:
        stack.enter_context(
            _running(
                [
                    *(DNS, *nothing, "-defaultIPv6", ""),
                    *("-dns01", f"127.0.0.1:{dns}", "-management", f"127.0.0.1:{dns_management}"),
                ],
                dns_management,
                {},
            )
        )
        stack.enter_context(
            _running(
                [PEBBLE, "-strict", "-config", str(config), "-dnsserver", f"127.0.0.1:{dns}"],
                api,
                {"PEBBLE_VA_NOSLEEP": "1", **environment},
            )
        )
        yield Pebble(
            f"https://127.0.0.1:{api}/dir",
            certificate.chain_path,
            http,
            f"https://127.0.0.1:{management}",
            f"http://127.0.0.1:{dns_management}",
        )


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        probes = [stack.enter_context(closing(socket.socket())) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


@contextmanager
def _running(command: list[str], port: int, environment: dict[str, str]) -> Iterator[None]:
    """*command*, once it listens at *port*."""
    process = subprocess.Popen(
        command, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        for _ in range(100_000):
            with closing(socket.socket()) as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, process.stdout.read() if process.stdout else ""
        else:
            pytest.fail(f"{command[0]} does not listen")
        yield
    finally:
        process.kill()
        process.communicate()
