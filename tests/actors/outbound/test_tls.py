"""Requests over TLS: whose certificate counts, what is offered, and how such connections end and are kept."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import certifi
import pytest
import trio

from svc.actors.outbound import names
from svc.actors.outbound.client import OutboundHttp
from svc.actors.outbound.errors import NotSent
from tests.certificates import certify
from tests.receivers import (
    NOW,
    OK,
    Connections,
    Serve,
    answer,
    answer_once,
    client,
    post,
    read_request,
    receiver,
)

NAME = "bridge.example"


@pytest.fixture
def context(tmp_path: Path, monkeypatch) -> ssl.SSLContext:
    """The server's side, with a certificate of `NAME` that the client trusts; names lead to loopback."""
    certificate = certify(tmp_path, NAME, "127.0.0.1")
    monkeypatch.setattr(certifi, "where", lambda: str(certificate.chain_path))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate.chain_path, certificate.key_path)

    def resolve(_host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        return [(2, 1, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(names, "getaddrinfo", resolve)
    return context


@asynccontextmanager
async def secured(context: ssl.SSLContext, serve: Serve) -> AsyncIterator[tuple[OutboundHttp, str]]:
    """A client, and the address of a receiver behind TLS, under `NAME`."""

    async def serve_tls(stream: trio.abc.Stream) -> None:
        await serve(trio.SSLStream(stream, context, server_side=True, https_compatible=True))

    async with client() as outbound_http, receiver(serve_tls) as url:
        yield outbound_http, url.replace("http://127.0.0.1", f"https://{NAME}")


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_a_connection_is_used_again(context, version):
    """Also where tickets of the session come after the handshake."""
    context.minimum_version = context.maximum_version = version
    seen: list[bytes] = []
    serve = Connections(partial(answer, seen=seen))
    async with secured(context, serve) as (outbound_http, url):
        assert [(200, 0)] * 5 == [await post(outbound_http, url) for _ in range(5)]

    assert (1, 5) == (serve.count, len(seen))


async def test_the_name_is_what_is_spoken_of(context):
    """Server name and `Host` are the name's; HTTP/1.1 alone is offered."""
    names: list[str | None] = []
    protocols: list[str | None] = []
    seen: list[bytes] = []
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    context.set_alpn_protocols(["h2", "http/1.1"])

    async def serve(stream: trio.abc.Stream) -> None:
        assert isinstance(stream, trio.SSLStream)
        await stream.do_handshake()
        protocols.append(stream.selected_alpn_protocol())
        await answer(stream, seen=seen)

    async with secured(context, serve) as (outbound_http, url):
        await post(outbound_http, url)

    assert ([NAME], ["http/1.1"]) == (names, protocols)
    assert f"\r\nHost: {NAME}:".encode() in seen[0]


async def test_an_address_may_have_a_certificate(context):
    """The server may be known by its address alone."""
    async with secured(context, answer) as (outbound_http, url):
        assert (200, 0) == await post(outbound_http, url.replace(NAME, "127.0.0.1"))


async def test_an_address_needs_a_certificate(context, tmp_path, monkeypatch):
    """One of a name, to which the address may well belong, is not enough."""
    certificate = certify(tmp_path, NAME)
    monkeypatch.setattr(certifi, "where", lambda: str(certificate.chain_path))
    context.load_cert_chain(certificate.chain_path, certificate.key_path)
    async with secured(context, answer) as (outbound_http, url):
        assert (200, 0) == await post(outbound_http, url)
        with pytest.raises(NotSent, match=r"TLS failed: .*127\.0\.0\.1"):
            await post(outbound_http, url.replace(NAME, "127.0.0.1"))


async def test_a_certificate_of_another_name_is_refused(context):
    """Although the connection leads to the same server; and nothing is sent."""
    seen: list[bytes] = []
    async with secured(context, partial(answer, seen=seen)) as (outbound_http, url):
        with pytest.raises(NotSent, match=r"TLS failed: .*other\.example"):
            await post(outbound_http, url.replace(NAME, "other.example"))

    assert [] == seen


async def test_an_untrusted_certificate_is_refused(context, monkeypatch):
    """The authorities are those that come with the program, whatever the environment says."""
    certificate = certifi.where()
    monkeypatch.undo()
    monkeypatch.setenv("SSL_CERT_FILE", certificate)
    async with secured(context, answer) as (outbound_http, url):
        with pytest.raises(NotSent, match="TLS failed: self-signed certificate"):
            await post(outbound_http, url.replace(NAME, "127.0.0.1"))


async def test_an_old_version_is_refused(context):
    """TLS 1.2 is the least."""
    context.set_ciphers("DEFAULT@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    async with secured(context, answer) as (outbound_http, url):
        with pytest.raises(NotSent, match="TLS failed"):
            await post(outbound_http, url)


async def reject(stream: trio.abc.Stream) -> None:
    """Answer as servers do that speak HTTP without TLS."""
    await stream.receive_some(1)
    await stream.send_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    await stream.receive_some(10_000)


async def greet(stream: trio.abc.Stream) -> None:
    await stream.send_all(b"SSH-2.0-OpenSSH_9.7\r\n")
    await stream.receive_some(1)


async def leave(stream: trio.abc.Stream) -> None:
    """Close at once."""


async def test_what_speaks_no_tls_is_said_so(context):
    """And what closes at once."""
    for serve in (reject, greet, leave):
        async with client() as outbound_http, receiver(serve) as url:
            with pytest.raises(NotSent, match=r"TLS failed|no connection"):
                await post(outbound_http, url.replace("http:", "https:"))


@pytest.mark.parametrize("said", [OK, b"HTTP/1.1 200 OK\r\n\r\nok"])
async def test_tls_may_end_without_a_word(context, said):
    """Many servers close the connection without `close_notify`."""
    serve = Connections(partial(answer_once, said=said))
    async with secured(context, serve) as (outbound_http, url):
        assert [(200, 0)] * 2 == [await post(outbound_http, url) for _ in range(2)]

    assert 2 == serve.count


async def test_tls_may_end_as_it_should(context):
    """Then the answer ends there as well, if nothing else says where."""
    read: list[bytes] = []

    async def serve(stream: trio.abc.Stream) -> None:
        assert isinstance(stream, trio.SSLStream)
        read.append(await read_request(stream))
        await stream.send_all(b"HTTP/1.1 200 OK\r\n\r\nok")
        await stream.unwrap()

    async with secured(context, serve) as (outbound_http, url):
        result = await outbound_http.post(url, bytes(1_000_000), {}, owner="org_1", seconds=5, now=NOW)

    assert (200, "ok") == (result.status, result.answer)
    assert read[0].endswith(bytes(1_000_000))


@pytest.mark.parametrize("said", [b"HTTP/1.1 200 OK\r\n\r\n", b"\x17\x03\x03\x00\x20" + bytes(32)])
async def test_what_is_not_encrypted_is_no_answer(context, said):
    """Nor what is not by the key that was agreed on."""

    async def serve(stream: trio.abc.Stream) -> None:
        assert isinstance(stream, trio.SSLStream)
        await read_request(stream)
        await stream.transport_stream.send_all(said)
        await stream.transport_stream.receive_some(1)

    async with secured(context, serve) as (outbound_http, url):
        with pytest.raises(NotSent, match="connection broke"):
            await post(outbound_http, url)


async def test_what_follows_an_answer_in_a_record_of_its_own_is_seen(context):
    """Records that were read together with the answer are no answer to the next request."""

    async def talk(stream: trio.abc.Stream) -> None:
        assert isinstance(stream, trio.SSLStream)
        await answer_once(stream, said=OK)
        await read_request(stream)
        # Both records leave at once, so that they are received at once.
        stream._ssl_object.write(OK)
        stream._ssl_object.write(b"HTTP/1.1 500 Unasked\r\nContent-Length: 0\r\n\r\n")
        await stream.transport_stream.send_all(stream._outgoing.read())
        await answer(stream)

    serve = Connections(talk, answer)
    async with secured(context, serve) as (outbound_http, url):
        assert [(200, 0)] * 3 == [await post(outbound_http, url) for _ in range(3)]

    assert 2 == serve.count


async def test_a_large_answer_is_read_over_many_records(context):
    """And its connection is used again."""
    said = b"HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n" + b"x" * 40_000
    serve = Connections(partial(answer, said=said))
    async with secured(context, serve) as (outbound_http, url):
        assert [(200, 0)] * 2 == [await post(outbound_http, url) for _ in range(2)]

    assert 1 == serve.count
