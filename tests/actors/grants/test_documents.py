"""Metadata documents, fetched from real sockets: huge, slow, redirecting, private, of another id; cached."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

import msgspec
import pytest
import trio

from svc.actors.grants.documents import ClientDocuments
from svc.clock import VirtualClock
from svc.domain.errors import TooManyAttempts
from svc.domain.grants.limits import (
    DOCUMENT_BYTES_MAX,
    DOCUMENT_FAILURE_KEPT_MS,
    DOCUMENT_FETCHES_OF_ADDRESS_MAX,
    DOCUMENT_FETCHES_WINDOW_MS,
    DOCUMENT_KEPT_MS,
)
from svc.domain.grants.oauth import OAuthRefusal
from tests.receivers import LOOPBACK, Connections, answer_once, hang, receiver

START: Final = 1_789_689_600_000
SENDER: Final = "sender"


def response(body: bytes, *, status: str = "200 OK", kind: str = "application/json", more: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


def document(client_id: str, name: str = "Reports") -> bytes:
    told = {"client_id": client_id, "client_name": name, "redirect_uris": ["https://app.example/callback"]}
    return msgspec.json.encode(told)


class Served:
    """A server of documents whose next answers a test says, and the addresses of a client of it."""

    def __init__(self) -> None:
        self.said: list[bytes] = []
        self.asked = 0
        self.url = ""

    async def __call__(self, stream: trio.abc.Stream) -> None:
        self.asked += 1
        await answer_once(stream, said=self.said.pop(0))


@asynccontextmanager
async def documents(serve: Served) -> AsyncIterator[tuple[ClientDocuments, VirtualClock]]:
    clock = VirtualClock(START)
    async with receiver(serve) as url:
        serve.url = f"{url}/client.json"
        yield ClientDocuments(clock, LOOPBACK), clock


async def test_a_document_is_fetched_once_an_hour():
    """Whatever it says meanwhile; then anew."""
    serve = Served()
    async with documents(serve) as (found, clock):
        serve.said = [response(document(serve.url)), response(document(serve.url, "Renamed"))]
        first, again = await found.find(serve.url, SENDER), await found.find(serve.url, SENDER)
        clock.jump(DOCUMENT_KEPT_MS)
        later = await found.find(serve.url, SENDER)

    assert ("Reports", "Reports", "Renamed", 2) == (first.name, again.name, later.name, serve.asked)


async def test_that_there_is_none_is_known_for_a_moment():
    """So nobody can have us ask somebody in a loop; and then it is asked for again."""
    serve = Served()
    async with documents(serve) as (found, clock):
        serve.said = [response(b"", status="404 Not Found"), response(document(serve.url))]
        for _ in range(2):
            with pytest.raises(OAuthRefusal):
                await found.find(serve.url, SENDER)
        asked = serve.asked
        clock.jump(DOCUMENT_FAILURE_KEPT_MS)
        app = await found.find(serve.url, SENDER)

    assert (1, "Reports") == (asked, app.name)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (response(b"", status="302 Found", more="Location: https://app.example/\r\n"), "302"),
        (response(b" " * (DOCUMENT_BYTES_MAX + 1)), "over"),
        (response(b"<html>", kind="text/html"), "media type"),
        (response(b"{"), "no client metadata"),
        (response(document("https://app.example/other.json")), "another"),
        (b"SSH-2.0-OpenSSH_9.7\r\n", "cannot be fetched"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", "media type"),
    ],
)
async def test_a_document_is_refused(said: bytes, why: str):
    """What redirects, is too large, is no JSON, or is another client's."""
    serve = Served()
    async with documents(serve) as (found, _):
        serve.said = [said]
        with pytest.raises(OAuthRefusal, match=why):
            await found.find(serve.url, SENDER)


async def test_a_private_address_is_not_asked():
    """Nor is one that never answers waited for."""
    serve = Served()
    async with documents(serve):
        with pytest.raises(OAuthRefusal, match="cannot be fetched"):
            await ClientDocuments(VirtualClock(START)).find(serve.url, SENDER)
        assert 0 == serve.asked


async def test_one_that_never_answers_is_given_up(autojump_clock):
    """After ten seconds."""
    async with receiver(partial(Connections(hang))) as url:
        began = trio.current_time()
        with pytest.raises(OAuthRefusal, match="cannot be fetched"):
            await ClientDocuments(VirtualClock(START), LOOPBACK).find(f"{url}/client.json", SENDER)

    assert trio.current_time() - began <= 15


async def test_one_sender_has_so_many_fetched_in_a_minute(autojump_clock):
    """What is cached costs nothing, others may go on, and after a minute there is room again."""
    serve = Served()
    async with documents(serve) as (found, clock):
        urls = [f"{serve.url}?{n}" for n in range(DOCUMENT_FETCHES_OF_ADDRESS_MAX + 1)]
        serve.said = [response(document(url)) for url in [*urls, *urls]]
        for url in urls[:-1]:
            await found.find(url, SENDER)
        with pytest.raises(TooManyAttempts) as refused:
            await found.find(urls[-1], SENDER)
        await found.find(urls[0], SENDER)
        asked = serve.asked
        serve.said[0] = response(document(urls[-1]))
        other = await found.find(urls[-1], "another")
        clock.jump(DOCUMENT_FETCHES_WINDOW_MS)
        serve.said[0] = response(document(f"{serve.url}?more"))
        more = await found.find(f"{serve.url}?more", SENDER)

    assert DOCUMENT_FETCHES_OF_ADDRESS_MAX == asked
    assert 0 < refused.value.retry_after_ms <= DOCUMENT_FETCHES_WINDOW_MS
    assert (urls[-1], f"{serve.url}?more") == (other.client_id, more.client_id)


async def test_those_who_ask_at_once_share_a_fetch():
    """Also where the first of them leaves: the next fetches it then."""
    serve = Served()
    names: list[str] = []

    async def ask(found: ClientDocuments) -> None:
        names.append((await found.find(serve.url, SENDER)).name)

    async with documents(serve) as (found, _), trio.open_nursery() as nursery:
        serve.said = [response(document(serve.url))] * 2
        leaving = trio.CancelScope()
        leaving.cancel()
        with leaving:
            await found.find(serve.url, "one that leaves")
        for _ in range(5):
            nursery.start_soon(ask, found)

    assert ["Reports"] * 5 == names
    assert serve.asked <= 2


async def test_what_lies_beside_this_machine_is_not_told():
    """A private address and a port where nothing listens are the same, so nobody looks around by it."""
    told = set()
    for found in (ClientDocuments(VirtualClock(START)), ClientDocuments(VirtualClock(START), LOOPBACK)):
        with pytest.raises(OAuthRefusal) as refused:
            await found.find("https://127.0.0.1:1/client.json", SENDER)
        told.add(str(refused.value))

    assert 1 == len(told)
