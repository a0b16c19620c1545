"""Bytes in memory with conditional requests: their entity tags."""

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from svc.http.app import quart_app
from svc.http.static_files import StaticBytes
from tests.http.asking import client_of

LONG = b"// a script\n" * 500


@asynccontextmanager
async def client(**bodies: bytes) -> AsyncIterator[httpx.AsyncClient]:
    """A client of an application that holds *bodies* by their names."""
    app = quart_app()
    for name, body in bodies.items():
        app.add_url_rule(f"/{name}", name, StaticBytes(body, "text/javascript", {}).answer)
    async with client_of(app) as asking:
        yield asking


async def tag_of(asking: httpx.AsyncClient, name: str, coding: str = "identity") -> str:
    tag: str = (await asking.get(f"/{name}", headers={"accept-encoding": coding})).headers["etag"]
    return tag


async def test_a_tag_depends_on_every_byte(autojump_clock):
    """The first, the last, and how many there are; packed or plain."""
    bodies = {"a": LONG, "first": b"!" + LONG[1:], "last": LONG[:-1] + b"!", "longer": LONG + b"\n"}
    async with client(**bodies) as asking:
        tags = [await tag_of(asking, name, coding) for name in bodies for coding in ("identity", "gzip")]

    assert 2 * len(bodies) == len(set(tags))
    assert all(tag.startswith('"') for tag in tags)


async def test_packed_and_plain_are_not_taken_for_each_other(autojump_clock):
    """A client that has one coding and requests the other gets that."""
    async with client(a=LONG) as asking:
        tags = {coding: await tag_of(asking, "a", coding) for coding in ("identity", "gzip")}
        statuses = {
            (kept, asked): (
                await asking.get("/a", headers={"accept-encoding": asked, "if-none-match": tags[kept]})
            ).status_code
            for kept in tags
            for asked in tags
        }
        packed = await asking.get("/a", headers={"accept-encoding": "gzip"})

    assert {304 if kept == asked else 200 for kept, asked in statuses} == {200, 304}
    assert statuses == {(kept, asked): 304 if kept == asked else 200 for kept, asked in statuses}
    assert "Accept-Encoding" == packed.headers["vary"]
    assert LONG == packed.content


@pytest.mark.parametrize(
    ("known", "status"),
    [
        ("{tag}", 304),
        ("W/{tag}", 304),
        ('"a", {tag}', 304),
        ("*", 304),
        ('"a"', 200),
        ('"{bare}x"', 200),
        ('"{bare}-gzip"', 200),
    ],
)
async def test_only_the_very_tag_is_not_sent_again(autojump_clock, known: str, status: int):
    """Compared weakly, in a list or alone, or any by `*`."""
    async with client(a=LONG) as asking:
        tag = await tag_of(asking, "a")
        given = known.format(tag=tag, bare=tag.strip('"'))
        answer = await asking.get("/a", headers={"accept-encoding": "identity", "if-none-match": given})

    assert (status, status == 304) == (answer.status_code, answer.content == b"")


def test_packed_bytes_are_the_same_each_time() -> None:
    """A strong tag stands for the very bytes, so the time of packing is not among them."""
    packed = StaticBytes(LONG, "text/javascript", {})._gzipped

    assert packed is not None
    assert (LONG, bytes(4)) == (gzip.decompress(packed), packed[4:8])
