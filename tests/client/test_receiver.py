"""Push receivers: a push of the service is taken once, and no other request is."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx
import pytest
import trio

from svc.actors.outbound.client import OutboundHttp, PostResult
from svc.actors.outbound.errors import NotSent
from svc.client import NotDelivered, Offline, PushReceiver, Reply
from svc.client.receiver import BODY_BYTES_MAX
from svc.domain.crypto.signatures import Signer, new_secret
from svc.domain.locale.times import SECOND_MS
from svc.domain.randomness import SYSTEM
from svc.storage.channels import connections, outboxes
from svc.storage.channels import tables as channel_tables
from tests.channels import ChannelTown, channel_town
from tests.client.edges import Running, bridged

SECRET = new_secret(SYSTEM)


class Post(OutboundHttp):
    """The network between the service and the receiver."""

    def __init__(self) -> None:
        super().__init__()
        self.client: httpx.AsyncClient | None = None
        self.answers: list[int] = []
        self.last: tuple[bytes, dict[str, str]] = (b"", {})
        self.loses = 0
        """So many of the next answers are lost."""

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, owner: str, seconds: float, now: int
    ) -> PostResult:
        self.last = body, dict(headers)
        assert self.client is not None
        with trio.move_on_after(seconds):
            answer = await self.client.post(url, content=body, headers=dict(headers))
            if self.loses:
                self.loses -= 1
                raise NotSent("the answer was lost")
            self.answers.append(answer.status_code)
            return PostResult(answer.status_code)
        raise NotSent("no answer in time")


class Pushed(ChannelTown):
    post: Post
    bridge: Running
    receiver: PushReceiver

    async def knock(self, body: bytes, headers: dict[str, str] | None = None, method: str = "POST") -> int:
        """What the receiver answers to an unsigned request."""
        assert self.post.client is not None
        answer = await self.post.client.request(method, "/", content=body, headers=headers)
        return answer.status_code

    async def outcomes(self) -> list[str]:
        return [row.state for row in await self.rows(channel_tables.replies)]


@asynccontextmanager
async def pushed() -> AsyncIterator[Pushed]:
    """A town whose replies are pushed to a bridge of the kit."""
    post = Post()
    async with channel_town(post, delivery="push", url="https://bridge.example/") as here:
        assert here.secret is not None
        receiver = PushReceiver([here.secret, SECRET], clock=lambda: here.clock.now() / SECOND_MS)
        one = Pushed(here.store, here.clock, here.organization)
        vars(one).update(vars(here), post=post, receiver=receiver)
        async with (
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app=receiver), base_url="https://bridge.example"
            ) as post.client,
            bridged(here, receiver=receiver) as one.bridge,
        ):
            await trio.sleep(1)
            yield one


def signed(body: bytes, here: Pushed) -> dict[str, str]:
    return Signer([SECRET]).signed_headers("dlv_1", here.clock.now() // SECOND_MS, body)


async def test_a_reply_is_delivered_and_reported_before_it_is_answered(autojump_clock):
    """204 once the messenger has it and the service knows what it is called there."""
    async with pushed() as here:
        await here.write_reply(text="It is ready.")
        await trio.sleep(1)

        assert (["It is ready."], [204], ["sent"]) == (
            here.bridge.messenger.texts,
            here.post.answers,
            await here.outcomes(),
        )
        assert "pull" not in here.bridge.wire.doors()


async def test_a_push_whose_answer_is_lost_is_delivered_once(autojump_clock):
    """It comes again as the same reply, and is answered without being sent."""
    async with pushed() as here:
        here.bridge.wire.faults.extend(["refused"] * 6)  # nor is the report heard
        here.post.loses = 2
        await here.write_reply()
        await trio.sleep(120)

        assert (1, ["sent"]) == (len(here.bridge.messenger.sent), await here.outcomes())


async def test_not_now_is_503(autojump_clock):
    """The service comes again, and meanwhile hears that the messenger is offline."""

    async def deliver(reply: Reply) -> None:
        if here.clock.now() < until:
            raise Offline("network")

    async with pushed() as here:
        until = here.clock.now() + 20 * SECOND_MS
        here.bridge.messenger.on_deliver = deliver
        await here.write_reply()
        await trio.sleep(9)
        told = await here.store.read(connections.get, here.organization.id, here.connection.id)
        await trio.sleep(111)

        assert [503] == here.post.answers[:1]
        assert 204 == here.post.answers[-1]
        assert told.health is not None
        assert "offline" == told.health.state
        assert ["sent"] == await here.outcomes()


async def test_a_slow_messenger_is_503_within_the_ten_seconds(autojump_clock):
    """So that the service has an answer, and not a connection that is cut."""

    async def deliver(reply: Reply) -> None:
        if reply.attempt == 1:
            await trio.sleep(60)

    async with pushed() as here:
        here.bridge.messenger.on_deliver = deliver
        await here.write_reply()
        await trio.sleep(60)

        assert ([503, 204], ["sent"]) == (here.post.answers, await here.outcomes())


async def test_never_is_204_and_a_report(autojump_clock):
    """It reached the bridge, and has failed."""

    async def deliver(reply: Reply) -> None:
        raise NotDelivered("blocked")

    async with pushed() as here:
        here.bridge.messenger.on_deliver = deliver
        await here.write_reply()
        await trio.sleep(60)

        assert ([204], ["failed"]) == (here.post.answers, await here.outcomes())


async def test_a_ping_is_answered(autojump_clock):
    """204, and the messenger hears nothing of it."""
    async with pushed() as here:
        await here.store.write(outboxes.send_test, here.organization.id, here.connection.id)
        await trio.sleep(1)

        assert ([204], []) == (here.post.answers, here.bridge.messenger.sent)


async def test_what_was_overheard_is_of_no_use(autojump_clock):
    """Sent again at once it delivers nothing; after five minutes, or changed, it is not even taken."""
    async with pushed() as here:
        await here.write_reply()
        await trio.sleep(1)
        body, headers = here.post.last
        at_once = await here.knock(body, headers)
        changed = await here.knock(body.replace(b"Hello", b"Hi you"), headers)
        here.clock.jump(301 * SECOND_MS)
        late = await here.knock(body, headers)

        assert (204, 401, 401) == (at_once, changed, late)
        assert 1 == len(here.bridge.messenger.sent)


async def test_what_the_service_did_not_send_is_not_taken(autojump_clock):
    """Each is answered in a word, and the bridge goes on."""
    async with pushed() as here:
        good = b'{"type":"message.outbound","timestamp":"x","data":{"replyId":"r","conversationId":"c"}}'
        none = b"[]"
        other = b'{"type":"message.outbound","data":{"replyId":7}}'
        newer = b'{"type":"conversation.closed","data":{"anything":[1]}}'
        answers = {
            "unsigned": await here.knock(good),
            "another method": await here.knock(good, signed(good, here), "PUT"),
            "no push": await here.knock(none, signed(none, here)),
            "another shape": await here.knock(other, signed(other, here)),
            "a newer service's": await here.knock(newer, signed(newer, here)),
        }

        assert {
            "unsigned": 401,
            "another method": 405,
            "no push": 400,
            "another shape": 400,
            "a newer service's": 204,
        } == answers
        assert [] == here.bridge.messenger.sent


async def test_it_takes_nothing_before_and_after_its_bridge_runs(autojump_clock):
    """503: the service keeps it."""
    async with pushed() as here:
        here.bridge.stop.set()
        await anyio.wait_all_tasks_blocked()
        await here.write_reply()
        await trio.sleep(1)

        assert ([503], []) == (here.post.answers, here.bridge.messenger.sent)


async def test_a_body_without_an_end_is_not_read_to_it():
    """413 as soon as it is more than any push has."""
    read = 0
    answered: list[Any] = []

    async def receive() -> Any:
        nonlocal read
        read += 65_536
        return {"type": "http.request", "body": b" " * 65_536, "more_body": True}

    async def send(said: Any) -> None:
        answered.append(said.get("status"))

    await PushReceiver(SECRET)({"type": "http", "method": "POST", "headers": []}, receive, send)

    assert [413, None] == answered
    assert BODY_BYTES_MAX < read <= BODY_BYTES_MAX + 65_536


async def test_only_http_is_spoken():
    """A server that offers more, such as its lifespan, goes on without."""

    async def never(*_: Any) -> Any:
        raise AssertionError

    with pytest.raises(RuntimeError, match="no lifespan here"):
        await PushReceiver(SECRET)({"type": "lifespan"}, never, never)
