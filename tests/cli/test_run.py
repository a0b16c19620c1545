"""`svc run` as a process of its own: its start, its ends, and what it says when it cannot start."""

import json
import os
import shlex
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import trio
from sqlalchemy import select

from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.forms.forms import NewForm
from svc.domain.identity.callers import operator_call
from svc.storage.forms import forms, server_keys
from svc.storage.identity import organizations
from svc.storage.sqlite.offline import sole_use
from svc.storage.sqlite.store import open_store
from svc.storage.store import Tx
from tests import tables
from tests.cli.conftest import Svc
from tests.cli.running import ANEW, END_SECONDS, TRIES, Service, load

Start = Callable[..., Service]


@pytest.fixture
def start(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts services on `data`, and ends those that a test leaves running."""
    monkeypatch.chdir(tmp_path)
    started: list[Service] = []

    def start_one(*args: str, **kwargs: Any) -> Service:
        started.append(Service(data, *args, program=ANEW, **kwargs))
        return started[-1]

    yield start_one
    for one in started:
        one.close()


def submit(url: str, form_key: str, email: str) -> httpx.Response:
    return httpx.post(f"{url}/api/f/s", json={"f": form_key, "v": {"email": email}})


def run_curl(line: str) -> httpx.Response:
    """What the command *line* does, on machines without curl as well."""
    curl, write, newline, url, *rest = shlex.split(line)
    options = list(zip(rest[::2], rest[1::2], strict=True))
    headers = dict(value.split(": ", 1) for option, value in options if option == "-H")
    [body] = [value for option, value in options if option == "-d"]
    assert ["curl", "-w", "\\n"] == [curl, write, newline]
    return httpx.post(url, headers=headers, content=body)


@contextmanager
def taken(*ports: int) -> Iterator[None]:
    """Meanwhile something listens at each of *ports*, if no other program does already."""
    with ExitStack() as open_sockets:
        for port in ports:
            with suppress(OSError):
                open_sockets.enter_context(socket.create_server(("127.0.0.1", port)))
        yield


@contextmanager
def demo_messenger(data: Path) -> Iterator[list[str]]:
    """The first two lines of `svc demo-messenger`, without an address to listen at."""
    command = [sys.executable, "-m", "svc", "demo-messenger", "--data", str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield [process.stdout.readline() for _ in range(2)]
        finally:
            process.terminate()
    assert 0 == process.returncode


def facts_of(service: Service) -> dict[str, str]:
    facts: dict[str, str] = json.loads(service.data.demo.read_text())
    return facts


def test_the_demo_starts_works_and_starts_again(start: Start, svc: Svc, tmp_path: Path) -> None:
    """Everything that `demo.json` and the printed lines say works as it is, the second time too.

    The second time the usual ports are taken, so it is at others, and says so: in a checkout, whose file says
    what is usual.
    """
    service = start("--demo")
    urls = service.ready()
    facts = facts_of(service)
    curls = [line for line in service.printed if line.startswith("curl")]

    assert (urls["Public"], urls["Operator"]) == (facts["baseUrl"], facts["operatorUrl"])
    assert "is ready, with a demo shop" in service.printed[0]
    assert 0o600 == service.data.demo.stat().st_mode & 0o777
    submission, call = curls
    assert {"ok": True} == run_curl(submission).json()
    service.wait_filed(urls["Public"])
    assert "Ada King" == run_curl(call).json()["records"][0]["properties"]["name"]
    page = httpx.get(f"{facts['baseUrl']}/demo/")
    assert 200 == page.status_code
    assert facts["formKey"] in page.text
    assert 0 == service.end()
    assert "" == "".join(one for one in service.events() if one not in {"stopping", "stopped"})

    shutil.copytree(Path(__file__).parents[2] / "config", tmp_path / "config")
    with taken(8000, 8001, 8002):
        again = start("--demo", binds=())
        urls = again.ready()
        with demo_messenger(again.data.path) as printed:
            chat = httpx.get(printed[0].split()[-1])

    result = "".join(again.printed)
    for name, port in (("Public", 8000), ("Operator", 8001)):
        found = httpx.URL(urls[name]).port or 0
        assert f"Another program listens at 127.0.0.1:{port}, so this is at {urls[name]} today\n" in result
        assert (True, port % 10) == (found > port, found % 10)
    assert (200, "Another program listens at 127.0.0.1:8002.\n") == (chat.status_code, printed[1])
    assert 2 == (chat.url.port or 0) % 10
    assert facts == facts_of(again) | {name: facts[name] for name in ("baseUrl", "operatorUrl")}
    assert {"ok": True} == submit(urls["Public"], facts["boundFormKey"], "grace@example.com").json()
    assert call in result.replace(urls["Public"], facts["baseUrl"])
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
def test_an_idle_service_is_small(start: Start) -> None:
    """It needs less than 100 MiB, also after its very first start: what makes the schema is not kept."""
    service = start()
    service.ready()

    assert service.resident_mib() < 100


def wait_refused(address: httpx.URL) -> None:
    """Return once nothing listens at *address*."""
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


def contents(directory: Path) -> dict[str, bytes]:
    """Every byte in *directory*."""
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.mark.parametrize("ended", ["well", "by a crash"])
def test_data_that_is_not_the_demos_is_left_alone(run: Svc, shop: Path, ended: str) -> None:
    """`--demo` on a real organization is refused, and changes no byte, however its last process ended."""
    (shop / "operator.token").unlink(missing_ok=True)
    with closing(sqlite3.connect(shop / "svc.db")) as still_open:
        if ended == "by a crash":
            still_open.execute("UPDATE organizations SET name = 'Written to the log'")
            still_open.commit()
            shutil.copytree(shop, shop.with_name("crashed"))
    if ended == "by a crash":
        shutil.rmtree(shop)
        shop.with_name("crashed").rename(shop)
        assert (shop / "svc.db-wal").stat().st_size
    before = contents(shop)

    result = run("--demo")

    assert 1 == result.exit_code
    assert result.output.startswith(
        f"Error: {shop} holds data that is not the demo's: choose an empty directory"
    )
    assert before == contents(shop)


def test_a_directory_of_other_files_is_left_alone(run: Svc, data: Path) -> None:
    """A database does not belong among holiday pictures."""
    data.mkdir()
    (data / "harbour.jpg").write_bytes(b"a picture")

    result = run("--demo")

    assert (1, {"harbour.jpg": b"a picture"}) == (result.exit_code, contents(data))
    assert f"Error: {data} holds other files, such as harbour.jpg: choose an empty directory" in result.output


@pytest.mark.parametrize("args", [(), ("--demo",)])
def test_an_address_in_use_is_reported(run: Svc, data: Path, args: tuple[str, ...]) -> None:
    """The message names the address; nothing else is printed, and nothing is written."""
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        bind = f"127.0.0.1:{other.getsockname()[1]}"
        result = run("--bind", bind, *args)

    assert (1, f"Error: Cannot listen on {bind}: another program listens there\n") == (
        result.exit_code,
        result.output,
    )
    assert not data.exists()


def test_data_in_use_is_reported(run: Svc, shop: Path) -> None:
    """Two services never share their data."""
    with sole_use(shop / "svc.db"):
        result = run()

    assert 1 == result.exit_code
    assert f"Error: {shop / 'svc.db'} is in use by process {os.getpid()}: stop it first\n" == result.output


def test_a_certificate_that_cannot_be_used_is_reported(run: Svc, tmp_path: Path, data: Path) -> None:
    """The message names its files, and nothing is written."""
    (tmp_path / "tls.toml").write_text('[server]\ntls_certificate = "cert.pem"\ntls_key = "key.pem"\n')

    result = run("--config", "tls.toml")

    assert 1 == result.exit_code
    assert result.output.startswith("Error: Cannot use the certificate in cert.pem and key.pem: no such file")
    assert not data.exists()


def test_an_operator_in_the_open_needs_a_token(run: Svc) -> None:
    """It is reported as a mistake in the configuration."""
    result = run("--operator-bind", ":0")

    assert 2 == result.exit_code
    assert "can be reached from other machines; set operator.token for that" in result.output
