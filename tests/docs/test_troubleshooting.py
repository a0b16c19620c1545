"""Each symptom of the page for troubleshooting is made on purpose: the program prints what the page quotes.

A symptom is a heading with its blocks of text; `…` in a line stands for anything. `SYMPTOMS` makes them.
"""

import json
import os
import re
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import cached_property
from pathlib import Path
from socket import create_server
from typing import Any, Final, Self

import httpx
import pytest
from click.testing import CliRunner

from svc.cli import main
from svc.cli.data_directory import DataDirectory
from svc.cli.doctor import data as doctor_data
from svc.http.docs import files
from svc.storage.sqlite.engine import sole_use
from tests.cli.running import END_SECONDS, TRIES, Service
from tests.mail_servers import real_server
from tests.small_disk import small_disk
from tests.storage.keeping import KEPT

PAGE: Final = "troubleshooting"
FAULTY: Final = str(Path(__file__).parents[1] / "cli" / "faulty.py")
BINDS: Final = ("--bind", "127.0.0.1:0", "--operator-bind", "127.0.0.1:0")
CALLS: Final = 100
CLOSED: Final = 9
"""A port at which nothing listens."""
_ANY: Final = "…"


def sections() -> dict[str, list[str]]:
    """The lines that each symptom quotes."""
    _, *found = re.split(r"^## ", files.text_of(PAGE), flags=re.MULTILINE)
    return {
        text.partition("\n")[0]: [
            line
            for block in re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
            for line in block.splitlines()
        ]
        for text in found
    }


class Place:
    """A directory of a test's own, with commands and services on its data."""

    def __init__(self, root: Path, stack: ExitStack) -> None:
        self.root = root
        self.data = DataDirectory(root / "data")
        self.stack = stack

    def svc(self, *args: str, **environment: str) -> list[str]:
        """The lines that `svc ARGS` prints."""
        given = {"SVC_DATA__DIRECTORY": str(self.data.path), **environment}
        result = CliRunner().invoke(main, args, env=given)
        return result.output.splitlines()

    def service(self, *args: str, program: tuple[str, ...] | None = None, **environment: str) -> Service:
        service = Service(self.data.path, *args, program=program, environment=environment)
        self.stack.callback(service.close)
        return service

    def fill(self) -> None:
        """Make data with an organization."""
        assert "" != "".join(self.svc("org", "create", "Harbour Lamps"))

    def fill_old(self, revision: str) -> None:
        """Put data of an earlier version there."""
        self.data.make()
        self.data.open_key()
        with closing(sqlite3.connect(self.data.database)) as database:
            database.executescript((KEPT / f"{revision}.sql").read_text())


