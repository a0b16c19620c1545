"""`svc run` as a process of its own: its start, its ends, and what it says when it cannot start."""

import json
import os
import shlex
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
import trio
from sqlalchemy import select

from svc.cli.directory import DataDirectory
from svc.clock import WallClock
from svc.domain.callers import operator_call
from svc.domain.forms import NewForm
from svc.storage import forms, organizations, server_keys, tables
from svc.storage.beside import sole_use
from svc.storage.sqlite import open_store
from svc.storage.store import Tx
from tests.cli.conftest import Svc
from tests.cli.running import END_SECONDS, TRIES, Service, load

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
    submitted, created, actors = map(run_curl, curls)
    assert {"ok": True} == submitted.json()
    assert "Edith Clarke" == created.json()["properties"]["name"]
    assert facts["formKey"] in actors.text
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
    repeated = run_curl(curls[1].replace(urls["Public"], facts_of(again)["baseUrl"]))
    assert (created.content, "true") == (repeated.content, repeated.headers["idempotent-replayed"])
    assert 0 == again.end(signal.SIGINT)
    assert 0 == svc("check").exit_code


POSTERS = 4
FORMS_EACH = 8


def open_forms(tx: Tx, organization_id: str) -> tuple[list[str], str]:
    """Forms for all posters, and a server key, so that each visitor is a sender."""
    names = [f"Form {number}" for number in range(2 * POSTERS * FORMS_EACH)]
    organization = organizations.get(tx.conn, organization_id)
    keys = [forms.create(tx, organization, NewForm(name=name)).form_key for name in names]
    return keys, server_keys.mint(tx, operator_call(organization_id), "web-1").key


@pytest.fixture
def places(shop: Path) -> tuple[list[str], str]:
    """The keys of many forms, and a server key."""

    async def write() -> tuple[list[str], str]:
        async with open_store(DataDirectory(shop).database, WallClock()) as store:
            [organization] = await store.read(
                lambda conn: conn.execute(select(tables.organizations.c.id)).scalars().all()
            )
            return await store.write(open_forms, organization)

    return trio.run(write)


def stored(service: Service) -> list[str]:
    """The e-mails of all submissions."""
    return [email for (email,) in service.rows("SELECT email FROM submissions ORDER BY email")]


def test_what_was_answered_survives_a_kill_under_load(
    start: Start, svc: Svc, places: tuple[list[str], str]
) -> None:
    """After `kill -9` what was answered is there once and gets filed; what was not, at most once."""
    form_keys, server_key = places
    answered: list[str] = []
    unanswered: list[str] = []
    for number, answers in enumerate((40, 150)):
        service = start()
        url = service.ready()["Public"]
        with load(url, form_keys[number::2], server_key, POSTERS) as at_work:
            at_work.wait_answered(answers)
            assert -signal.SIGKILL == service.end(signal.SIGKILL)
            was_answered, was_not = at_work.wait_cut_off()
        answered += was_answered
        unanswered += was_not

    again = start()
    again.wait_filed(again.ready()["Public"])

    there = stored(again)
    assert len(set(there)) == len(there)
    assert set(answered) <= set(there) <= {*answered, *unanswered}
    assert {("filed",)} == set(again.rows("SELECT DISTINCT state FROM submissions"))
    assert [(len(there), len(there))] == again.rows(
        "SELECT count(DISTINCT contact_id), count(*) FROM submissions"
    )
    assert [(len(there),)] == again.rows("SELECT count(*) FROM events WHERE type = 'submission.filed'")
    assert 0 == again.end()
    assert 0 == svc("check").exit_code


def test_stopping_under_load_answers_all_that_it_stores(
    start: Start, svc: Svc, places: tuple[list[str], str]
) -> None:
    """After SIGTERM every submission is either stored and answered, or neither."""
    form_keys, server_key = places
    service = start()
    with load(service.ready()["Public"], form_keys, server_key, POSTERS) as at_work:
        at_work.wait_answered(100)
        assert 0 == service.end(signal.SIGTERM)
        answered, _ = at_work.wait_cut_off()

    assert sorted(answered) == stored(service)
    assert ["stopping", "stopped"] == service.events()
    assert 0 == svc("check").exit_code


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


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (signal.SIGTERM, signal.SIGINT),
        (signal.SIGINT, signal.SIGTERM),
        (signal.SIGTERM, signal.SIGTERM),
    ],
)
def test_a_second_signal_ends_it_at_once(start: Start, first: int, second: int) -> None:
    """While a request is still awaited, the second signal ends the process as the kernel does."""
    service = start("--demo")
    address = httpx.URL(service.ready()["Public"])
    with closing(socket.create_connection((address.host, address.port or 0), END_SECONDS)) as client:
        client.sendall(b"POST /api/f/s HTTP/1.1\r\nHost: shop\r\nContent-Length: 10\r\n\r\n")
        service.process.send_signal(first)
        wait_refused(address)

        assert -second == service.end(second)


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
