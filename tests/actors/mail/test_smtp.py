"""The client of the mail server, against a real server and against hostile ones."""

import socket
import ssl
import time
from pathlib import Path
from typing import Any

import pytest
import trio

from svc.actors.mail.configured import check_mail
from svc.actors.mail.smtp import SmtpServer
from svc.actors.mail.smtp_client import MailServerFailed
from svc.config.mail import MailPassword, MailSecurity, MailSettings
from svc.domain.mail.letters import Letter
from svc.domain.mail.limits import MAIL_REPLY_BYTES_MAX, MAIL_REPLY_LINE_BYTES_MAX
from svc.domain.mail.messages import Envelope, envelope
from tests.certificates import certify
from tests.mail_servers import (
    PASSWORD,
    SENDER,
    USER,
    Script,
    hostile_server,
    read,
    real_server,
    saying,
    settings_of,
    text_of,
)

GREETING = b"220 mail.example ready\r\n"
OK = b"250 OK\r\n"


def a_mail(recipient: str = "ada@example.com", *sentences: str) -> Envelope:
    written = Letter(subject="Hello", sentences=sentences or ("A sentence.",))
    return envelope("mal_01K5D3V7Q2M8Z4X6C9B1N0T5RA", written, SENDER, recipient, 1_789_689_600_000)


def server_of(settings: MailSettings, **limits: float) -> SmtpServer:
    seconds = {"connect_seconds": 10.0, "send_seconds": 10.0} | limits
    return SmtpServer(settings, settings.password, **seconds)


async def failure_of(settings: MailSettings, **limits: float) -> str:
    """Why the server cannot be used, on the way to sending a mail."""

    async def send() -> None:
        async with server_of(settings, **limits).session() as session:
            await session.send(a_mail())

    with pytest.raises(MailServerFailed) as failed:
        await send()
    return str(failed.value)


@pytest.mark.parametrize("security", ["none", "starttls", "tls"])
async def test_a_mail_reaches_a_real_server(tmp_path: Path, security: MailSecurity):
    """It arrives as it was written, several over one connection, signed in over STARTTLS."""
    with real_server(tmp_path, security, sign_in=security == "starttls") as (inbox, settings):
        async with server_of(settings).session() as session:
            first = await session.send(a_mail("ada@example.com", ".", "A line\nthat ends."))
            second = await session.send(a_mail("grace@example.com", "Grüße"))

    assert "sent" == first.verdict == second.verdict
    assert ["ada@example.com", "grace@example.com"] == inbox.recipients
    assert ".\n\nA line that ends.\n" == text_of(inbox.taken[0]).replace("\r\n", "\n")
    message = read(inbox.taken[1])
    assert "<mal_01k5d3v7q2m8z4x6c9b1n0t5ra@harbour.example>" == message["Message-ID"]
    assert "Harbour Lamps <crm@harbour.example>" == message["From"]
    assert "Grüße" in text_of(inbox.taken[1])


async def test_an_address_beyond_ascii_is_sent_with_smtputf8():
    """RFC 6531: the server is told, and gets the address as it is."""
    with real_server() as (inbox, settings):
        async with server_of(settings).session() as session:
            outcome = await session.send(a_mail("ünal@example.com"))

    assert "sent" == outcome.verdict
    assert ["ünal@example.com"] == inbox.recipients


async def test_a_refused_mail_leaves_the_connection_to_the_next():
    """4yz is for now, 5yz for good; neither says anything of other mails."""
    with real_server() as (inbox, settings):
        inbox.refusals = {
            "full@example.com": "452 4.2.2 mailbox full",
            "gone@example.com": "550 5.1.1 no such",
        }
        async with server_of(settings).session() as session:
            full = await session.send(a_mail("full@example.com"))
            gone = await session.send(a_mail("gone@example.com"))
            taken = await session.send(a_mail())
            inbox.answer = "554 5.7.1 this is spam"
            spam = await session.send(a_mail())

    assert ("deferred", "452 4.2.2 mailbox full") == (full.verdict, full.answer)
    assert ("rejected", "550 5.1.1 no such") == (gone.verdict, gone.answer)
    assert "sent" == taken.verdict
    assert ("rejected", "554 5.7.1 this is spam") == (spam.verdict, spam.answer)


