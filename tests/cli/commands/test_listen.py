"""`svc listen`: events on the developer's own machine, signed, in order, whatever fails."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import msgspec
import pytest
import trio
import trio.testing
from click.testing import CliRunner, Result

from svc.actors.outbound.client import OutboundHttp
from svc.cli import forwarding, main
from svc.cli.cursor_file import CursorFile
from svc.cli.failures import Failure
from svc.cli.forwarding import Forwarder, forward_events
from svc.client import Refused, Tools, verify
from svc.clock import VirtualClock
from svc.domain.channels.connections import CONTRACT
from svc.domain.crypto.signatures import Signer
from svc.http.app import public_app
from svc.tools.webhooks.payloads import EXAMPLES
from svc.version import VERSION
from tests.browser.places import service_with_demo, wait_for
from tests.dispatching import dispatch
from tests.forked import Forked
from tests.http.asking import client_of
from tests.receivers import LOOPBACK, answer, receiver
from tests.tooling import ToolTown, tool_town
from tests.town import START

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwM2Ih0Q5Jx5s="
TARGET = "http://localhost:3000/events"


class Program:
    """A developer's program, with prepared answers; then 204."""

    def __init__(self, *answers: int | Exception) -> None:
        self.answers = list(answers)
        self.got: list[httpx.Request] = []

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        self.got.append(request)
        answer = self.answers.pop(0) if self.answers else 204
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer)

    @property
    def bodies(self) -> list[Any]:
        return [msgspec.json.decode(request.content) for request in self.got]


class Listener:
    """`forward_events`, from the town's service to a program."""

    def __init__(self, here: ToolTown, program: Program) -> None:
        self._here = here
        self._program = program
        self.told: list[str] = []

    async def run(self, *, key: str | None = None, since: str = "2026-09-18T00:00:00Z", **asked: Any) -> None:
        async with (
            client_of(public_app(self._here.system)) as service,
            httpx.AsyncClient(transport=httpx.MockTransport(self._program)) as client,
        ):
            tools = Tools("http://svc.test", key or self._here.key, client=service, attempts=1)
            forwarder = Forwarder(client, TARGET, SECRET, VirtualClock(START))
            await forward_events(
                tools,
                forwarder,
                types=asked.get("types"),
                since=since,
                tell=self.told.append,
                kept=asked.get("kept"),
            )


async def create(here: ToolTown, *kinds: str) -> None:
    for kind in kinds:
        await here.answer("record.create", {"objectType": kind, "properties": {"name": kind}})
    await dispatch(here)


class StoppedClock(VirtualClock):
    """A clock that stands still while real sockets are waited for."""

    def __init__(self) -> None:
        super().__init__(START)

    def now(self) -> int:
        return START


async def test_the_headers_are_those_of_a_webhook():
    """All of them and no other, however they are written: a program that takes these takes those."""
    body = msgspec.json.encode(EXAMPLES["record.created"])
    seen: list[bytes] = []
    async with receiver(partial(answer, seen=seen)) as url, forwarding.client() as client:
        await Forwarder(client, url, SECRET, StoppedClock()).forward(body)
        delivery = f"dlv_{EXAMPLES['record.created'].id.partition('_')[2]}"
        headers = Signer([SECRET]).delivery_headers(
            delivery, START // 1_000, body, event="record.created", contract=CONTRACT
        )
        outbound = OutboundHttp(LOOPBACK)
        async with outbound.live():
            await outbound.post(url, body, headers, owner="org_1", seconds=5, now=START)

    forwarded, sent = (one.partition(b"\r\n\r\n") for one in seen)
    assert sorted(sent[0].splitlines()) == sorted(forwarded[0].splitlines())
    assert sent[2] == forwarded[2] == body
    assert f"User-Agent: svc/{VERSION}".encode() in sent[0].splitlines()


