"""XMPP for tests: a real server, and a customer's client."""

import os
import shutil
import socket
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element, SubElement

import anyio
import pytest

from examples.bridges.xmpp import MARKERS, RECEIPTS, XmlStream

CLIENT: Final = "jabber:client"
SASL: Final = "urn:ietf:params:xml:ns:xmpp-sasl"
BIND: Final = "urn:ietf:params:xml:ns:xmpp-bind"
SECRET: Final = "between-the-component-and-its-server"
PASSWORD: Final = "correct horse battery"

CONFIGURATION: Final = """
run_as_root = true
daemonize = false
data_path = "{directory}"
log = {{ {{ levels = {{ min = "info" }}, to = "console" }} }}
modules_enabled = {{ "saslauth", "ping", "disco", "roster", "offline" }}
modules_disabled = {{ "s2s" }}
authentication = "internal_plain"
c2s_require_encryption = false
allow_unencrypted_plain_auth = true
interfaces = {{ "127.0.0.1" }}
c2s_ports = {{ {client_port} }}
c2s_direct_tls_ports = {{}}
s2s_ports = {{}}
component_ports = {{ {component_port} }}
VirtualHost "localhost"
Component "shop.localhost"
    component_secret = "{secret}"
"""


class Prosody(NamedTuple):
    """A running server; its component is `shop.localhost`."""

    client_port: int
    component_port: int
    process: "subprocess.Popen[str]"


@contextmanager
def prosody(directory: Path, *, people: tuple[str, ...] = ("ada",)) -> Iterator[Prosody]:
    """A server with these people. Where it is not installed the test is skipped; in CI it fails."""
    program = shutil.which("prosody")
    if program is None:
        why = "there is no XMPP server: prosody is not in PATH (on Debian: apt install prosody)"
        if os.environ.get("CI") == "true":
            pytest.fail(why)
        pytest.skip(why)
    client_port, component_port = _free_ports()
    accounts = directory / "localhost" / "accounts"
    accounts.mkdir(parents=True)
    for name in people:
        (accounts / f"{name}.dat").write_text(f'return {{ ["password"] = "{PASSWORD}" }};')
    configuration = directory / "prosody.cfg.lua"
    configuration.write_text(
        CONFIGURATION.format(
            directory=directory, client_port=client_port, component_port=component_port, secret=SECRET
        )
    )
    with subprocess.Popen(
        [program, "--config", str(configuration), "-F"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            listening = 0
            said = []
            while listening < 2:
                said.append(process.stdout.readline())
                assert said[-1], "".join(said)
                listening += "Activated service" in said[-1] and "]:" in said[-1]
            yield Prosody(client_port, component_port, process)
        finally:
            process.terminate()
            process.communicate(timeout=20)


def _free_ports() -> tuple[int, int]:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        return one.getsockname()[1], other.getsockname()[1]


class Customer:
    """Somebody with an account, and a client."""

    def __init__(self, stream: XmlStream) -> None:
        self._stream = stream

    @classmethod
    async def sign_in(cls, server: Prosody, name: str = "ada") -> "Customer":
        stream = XmlStream(await anyio.connect_tcp("127.0.0.1", server.client_port), CLIENT)
        await stream.open("localhost", version="1.0")
        await stream.receive()
        auth = Element("auth", xmlns=SASL, mechanism="PLAIN")
        auth.text = b64encode(f"\0{name}\0{PASSWORD}".encode()).decode()
        await stream.send(auth)
        assert f"{{{SASL}}}success" == (await stream.receive()).tag
        await stream.open("localhost", version="1.0")
        await stream.receive()
        bind = Element("iq", type="set", id="bind")
        SubElement(SubElement(bind, "bind", xmlns=BIND), "resource").text = "phone"
        await stream.send(bind)
        assert "result" == (await stream.receive()).get("type")
        await stream.send(Element("presence"))
        return cls(stream)

    async def write(self, text: str, message_id: str) -> None:
        message = self._message(type="chat", id=message_id)
        SubElement(message, "body").text = text
        SubElement(message, "request", xmlns=RECEIPTS)
        await self._stream.send(message)

    async def tell(self, namespace: str, name: str, message_id: str) -> None:
        """A receipt or a marker of a message."""
        message = self._message(type="chat")
        SubElement(message, name, xmlns=namespace, id=message_id)
        await self._stream.send(message)

    async def hear(self) -> Element:
        """The next message."""
        while True:
            stanza = await self._stream.receive()
            if stanza.tag == f"{{{CLIENT}}}message":
                return stanza

    async def ask(self, namespace: str, name: str = "query") -> Element:
        """What the bridge answers to an iq."""
        iq = Element("iq", to="office@shop.localhost", type="get", id=f"ask-{name}")
        SubElement(iq, name, xmlns=namespace)
        await self._stream.send(iq)
        while True:
            stanza = await self._stream.receive()
            if stanza.get("id") == f"ask-{name}":
                return stanza

    async def aclose(self) -> None:
        await self._stream.aclose()

    @staticmethod
    def _message(**attributes: str) -> Element:
        return Element("message", {"to": "office@shop.localhost"} | attributes)


READ: Final = (MARKERS, "displayed")
DELIVERED: Final = (RECEIPTS, "received")
