"""Calls from the kit: repeated until they are answered, done once, and refused with what the service says."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import trio

from svc.client import BadAnswer, Channel, Refused, Tools, Unreachable
from svc.client.transport import ANSWER_BYTES_MAX, ANSWER_SECONDS, ATTEMPTS, RETRY_AFTER_SECONDS_MAX
from svc.storage.channels import tables as channel_tables
from tests.channels import channel_town
from tests.client.edges import Fault, Wire, answering, channel_of, message

KEY = "svck_the-key"
OK = {"id": "rec_1"}


class Served(httpx.AsyncBaseTransport):
    """A service that gives the prepared answers."""

    def __init__(self, body: Any = None, **more: Any) -> None:
        self._answer: dict[str, Any] = {"json": OK if body is None else body} | more

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, **self._answer)


@asynccontextmanager
async def tools_over(wire: httpx.AsyncBaseTransport) -> AsyncIterator[Tools]:
    async with (
        httpx.AsyncClient(transport=wire) as client,
        Tools("http://svc.test/", KEY, client=client) as tools,
    ):
        yield tools


async def call(wire: httpx.AsyncBaseTransport, **options: Any) -> dict[str, Any]:
    async with (
        httpx.AsyncClient(transport=wire) as client,
        Tools("http://svc.test/", KEY, client=client) as t,
    ):
        return await t.call("record.create", {"objectType": "contact"}, **options)


@pytest.mark.parametrize("fault", ["refused", "lost", "hung", "restarting", "page"])
async def test_a_call_without_an_answer_is_repeated_under_one_key(autojump_clock, fault: Fault):
    """The same body and the same idempotency key, until it is answered."""
    wire = Wire(Served(), [fault, fault])
    answer = await call(wire)

    assert OK == answer
    assert 3 == len(wire.asked)
    [asked] = set(wire.asked)
    assert ("record.create", {"objectType": "contact"}) == (asked.door, json.loads(asked.body))
    assert asked.idempotency_key


async def test_the_callers_own_key_is_taken(autojump_clock):
    """Every other call has a new one."""
    wire = Wire(Served())
    await call(wire, idempotency_key="mine")
    await call(wire)
    await call(wire)

    keys = [one.idempotency_key for one in wire.asked]
    assert "mine" == keys[0]
    assert 3 == len(set(keys))


async def test_a_message_whose_answer_is_lost_is_stored_once(autojump_clock):
    """The service answers the repeat as it answered the first."""
    async with channel_town() as here, channel_of(here, "lost", "hung") as (channel, wire):
        received = await channel.receive(message(1))

        assert not received.duplicate
        assert 3 == len(wire.asked)
        [row] = await here.rows(channel_tables.messages)
        assert (row.id, row.conversation_id) == (received.message, received.conversation)


async def test_half_a_character_stops_nothing(autojump_clock):
    """Some messengers' JSON has half of a surrogate pair, which is no text: the rest of it arrives."""
    async with channel_town() as here, channel_of(here) as (channel, _):
        await channel.receive(message(1, text="Hello \ud83d!"))
        [row] = await here.rows(channel_tables.messages)

        assert "Hello ?!" == row.text


@pytest.mark.parametrize("seconds", [1, 54, RETRY_AFTER_SECONDS_MAX])
async def test_retry_after_is_waited_out(autojump_clock, seconds: float):
    """To the second: an earlier call would only be refused again."""
    wire = Wire(Served(), [answering(429, retry_after=f"{seconds:.0f}")])
    await call(wire)

    assert pytest.approx(seconds, abs=0.01) == trio.current_time()


async def test_a_wait_that_is_too_long_is_reported(autojump_clock):
    """At once, so that the caller can do something else."""
    wire = Wire(Served(), [answering(429, {"code": "rate_limited"}, retry_after="121")])
    with pytest.raises(Refused) as raised:
        await call(wire)

    assert (429, "rate_limited", 121.0) == (
        raised.value.status,
        raised.value.code,
        raised.value.retry_after_seconds,
    )
    assert 0 == trio.current_time()


