"""The standard library's client of SMTP, with limits: a server may be slow, or send without end, or lie."""

import smtplib
import socket
import ssl
import time
from contextlib import suppress
from typing import Final, Literal

from svc.config.mail import MailSettings
from svc.domain.mail.limits import MAIL_REPLY_BYTES_MAX, MAIL_REPLY_LINE_BYTES_MAX
from svc.domain.mail.messages import Envelope
from svc.domain.mail.progress import MailOutcome, verdict_of

_READY: Final = 220
_OK: Final = 250
_FORWARDED: Final = 251
_CLOSING: Final = 421
_ADDRESS_SECONDS: Final = 5.0
"""Connection timeout for one address of several, before the next is tried."""


FailureClass = Literal["connection", "timeout", "tls", "sign_in", "sender", "refusal", "protocol"]


class MailServerFailed(Exception):
    """Raised when the mail server cannot be used at all: the message says why, for operators."""

    def __init__(self, why: str, kind: FailureClass = "connection") -> None:
        super().__init__(why)
        self.kind: Final = kind


class _BoundedLines:
    """The lines that the server sends, of which one answer may have so many bytes and no more."""

    def __init__(self, client: "SmtpClient", sock: socket.socket) -> None:
        self._client = client
        self._file = sock.makefile("rb")
        self.left = MAIL_REPLY_BYTES_MAX

    def readline(self, _limit: int = -1) -> bytes:
        """The next line. Raises `OSError` beyond a limit."""
        self._client.check_deadline()
        line = self._file.readline(MAIL_REPLY_LINE_BYTES_MAX + 1)
        self.left -= len(line)
        if len(line) > MAIL_REPLY_LINE_BYTES_MAX or self.left < 0:
            raise OSError("its answer does not end")
        return line

    def close(self) -> None:
        self._file.close()


