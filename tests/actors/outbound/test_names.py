"""How names are looked up: once at a time, within a time and a share, and remembered for a short while."""

import threading
from functools import partial
from ipaddress import ip_address

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from svc.actors.outbound import connector, names
from svc.actors.outbound.errors import NoPlace, NotSent
from svc.actors.outbound.names import NameLookups
from svc.domain.locale.times import SECOND_MS
from svc.domain.net.client_addresses import Address
from svc.domain.net.limits import (
    OUTGOING_LOOKUP_SECONDS,
    OUTGOING_LOOKUPS_AT_ONCE,
    OUTGOING_NAME_FAILURE_SECONDS,
    OUTGOING_NAME_SECONDS,
    OUTGOING_NAMES_KEPT_MAX,
)
from svc.domain.webhooks.limits import WEBHOOK_ANSWER_SECONDS, WEBHOOK_RETRIES_MS, WEBHOOK_RETRY_SPREAD
from tests.receivers import Resolver, answer, client, post, receiver

SHARE = OUTGOING_LOOKUPS_AT_ONCE // 2


async def found(lookups: NameLookups, host: str, owner: str = "org_1") -> str:
    """The addresses of *host*, or why there are none."""
    try:
        return " ".join(map(str, await lookups.addresses(host, owner)))
    except NotSent as error:
        return f"{type(error).__name__}: {error}"


async def hang(nursery: trio.Nursery, lookups: NameLookups, owner: str, count: int) -> None:
    """Requests of *owner* to as many names that never are looked up to the end."""
    for number in range(count):
        nursery.start_soon(found, lookups, f"{owner}-{number}.dead.example", owner)
    await wait_all_tasks_blocked()


async def test_one_organizations_dead_names_leave_others_their_lookups(mock_clock: MockClock) -> None:
    """It has half of the threads at most, also once its requests have given up."""
    resolver = Resolver()
    lookups = NameLookups(resolver)
    async with trio.open_nursery() as nursery:
        await hang(nursery, lookups, "org_1", 3 * OUTGOING_LOOKUPS_AT_ONCE)
        assert SHARE == len(resolver.asked)
        assert "127.0.0.1" == await found(lookups, "alive.example", "org_2")

        for _ in range(3):
            mock_clock.jump(OUTGOING_LOOKUP_SECONDS)
            await wait_all_tasks_blocked()
        await hang(nursery, lookups, "org_1", OUTGOING_LOOKUPS_AT_ONCE)
        assert SHARE + 1 == len(resolver.asked)
        assert "127.0.0.1" == await found(lookups, "awake.example", "org_2")
        nursery.cancel_scope.cancel()


async def test_several_organizations_with_dead_names_leave_others_their_lookups(
    mock_clock: MockClock,
) -> None:
    """Of what each has left free, the next may have half."""
    lookups = NameLookups(Resolver())
    async with trio.open_nursery() as nursery:
        for number in range(5):
            await hang(nursery, lookups, f"org_{number}", OUTGOING_LOOKUPS_AT_ONCE)
        assert "127.0.0.1" == await found(lookups, "alive.example", "org_other")
        nursery.cancel_scope.cancel()


async def test_a_lookup_that_was_not_begun_is_no_attempt(autojump_clock: MockClock) -> None:
    """What is missing is a thread of the organization's share, not the name."""
    lookups = NameLookups(Resolver())
    async with trio.open_nursery() as nursery:
        await hang(nursery, lookups, "org_1", SHARE)
        assert "NoPlace: too many names are being looked up" == await found(lookups, "alive.example")
        nursery.cancel_scope.cancel()


async def test_a_waiting_lookup_begins_when_another_has_ended(autojump_clock: MockClock) -> None:
    """Then it has all of its own time."""
    resolver = Resolver()
    lookups = NameLookups(resolver)
    outcomes: list[str] = []

    async def look_up() -> None:
        outcomes.append(await found(lookups, "alive.example"))

    async with trio.open_nursery() as nursery:
        await hang(nursery, lookups, "org_1", SHARE)
        nursery.start_soon(look_up)
        await wait_all_tasks_blocked()
        assert "alive.example" not in resolver.asked
        resolver.let_go.set()

    assert ["127.0.0.1"] == outcomes


async def test_a_name_is_looked_up_once_at_a_time(autojump_clock: MockClock) -> None:
    """Whoever asks for it, one thread is taken."""
    resolver = Resolver()
    lookups = NameLookups(resolver)
    outcomes: list[str] = []

    async def look_up(owner: str) -> None:
        outcomes.append(await found(lookups, "same.dead.example", owner))

    async with trio.open_nursery() as nursery:
        for number in range(250):
            nursery.start_soon(look_up, f"org_{number % 7}")
        await wait_all_tasks_blocked()
        resolver.let_go.set()

    assert ["same.dead.example"] == resolver.asked
    assert ["127.0.0.1"] * 250 == outcomes


async def test_a_lookup_that_takes_too_long_is_told_as_what_it_is(autojump_clock: MockClock) -> None:
    """Before the request's time is over; while it goes on, the next requests are told at once."""
    lookups = NameLookups(Resolver())
    began = trio.current_time()
    said = "NotSent: no name server has told the name's address within 8 seconds"

    assert said == await found(lookups, "a.dead.example")
    assert OUTGOING_LOOKUP_SECONDS == trio.current_time() - began < WEBHOOK_ANSWER_SECONDS
    assert said == await found(lookups, "a.dead.example", "org_2")
    assert OUTGOING_LOOKUP_SECONDS == trio.current_time() - began