async def test_events_are_forwarded_as_webhooks_are_sent(autojump_clock):
    """Those of before and those that come, in order, each with the headers that a verifier looks for."""
    async with tool_town() as here, trio.open_nursery() as nursery:
        program = Program()
        listener = Listener(here, program)
        await create(here, "contact", "company")
        nursery.start_soon(listener.run)
        await trio.sleep(30)
        await create(here, "deal")
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    assert ["contact", "company", "deal"] == [body["data"]["objectType"] for body in program.bodies]
    for request, body in zip(program.got, program.bodies, strict=True):
        headers = dict(request.headers)
        assert f"dlv_{body['id'][4:]}" == verify(SECRET, headers, request.content, now=START / 1_000)
        assert (TARGET, "record.created", "2026-09", "application/json") == (
            str(request.url),
            headers["x-service-event"],
            headers["x-service-contract"],
            headers["content-type"],
        )
        assert {"id", "type", "timestamp", "organizationId", "data"} == body.keys()
    assert [f"{body['timestamp']}  record.created  {body['id']}  204" for body in program.bodies] == [
        line.rpartition("  ")[0] for line in listener.told
    ]


async def test_only_the_wanted_events_come(autojump_clock):
    """By type, and from a time on."""
    async with tool_town() as here, trio.open_nursery() as nursery:
        program, late = Program(), Program()
        await create(here, "contact")
        here.clock.jump(60_000)
        nursery.start_soon(lambda: Listener(here, program).run(types=["record.updated"]))
        nursery.start_soon(lambda: Listener(here, late).run(since="2026-09-18T00:00:30Z"))
        await create(here, "deal")
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    assert [] == program.got
    assert ["deal"] == [body["data"]["objectType"] for body in late.bodies]


async def test_it_goes_on_where_it_had_come(autojump_clock, tmp_path):
    """With a file for the cursor: also over what happened meanwhile, and whatever `--since` says."""
    async with tool_town() as here:
        program, kept = Program(), CursorFile(tmp_path / "cursor")
        for kind in ("contact", "company", "deal"):
            await create(here, kind)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(lambda: Listener(here, program).run(kept=kept))
                await trio.testing.wait_all_tasks_blocked()
                nursery.cancel_scope.cancel()

    assert ["contact", "company", "deal"] == [body["data"]["objectType"] for body in program.bodies]


@pytest.mark.parametrize("content", [b"", b"two words", b"\xff", b"x" * 2_000])
def test_a_file_without_a_cursor_is_refused(tmp_path, content):
    """Rather than begin anew, or ask the service with anything."""
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(Failure, match=re.escape(str(path))):
        CursorFile(path).read()


def test_a_cursor_that_cannot_be_kept_is_a_failure(tmp_path):
    """It says where."""
    with pytest.raises(Failure, match="nowhere"):
        CursorFile(tmp_path / "nowhere" / "cursor").write("c_1")


async def test_it_goes_on_after_errors(autojump_clock):
    """Of the program, which are shown and not retried, and of the service, which is asked again."""
    async with tool_town() as here, trio.open_nursery() as nursery:
        program = Program(500, httpx.ConnectError("refused"), httpx.ReadTimeout(""))
        listener = Listener(here, program)
        await create(here, "contact", "company", "deal")
        key = await here.mint()
        for _ in range(here.system.calls.per_minute):
            await here.call("no.such_tool", key=key)
        nursery.start_soon(lambda: listener.run(key=key))
        await trio.sleep(0.5)
        here.clock.jump(60_000)
        await trio.sleep(10)
        await create(here, "contact", "deal")
        await trio.sleep(1)
        nursery.cancel_scope.cancel()

    assert "the service cannot be asked: 429 rate_limited" in listener.told[0]
    outcomes = [line.split("  ")[3] for line in listener.told if line.startswith("2026-")]
    assert ["500", "not sent: refused", "not sent: ReadTimeout", "204", "204"] == outcomes
    assert 5 == len({body["id"] for body in program.bodies})


async def test_a_key_that_may_not_is_told(autojump_clock):
    """It ends, since asking again is no use."""
    async with tool_town() as here:
        with pytest.raises(Refused, match="needs the permission webhooks"):
            await Listener(here, Program()).run(key=await here.mint(role_id="viewer"))


@contextmanager
def served(status: int = 204) -> Iterator[tuple[str, list[tuple[dict[str, str], bytes]]]]:
    """A developer's program on a port: its address, and what it got."""
    got: list[tuple[dict[str, str], bytes]] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((dict(self.headers), body))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Not of interest."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Hook) as server:
        serving = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}/events", got
        server.shutdown()
        serving.join()


