"""`svc run --domain`: certificates by ACME, from Pebble, as the outside sees them."""

import socket
import ssl
import stat
from pathlib import Path
from typing import Any

import httpx

from tests.cli.running import END_SECONDS, Service
from tests.pebble import Pebble, needs_pebble, pebble

pytestmark = needs_pebble

NAMES = ("crm.example.com", "www.example.com")


def _config(directory: Path, server: Pebble) -> Path:
    file = directory / "svc.toml"
    file.write_text(
        f"""
        [tls]
        acme_directory = "{server.directory}"
        acme_email = "operator@example.com"
        acme_roots = "{server.roots}"
        http_bind = ["127.0.0.1:{server.http_port}"]
        """
    )
    return file


def _start(directory: Path, server: Pebble) -> Service:
    domains = [part for name in NAMES for part in ("--domain", name)]
    args = ("--config", str(_config(directory, server)), *domains)
    return Service(directory / "data", *args)


def _certificate(service_url: str, root: str, name: str) -> dict[str, Any]:
    """What a client verifies that trusts *root* and wants *name*."""
    context = ssl.create_default_context(cadata=root)
    port = int(service_url.rpartition(":")[2])
    with (
        socket.create_connection(("127.0.0.1", port)) as raw,
        context.wrap_socket(raw, server_hostname=name) as connection,
    ):
        found = connection.getpeercert()
    assert found is not None
    return dict(found)


def _read_until(service: Service, part: str) -> str:
    """What the service logs up to a line with *part*. The log is a file, so this reads until it is there."""
    for _ in range(2_000_000):
        if part in (logged := service.errors()):
            return logged
        assert service.process.poll() is None, logged
    raise AssertionError(service.errors())


def test_a_service_gets_its_certificate_and_keeps_it_over_a_restart(tmp_path: Path) -> None:
    """By the names that were given, with nonces refused on the way; nothing is ordered at the next start."""
    with pebble(tmp_path, PEBBLE_WFE_NONCEREJECT="20") as server:
        first = _start(tmp_path, server)
        try:
            url = first.ready()["Public"]
            assert url.startswith("https://crm.example.com:")
            _read_until(first, "a certificate was issued")
            certificate = _certificate(url, server.root(), NAMES[1])
            plain = f"http://127.0.0.1:{server.http_port}"
            moved = httpx.get(f"{plain}//evil.example/?x=1", headers={"host": NAMES[0]}, trust_env=False)
            first.process.terminate()
            printed = first.stdout.read()
            assert first.process.wait(END_SECONDS) == 0
        finally:
            first.close()
        second = _start(tmp_path, server)
        try:
            again = _certificate(second.ready()["Public"], server.root(), NAMES[0])
            assert second.end() == 0
            logged = second.errors()
        finally:
            second.close()

    assert {("DNS", name) for name in NAMES} == set(certificate["subjectAltName"])
    assert again["serialNumber"] == certificate["serialNumber"]
    assert logged.count("a certificate was issued") == 1
    assert moved.status_code == 308
    assert moved.headers["location"] == f"{url}//evil.example/?x=1"
    assert f"Certificate {', '.join(NAMES)}  by {server.directory}" in printed
    assert "Naming the domain accepts the terms at data:text/plain" in printed
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "data" / "tls").iterdir()}
    assert modes == {"account.json": 0o600, "certificate.pem": 0o600}


def test_a_domain_that_leads_elsewhere_is_refused_and_backed_off(tmp_path: Path) -> None:
    """The directory asks another machine; the reason is logged, kept, and no order follows at once."""
    with pebble(tmp_path) as server:
        for name in NAMES:
            server.ask_dns("add-a", {"host": f"{name}.", "addresses": ["127.0.0.99"]})
        service = _start(tmp_path, server)
        try:
            service.ready()
            _read_until(service, "no certificate was issued")
            _read_until(service, "no certificate was issued")
            assert service.end() == 0
            [line] = [one for one in service.records() if one["event"] == "no certificate was issued"]
        finally:
            service.close()

    assert line["level"] == "error"
    assert "crm.example.com: the directory could not connect to port 80 of the name (" in line["why"]
    assert line["present_one"] == "there is none, so nobody can connect by TLS"
    assert '"count":1' in (tmp_path / "data" / "tls" / "failures.json").read_text()
