"""Requests to others' servers, on real sockets: where they may go, and receivers that mean no good."""

import time
from functools import partial

import pytest
import trio
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from svc.actors.outbound import names
from svc.actors.outbound.errors import NotSent
from svc.storage.channels import signing_secrets
from tests.channels import channel_town
from tests.receivers import OK, Serve, answer, client, hang, post, read_request, receiver


async def test_the_status_of_the_answer_counts():
    """With how long it asks to wait, in seconds or until a date."""
    date = b"Fri, 18 Sep 2026 00:02:00 GMT"
    said = {
        b"HTTP/1.1 204 No Content\r\n\r\n": (204, 0),
        b"HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n": (503, 7_000),
        b"HTTP/1.1 429 Slow\r\nRetry-After: " + date + b"\r\nContent-Length: 0\r\n\r\n": (429, 120_000),
        b"HTTP/1.1 429 Slow\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n": (429, 0),
    }
    async with client() as outbound_http:
        for raw, expected in said.items():
            async with receiver(partial(answer, said=raw)) as url:
                assert expected == await post(outbound_http, url)


async def test_a_connection_is_used_again():
    """Several requests go over one."""
    connected = 0

    async def serve(stream: trio.abc.Stream) -> None:
        nonlocal connected
        connected += 1
        await answer(stream)

    async with client() as outbound_http, receiver(serve) as url:
        for _ in range(5):
            await post(outbound_http, url)

        assert 1 == connected


async def test_redirects_are_not_followed():
    """The redirect is the answer, wherever it leads."""
    seen: list[bytes] = []
    async with client() as outbound_http, receiver(partial(answer, seen=seen)) as elsewhere:
        said = b"HTTP/1.1 307 Go\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n" % elsewhere.encode()
        async with receiver(partial(answer, said=said)) as url:
            assert (307, 0) == await post(outbound_http, url)

    assert [] == seen


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0.0.0.0",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "10.0.0.1",
        "192.168.1.1",
        "172.16.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "168.63.129.16",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "[2002:7f00:1::]",
        "224.0.0.1",
        "255.255.255.255",
    ],
)
async def test_private_addresses_are_refused(host: str):
    """However they are written, and without a word to them."""
    seen: list[bytes] = []
    async with receiver(partial(answer, seen=seen)) as url, client("192.0.2.0/24") as outbound_http:
        with pytest.raises(NotSent, match="private"):
            await post(outbound_http, url.replace("127.0.0.1", host))

    assert [] == seen


@pytest.mark.parametrize("url", ["http://nowhere.invalid/", "http://127.0.0.1:{}/", "ftp://127.0.0.1/", "x"])
async def test_what_is_not_there_is_said_to_be_so(url: str):
    """Whatever kind of nothing it is. Nothing listens at a port that is only held."""
    with trio.socket.socket() as held:
        await held.bind(("127.0.0.1", 0))
        async with client() as outbound_http:
            with pytest.raises(NotSent):
                await post(outbound_http, url.format(held.getsockname()[1]))


