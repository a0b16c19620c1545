"""What people send, through every door, is in no line of the log, no view for operators and no exported span.

Every value that is sent has `MARK` in it, or is a key that the demo made. At first all goes well or is
refused; then every transaction fails, with the values in the errors.
"""

import base64
import hashlib
import json
import re
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from click.testing import CliRunner

from svc.cli import main
from tests.cli.running import END_SECONDS, TRIES, Service
from tests.collectors import collecting
from tests.mail_servers import hostile_server

PROGRAM: Final = str(Path(__file__).with_name("failing.py"))
MARK: Final = "zqmark"
NAME: Final = f"Quillona {MARK}"
EMAIL: Final = f"quillona@{MARK}.example"
PHONE: Final = "+447700900987"
TEXT: Final = f"{MARK} words of a message"
FILE: Final = f"{MARK}-file.csv"
SECRET: Final = f"{MARK}-secret"
CONTACT: Final = {"name": NAME, "email": EMAIL, "phone": PHONE}
FREE: Final = frozenset(
    {
        "name",
        "label",
        "labelPlural",
        "text",
        "title",
        "query",
        "search",
        "note",
        "reason",
        "description",
        "message",
    }
)
"""Members of tools' inputs that take any text."""
HEADERS: Final = {
    "user-agent": f"{MARK}/1.0",
    "referer": f"https://{MARK}.example/{SECRET}",
    "cookie": f"other={SECRET}",
    "x-forwarded-for": "198.51.100.98",
    "forwarded": f"for=198.51.100.98;host={MARK}",
    "traceparent": f"00-{MARK}-{SECRET}-01",
    "tracestate": f"{MARK}={SECRET}",
    "baggage": f"email={EMAIL}",
}

STORED_ID: Final = re.compile(r"\b[a-z]{2,4}_[0-9A-HJKMNP-TV-Z]{26}\b")
"""The id of an organization, a person or a record: in the log, but in no span."""

Send = Callable[..., httpx.Response]