class SmtpClient(smtplib.SMTP):
    """The library's client, with bounds. Its methods are called in a thread, one at a time."""

    def __init__(
        self, settings: MailSettings, tls: ssl.SSLContext | None, password: str | None, domain: str
    ) -> None:
        # Without a host it does not connect. The name that it greets with would else be looked up in the DNS.
        super().__init__(local_hostname=domain)
        self._settings = settings
        self._context = tls
        self._password = password
        self._host = settings.server or ""  # what certificates are verified for
        self.deadline = 0.0
        self.is_cut_off = False

    def open(self) -> None:
        """Connect, encrypt and sign in. Raises `MailServerFailed`, and what the library raises."""
        settings = self._settings
        code, said = self.connect(self._host, settings.actual_port)
        if code != _READY:
            raise MailServerFailed(f"it does not greet: {_words(code, said)}", "refusal")
        self.ehlo_or_helo_if_needed()
        if settings.security == "starttls":
            if not self.has_extn("starttls"):
                raise MailServerFailed("it does not offer STARTTLS, so nothing is sent to it", "tls")
            code, said = self.docmd("STARTTLS")
            if code != _READY:
                raise MailServerFailed(f"it refuses STARTTLS: {_words(code, said)}", "tls")
            self._encrypt()
            # RFC 3207 section 4.2: what was said in the clear, and what came with it, counts no longer.
            self.file = self.helo_resp = self.ehlo_resp = None
            self.esmtp_features = {}
            self.does_esmtp = False
            self.ehlo_or_helo_if_needed()
        if settings.user is not None and self._password is not None:
            self.login(settings.user, self._password)

    def send_one(self, envelope: Envelope) -> MailOutcome:
        """Send a mail. Raises `MailServerFailed`, and what the library raises."""
        options = []
        if envelope.utf8:
            if not self.has_extn("smtputf8"):
                return MailOutcome("rejected", "the mail server takes no addresses beyond ASCII")
            options = ["SMTPUTF8", "BODY=8BITMIME"]
        self.command_encoding = "utf-8" if envelope.utf8 else "ascii"
        code, said = self.mail(envelope.sender, options)
        if code != _OK:
            # It refuses the sender, and so every mail.
            raise MailServerFailed(f"it refuses the sender: {_words(code, said)}", "sender")
        code, said = self.rcpt(envelope.recipient)
        if code not in {_OK, _FORWARDED}:
            return self._refused(code, said)
        try:
            code, said = self.data(envelope.message)
        except smtplib.SMTPDataError as error:
            code, said = error.smtp_code, error.smtp_error if isinstance(error.smtp_error, bytes) else b""
            return self._refused(code, said)
        return MailOutcome("sent", _words(code, said)) if code == _OK else self._refused(code, said)

    def end(self) -> None:
        """Say goodbye, and close."""
        try:
            if self.sock is not None and not self.is_cut_off:
                self.quit()
        finally:
            self.close()

    def cut_off(self) -> None:
        """Make every call fail that another thread has under way."""
        self.is_cut_off = True
        sock = self.sock
        if sock is not None:
            with suppress(OSError):
                # Not that of TLS, which would want to talk to the other side.
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def check_deadline(self) -> None:
        """Raises `TimeoutError` once the time is over."""
        if self.is_cut_off or time.monotonic() >= self.deadline:
            raise TimeoutError

    def getreply(self) -> tuple[int, bytes]:
        """An answer, within the limits: an error is one of the connection, never of the mail."""
        if self.file is None:
            if self.sock is None:
                raise smtplib.SMTPServerDisconnected("there is no connection")
            self.file = _BoundedLines(self, self.sock)
        self.file.left = MAIL_REPLY_BYTES_MAX
        code, said = super().getreply()
        if code == _CLOSING:
            self.close()
            raise MailServerFailed(_words(code, said), "refusal")
        return code, said

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:  # noqa: ARG002  # the library
        """Connect to the first address that answers; over TLS at once, where it is configured so."""
        error: OSError = OSError(f"{host} has no address")
        for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            self.check_deadline()
            sock = socket.socket(family, kind, protocol)
            self.sock = sock  # to be shut down from outside
            try:
                sock.settimeout(min(_ADDRESS_SECONDS, max(0.01, self.deadline - time.monotonic())))
                sock.connect(address)
            except OSError as failed:
                error = failed
                sock.close()
                self.sock = None
                continue
            # From here on the time is limited from outside.
            sock.settimeout(None)
            self.check_deadline()
            if self._settings.security == "tls":
                self._encrypt()
            return self.sock
        raise error

    def _encrypt(self) -> None:
        """Begin TLS. The socket is put in its place before the handshake, so that it can be shut down."""
        if self._context is None or self.sock is None:
            raise MailServerFailed("there is no connection to encrypt")
        wrapped = self._context.wrap_socket(
            self.sock, server_hostname=self._host, do_handshake_on_connect=False
        )
        self.sock = wrapped
        self.check_deadline()
        wrapped.do_handshake()

    def _refused(self, code: int, said: bytes) -> MailOutcome:
        """What an answer other than the expected one says of the mail; the connection can be used again."""
        verdict = verdict_of(code)
        if verdict is None:
            raise MailServerFailed(f"it does not keep to the protocol: {_words(code, said)}", "protocol")
        try:
            self.rset()
        except (OSError, smtplib.SMTPException, MailServerFailed):
            self.close()  # the next mail finds no connection
        return MailOutcome(verdict, _words(code, said))


def failure_of(error: Exception) -> MailServerFailed:
    """What went wrong, in words for operators, as what is raised."""
    match error:
        case MailServerFailed():
            return error
        case smtplib.SMTPAuthenticationError():
            said = _words(error.smtp_code, error.smtp_error)
            return MailServerFailed(f"the sign-in was refused: {said}", "sign_in")
        case smtplib.SMTPResponseException():
            return MailServerFailed(_words(error.smtp_code, error.smtp_error), "refusal")
        case ssl.SSLCertVerificationError():
            return MailServerFailed(f"the certificate is not valid: {error.verify_message}", "tls")
        case ssl.SSLError():
            return MailServerFailed(f"TLS failed: {error.reason or 'the connection ended'}", "tls")
        case TimeoutError():
            return MailServerFailed("it has not answered in time", "timeout")
        case ValueError():  # such as a challenge that is no base64
            return MailServerFailed("it does not keep to the protocol", "protocol")
        case _:
            return MailServerFailed(str(error) or type(error).__name__)


def _words(code: int, said: bytes | str) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return f"{code} {' '.join(text.split())}"