class Demo:
    """A running demo, whose facts are in the file *facts*."""

    def __init__(self, place: Place, service: Service, facts: Path, mail_port: int = CLOSED) -> None:
        self.place = place
        self.service = service
        self.mail_port = mail_port
        self.urls = service.ready()
        self.facts: dict[str, Any] = json.loads(facts.read_bytes())

    @classmethod
    def without_others(cls, place: Place) -> Self:
        """One whose mail server, directory of backups and receivers are not there."""
        with create_server(("127.0.0.1", 0)) as free:
            mail_port: int = free.getsockname()[1]
        service = place.service(
            "--demo",
            SVC_MAIL__SERVER="127.0.0.1",
            SVC_MAIL__PORT=str(mail_port),
            SVC_MAIL__SECURITY="none",
            SVC_MAIL__SENDER="crm@harbour.example",
            SVC_BACKUP__DIRECTORY="/proc/self/none",
            SVC_OUTGOING__ALLOWED_NETWORKS="127.0.0.1/32",
            SVC_TOOLS__CALLS_PER_MINUTE=str(CALLS),
        )
        return cls(place, service, place.data.demo, mail_port)

    @cached_property
    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.urls["Public"], timeout=END_SECONDS)

    def call(self, tool: str, key: str = "apiKey", **given: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {self.facts[key]}"}
        return self.client.post(f"/api/v1/tools/{tool}", json=given, headers=headers)

    def write(self) -> httpx.Response:
        return self.call("record.create", objectType="contact", properties={"name": "Grace Hopper"})

    def logged(self, event: str) -> list[str]:
        """The events in the log, once there is that one."""
        for _ in range(TRIES):
            httpx.get(f"{self.urls['Operator']}/healthz")
            if event in self.service.errors():
                return self.service.events()
        pytest.fail(f"{event!r} is not in the log: {self.service.errors()}")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with ExitStack() as stack:
        yield Place(tmp_path, stack)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with ExitStack() as stack:
        demo = Demo.without_others(Place(tmp_path_factory.mktemp("symptoms"), stack))
        with demo.client:
            yield demo


def address_is_taken(place: Place) -> list[str]:
    with create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        return place.svc("run", "--bind", f"127.0.0.1:{port}", *BINDS[2:])


def setting_is_wrong(place: Place) -> list[str]:
    said = []
    for number, line in enumerate(('bnid = ["127.0.0.1:8010"]', "bind = 8010")):
        file = place.root / f"svc{number}.toml"
        file.write_text(f"[server]\n{line}\n")
        said += place.svc("run", "--config", str(file))
    return said


def data_is_in_use(place: Place) -> list[str]:
    place.fill()
    with sole_use(place.data.database):
        return place.svc("run", *BINDS)


def data_is_newer(place: Place) -> list[str]:
    place.fill()
    with closing(sqlite3.connect(place.data.database)) as database, database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    return place.svc("run", *BINDS)


def data_cannot_be_migrated(place: Place) -> list[str]:
    place.fill_old("0021")
    with closing(sqlite3.connect(place.data.database)) as database:
        database.execute("CREATE TABLE files (added_by_hand)")
    said = place.svc("run", *BINDS)
    assert any("table files already exists" in line for line in place.svc("upgrade", "--check"))
    with closing(sqlite3.connect(place.data.database)) as database:
        database.execute("DROP TABLE files")
    assert any("it succeeds" in line for line in place.svc("upgrade", "--check"))
    return said


def key_is_missing(place: Place) -> list[str]:
    place.fill()
    place.data.secret_key.unlink()
    return place.svc("run", *BINDS)


def key_is_open(place: Place) -> list[str]:
    place.fill()
    place.data.secret_key.chmod(0o644)
    said = place.svc("run", *BINDS)
    [command] = {found for line in said for found in re.findall("`chmod 600 (.*?)`", line)}
    os.chmod(command, 0o600)  # noqa: PTH101  # as the line has it
    assert not place.data.secret_key.stat().st_mode & 0o077
    return said


def disk_is_slow(place: Place) -> list[str]:
    place.fill()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(doctor_data, "sync_ms", lambda _: 400.0)
        return place.svc("doctor", SVC_SERVER__BIND="127.0.0.1:0", SVC_OPERATOR__BIND="127.0.0.1:0")


def proxy_is_not_trusted(place: Place) -> list[str]:
    place.fill()
    environment = {
        "SVC_SERVER__BIND": "127.0.0.1:0",
        "SVC_OPERATOR__BIND": "127.0.0.1:0",
        "SVC_SERVER__PUBLIC_URL": "https://crm.example.com",
    }
    said = place.svc("doctor", **environment)
    return said + place.svc("doctor", **environment, SVC_SERVER__TRUSTED_PROXIES="127.0.0.1,::1")


def certificate_is_not_issued(place: Place) -> list[str]:
    service = place.service(
        "--domain",
        "crm.example.com",
        SVC_TLS__ACME_DIRECTORY=f"https://127.0.0.1:{CLOSED}/directory",
        SVC_TLS__HTTP_BIND="127.0.0.1:0",
    )
    operator = service.ready()["Operator"]
    for _ in range(TRIES):
        httpx.get(f"{operator}/healthz")
        if "no certificate was issued" in service.errors():
            break
    return service.events()


def actor_is_stuck(place: Place) -> list[str]:
    service = place.service(program=(FAULTY, "hang_actor"))
    service.ready()
    service.process.send_signal(signal.SIGUSR2)
    assert "done\n" in iter(service.stdout.readline, "")
    traced = place.svc("trace", "Slow/main", "--seconds", "0.1")
    assert any("in wait" in line for line in traced)
    for _ in range(TRIES):
        if "actor crashed" in service.errors():
            break
        place.svc("trace", "Slow/main", "--seconds", "0.1")
    return [*traced, *service.events()]


def disk_is_full(place: Place) -> list[str]:
    with small_disk(place.root / "disk", 16) as disk:
        service = Service(disk.place / "data", "--demo", inside=disk.inside)
        try:
            demo = Demo(Place(disk.place, place.stack), service, disk.outside(service.data.demo))
            place.stack.enter_context(demo.client)
            disk.fill()
            refused, ready = demo.write(), httpx.get(f"{demo.urls['Operator']}/readyz")
            assert 503 == ready.status_code
            disk.make_room()
            assert 200 == demo.write().status_code
            why = ready.json()["checks"]["store"]["why"]
            return [refused.json()["detail"], why, *demo.logged("batches_succeed_again")]
        finally:
            service.close()


def data_is_held(demo: Demo) -> list[str]:
    authorization = {"authorization": f"Bearer {demo.facts['operatorToken']}"}
    with closing(sqlite3.connect(demo.place.data.database, isolation_level=None)) as shell:
        shell.execute("BEGIN IMMEDIATE")
        refused = demo.write()
        seen = httpx.get(f"{demo.urls['Operator']}/debug/store", headers=authorization).json()
    assert 503 == refused.status_code
    assert 200 == demo.write().status_code
    return [refused.json()["detail"], *json.dumps(seen, indent=2).splitlines()]


def budget_is_used_up(demo: Demo) -> list[str]:
    for _ in range(CALLS + 1):
        refused = demo.call("organization.get", key="viewerKey")
    assert (429, True) == (refused.status_code, int(refused.headers["retry-after"]) > 0)
    return [refused.json()["detail"]]


def mails_wait_and_one_is_refused(demo: Demo) -> list[str]:
    owner = demo.facts["owner"]["email"]
    demo.client.post("/app/api/password-reset", json={"email": owner})
    demo.logged("the mail server cannot be used; mails wait")
    with real_server(port=demo.mail_port) as (inbox, _):
        inbox.refusals[owner] = "550 5.1.1 there is no such mailbox"
        demo.logged("a mail was not sent")
        return demo.logged("the mail server can be used again")


def webhook_fails(demo: Demo) -> list[str]:
    asked = {"url": f"http://127.0.0.1:{CLOSED}/", "events": ["record.created"]}
    made = json.loads("\n".join(demo.place.svc("call", "webhook.create", json.dumps(asked))))
    demo.place.svc("call", "webhook.test", json.dumps({"id": made["id"]}))
    for _ in range(TRIES):
        shown = demo.place.svc("call", "webhook.delivery_list", json.dumps({"webhookId": made["id"]}))
        if any('"error"' in line for line in shown):
            return shown
    raise AssertionError(shown)


def bridge_is_offline(demo: Demo) -> list[str]:
    return demo.place.svc("connection", "test", demo.facts["pushConnection"]["id"])


def link_is_used(demo: Demo) -> list[str]:
    [link] = [
        line
        for line in demo.place.svc("user", "link", demo.facts["owner"]["email"])
        if line.startswith("http")
    ]
    token = link.partition("#")[2]
    first, second = (demo.client.post("/app/api/sign-in-link", json={"token": token}) for _ in range(2))
    assert (200, 401) == (first.status_code, second.status_code)
    return [second.json()["detail"]]


def backup_fails(demo: Demo) -> list[str]:
    return demo.logged("no good backup was made")


ALONE: Final[dict[str, Callable[[Place], list[str]]]] = {
    "It does not start: the address is taken": address_is_taken,
    "It does not start: a setting is wrong": setting_is_wrong,
    "It does not start: another process has the data": data_is_in_use,
    "It does not start: the data is of a newer version": data_is_newer,
    "It does not start: the data cannot be migrated": data_cannot_be_migrated,
    "It does not start: the key is missing": key_is_missing,
    "It does not start: a file can be read by others": key_is_open,
    "Writes are answered 503: the disk is full": disk_is_full,
    "Requests are slow": disk_is_slow,
    "One organization gets no answers: an actor is stuck": actor_is_stuck,
    "Behind a proxy, everybody counts as one": proxy_is_not_trusted,
    "The certificate is not renewed": certificate_is_not_issued,
}
SHARED: Final[dict[str, Callable[[Demo], list[str]]]] = {
    "Writes are answered 503: another program holds the data": data_is_held,
    "Calls are answered 429": budget_is_used_up,
    "Mails wait": mails_wait_and_one_is_refused,
    "A mail is not sent": mails_wait_and_one_is_refused,
    "A webhook does not arrive": webhook_fails,
    "A bridge is offline": bridge_is_offline,
    "A sign-in link does not work": link_is_used,
    "No backup is made": backup_fails,
}


def unsaid(heading: str, printed: list[str]) -> list[str]:
    """The lines that the page quotes of a symptom, and that nothing has printed."""
    quoted = sections()[heading]
    assert quoted, f"{heading} quotes no line"
    return [line for line in quoted if not any(fits(line, one) for one in printed)]


def fits(quoted: str, printed: str) -> bool:
    """Whether the line is the quoted one, where `…` stands for anything; it may be indented."""
    pattern = ".*".join(map(re.escape, quoted.strip().split(_ANY)))
    return re.fullmatch(f"\\s*{pattern}", printed) is not None


def test_every_symptom_of_the_page_is_made() -> None:
    """A section without a line, or a line that nothing makes, is none that can be relied on."""
    assert sorted(sections()) == sorted([*ALONE, *SHARED])


@pytest.mark.parametrize("heading", ALONE)
def test_a_start_or_a_command_says_what_the_page_quotes(heading: str, place: Place) -> None:
    """Each line, from the real program."""
    printed = ALONE[heading](place)

    assert [] == unsaid(heading, printed), printed


@pytest.mark.parametrize("heading", SHARED)
def test_a_running_service_says_what_the_page_quotes(heading: str, demo: Demo) -> None:
    """In an answer, in the log or by a command; where the page says how it ends, it does."""
    printed = SHARED[heading](demo)

    assert [] == unsaid(heading, printed), printed