async def test_a_name_leads_where_it_led_when_it_was_checked(monkeypatch):
    """It is resolved once for a connection, and the connection is made to that very address."""
    asked: list[str] = []

    def resolve(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        if host == "bridge.example":
            asked.append(host)
            host = "127.0.0.1" if len(asked) == 1 else "10.0.0.1"
        return [(2, 1, 6, "", (host, port))]

    monkeypatch.setattr(names, "getaddrinfo", resolve)
    seen: list[bytes] = []
    async with client() as outbound_http, receiver(partial(answer, seen=seen)) as url:
        named = url.replace("127.0.0.1", "bridge.example")
        assert (200, 0) == await post(outbound_http, named)

    assert ["bridge.example"] == asked
    assert b"\r\nhost: bridge.example:" in seen[0].lower()


async def dribble(stream: trio.abc.Stream) -> None:
    """An answer of which a byte comes now and then, without an end."""
    await stream.send_all(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        await stream.send_all(b"x")
        await trio.sleep(0.02)


async def close_in_the_head(stream: trio.abc.Stream) -> None:
    await read_request(stream)
    await stream.send_all(b"HTTP/1.1 20")


async def talk_nonsense(stream: trio.abc.Stream) -> None:
    await read_request(stream)
    await stream.send_all(b"SSH-2.0-OpenSSH_9.7\r\n" * 10)


async def send_a_huge_head(stream: trio.abc.Stream) -> None:
    await read_request(stream)
    await stream.send_all(b"HTTP/1.1 200 OK\r\n")
    while True:
        await stream.send_all(b"X: " + b"x" * 65_536 + b"\r\n")


async def send_100_mb(stream: trio.abc.Stream) -> None:
    await read_request(stream)
    await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
    for _ in range(100):
        await stream.send_all(bytes(1_000_000))


async def close_in_the_body(stream: trio.abc.Stream) -> None:
    await read_request(stream)
    await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok")


async def dribble_the_body(stream: trio.abc.Stream) -> None:
    await read_request(stream)
    await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        await stream.send_all(b"x")
        await trio.sleep(0.02)


@pytest.mark.parametrize("serve", [hang, dribble, close_in_the_head, talk_nonsense, send_a_huge_head])
async def test_an_answer_that_never_is_one_is_given_up(serve: Serve):
    """In time, and the next request to another server works as before."""
    async with client() as outbound_http, receiver(serve) as bad, receiver(answer) as good:
        with trio.fail_after(5):
            with pytest.raises(NotSent):
                await post(outbound_http, bad, seconds=0.3)
            assert (200, 0) == await post(outbound_http, good)


@pytest.mark.parametrize("serve", [send_100_mb, close_in_the_body, dribble_the_body])
async def test_only_the_status_of_a_bad_answer_counts(serve: Serve):
    """What follows is read for a moment and within a limit, and then the connection is closed."""
    async with client() as outbound_http, receiver(serve) as bad, receiver(answer) as good:
        with trio.fail_after(5):
            assert (200, 0) == await post(outbound_http, bad)
            assert (200, 0) == await post(outbound_http, good)


async def test_receivers_that_hang_hold_up_no_others():
    """A hundred at once, and one that is well."""
    async with client() as outbound_http, receiver(hang) as bad, receiver(answer) as good:
        given_up = 0

        async def try_bad() -> None:
            nonlocal given_up
            with pytest.raises(NotSent):
                await post(outbound_http, bad, seconds=1)
            given_up += 1

        async with trio.open_nursery() as nursery:
            for _ in range(100):
                nursery.start_soon(try_bad)
            await trio.testing.wait_all_tasks_blocked()
            assert (200, 0) == await post(outbound_http, good)
            assert 0 == given_up

        assert 100 == given_up


async def test_cookies_are_not_taken():
    """A cookie of a receiver is not sent back to it."""
    seen: list[bytes] = []
    said = OK.replace(b"\r\n\r\n", b"\r\nSet-Cookie: a=b\r\n\r\n")
    async with client() as outbound_http, receiver(partial(answer, said=said, seen=seen)) as url:
        await post(outbound_http, url)
        await post(outbound_http, url)

    assert [False, False] == [b"cookie" in one.lower() for one in seen]


async def test_a_stock_verifier_takes_our_pushes_as_they_are():
    """Over the wire; also with only the secret before a change, or only the one after it."""
    seen: list[bytes] = []
    start = round((time.time() - trio.current_time()) * 1_000)
    async with client() as outbound_http, receiver(partial(answer, seen=seen)) as url:  # noqa: SIM117  # reads better
        async with channel_town(outbound_http, start=start, delivery="push", url=url) as here:
            new, _ = await here.store.write(signing_secrets.rotate, here.organization.id, here.connection.id)
            await here.write_reply(text="„Grüße“ 👋")
            with trio.fail_after(5):
                while not seen:  # noqa: ASYNC110  # what happens on a real socket sets no event
                    await trio.sleep(0.01)

            [request] = seen
            head, _, body = request.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
            for secret in (here.secret, new):
                push = Webhook(secret or "").verify(body, headers)
                assert "„Grüße“ 👋" == push["data"]["text"]
            with pytest.raises(WebhookVerificationError):
                Webhook(new).verify(body.replace(b"Gr", b"gr"), headers)
