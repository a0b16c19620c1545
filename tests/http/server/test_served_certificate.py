"""A certificate that is replaced while connections are served: none is dropped, new ones get the new one."""

import errno
import ssl
from functools import partial
from pathlib import Path

import pytest
import trio

from svc.http.server import (
    Bind,
    Certificate,
    CertificateError,
    ListenError,
    ServedCertificate,
    open_listeners,
    serve,
)
from tests.certificates import certify
from tests.http.serving import GET, Client, echo

ROUNDS = 30
CLIENTS = 6


def _certificates(directory: Path, count: int) -> list[Certificate]:
    made = []
    for number in range(count):
        folder = directory / str(number)
        folder.mkdir()
        made.append(certify(folder, "localhost", "127.0.0.1"))
    return made


async def _dial(bind: Bind, trusted: ssl.SSLContext) -> trio.SSLStream[trio.SocketStream]:
    tcp = await trio.open_tcp_stream("127.0.0.1", bind.port)
    stream = trio.SSLStream(tcp, trusted, server_hostname="localhost", https_compatible=True)
    try:
        await stream.do_handshake()
    except BaseException:
        await trio.aclose_forcefully(stream)
        raise
    return stream


def _anything() -> ssl.SSLContext:
    """A client's context that takes any certificate: the tests look at which it is themselves."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _shown(stream: trio.SSLStream[trio.SocketStream]) -> bytes:
    """The certificate that the server has shown."""
    return bytes(stream.getpeercert(binary_form=True))


async def test_no_request_is_lost_while_certificates_are_replaced(tmp_path):
    """Clients ask all the time, on connections of any age, while one certificate follows the other."""
    certificates = _certificates(tmp_path, 3)
    trusted, served, stop = _anything(), ServedCertificate(), trio.Event()
    served.use(certificates[0])
    answered, shown = 0, set()
    done = trio.Event()

    async def ask(bind: Bind) -> None:
        nonlocal answered
        while not done.is_set():
            stream = await _dial(bind, trusted)
            shown.add(_shown(stream))
            client = Client(stream)  # type: ignore[arg-type]
            for _ in range(3):
                await client.send(GET)
                assert (await client.reply()).status == 200
                answered += 1
            await trio.aclose_forcefully(stream)

    async with trio.open_nursery() as outer:
        [bind] = await outer.start(partial(_serve, served, stop))
        old = await _dial(bind, trusted)
        first = _shown(old)
        async with trio.open_nursery() as nursery:
            for _ in range(CLIENTS):
                nursery.start_soon(ask, bind)
            for number in range(ROUNDS):
                before, next_one = answered, certificates[(number + 1) % 3]
                served.use(next_one)
                in_use = ssl.PEM_cert_to_DER_cert(next_one.chain_path.read_text())
                # A connection may have been shown the one before, and take long.
                while answered < before + CLIENTS or in_use not in shown:
                    await trio.lowlevel.checkpoint()
            done.set()
        client = Client(old)  # type: ignore[arg-type]
        await client.send(GET)
        assert (await client.reply()).status == 200
        fresh = await _dial(bind, trusted)
        assert _shown(old) == first
        served.use(certificates[2])
        newest = await _dial(bind, trusted)
        assert _shown(newest) != _shown(fresh)
        for stream in (old, fresh, newest):
            await trio.aclose_forcefully(stream)
        stop.set()

    assert shown == {ssl.PEM_cert_to_DER_cert(one.chain_path.read_text()) for one in certificates}
    assert answered >= ROUNDS * CLIENTS


async def test_without_a_certificate_connections_are_closed(tmp_path):
    """Until the first one is there, nobody is shown another that a browser would warn of."""
    [certificate] = _certificates(tmp_path, 1)
    served, stop = ServedCertificate(), trio.Event()
    trusted = _anything()
    async with trio.open_nursery() as nursery:
        [bind] = await nursery.start(partial(_serve, served, stop))
        with pytest.raises(trio.BrokenResourceError):
            await _dial(bind, trusted)
        served.use(certificate)
        await trio.aclose_forcefully(await _dial(bind, trusted))
        stop.set()


async def _serve(served, stop, task_status):
    await serve(echo, binds=["127.0.0.1:0"], stop=stop, served=served, task_status=task_status)


async def test_a_certificate_that_cannot_be_used_changes_nothing(tmp_path):
    """What was served before is served on."""
    [certificate] = _certificates(tmp_path, 1)
    served = ServedCertificate()
    served.use(certificate)
    context = served.context
    with pytest.raises(CertificateError, match="Cannot use the certificate"):
        served.use(Certificate(tmp_path / "missing.pem", certificate.key_path))
    assert served.context is context


async def test_a_port_that_needs_a_capability_is_said(monkeypatch):
    """With what to do, since it is the first thing that a small installation meets."""

    async def refuse(*_args, **_kwargs):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(trio, "open_tcp_listeners", refuse)
    with pytest.raises(
        ListenError, match=r"Cannot listen on :443: .* AmbientCapabilities=CAP_NET_BIND_SERVICE"
    ):
        await open_listeners([":443"])
    with pytest.raises(ListenError, match=r"Cannot listen on :8443: permission denied"):
        await open_listeners([":8443"])
