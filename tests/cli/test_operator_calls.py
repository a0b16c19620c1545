"""What an operator does while the service runs: it is done by the service, whose actors hear of it."""

import json
import os
import pty
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from svc.cli import main
from svc.cli.data_directory import DataDirectory, ServiceAddresses
from svc.storage.sqlite.offline import sole_use
from tests.cli.conftest import Svc
from tests.cli.running import END_SECONDS, Service
from tests.cli.test_run import run_curl


class Running:
    """A service that was started on nothing, and the command line beside it."""

    def __init__(self, service: Service) -> None:
        self.url = service.ready()["Public"]
        self.hint = [service.stdout.readline() for _ in range(4)]
        self._data = service.data.path

    def svc(self, *args: str, **kwargs: Any) -> Result:
        command, *rest = args
        return CliRunner().invoke(main, [command, *rest, "--data", str(self._data)], **kwargs)

    def made(self, *args: str) -> str:
        """What a command prints that makes something."""
        result = self.svc(*args)
        assert 0 == result.exit_code, result.output
        return result.stdout.strip()

    def set_up(self, name: str) -> dict[str, Any]:
        """A new organization."""
        args = ("--name", name, "--email", "ada@example.com", "--json")
        made: dict[str, Any] = json.loads(self.made("setup", *args))
        return made

    def call(self, tool: str, key: str, body: Any = None) -> httpx.Response:
        return httpx.post(
            f"{self.url}/api/v1/tools/{tool}", json=body or {}, headers={"authorization": f"Bearer {key}"}
        )


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    environment = {"SVC_OUTGOING__ALLOWED_NETWORKS": "127.0.0.1"}
    with closing(Service(tmp_path_factory.mktemp("running") / "data", environment=environment)) as service:
        yield Running(service)


def test_a_start_on_nothing_says_what_is_next(running: Running) -> None:
    """The line can be pasted into a second terminal."""
    said, link, _, line = running.hint

    assert "There is no organization yet." in said
    assert link.strip().startswith(f"{running.url}/app/welcome#svcn_")
    *program, command, option, data = shlex.split(line)
    assert ([sys.executable, "-m", "svc"], "setup", "--data") == (program, command, option)
    assert Path(data).is_dir()


def test_what_a_set_up_prints_works_at_once(running: Running) -> None:
    """The first call is a line for the shell, with the service's address and the new key."""
    result = running.svc("setup", "--name", "Pasted", "--email", "ada@example.com", "--person", "Ada")

    [line] = re.findall(r"^curl .*?'\n", result.stdout.replace("\\\n", ""), re.MULTILINE | re.DOTALL)
    answer = run_curl(line)
    assert f"{running.url}/api/v1/tools/record.create" in line
    assert "Start the service" not in result.stdout
    assert (200, "Grace Hopper") == (answer.status_code, answer.json()["properties"]["name"])


def test_a_set_up_as_json_has_all_that_a_script_needs(running: Running) -> None:
    """The key works, the link signs its person in."""
    made = running.set_up("Scripted")
    session = httpx.post(f"{running.url}/app/api/sign-in-link", json={"token": made["signInToken"]})

    assert 200 == running.call("record.list", made["key"], {"objectType": "contact"}).status_code
    assert (200, made["personId"]) == (session.status_code, session.json()["person"]["id"])


def test_the_service_hears_of_what_is_done_beside_it(running: Running) -> None:
    """A form takes submissions until it is paused; a key opens its door until it is revoked."""
    home = running.set_up("Heard")["organizationId"]
    of_home = ("--organization", home)
    form = running.made("form", "create", "Ask", *of_home)
    post = {"f": form, "v": {"email": "grace@example.com", "message": "Hello"}}
    statuses = [httpx.post(f"{running.url}/api/f/s", json=post).status_code]
    running.made("form", "pause", form)
    statuses.append(httpx.post(f"{running.url}/api/f/s", json=post).status_code)
    minted = running.svc("apikey", "mint", "Reader", "--as", "ada@example.com", "--role", "viewer", *of_home)
    key, key_id = minted.stdout.strip(), minted.stderr.split()[0]
    calls = [running.call("organization.get", key).status_code]
    running.made("apikey", "revoke", key_id, *of_home)
    calls.append(running.call("organization.get", key).status_code)

    assert [200, 400] == statuses
    assert [200, 401] == calls


