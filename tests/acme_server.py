"""A small ACME directory that misbehaves as it is told. Pebble judges what the client sends; this answers."""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.certificates import certify

JSON: Final = "application/json"
PROBLEM: Final = "application/problem+json"


class Said(NamedTuple):
    """An answer."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = {}  # noqa: RUF012  # never changed
    type: str = JSON


def problem(kind: str, detail: str = "", status: int = 403, **headers: str) -> Said:
    """A refusal, as RFC 8555 has them."""
    body = {"type": f"urn:ietf:params:acme:error:{kind}", "detail": detail, "status": status}
    return Said(status, json.dumps(body).encode(), {"Retry-After": "0", **headers}, PROBLEM)


class Misbehaving(NamedTuple):
    """The directory's address, the roots that verify it, and what was asked for."""

    directory: str
    roots: str
    asked: list[str]


def _nothing(_base: str) -> Said:
    return Said(404)


@contextmanager
def misbehaving(tmp_path: Path, answers: dict[str, Callable[[str], Said]]) -> Iterator[Misbehaving]:
    """A directory that answers by *answers*, of the base URL, at each path; a nonce comes with each."""
    certificate = certify(tmp_path, "localhost", "127.0.0.1")
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked.append(self.path)
            said = answers.get(self.path, _nothing)(base)
            self.send_response_only(said.status)
            headers = {"Replay-Nonce": f"nonce{len(asked):03}", "Content-Type": said.type, **said.headers}
            for name, value in (headers | {"Content-Length": str(len(said.body))}).items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(said.body)

        do_GET = do_HEAD = do_POST = answer  # noqa: N815  # as the base class has them

        def log_message(self, *_args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.chain_path, certificate.key_path)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    base = f"https://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Misbehaving(f"{base}/dir", str(certificate.chain_path), asked)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def directory_of(base: str) -> Said:
    """The directory (section 7.1.1)."""
    urls = {"newNonce": "/nonce", "newAccount": "/account", "newOrder": "/order", "revokeCert": "/revoke"}
    return Said(body=json.dumps({name: base + path for name, path in urls.items()}).encode())


def signed_up(base: str) -> Said:
    """A new account."""
    return Said(201, b'{"status": "valid"}', {"Location": f"{base}/account/1"})