async def test_it_gives_up_in_the_end(autojump_clock):
    """After the last attempt, with what that one met; the waits between them grow."""
    wire = Wire(Served(), ["refused"] * ATTEMPTS)
    with pytest.raises(Unreachable, match="nobody listens"):
        await call(wire)

    assert ATTEMPTS == len(wire.asked)
    assert 0.5 * 15.5 <= trio.current_time() <= 15.5


async def test_a_conflict_shows_what_was_changed(autojump_clock):
    """Each property with both values, so that a program can merge them."""
    conflicts = [{"property": "city", "yours": "Leeds", "theirs": "York"}]
    problem = {"code": "conflict", "detail": "city was changed since", "conflicts": conflicts}
    with pytest.raises(Refused, match="409 conflict") as raised:
        await call(Wire(Served(), [answering(409, problem)]))

    assert tuple(conflicts) == raised.value.conflicts


async def test_a_refusal_has_all_faults(autojump_clock):
    """It is not repeated: it would be refused again."""
    errors = [{"pointer": "/objectType", "code": "unknown_object", "detail": "there is no such object"}]
    problem = {"code": "validation_failed", "detail": "1 thing is wrong", "errors": errors}
    wire = Wire(Served(), [answering(422, problem, x_request_id="r-1")])
    with pytest.raises(Refused, match="422 validation_failed: 1 thing is wrong") as raised:
        await call(wire)

    assert 1 == len(wire.asked)
    assert (tuple(errors), "r-1", False) == (
        raised.value.errors,
        raised.value.request_id,
        raised.value.is_transient,
    )


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<h1>Please log in to this hotel's network</h1>"),
        httpx.Response(404, text="<h1>Not found</h1>"),
        httpx.Response(302, headers={"location": "http://elsewhere.test/"}),
        httpx.Response(200, content=b"{}" + b" " * ANSWER_BYTES_MAX),
    ],
    ids=["page", "page of 404", "redirect", "too much"],
)
async def test_an_answer_of_another_server_is_bad(autojump_clock, answer: httpx.Response):
    """Nothing is followed, and nothing is taken for the service's word."""
    wire = Wire(Served(), [answer])
    with pytest.raises(BadAnswer):
        await call(wire)

    assert 1 == len(wire.asked)


async def test_an_answer_that_trickles_is_cut_off(autojump_clock):
    """However little of it comes at a time: a call has an end."""

    async def trickle() -> Any:
        while True:
            await trio.sleep(1)
            yield b" "

    wire = Wire(Served(), [httpx.Response(200, content=trickle())])
    answer = await call(wire)

    assert OK == answer
    assert ANSWER_SECONDS <= trio.current_time() <= ANSWER_SECONDS + 1


async def test_a_pull_is_asked_once(autojump_clock):
    """Under no key, and its failure is the caller's."""
    async with channel_town() as here, channel_of(here, "lost") as (channel, wire):
        with pytest.raises(Unreachable):
            await channel.pull()
        assert [None] == [one.idempotency_key for one in wire.asked]


async def test_a_list_is_read_to_its_end(autojump_clock):
    """Page after page, by the cursors that the answers have."""
    pages = [{"records": [1], "nextCursor": "two"}, {"records": [2], "nextCursor": None}]
    wire = Wire(Served(), [answering(200, page) for page in pages])
    async with (
        httpx.AsyncClient(transport=wire) as client,
        Tools("http://svc.test", KEY, client=client) as tools,
    ):
        found = [page async for page in tools.pages("record.list", {"objectType": "contact"})]

    assert pages == found
    assert [{"objectType": "contact"}, {"objectType": "contact", "cursor": "two"}] == [
        json.loads(one.body) for one in wire.asked
    ]


def test_a_key_is_never_shown():
    """Not by `repr`, and not by an error: what cannot be a key is refused before it is in any header."""
    shown = repr(Channel("http://svc.test", "ck_live_secret", client=httpx.AsyncClient()))
    with pytest.raises(ValueError, match="this is no key") as raised:
        Channel("http://svc.test", "ck_live_\nsecret", client=httpx.AsyncClient())

    assert "Channel('http://svc.test', •••)" == shown
    assert "secret" not in str(raised.value)


async def test_a_key_may_come_as_a_file_has_it(autojump_clock):
    """With the line's end behind it."""
    async with channel_town() as here, channel_of(here, key=f"{here.key}\n") as (channel, _):
        assert [] == (await channel.pull()).replies
