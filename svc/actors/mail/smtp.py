"""The client of the mail server: the standard library's, in a thread, within limits of time and of bytes.

The server is not trusted: it may be slow, send without end, or lie about what it can. What limits the time is
that the connection is shut down from outside the thread, at which every call in it fails: so the thread ends,
whatever it waits for. `docs/decisions/0027-mail.md` says why this library.
"""

import smtplib
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Final, Protocol, TypeVar

import certifi
import trio

from svc.actors.mail.smtp_client import MailServerFailed, SmtpClient, failure_of
from svc.config.mail import MailSettings
from svc.domain.mail.limits import MAIL_CONNECT_SECONDS, MAIL_CONNECTIONS_MAX, MAIL_SEND_SECONDS
from svc.domain.mail.messages import Envelope
from svc.domain.mail.progress import MailOutcome
from svc.domain.mail.senders import Sender

T = TypeVar("T")

QUIT_SECONDS: Final = 5.0
"""For saying goodbye. The mails are the server's by then."""


class MailSession(Protocol):
    """A signed-in connection to a mail server."""

    async def send(self, envelope: Envelope) -> MailOutcome:
        """Send a mail, and return what became of it.

        Raises `MailServerFailed` where the server did not say: whether it took the mail is unknown.
        """


class MailServer(Protocol):
    """A mail server, to which connections can be made."""

    sender: Sender

    def session(self) -> AbstractAsyncContextManager[MailSession]:
        """Connect and sign in, for `async with`. Raises `MailServerFailed`."""


class SmtpServer:
    """The mail server of the configuration."""

    def __init__(
        self,
        settings: MailSettings,
        password: str | None,
        *,
        connect_seconds: float = MAIL_CONNECT_SECONDS,
        send_seconds: float = MAIL_SEND_SECONDS,
    ) -> None:
        """*settings* name a server and a sender."""
        if settings.server is None or settings.sender is None:
            raise ValueError("no mail server is configured")
        self.sender = settings.sender.sender
        self._settings = settings
        self._password = password
        self._connect_seconds = connect_seconds
        self._send_seconds = send_seconds
        self._tls = _tls_context(settings)
        self._threads = trio.CapacityLimiter(MAIL_CONNECTIONS_MAX)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[MailSession]:
        """Connect, encrypt and sign in. Raises `MailServerFailed`."""
        client = SmtpClient(self._settings, self._tls, self._password, self.sender.domain)
        try:
            await _within(self._connect_seconds, client, client.open, self._threads)
            yield _Session(client, self._send_seconds, self._threads)
        finally:
            with trio.CancelScope(shield=True), suppress(MailServerFailed):
                await _within(QUIT_SECONDS, client, client.end, self._threads)


class _Session:
    """A signed-in connection."""

    def __init__(self, client: "SmtpClient", seconds: float, threads: trio.CapacityLimiter) -> None:
        self._client = client
        self._seconds = seconds
        self._threads = threads

    async def send(self, envelope: Envelope) -> MailOutcome:
        def send() -> MailOutcome:
            return self._client.send_one(envelope)

        return await _within(self._seconds, self._client, send, self._threads)


async def _within(
    seconds: float, client: "SmtpClient", work: Callable[[], T], threads: trio.CapacityLimiter
) -> T:
    """Run *work* of *client* in a thread; it is cut off after *seconds*, and when the caller is cancelled.

    Raises `MailServerFailed`.
    """
    client.deadline = time.monotonic() + seconds
    ended = False

    async def cut_off() -> None:
        try:
            await trio.sleep(seconds)
        finally:
            if not ended:
                client.cut_off()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(cut_off)
        try:
            result = await trio.to_thread.run_sync(_translated, client, work, limiter=threads)
        finally:
            ended = True
            nursery.cancel_scope.cancel()
    # Not raised inside of the nursery, which would make a group of it.
    if isinstance(result, MailServerFailed):
        raise result
    return result


def _translated(client: "SmtpClient", work: Callable[[], T]) -> T | MailServerFailed:
    """The result of *work*, or the failure that whatever goes wrong in it is."""
    try:
        return work()
    except (OSError, ValueError, smtplib.SMTPException, MailServerFailed) as error:
        if client.is_cut_off:
            return MailServerFailed("it has not answered in time", "timeout")
        return failure_of(error)


def _tls_context(settings: MailSettings) -> ssl.SSLContext | None:
    if settings.security == "none":
        return None
    context = ssl.create_default_context(cafile=certifi.where())
    if settings.ca_file is not None:
        context.load_verify_locations(settings.ca_file)
    return context