def listen(*args: str, **env: str) -> Result:
    return CliRunner(env={"SVC_KEY": "", "SVC_URL": ""} | env).invoke(main, ["listen", *args])


@pytest.mark.parametrize("kind", EXAMPLES)
def test_an_example_is_triggered_without_a_service(kind: str) -> None:
    """Signed with the secret that is printed, as of now, and under a new id each time."""
    with served() as (url, got):
        results = [listen("--forward-to", url, "--trigger", kind) for _ in range(2)]

    assert [0, 0] == [result.exit_code for result in results]
    bodies = [msgspec.json.decode(body) for _, body in got]
    assert [kind, kind] == [body["type"] for body in bodies]
    assert 2 == len({body["id"] for body in bodies})
    for result, (headers, body) in zip(results, got, strict=True):
        secret = result.stdout.splitlines()[0].removeprefix("Signing secret: ")
        assert verify(secret, headers, body).startswith("dlv_")
        assert "  204  " in result.stdout.splitlines()[1]


def test_an_example_that_was_not_taken_is_a_failure() -> None:
    """For scripts: the exit code says so."""
    with served(500) as (url, _):
        result = listen("--forward-to", url, "--trigger", "ping", "--secret", SECRET)

    assert 1 == result.exit_code
    assert f"Signing secret: {SECRET}" == result.stdout.splitlines()[0]
    assert f"Error: {url} did not take it\n" == result.stderr


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ((), "Missing option '--forward-to'"),
        (("--forward-to", "ftp://localhost"), "not an address such as"),
        (("--forward-to", TARGET, "--types", "record.create"), "did you mean `record.created`"),
        (("--forward-to", TARGET, "--since", "2026-09-18"), "neither a time such as"),
        (("--forward-to", TARGET, "--since", "10 minutes"), "neither a time such as"),
        (("--forward-to", TARGET, "--trigger", "x"), "'x' is not one of"),
        (("--forward-to", TARGET, "--trigger", "ping", "--secret", "whsec_short"), "a signing secret is"),
    ],
)
def test_a_mistake_on_the_command_line_is_told(args: tuple[str, ...], says: str) -> None:
    """Before anything is sent."""
    result = listen(*args)

    assert 2 == result.exit_code
    assert says in " ".join(result.stderr.split())


def test_without_a_key_it_says_where_it_takes_one_from() -> None:
    """It is not on the command line, where others on the machine could read it."""
    result = listen("--forward-to", TARGET)

    assert (1, "set SVC_KEY to one whose role has the permission `webhooks`") == (
        result.exit_code,
        result.stderr.strip().partition(": there is no API key: ")[2],
    )


def test_it_listens_to_a_running_service(tmp_path: Path) -> None:
    """From the outside: what happens is there at once, and Ctrl-C ends it well."""
    with service_with_demo(tmp_path) as service, served() as (url, got), (tmp_path / "err").open("w") as err:
        env = os.environ | {"SVC_KEY": service.facts["apiKey"], "SVC_URL": service.url}
        process = Forked(
            *("listen", "--forward-to", url, "--types", "record.created,record.updated"),
            stderr=err,
            env=env,
        )
        lines = [process.stdout.readline() for _ in range(2)]
        httpx.post(
            f"{service.url}/api/v1/tools/record.create",
            headers={"authorization": f"Bearer {env['SVC_KEY']}"},
            json={"objectType": "contact", "properties": {"name": "Ada"}},
        ).raise_for_status()
        [(headers, body)] = wait_for(lambda: list(got), bool)
        lines.append(process.stdout.readline())
        process.send_signal(signal.SIGINT)

        secret = lines[0].strip().removeprefix("Signing secret: ")
        assert f"Events of {service.url} go to {url}; Ctrl-C ends it.\n" == lines[1]
        assert verify(secret, headers, body)
        assert msgspec.json.decode(body)["id"] in lines[2]
        assert 0 == process.wait()
    assert "" == (tmp_path / "err").read_text()