async def test_a_wrong_password_is_the_servers_fault_and_not_the_mails(tmp_path: Path):
    """An operator may put it right, so mails wait."""
    with real_server(tmp_path, "starttls", sign_in=True) as (inbox, settings):
        wrong = SmtpServer(settings, "wrong", connect_seconds=10)
        with pytest.raises(MailServerFailed, match="sign-in was refused: 535"):
            async with wrong.session():
                pass

    assert [] == inbox.taken


async def test_a_certificate_that_is_not_trusted_is_refused(tmp_path: Path):
    """Nothing is sent, over STARTTLS as over TLS from the start."""
    for security in ("starttls", "tls"):
        with real_server(tmp_path, security) as (inbox, settings):
            stranger = settings_of(settings.port or 0, security)
            assert "certificate is not valid" in await failure_of(stranger)
            assert [] == inbox.taken


async def test_a_certificate_of_another_name_is_refused(tmp_path: Path):
    """It is verified for the name in the configuration."""
    with real_server(tmp_path, "starttls") as (inbox, settings):
        renamed = settings_of(settings.port or 0, "starttls", server="localhost", ca_file=settings.ca_file)
        assert "certificate is not valid" in await failure_of(renamed)
        assert [] == inbox.taken


async def test_where_starttls_was_stripped_nothing_is_sent():
    """A server, or what stands between, that does not offer it gets neither password nor mail."""
    seen: list[bytes] = []

    def script(connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            connection.sendall(GREETING)
            for line in lines:
                seen.append(line)
                connection.sendall(b"250-mail.example\r\n250 AUTH PLAIN\r\n")

    with hostile_server(script) as port:
        settings = settings_of(port, "starttls", user=USER, password=MailPassword(PASSWORD))
        assert "does not offer STARTTLS" in await failure_of(settings)

    assert [b"ehlo", b"quit"] == [line[:4] for line in seen]


async def test_what_was_injected_before_tls_is_not_believed(tmp_path: Path):
    """Answers that came in the clear, behind that to STARTTLS, are not those to what is asked over TLS."""
    certificate = certify(tmp_path, "mail.example", "127.0.0.1")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.chain_path, certificate.key_path)

    def script(connection: socket.socket) -> None:
        connection.sendall(GREETING)
        connection.recv(1_000)
        connection.sendall(b"250-mail.example\r\n250 STARTTLS\r\n")
        connection.recv(1_000)
        connection.sendall(b"220 go\r\n250-evil.example\r\n250 AUTH PLAIN\r\n")
        with context.wrap_socket(connection, server_side=True) as over_tls:
            over_tls.recv(1_000)
            over_tls.sendall(b"250 mail.example\r\n")
            over_tls.recv(1_000)

    with hostile_server(script) as port:
        settings = settings_of(
            port, "starttls", ca_file=certificate.chain_path, user=USER, password=MailPassword(PASSWORD)
        )
        said = await failure_of(settings)

    # The injected offer of AUTH was dropped, or broke the handshake: in no case was it taken up.
    assert "AUTH" in said or "TLS failed" in said


def endless(line: bytes) -> Script:
    """A server that greets without end, in whole lines or in one."""

    def script(connection: socket.socket) -> None:
        while True:
            connection.sendall(line)

    return script


@pytest.mark.parametrize("line", [b"220-more\r\n", b"x" * 1_000, b"220-" + b"y" * MAIL_REPLY_LINE_BYTES_MAX])
async def test_an_answer_without_an_end_is_cut_off(line: bytes):
    """No more of it is read than an answer may have."""
    with hostile_server(endless(line)) as port:
        assert "answer does not end" in await failure_of(settings_of(port))

    assert MAIL_REPLY_BYTES_MAX < 1_000_000


def silent(connection: socket.socket) -> None:
    """A server that never says anything."""
    connection.recv(1)


def dripping(begin: bytes) -> Script:
    """A server that says a little now and then, so that no single read takes long."""

    def script(connection: socket.socket) -> None:
        connection.sendall(begin)
        while True:
            connection.sendall(b"2")
            time.sleep(0.02)

    return script


def hanging_after(*answers: bytes) -> Script:
    """A server that says *answers*, one for each line, and then nothing more."""

    def script(connection: socket.socket) -> None:
        with connection.makefile("rb") as lines:
            for answer in answers:
                connection.sendall(answer)
                lines.readline()
            for _ in lines:
                pass

    return script


