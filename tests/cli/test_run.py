"""`svc run` as a process of its own: its start, its ends, and what it says when it cannot start."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from svc.cli.directory import DataDirectory
from svc.storage.beside import sole_use
from tests.cli.conftest import Svc

START_SECONDS = 30
END_SECONDS = 15
TRIES = 10_000
"""Of what is soon so: each takes the time of a system call at least."""


class Service:
    """A running `svc run`, on ports of the system's choice."""

    def __init__(self, data: Path, *args: str) -> None:
        self.data = DataDirectory(data)
        self._errors = (data.parent / "stderr").open("a+")
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "svc", "run", "--data", str(data)),
                *("--bind", "127.0.0.1:0", "--operator-bind", "127.0.0.1:0", *args),
            ],
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=os.environ | {"SVC_LOG__FORMAT": "json"},
        )

    @property
    def stdout(self) -> Any:
        return self.process.stdout

    def ready(self) -> dict[str, str]:
        """The addresses of both listeners, once they are printed."""
        urls: dict[str, str] = {}
        while len(urls) < 2:
            line = self.stdout.readline()
            assert line, f"svc run ended with {self.process.wait(END_SECONDS)}: {self.errors()}"
            name, *rest = line.split()
            if name in {"Public", "Operator"}:
                urls[name] = rest[0]
        return urls

    def errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read()

    def events(self) -> list[str]:
        """What it logged, in order."""
        return [json.loads(line)["event"] for line in self.errors().splitlines()]

    def resident_mib(self) -> float:
        """Memory in use now, as Linux tells it."""
        [kib] = re.findall(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{self.process.pid}/status").read_text())
        return int(kib) / 1024

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(END_SECONDS)

    def close(self) -> None:
        self.process.kill()
        self.process.wait(END_SECONDS)
        self.stdout.close()
        self._errors.close()


Start = Callable[..., Service]


@pytest.fixture
def start(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts services on `data`, and ends those that a test leaves running."""
    monkeypatch.chdir(tmp_path)
    started: list[Service] = []

    def start_one(*args: str) -> Service:
        started.append(Service(data, *args))
        return started[-1]

    yield start_one
    for one in started:
        one.close()


def submit(url: str, form_key: str, email: str) -> httpx.Response:
    return httpx.post(f"{url}/api/f/s", json={"f": form_key, "v": {"email": email}})


def run_curl(line: str) -> httpx.Response:
    """What the command *line* does, on machines without curl as well."""
    curl, silent, url, *rest = shlex.split(line)
    options = list(zip(rest[::2], rest[1::2], strict=True))
    headers = dict(value.split(": ", 1) for option, value in options if option == "-H")
    body = "".join(value for option, value in options if option == "-d")
    assert ["curl", "-s"] == [curl, silent]
    return httpx.request("POST" if body else "GET", url, headers=headers, content=body)


def facts_of(service: Service) -> dict[str, str]:
    facts: dict[str, str] = json.loads(service.data.demo.read_text())
    return facts


def test_the_demo_starts_works_and_starts_again(start: Start, svc: Svc) -> None:
    """Everything that `demo.json` and the printed lines say works as it is, the second time too."""
    service = start("--demo")
    urls = service.ready()
    facts = facts_of(service)
    lines = [service.stdout.readline() for _ in range(9)]
    curls = [line.strip() for line in lines if line.lstrip().startswith("curl")]

    assert (urls["Public"], urls["Operator"]) == (facts["baseUrl"], facts["operatorUrl"])
    assert 0o600 == service.data.demo.stat().st_mode & 0o777
    assert 3 == len(curls)
    submitted, actors, health = map(run_curl, curls)
    assert {"ok": True} == submitted.json()
    assert facts["formKey"] in actors.text
    assert health.is_success
    page = httpx.get(f"{facts['baseUrl']}/demo/")
    assert 200 == page.status_code
    assert facts["formKey"] in page.text
    assert 0 == service.end()
    assert "" == "".join(one for one in service.events() if one not in {"stopping", "stopped"})

    again = start("--demo")
    again.ready()

    assert facts == facts_of(again) | {name: facts[name] for name in ("baseUrl", "operatorUrl")}
    assert {"ok": True} == submit(
        facts_of(again)["baseUrl"], facts["boundFormKey"], "grace@example.com"
    ).json()
    assert 0 == again.end(signal.SIGINT)
    assert 0 == svc("check").exit_code


def test_what_was_answered_survives_a_kill(start: Start, svc: Svc) -> None:
    """After `kill -9` every submission that was answered is there once, and gets filed."""
    service = start("--demo")
    service.ready()
    facts = facts_of(service)
    emails = [f"person{number}@example.com" for number in range(20)]
    answered = [email for email in emails if submit(facts["baseUrl"], facts["formKey"], email).is_success]
    assert -signal.SIGKILL == service.end(signal.SIGKILL)

    again = start()
    again.ready()
    wait_filed(svc, facts["formKey"])

    assert emails == answered
    assert 20 == len(svc("form", "recent", facts["formKey"]).stdout.splitlines()[1:])
    assert 0 == again.end()
    assert 0 == svc("check").exit_code


def wait_filed(svc: Svc, form_key: str) -> None:
    """Return once no recent submission of the form waits any more."""
    for _ in range(TRIES):
        if "Queued" not in svc("form", "recent", form_key).stdout:
            return
    pytest.fail("submissions are still not filed")


def test_a_request_under_way_is_answered_before_the_end(start: Start) -> None:
    """The first signal stops listening, and lets a request finish whose body is still on its way."""
    service = start("--demo")
    address = httpx.URL(service.ready()["Public"])
    body = json.dumps({"f": facts_of(service)["formKey"], "v": {"email": "ada@example.com"}}).encode()
    head = f"POST /api/f/s HTTP/1.1\r\nHost: shop\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with closing(socket.create_connection((address.host, address.port or 0), END_SECONDS)) as client:
        client.sendall(head + body[:10])
        service.process.send_signal(signal.SIGTERM)
        wait_refused(address)
        client.sendall(body[10:])
        answer = client.makefile("rb").read()

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.endswith(b'{"ok":true}')
    assert 0 == service.process.wait(END_SECONDS)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read as Linux tells it")
def test_an_idle_service_is_small(start: Start, shop: Path) -> None:
    """With its data migrated already, it needs less than 90 MiB."""
    service = start()
    service.ready()

    assert service.resident_mib() < 90


def wait_refused(address: httpx.URL) -> None:
    """Return once nobody listens at *address*."""
    for _ in range(TRIES):
        try:
            socket.create_connection((address.host, address.port or 0), END_SECONDS).close()
        except ConnectionRefusedError:
            return
    pytest.fail("somebody still listens")


def test_a_second_signal_ends_it_at_once(start: Start) -> None:
    """While a request is still awaited, the second signal ends the process as the kernel does."""
    service = start("--demo")
    address = httpx.URL(service.ready()["Public"])
    with closing(socket.create_connection((address.host, address.port or 0), END_SECONDS)) as client:
        client.sendall(b"POST /api/f/s HTTP/1.1\r\nHost: shop\r\nContent-Length: 10\r\n\r\n")
        service.process.send_signal(signal.SIGTERM)
        wait_refused(address)

        assert -signal.SIGINT == service.end(signal.SIGINT)


@pytest.fixture
def run(svc: Svc) -> Iterator[Svc]:
    """Runs `svc run ARGS…` in this process, for starts that fail."""
    interval = sys.getswitchinterval()
    anywhere = ("--bind", "127.0.0.1:0", "--operator-bind", "127.0.0.1:0")
    yield lambda *args: svc("run", *anywhere, *args)
    sys.setswitchinterval(interval)


def test_data_that_is_not_the_demos_is_left_alone(run: Svc, shop: Path) -> None:
    """`--demo` on a real organization is refused, and changes nothing."""
    told = run("--demo")

    assert 1 == told.exit_code
    assert told.output.startswith(
        f"Error: {shop} holds data that is not the demo's: choose an empty directory"
    )
    assert not (shop / "demo.json").exists()


def test_an_address_in_use_is_told(run: Svc, data: Path) -> None:
    """The message names the address; nothing else is printed, and the store is closed."""
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        bind = f"127.0.0.1:{other.getsockname()[1]}"
        told = run("--bind", bind)

    assert (1, f"Error: Cannot listen on {bind}: another program listens there\n") == (
        told.exit_code,
        told.output,
    )
    assert not (data / "svc.db-wal").exists()


def test_data_in_use_is_told(run: Svc, shop: Path) -> None:
    """Two services never share their data."""
    with sole_use(shop / "svc.db"):
        told = run()

    assert 1 == told.exit_code
    assert f"Error: {shop / 'svc.db'} is in use by process {os.getpid()}: stop it first\n" == told.output


def test_a_certificate_that_cannot_be_used_is_told(run: Svc, tmp_path: Path) -> None:
    """The message names its files."""
    (tmp_path / "tls.toml").write_text('[server]\ntls_certificate = "cert.pem"\ntls_key = "key.pem"\n')

    told = run("--config", "tls.toml")

    assert 1 == told.exit_code
    assert told.output.startswith("Error: Cannot use the certificate in cert.pem and key.pem: no such file")


def test_an_operator_in_the_open_needs_a_token(run: Svc) -> None:
    """That is a mistake of the configuration, and told as one."""
    told = run("--operator-bind", ":0")

    assert 2 == told.exit_code
    assert "can be reached from other machines; set operator.token for that" in told.output