def talk(*answers: bytes) -> Callable[[socket.socket], None]:
    """A server that answers the first line with the first answer, and so on; the last one again and again."""

    def script(connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            if answers[0].startswith(b"220"):
                connection.sendall(answers[0])
            given = iter(answers[1:])
            answer = b""
            while line := lines.readline():
                if line.upper().startswith((b"EHLO", b"MAIL", b"RCPT", b"RSET", b"QUIT", b"POST")):
                    answer = next(given, answer)
                    connection.sendall(answer)

    return script


MAIL_REFUSES: Final = talk(
    b"220 hi\r\n", b"250 hi\r\n", b"250 ok\r\n", f'550 5.1.1 <{EMAIL}> "{TEXT}": no {EMAIL}\r\n'.encode()
)
HOOK_FAILS: Final = talk(
    b"", f"HTTP/1.1 500 {MARK}\r\nX-Why: {SECRET}\r\nContent-Length: {len(TEXT)}\r\n\r\n{TEXT}".encode()
)


class Sender:
    """Sends what is marked, through each door of a demo."""

    def __init__(self, client: httpx.Client, facts: dict[str, Any], hook: str) -> None:
        self.facts = facts
        self.hook = hook
        self.statuses: dict[str, set[int]] = {}
        self.request_ids: list[str] = []
        self._client = client

    def send(
        self, door: str, method: str, path: str, *, key: str | None = None, **how: Any
    ) -> httpx.Response:
        headers = {**HEADERS, **how.pop("headers", {})}
        if key is not None:
            headers["authorization"] = f"Bearer {key}"
        answer = self._client.request(method, path, headers=headers, **how)
        self.statuses.setdefault(door, set()).add(answer.status_code)
        if answer.status_code >= 500:
            self.request_ids.append(answer.headers["x-request-id"])
        return answer

    def everything(self) -> None:
        for door in (
            self.tools,
            self.mcp,
            self.gateway,
            self.forms,
            self.embeds,
            self.channels,
            self.files,
            self.imports,
            self.sign_in,
            self.sites,
            self.pages,
        ):
            door()

    def tools(self) -> None:
        """Each tool with its example, marked; and what no tool takes."""
        key = self.facts["apiKey"]
        document = self._client.get("/api/v1/openapi.json").json()
        for path, methods in document["paths"].items():
            example = methods["post"]["requestBody"]["content"]["application/json"]["example"]
            headers = {"idempotency-key": f"{MARK}-{path}"}
            self.send("tools", "POST", path, key=key, json=marked(example), headers=headers)
            self.send("tools", "POST", path, key=key, json={**example, MARK: TEXT})
        contact = {"objectType": "contact", "properties": CONTACT}
        self.send("tools", "POST", "/api/v1/tools/record.create", key=key, json=contact)
        hook = {"url": f"{self.hook}/{SECRET}?email={EMAIL}", "events": ["record.created"]}
        self.send("tools", "POST", "/api/v1/tools/webhook.create", key=key, json=hook)
        self.send(
            "tools", "POST", "/api/v1/tools/record.create", key=key, json=contact
        )  # which it is told of
        invited = {"email": EMAIL, "roleId": "viewer"}
        self.send("tools", "POST", "/api/v1/tools/member.invite", key=key, json=invited)
        self.send("tools", "POST", f"/api/v1/tools/{MARK}.{EMAIL}", key=key, json=contact)
        self.send("tools", "POST", "/api/v1/tools/record.list", key=f"svck_{SECRET}", json=contact)
        self.send("tools", "POST", "/api/v1/tools/record.list", key=key, content=f'{{"{TEXT}": ')

    def mcp(self) -> None:
        for name, given in (
            ("record.create", {"objectType": "contact", "properties": CONTACT}),
            (f"{MARK}.tool", CONTACT),
            ("record.list", {MARK: TEXT}),
        ):
            call = {"jsonrpc": "2.0", "id": MARK, "method": "tools/call"}
            body = {**call, "params": {"name": name, "arguments": given}}
            for path in ("/api/v1/mcp", "/api/v1/mcp/full"):
                accepts = {"accept": "application/json, text/event-stream"}
                self.send("mcp", "POST", path, key=self.facts["apiKey"], json=body, headers=accepts)
        self.send("mcp", "POST", "/api/v1/mcp", key=SECRET, json=body)

    def gateway(self) -> None:
        for key in (self.facts["gatewayKey"], f"svcg_{SECRET}"):
            for model in ("demo-echo", f"{MARK}-model"):
                asked: dict[str, Any] = {"model": model, "messages": [{"role": "user", "content": TEXT}]}
                for stream in (False, True):
                    asked["stream"] = stream
                    self.send("gateway", "POST", "/api/ai/v1/chat/completions", key=key, json=asked)

    def forms(self) -> None:
        for form in (self.facts["formKey"], self.facts["boundFormKey"], f"svcf_{SECRET}"):
            body = {"f": form, "v": {**CONTACT, "message": TEXT, "password": SECRET, "website": MARK}}
            self.send("forms", "POST", "/api/f/s", json=body)
            relayed = {"x-visitor-ip": "198.51.100.98", "x-visitor-ua": MARK}
            self.send("forms", "POST", "/api/f/s", json=body, key=self.facts["serverKey"], headers=relayed)
        self.send("forms", "POST", "/api/f/s", content=f"{TEXT}={SECRET}")

    def embeds(self) -> None:
        for embed in (self.facts["embedKey"], self.facts["boundEmbedKey"], f"svce_{SECRET}"):
            for form in ("", "&format=html"):
                origin = {"origin": f"https://{MARK}.example"}
                self.send("embeds", "GET", f"/api/e/{embed}?q={EMAIL}{form}", headers=origin)

    def channels(self) -> None:
        said: dict[str, Any] = {"conversationId": MARK, "messageId": MARK, "direction": "in", "text": TEXT}
        said |= {"sender": {"name": NAME, "phone": PHONE, "email": EMAIL}}
        said |= {"attachments": [{"url": f"https://{MARK}.example/{SECRET}", "name": FILE}]}
        for key in (self.facts["pullConnection"]["channelKey"], f"ck_live_{SECRET}"):
            for door, body in (
                ("message.receive", said),
                ("message.receive", {key: value for key, value in said.items() if key != "attachments"}),
                ("message.receive", {**said, MARK: TEXT}),
                ("outbox.pull", {"limit": 1, "waitSeconds": 0}),
                ("message.status", {"replyId": f"rpl_{MARK}", "status": "failed", "error": TEXT}),
                ("connection.state", {"state": MARK, "error": TEXT}),
            ):
                self.send("channels", "POST", f"/api/channels/v1/channel.{door}", key=key, json=body)

    def files(self) -> None:
        headers = {"content-disposition": f'attachment; filename="{FILE}"', "content-type": "text/csv"}
        for key in (self.facts["apiKey"], f"svck_{SECRET}"):
            self.send("files", "POST", "/api/v1/files", key=key, content=f"{TEXT}\n", headers=headers)
            self.send("files", "GET", f"/api/v1/files/fil_{SECRET}?name={FILE}", key=key)

    def imports(self) -> None:
        """A file with good and bad lines, which is read; and a part of none."""
        key, path = self.facts["apiKey"], "/api/v1/tools/import.start"
        lines = f"Name,Email,{MARK}\n{NAME},{EMAIL},1\n{TEXT},not-an-address-{MARK},2\n".encode()
        listed = self.send("imports", "POST", "/api/v1/tools/import.list", key=key, json={}).json()
        for one in listed.get("imports", ()):  # there may be one at a time
            self.send("imports", "POST", "/api/v1/tools/import.cancel", key=key, json={"id": one["id"]})
        opened = {"objectType": "contact", "name": FILE, "format": "csv", "bytes": len(lines)}
        started = self.send("imports", "POST", path, key=key, json=opened).json()
        if "uploadPath" in started:
            digest = base64.b64encode(hashlib.sha256(lines).digest()).decode()
            self.send(
                "imports",
                "POST",
                f"{started['uploadPath']}0",
                key=key,
                content=lines,
                headers={"content-digest": f"sha-256=:{digest}:", "content-type": "application/octet-stream"},
            )
            columns = {"Name": "name", "Email": "email"}
            self.send("imports", "POST", path, key=key, json={"id": started["id"], "columns": columns})
        self.send("imports", "POST", f"/api/v1/imports/imp_{MARK}/parts/0", key=key, content=lines)

    def sign_in(self) -> None:
        own = self.facts["owner"]
        for path, body in (
            ("sign-in", {"email": EMAIL, "password": SECRET}),
            ("sign-in", own),
            ("sign-in", {"email": own["email"], "password": SECRET, MARK: MARK}),
            ("sign-in-link", {"token": SECRET}),
            ("sign-up", {"token": SECRET, "name": NAME, "password": SECRET}),
            ("password-reset", {"email": own["email"]}),
            ("password-reset", {"email": EMAIL}),
            ("reset", {"token": SECRET, "password": SECRET}),
            ("prove", {"token": SECRET}),
            ("link", {"token": SECRET}),
            ("first-owner", {"token": SECRET, "email": EMAIL}),
        ):
            self.send("sign-in", "POST", f"/app/api/{path}", json=body)

    def sites(self) -> None:
        page = {"url": f"http://127.0.0.1/{SECRET}?email={EMAIL}", "title": TEXT, "referrer": EMAIL}
        self.send("sites", "POST", "/api/t", json=page, headers={"origin": "http://127.0.0.1"})

    def pages(self) -> None:
        for path in ("/docs/", "/app/", "/problems/", "/", "/api/v1/"):
            self.send("pages", "GET", f"{path}{MARK}/{EMAIL}?token={SECRET}")
            self.send("pages", "PUT", f"{path}{MARK}/{EMAIL}?token={SECRET}", json=CONTACT)


def marked(example: Any) -> Any:
    """The example of a tool with its free texts marked."""
    if isinstance(example, list):
        return [marked(one) for one in example]
    if not isinstance(example, dict):
        return example
    return {
        name: f"{value} {MARK}" if name in FREE and isinstance(value, str) else marked(value)
        for name, value in example.items()
    }


@contextmanager
def demo(data: Path, mail_port: int, traces: str) -> Iterator[Service]:
    """The program, at the level that says the most, with traces, mails, and webhooks to this machine."""
    environment = {
        "SVC_LOG__LEVEL": "debug",
        "SVC_OUTGOING__ALLOWED_NETWORKS": "127.0.0.1/32",
        "SVC_TOOLS__CALLS_PER_MINUTE": "6000",
        "SVC_MAIL__SERVER": "127.0.0.1",
        "SVC_MAIL__PORT": str(mail_port),
        "SVC_MAIL__SECURITY": "none",
        "SVC_MAIL__SENDER": "crm@harbour.example",
        "SVC_TRACING__ENDPOINT": traces,
    }
    service = Service(data, "--demo", program=(PROGRAM, TEXT), environment=environment)
    try:
        yield service
    finally:
        service.close()


def views(operator: httpx.Client) -> str:
    """All that the operator's listener shows: every actor with its state, and the other views."""
    found = [operator.get(path).text for path in ("/debug/store", "/debug/mail", "/metrics", "/readyz")]
    listed = operator.get("/debug/actors", params={"limit": 200}).json()["actors"]
    assert {"Organization", "FormWindow", "Webhook"} <= {actor["kind"] for actor in listed}
    for actor in listed:
        found.append(json.dumps(actor))
        found.append(operator.get(f"/debug/actors/{actor['kind']}/{actor['key']}").text)
    for path in (f"/debug/actors/{MARK}/x", f"/debug/{SECRET}?email={EMAIL}"):
        operator.get(path)
    operator.post("/commands/user.create", json={"email": EMAIL, "name": NAME})
    operator.post("/commands/user.link", json={"email": EMAIL})
    return "\n".join(found)


def reported(service: Service, operator: httpx.Client) -> None:
    """Have the report of all actors written to the log."""
    before = service.errors().count("end of the report of actors")
    service.process.send_signal(signal.SIGUSR1)
    for _ in range(TRIES):
        operator.get("/healthz")
        if service.errors().count("end of the report of actors") > before:
            return
    pytest.fail("no report was written")


def leaks(text: str, facts: dict[str, Any]) -> list[str]:
    """The lines with something in them that was sent, or a key."""
    needles = [
        MARK,
        PHONE[1:],
        "198.51.100.98",
        *(facts[name] for name in ("apiKey", "gatewayKey", "serverKey", "operatorToken")),
        facts["pullConnection"]["channelKey"],
        facts["pushConnection"]["signingSecret"],
        facts["owner"]["password"],
        facts["owner"]["email"],
    ]
    return [line for line in text.splitlines() if any(one.lower() in line.lower() for one in needles)]


def test_nothing_that_is_sent_is_in_the_log_or_in_a_view(tmp_path: Path) -> None:
    """Whatever door it goes through, whether it is taken, refused, or lost by a fault of the store."""
    data = tmp_path / "data"
    with ExitStack() as stack:
        mail_port = stack.enter_context(hostile_server(MAIL_REFUSES))
        hook = f"http://127.0.0.1:{stack.enter_context(hostile_server(HOOK_FAILS))}"
        collector = stack.enter_context(collecting())
        service = stack.enter_context(demo(data, mail_port, collector.url))
        urls = service.ready()
        facts = json.loads((data / "demo.json").read_text())
        client = stack.enter_context(httpx.Client(base_url=urls["Public"], timeout=END_SECONDS))
        authorization = {"authorization": f"Bearer {facts['operatorToken']}"}
        operator = stack.enter_context(httpx.Client(base_url=urls["Operator"], headers=authorization))
        httpx.get(f"{urls['Operator']}/debug/actors", headers={"authorization": f"Bearer {SECRET}"})

        well = Sender(client, facts, hook)
        well.everything()
        for _ in range(TRIES):  # of mails that are refused, the first at least
            operator.get("/healthz")
            if "a mail was not sent" in service.errors():
                break
        shown = views(operator)
        reported(service, operator)
        service.process.send_signal(signal.SIGUSR2)
        assert "done\n" in iter(service.stdout.readline, "")  # behind what to do next
        failing = Sender(client, facts, hook)
        failing.everything()
        shown += views(operator)
        reported(service, operator)
        service.end()
        log = service.errors()

    # Each door has taken something, and has refused something; then it could take nothing.
    doors = {"tools", "mcp", "gateway", "forms", "embeds", "channels", "files", "imports", "sign-in"}
    assert [] == [door for door in doors if 200 not in well.statuses[door] and 201 not in well.statuses[door]]
    assert [] == [door for door, found in well.statuses.items() if max(found) >= 500]
    assert {"tools", "files", "gateway", "channels", "sign-in"} <= {
        door for door, found in failing.statuses.items() if max(found) >= 500
    }
    assert {"actor crashed", "a call failed", "a mail was not sent", "stopping"} <= set(events_of(log))
    assert [] == leaks(log, facts)
    assert [] == leaks(shown, facts)
    traced_doors = doors - {"gateway", "sign-in"} | {"ai", "pages"}
    names = {span.name for span in collector.spans}
    assert traced_doors <= {name.partition(" ")[0] for name in names}
    assert {"call webhook", "call mail"} <= names
    traced = "\n".join(map(str, collector.requests))
    assert [] == leaks(traced, facts)
    assert [] == STORED_ID.findall(traced)
    # What failed is found by the id that the caller was given.
    (tmp_path / "svc.log").write_text(log)
    for request_id in {failing.request_ids[0], failing.request_ids[-1]}:
        said = CliRunner().invoke(main, ("logs", "--request", request_id, str(tmp_path / "svc.log")))
        assert 0 == said.exit_code, request_id


def events_of(log: str) -> list[str]:
    return [json.loads(line)["event"] for line in log.splitlines() if line.startswith("{")]
