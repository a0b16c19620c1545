"""Mail servers for tests: a real one in a thread, hostile ones on a socket, and one in memory."""

import socket
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any, Final, cast

import trio
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

from svc.actors.mail.smtp_client import MailServerFailed
from svc.config.mail import MailAddress, MailPassword, MailSecurity, MailSettings
from svc.domain.mail.messages import Envelope
from svc.domain.mail.progress import MailOutcome
from svc.domain.mail.senders import Sender
from tests.certificates import certify

SENDER: Final = Sender("Harbour Lamps", "crm@harbour.example")
USER: Final = "crm"
PASSWORD: Final = "correct horse"


def read(message: bytes) -> EmailMessage:
    """A mail as a program reads it."""
    return message_from_bytes(message, policy=default)


def text_of(message: bytes) -> str:
    """The plain text of a mail."""
    body = read(message).get_body(("plain",))
    assert body is not None
    return cast("str", body.get_content())


def settings_of(port: int, security: MailSecurity = "none", **changes: Any) -> MailSettings:
    given: dict[str, Any] = {"server": "127.0.0.1", "port": port, "security": security} | changes
    return MailSettings(**given, sender=MailAddress("Harbour Lamps <crm@harbour.example>"))


class Inbox:
    """What a real server has taken, and what it answers."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []
        self.recipients: list[str] = []
        self.refusals: dict[str, str] = {}
        """By recipient: the answer to RCPT."""
        self.answer = "250 taken"

    async def handle_RCPT(  # noqa: N802  # the library's name
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        if address in self.refusals:
            return self.refusals[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        if self.answer.startswith("250"):
            self.taken.append(envelope.content)
            self.recipients.extend(envelope.rcpt_tos)
        return self.answer


def _authenticate(
    _server: Any, _session: Any, _envelope: Any, _mechanism: str, credentials: Any
) -> AuthResult:
    right = LoginPassword(USER.encode(), PASSWORD.encode())
    return AuthResult(success=credentials == right, handled=False)


@contextmanager
def real_server(
    directory: Path | None = None, security: MailSecurity = "none", *, sign_in: bool = False, port: int = 0
) -> Iterator[tuple[Inbox, MailSettings]]:
    """aiosmtpd in a thread, and the settings that lead to it. TLS needs a *directory* for its certificate."""
    inbox = Inbox()
    changes: dict[str, Any] = {}
    server_tls = None
    if security != "none":
        assert directory is not None
        certificate = certify(directory, "mail.example", "127.0.0.1")
        server_tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server_tls.load_cert_chain(certificate.chain_path, certificate.key_path)
        changes["ca_file"] = certificate.chain_path
    if sign_in:
        changes |= {"user": USER, "password": MailPassword(PASSWORD)}

    class Server(Controller):
        def factory(self) -> SMTP:
            return SMTP(
                self.handler,
                hostname="mail.example",
                enable_SMTPUTF8=True,
                authenticator=_authenticate,
                auth_required=sign_in,
                auth_require_tls=sign_in and security == "starttls",
                tls_context=server_tls if security == "starttls" else None,
                require_starttls=security == "starttls",
            )

    implicit = server_tls if security == "tls" else None
    with socket.create_server(("127.0.0.1", port)) as found:
        port = found.getsockname()[1]
    controller = Server(inbox, hostname="127.0.0.1", port=port, ssl_context=implicit, ready_timeout=30)
    with suppress(ssl.SSLError, TimeoutError):  # its own look whether it is ready knows no TLS
        controller.start()
    try:
        yield inbox, settings_of(port, security, **changes)
    finally:
        controller.stop()


Script = Callable[[socket.socket], None]


@contextmanager
def hostile_server(script: Script) -> Iterator[int]:
    """A server whose *script* has each connection; its port."""
    listener = socket.create_server(("127.0.0.1", 0))
    held: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            held.append(connection)
            threading.Thread(target=talk, args=(connection,), daemon=True).start()

    def talk(connection: socket.socket) -> None:
        with suppress(OSError):
            script(connection)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for connection in held:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        thread.join(10)


def saying(*answers: bytes) -> Script:
    """A script that greets with the first answer, and gives one more to each line; then it closes."""

    def script(connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            for answer in answers:
                connection.sendall(answer)
                if not answer or not lines.readline():
                    return

    return script


class ServerInMemory:
    """Takes mails, unless it is told otherwise. Under a mock clock there can be no thread."""

    def __init__(self) -> None:
        self.sender = SENDER
        self.taken: list[Envelope] = []
        self.answers: list[MailOutcome | MailServerFailed] = []
        """What is answered to the next mails; then each is taken."""
        self.is_down = False
        self.connections = 0
        self.seconds = 0.0
        """How long a mail takes."""
        self.open_now = 0
        self.open_most = 0

    @asynccontextmanager
    async def session(self) -> AsyncIterator["ServerInMemory"]:
        self.connections += 1
        await trio.lowlevel.checkpoint()
        if self.is_down:
            raise MailServerFailed("it is down")
        self.open_now += 1
        self.open_most = max(self.open_most, self.open_now)
        try:
            yield self
        finally:
            self.open_now -= 1

    async def send(self, envelope: Envelope) -> MailOutcome:
        await trio.sleep(self.seconds)
        answer = self.answers.pop(0) if self.answers else MailOutcome("sent", "250 taken")
        if isinstance(answer, MailServerFailed):
            raise answer
        if answer.verdict == "sent":
            self.taken.append(envelope)
        return answer

    def subjects(self) -> list[str]:
        return [read(one.message)["Subject"] for one in self.taken]

    def to(self, recipient: str) -> list[str]:
        """The texts of the mails to *recipient*."""
        return [text_of(one.message) for one in self.taken if one.recipient == recipient]

    def link_to(self, recipient: str) -> str:
        """The token of the link in the last mail to *recipient*."""
        *_, text = self.to(recipient)
        [link] = [line for line in text.splitlines() if line.startswith("http") and "#" in line]
        return link.partition("#")[2]