def test_any_tool_is_called_in_the_operators_name(running: Running) -> None:
    """With its input as an argument, a file or the standard input; the trail says whose it was."""
    home = running.set_up("Called")["organizationId"]
    of_home = ("--organization", home)
    asked = {"objectType": "contact", "properties": {"name": "Grace"}}
    made = json.loads(running.made("call", "record.create", json.dumps(asked), *of_home))
    piped = running.svc("call", "record_create", "-", *of_home, input=json.dumps(asked))
    listed = json.loads(running.made("call", "record.list", '{"objectType": "contact"}', *of_home))
    trail = json.loads(running.made("call", "audit.list", '{"action": "record.create"}', *of_home))

    assert 0 == piped.exit_code
    assert {made["id"], json.loads(piped.stdout)["id"]} == {one["id"] for one in listed["records"]}
    assert {("operator", "cli")} == {(one["callerKind"], one["door"]) for one in trail["entries"]}


def test_the_organizations_name_is_changed_and_its_doors_are_closed(running: Running) -> None:
    """Closing asks first; then keys stop with the next call, and it is shown as closed."""
    made = running.set_up("Before")
    of_home = ("--organization", made["organizationId"])
    running.made("org", "rename", "After", *of_home)
    shown = running.call("organization.get", made["key"]).json()["name"]
    kept = running.svc("org", "close", *of_home, input="n\n")
    between = running.call("organization.get", made["key"]).status_code
    running.made("org", "close", "--yes", *of_home)
    after = running.call("organization.get", made["key"]).status_code
    line = next(one for one in running.made("org", "list").splitlines() if made["organizationId"] in one)

    assert "After" == shown
    assert (1, 200, 401) == (kept.exit_code, between, after)
    assert "closed 20" in line


def test_a_connection_is_made_with_its_key_and_its_embeds_are_listed(running: Running) -> None:
    """What they print is what their doors take."""
    of_home = ("--organization", running.set_up("Connected")["organizationId"])
    key = running.made("connection", "create", "Shop", "--messenger", "telegram", *of_home)
    connection = running.svc("connection", "list", *of_home).stdout.splitlines()[1].split()[0]
    second = running.svc("connection", "key", connection, *of_home)
    running.made("connection", "revoke-key", connection, second.stderr.split(";")[0], *of_home)
    pulls = [
        httpx.post(
            f"{running.url}/api/channels/v1/channel.outbox.pull",
            json={},
            headers={"authorization": f"Bearer {one}"},
        ).status_code
        for one in (key, second.stdout.strip())
    ]
    asked = {"name": "Prices", "blocks": [{"type": "hero", "title": "Light"}]}
    embed = json.loads(running.made("call", "embed.create", json.dumps(asked), *of_home))
    running.made("embed", "pause", embed["id"], *of_home)
    paused = running.made("embed", "list", *of_home)
    running.made("embed", "resume", embed["id"], *of_home)
    resumed = running.made("embed", "list", *of_home)
    running.made("embed", "remove", embed["id"], *of_home)

    assert [200, 401] == pulls
    assert [f"{embed['id']}  Prices  paused  any   {embed['embedKey']}"] == paused.splitlines()[1:]
    assert [f"{embed['id']}  Prices  active  any   {embed['embedKey']}"] == resumed.splitlines()[1:]
    assert 1 == len(running.made("embed", "list", *of_home).splitlines())


@contextmanager
def bridge() -> Iterator[tuple[str, list[str], list[int]]]:
    """A bridge that takes pushes: its address, the signatures that came, and what it answers next."""
    signatures: list[str] = []
    statuses: list[int] = []

    class Bridge(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the library's name
            self.rfile.read(int(self.headers["content-length"]))
            signatures.append(self.headers["webhook-signature"])
            self.send_response(statuses.pop(0))
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Bridge) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}/", signatures, statuses
        server.shutdown()