async def test_addresses_that_come_too_late_serve_the_next_request(autojump_clock: MockClock) -> None:
    """The look-up goes on after its request has given up."""
    resolver = Resolver()
    lookups = NameLookups(resolver)
    await found(lookups, "a.dead.example")
    resolver.let_go.set()
    await trio.testing.wait_all_tasks_blocked()

    assert "127.0.0.1" == await found(lookups, "a.dead.example")
    assert ["a.dead.example"] == resolver.asked


async def test_addresses_are_remembered_for_a_short_while(autojump_clock: MockClock) -> None:
    """Then the name is looked up again, and may lead elsewhere."""
    resolver = Resolver()
    lookups = NameLookups(resolver)
    await found(lookups, "a.example")
    resolver.leads["a"] = "192.0.2.7 192.0.2.8 192.0.2.7"
    await trio.sleep(OUTGOING_NAME_SECONDS - 1)
    assert "127.0.0.1" == await found(lookups, "a.example", "org_2")
    await trio.sleep(1)
    assert "192.0.2.7 192.0.2.8" == await found(lookups, "a.example")
    assert ["a.example"] * 2 == resolver.asked


async def test_a_name_that_leads_nowhere_is_remembered_until_before_the_first_retry(
    autojump_clock: MockClock,
) -> None:
    """A retry finds what was mended meanwhile."""
    resolver = Resolver(a="")
    lookups = NameLookups(resolver)
    assert "NotSent: the name leads nowhere" == await found(lookups, "a.example")
    resolver.leads.clear()
    assert "NotSent: the name leads nowhere" == await found(lookups, "a.example")
    assert ["a.example"] == resolver.asked
    await trio.sleep(OUTGOING_NAME_FAILURE_SECONDS)
    assert "127.0.0.1" == await found(lookups, "a.example")

    assert WEBHOOK_RETRIES_MS[0] * (1 - WEBHOOK_RETRY_SPREAD) > OUTGOING_NAME_FAILURE_SECONDS * SECOND_MS


async def test_no_more_is_remembered_than_there_is_room_for(autojump_clock: MockClock) -> None:
    """Of names, and of the addresses of one."""
    many = " ".join(f"192.0.2.{number}" for number in range(256))
    lookups = NameLookups(Resolver(many=many))
    assert 32 == len((await found(lookups, "many.example")).split())
    for number in range(OUTGOING_NAMES_KEPT_MAX + 10):
        await found(lookups, f"n{number}.example")

    assert OUTGOING_NAMES_KEPT_MAX == len(lookups._known)


async def test_a_look_up_that_cannot_be_made_is_no_attempt(autojump_clock: MockClock) -> None:
    """Where a thread cannot be started, say. It ends neither the look-ups nor the program."""

    async def look_up(_host: str) -> list[Address]:
        raise RuntimeError("can't start new thread")

    lookups = NameLookups(look_up)
    for _ in range(2):
        assert "NoPlace: the name could not be looked up" == await found(lookups, "a.example")


async def test_a_name_that_moved_is_looked_up_anew_once_nothing_listens_there() -> None:
    """Not first when what is remembered has expired."""
    resolver = Resolver(a="127.0.0.2")
    async with client(names=NameLookups(resolver)) as outbound_http, receiver(answer) as url:
        named = url.replace("127.0.0.1", "a.example")
        with pytest.raises(NotSent, match="no connection"):
            await post(outbound_http, named)
        resolver.leads.clear()
        assert (200, 0) == await post(outbound_http, named)


async def test_remembered_addresses_are_checked_at_every_connection() -> None:
    """Another client that shares them may reach fewer networks."""
    lookups = NameLookups(Resolver())
    seen: list[bytes] = []
    async with (
        client(names=lookups) as open_minded,
        client("192.0.2.0/24", names=lookups) as strict,
        receiver(partial(answer, seen=seen)) as url,
    ):
        named = url.replace("127.0.0.1", "a.example")
        assert (200, 0) == await post(open_minded, named)
        with pytest.raises(NotSent, match="private"):
            await post(strict, named)

    assert 1 == len(seen)


async def test_a_slow_lookup_takes_nothing_of_the_receivers_time(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are waited for, each as long as it may take."""

    async def look_up(_host: str) -> list[Address]:
        await trio.sleep(3)
        return [ip_address("127.0.0.1")]

    async def open_tcp(*_: object) -> trio.SocketStream:
        await trio.sleep(9)
        raise OSError

    monkeypatch.setattr(connector, "_open_tcp", open_tcp)
    async with client(names=NameLookups(look_up)) as outbound_http:
        with pytest.raises(NotSent, match="no connection"):
            await post(outbound_http, "http://a.example/", seconds=10)


async def test_requests_that_gave_up_hold_their_threads_until_the_resolver_gives_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """These threads are none of those in which passwords are hashed."""
    let_go, begun = threading.Event(), threading.Semaphore(0)

    def resolve(*_: object, **__: object) -> list[tuple[object, ...]]:
        begun.release()
        let_go.wait(10)
        return []

    monkeypatch.setattr(names, "getaddrinfo", resolve)
    monkeypatch.setattr(names, "OUTGOING_LOOKUPS_AT_ONCE", 4)
    monkeypatch.setattr(names, "OUTGOING_LOOKUP_SECONDS", 0)
    lookups = NameLookups()
    try:
        for number in range(2):
            assert "NotSent" in await found(lookups, f"{number}.example")
            assert await trio.to_thread.run_sync(partial(begun.acquire, timeout=10))
        with pytest.raises(NoPlace):
            await lookups.addresses("another.example", "org_1")
        assert 0 == trio.to_thread.current_default_thread_limiter().borrowed_tokens
    finally:
        let_go.set()