@pytest.mark.parametrize(
    ("script", "security"),
    [
        (silent, "none"),
        (dripping(b""), "none"),
        (hanging_after(GREETING), "none"),
        (hanging_after(GREETING, OK, OK), "none"),
        (hanging_after(GREETING, OK, OK, OK), "none"),
        (hanging_after(GREETING, OK, OK, OK, b"354 go on\r\n"), "none"),
        (silent, "tls"),
        (dripping(b"\x16\x03\x03\x40\x00\x02\x00\x3f\x00"), "tls"),
        (hanging_after(GREETING, b"250-x\r\n250 STARTTLS\r\n", b"220 go\r\n"), "starttls"),
    ],
    ids=["silent", "dripping", "ehlo", "mail", "rcpt", "data", "tls", "dripping tls", "starttls"],
)
async def test_a_server_that_hangs_is_left_in_time(script: Script, security: MailSecurity):
    """Wherever it hangs, also in the handshake of TLS, the thread ends when the time is over."""
    with hostile_server(script) as port, trio.fail_after(20):
        said = await failure_of(settings_of(port, security), connect_seconds=0.3, send_seconds=0.3)

    assert said in {"it has not answered in time", "its answer does not end"}


async def test_a_session_that_is_cancelled_ends_at_once():
    """A shutdown need not wait for a server that hangs."""
    with hostile_server(silent) as port, trio.fail_after(20):
        with trio.move_on_after(0.1) as scope:
            await failure_of(settings_of(port))

    assert scope.cancelled_caught


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ((b"554 go away\r\n",), "does not greet: 554 go away"),
        ((b"hello\r\n",), "does not greet"),
        ((b"\xff\xfe\r\n",), "does not greet"),
        ((b"",), "closed"),
        ((GREETING, b"421 too busy\r\n"), "421 too busy"),
        ((GREETING, b"500 what\r\n", b"500 what\r\n"), "500 what"),
        ((GREETING, OK, b"451 try later\r\n"), "refuses the sender: 451"),
        ((GREETING, OK, b"550 not you\r\n"), "refuses the sender: 550"),
        ((GREETING, OK, OK, b"999 ?\r\n"), "does not keep to the protocol"),
        ((GREETING, OK, OK, b"250\r\n"), "closed"),
        ((GREETING, OK, OK, b"421 4.7.0 too many\r\n"), "421 4.7.0 too many"),
        ((GREETING, OK, OK, OK, b"354 go\r\n"), "closed"),
    ],
)
async def test_what_a_server_says_amiss_is_its_failure(answers: tuple[bytes, ...], said: str):
    """No mail is given up for it."""
    with hostile_server(saying(*answers)) as port:
        assert said in await failure_of(settings_of(port))


async def test_lies_about_sign_ins_end():
    """A server that asks again and again, or for what is no base64, is a failure like others."""
    for challenge in (b"334 Zm9v\r\n", b"334 !!!\r\n"):
        greeting = (GREETING, b"250-x\r\n250 AUTH CRAM-MD5 LOGIN\r\n", *[challenge] * 10)
        with hostile_server(saying(*greeting)) as port:
            settings = settings_of(port, user=USER, password=MailPassword(PASSWORD))
            assert await failure_of(settings)


async def test_a_server_that_is_not_there_is_a_failure():
    """Its name does not resolve, or nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    assert "refused" in await failure_of(settings_of(port))
    assert await failure_of(settings_of(port, server="no-such-host.invalid"))


async def test_a_check_says_in_a_sentence_whether_mail_can_be_sent(tmp_path: Path):
    """It connects and signs in, and sends nothing."""
    with real_server(tmp_path, "starttls", sign_in=True) as (inbox, settings):
        good = await check_mail(settings, {})
        assert good is not None
        assert good.ok
        assert [] == inbox.taken
    bad: Any = await check_mail(settings, {})
    assert not bad.ok
    assert "cannot be used: " in bad.detail
    assert await check_mail(MailSettings(), {}) is None
    unset: Any = await check_mail(settings_of(1, user=USER, password_variable="NO_SUCH_VARIABLE"), {})
    assert "NO_SUCH_VARIABLE is not set" in unset.detail