def test_a_bridge_is_tried_and_its_secret_changed(running: Running) -> None:
    """What it answers is said and is the exit code; with the new secret the ping has two signatures."""
    of_home = ("--organization", running.set_up("Pushed")["organizationId"])
    with bridge() as (url, signatures, statuses):
        statuses += [204, 500, 200]
        made = running.made("connection", "create", "Shop", "--push", url, *of_home).splitlines()
        connection = running.svc("connection", "list", *of_home).stdout.splitlines()[1].split()[0]
        taken, refused = (running.svc("connection", "test", connection, *of_home) for _ in range(2))
        rotated = running.svc("connection", "rotate-secret", connection, *of_home)
        again = running.svc("connection", "test", connection, *of_home)
    gone = running.svc("connection", "test", connection, *of_home)

    assert (0, "the bridge answered 204\n") == (taken.exit_code, taken.stderr), taken.stderr
    assert (1, "Error: the bridge answered 500\n") == (refused.exit_code, refused.stderr)
    assert (0, 0) == (rotated.exit_code, again.exit_code)
    assert rotated.stdout.startswith("whsec_")
    assert rotated.stdout.strip() != made[1]
    assert [1, 1, 2] == [len(one.split()) for one in signatures]
    assert 1 == gone.exit_code
    assert gone.stderr.startswith("Error: the bridge was not reached: ")


def test_a_list_is_shown_to_its_end(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pages it has, in order."""
    of_home = ("--organization", running.set_up("Paged")["organizationId"])
    for name in ("a", "b", "c"):
        running.made("connection", "create", name, *of_home)
    monkeypatch.setattr("svc.cli.commands.connections.LIST_ROWS_MAX", 1)
    _, *lines = running.made("connection", "list", *of_home).splitlines()

    assert ["a", "b", "c"] == [line.split()[1] for line in lines]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("org", "rename", "x" * 500), "Error: name: "),
        (("site", "create", "no domain"), "Error: domain: a site is named by its domain"),
        (("apikey", "mint", "X", "--as", "bo@example.com"), "`bo@example.com` is no active member"),
        (("apikey", "revoke", "key_0"), "there is no key `key_0`"),
        (("call", "record.create", '{"objectType": "contakt", "properties": {}}'), "did you mean `contact`"),
    ],
)
def test_a_mistake_reads_the_same_with_and_without_a_service(
    running: Running, svc: Svc, shop: Path, args: tuple[str, ...], message: str
) -> None:
    """One line, which says what to change."""
    home = running.set_up("Mistaken")["organizationId"]

    live, offline = running.svc(*args, "--organization", home), svc(*args)

    assert message in live.stderr
    assert (1, live.stderr) == (offline.exit_code, offline.stderr)
    assert 1 == live.stderr.count("\n")


def test_another_token_is_reported(running: Running) -> None:
    """The service has its own from somewhere that this shell does not know of."""
    result = running.svc("org", "create", "X", env={"SVC_OPERATOR__TOKEN": "x" * 40})

    assert 1 == result.exit_code
    assert "has another operator token: set SVC_OPERATOR__TOKEN" in result.stderr


@pytest.mark.parametrize("is_holder", [True, False])
def test_no_token_goes_to_what_is_not_the_service(svc: Svc, shop: Path, *, is_holder: bool) -> None:
    """Where the holder of the data does not listen, or another process was the one that did, it is in use."""
    pid = os.getpid() if is_holder else 1
    addresses = ServiceAddresses(pid, "http://127.0.0.1:9", "http://127.0.0.1:9")
    DataDirectory(shop).open_token()
    DataDirectory(shop).note_service(addresses)
    with sole_use(shop / "svc.db"):
        result = svc("org", "create", "X")

    assert 1 == result.exit_code
    assert f"is in use by process {os.getpid()}: stop it first" in result.stderr


def test_on_a_terminal_what_is_missing_is_asked_for(data: Path) -> None:
    """The password is not shown, and one that is too short is asked for again."""
    ours, theirs = pty.openpty()
    program = [sys.executable, "-m", "svc", "setup", "--data", str(data)]
    answers = ["Harbour Lamps", "ada@example.com", "Ada", "short", "short", "correct horse", "correct horse"]
    with subprocess.Popen(program, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True) as process:
        os.close(theirs)
        shown = ""
        for answer in answers:
            shown += _until_asked(ours)
            os.write(ours, f"{answer}\n".encode())
        shown += _to_the_end(ours)
        code = process.wait(END_SECONDS)
    os.close(ours)

    assert (0, True) == (code, "Harbour Lamps is set up." in shown)
    assert "a password has 10 to 1000 characters" in shown
    assert "correct horse" not in shown
    assert "Sign-in link" not in shown


def _until_asked(terminal: int) -> str:
    shown = ""
    while not shown.endswith((": ", "]: ")):
        shown += os.read(terminal, 1).decode()
    return shown


def _to_the_end(terminal: int) -> str:
    shown = b""
    with suppress(OSError):  # Linux tells the end of a terminal so
        while read := os.read(terminal, 4096):
            shown += read
    return shown.decode()
