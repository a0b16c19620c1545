"""Signing in: by password or by a one-time link, paced, and never telling who has an account."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
import trio
import trio.testing
from argon2 import PasswordHasher

from svc.actors.identity.password_hashing import PasswordHashing
from svc.actors.system import System
from svc.domain.crypto.keys import digest
from svc.domain.crypto.passwords import HASHER as REAL_HASHER
from svc.domain.crypto.passwords import matching
from svc.domain.errors import (
    ConfirmationRequired,
    DomainError,
    InvalidValue,
    TooManyAttempts,
    Unauthenticated,
    Unavailable,
)
from svc.domain.identity.limits import (
    ACCOUNT_FAILURES_MAX,
    ACCOUNT_SPACING_MS,
    ADDRESS_FAILURES_MAX,
    ADDRESS_SPACING_MS,
    PAIR_FAILURES_MAX,
    PASSWORD_CHECKS_AT_ONCE,
    PASSWORD_CHECKS_WAITING_MAX,
    SESSION_SEEN_NOTED_MS,
    SIGN_IN_LINK_LIFE_MS,
)
from svc.domain.identity.people import Person
from svc.domain.identity.sessions import csrf_token
from svc.domain.locale.times import HOUR_MS, MINUTE_MS
from svc.services.identity import sign_in
from svc.services.identity.attempts import WrongCredentials
from svc.services.identity.sign_in import Browser
from svc.storage import provisioning
from svc.storage.identity import accounts, members, organizations, sessions
from svc.storage.identity import sign_in as stored
from svc.storage.identity.organizations import NewOrganization
from tests import tables
from tests.people import a_member, call_of
from tests.town import HASHER, PASSWORDS, START, Town, town

PASSWORD = "correct horse battery"
BROWSER = Browser("192.0.2.1", "test")
ELSEWHERE = Browser("198.51.100.1", "test")


class Home(Town):
    ada: Person


@asynccontextmanager
async def at_home() -> AsyncIterator[Home]:
    """A town with Ada, an Owner, and another Owner, so that Ada may be put out."""
    async with town() as here:
        home = Home(here.store, here.clock, here.organization)
        organization_id = here.organization.id
        hashed = HASHER.hash(PASSWORD)
        home.ada = await here.store.write(a_member, organization_id, "ada@example.com", password_hash=hashed)
        await here.store.write(a_member, organization_id, "owner@example.com")
        yield home


async def attempt(
    system: System, email: str, password: str, browser: Browser = BROWSER
) -> type[DomainError] | None:
    """How it was refused; None when it was not."""
    try:
        await sign_in.with_password(system, email, password, browser)
    except DomainError as error:
        return type(error)
    return None


async def test_a_person_signs_in_with_a_password(autojump_clock):
    """The answer has the person and where they may work, and the session is theirs."""
    async with at_home() as here, here.live_system() as system:
        done = await sign_in.with_password(system, " Ada@Example.com ", PASSWORD, BROWSER)

        session = await sign_in.session_of(system, done.token)
        [row] = await here.rows(tables.sessions)
        assert (here.ada, ["Lamps & Co"]) == (
            done.profile.person,
            [one.name for one in done.profile.organizations],
        )
        assert (here.ada.id, START) == (session.person_id, session.confirmed_at)
        assert csrf_token(done.token) == done.csrf_token
        assert digest(done.token) == row.digest
        assert done.token not in str(row)


@pytest.mark.parametrize(
    ("email", "password"),
    [
        ("ada@example.com", "another password"),
        ("nobody@example.com", PASSWORD),
        ("owner@example.com", PASSWORD),
        ("no address", PASSWORD),
        ("ada@example.com", ""),
    ],
)
async def test_what_opens_nothing_is_refused_alike(email, password, autojump_clock):
    """A wrong password, an unknown account, one without a password, and no address at all."""
    async with at_home() as here, here.live_system() as system:
        with pytest.raises(WrongCredentials, match="no such account, or another password"):
            await sign_in.with_password(system, email, password, BROWSER)

        assert 0 == await here.count(tables.sessions)
        assert 1 == await here.count(tables.sign_in_failures)


@pytest.mark.parametrize("email", ["ada@example.com", "nobody@example.com", "owner@example.com"])
async def test_every_attempt_costs_one_hash(email, autojump_clock):
    """Whether or not the account exists, so that the time does not reveal it."""
    checked: list[Any] = []

    async def count(fn: Any, *args: Any, limiter: Any) -> Any:
        checked.append(fn)
        return fn(*args)

    async with at_home() as here, here.live_system() as system:
        system.identity.passwords = PasswordHashing(HASHER, count)
        await attempt(system, email, "wrong")

    assert [matching] == checked


@pytest.mark.parametrize("stop", ["deactivate", "close"])
async def test_a_person_without_a_membership_does_not_sign_in(stop, autojump_clock):
    """The right password is refused as a wrong one is."""
    async with at_home() as here, here.live_system() as system:
        [owner] = [
            one
            for one in await here.store.read(members.list_all, here.organization.id)
            if one.email == "owner@example.com"
        ]
        if stop == "close":
            await here.store.write(organizations.close, here.organization.id)
        else:
            person = await here.store.read(accounts.get, owner.id)
            await here.store.write(members.deactivate, call_of(person), here.ada.id)

        assert WrongCredentials is await attempt(system, "ada@example.com", PASSWORD)


async def test_an_account_is_paced_from_an_address(autojump_clock):
    """Ten failures in a quarter of an hour; then even the right password has to wait, there alone."""
    async with at_home() as here, here.live_system() as system:
        for _ in range(PAIR_FAILURES_MAX):
            assert WrongCredentials is await attempt(system, "ada@example.com", "wrong")
            await trio.sleep(1)

        with pytest.raises(TooManyAttempts) as refusal:
            await sign_in.with_password(system, "ADA@example.com", PASSWORD, BROWSER)
        assert 15 * MINUTE_MS - PAIR_FAILURES_MAX * 1_000 == refusal.value.retry_after_ms
        assert await attempt(system, "ada@example.com", PASSWORD, ELSEWHERE) is None
        assert await attempt(system, "bob@example.com", "wrong") is WrongCredentials
        await trio.sleep(refusal.value.retry_after_ms / 1000)
        assert await attempt(system, "ada@example.com", PASSWORD) is None


@pytest.mark.parametrize("email", ["ada@example.com", "nobody@example.com"])
async def test_an_account_is_slowed_down_from_everywhere(email, autojump_clock):
    """After fifty failures from many addresses tries are spaced: one in half a minute, and never none.

    An unknown account is paced to the millisecond as a known one.
    """
    async with at_home() as here, here.live_system() as system:
        for number in range(ACCOUNT_FAILURES_MAX):
            browser = Browser(f"192.0.2.{number}", "test")
            assert WrongCredentials is await attempt(system, email, "wrong", browser)
        waits = []
        for _ in range(3):
            with pytest.raises(TooManyAttempts) as refusal:
                await sign_in.with_password(system, email, "wrong", ELSEWHERE)
            waits.append(refusal.value.retry_after_ms)
            await trio.sleep(waits[-1] / 1000)
            assert WrongCredentials is await attempt(system, email, "wrong", ELSEWHERE)

        assert [ACCOUNT_SPACING_MS] * 3 == waits


async def test_an_address_is_slowed_down(autojump_clock):
    """After two hundred failures at whatever accounts, one in five seconds; others are not concerned."""
    async with at_home() as here, here.live_system() as system:
        for number in range(ADDRESS_FAILURES_MAX):
            assert WrongCredentials is await attempt(system, f"p{number}@example.com", "wrong")

        with pytest.raises(TooManyAttempts) as refusal:
            await sign_in.with_password(system, "ada@example.com", PASSWORD, BROWSER)
        assert ADDRESS_SPACING_MS == refusal.value.retry_after_ms
        assert await attempt(system, "ada@example.com", PASSWORD, ELSEWHERE) is None
        await trio.sleep(ADDRESS_SPACING_MS / 1000)
        assert await attempt(system, "ada@example.com", PASSWORD) is None
        assert await attempt(system, "ada@example.com", PASSWORD) is None, "a success is no try"


async def test_a_known_browser_gets_in_while_strangers_are_held_up(autojump_clock):
    """Where it shares its address with an attacker, and where the account is attacked from everywhere."""
    async with at_home() as here, here.live_system() as system:
        known = (await sign_in.with_password(system, "ada@example.com", PASSWORD, BROWSER)).mark
        for number in range(ACCOUNT_FAILURES_MAX):
            await attempt(system, "ada@example.com", "wrong", Browser(f"192.0.2.{number}", "test"))
        for _ in range(PAIR_FAILURES_MAX):
            await attempt(system, "ada@example.com", "wrong")

        assert TooManyAttempts is await attempt(system, "ada@example.com", PASSWORD)
        assert (
            await attempt(system, "ada@example.com", PASSWORD, Browser("192.0.2.1", "test", None, known))
            is None
        )


async def test_a_known_browser_has_a_pace_of_its_own(autojump_clock):
    """Ten failures more, at the accounts that it knows; a restart and a new address change nothing of it."""
    async with at_home() as here:
        async with here.live_system() as system:
            known = (await sign_in.with_password(system, "ada@example.com", PASSWORD, BROWSER)).mark
            outcomes = [
                await attempt(system, "ada@example.com", "wrong", Browser("192.0.2.1", "test", None, known))
                for _ in range(2 * PAIR_FAILURES_MAX + 1)
            ]
        async with here.live_system() as system:
            again = [
                await attempt(system, "ada@example.com", PASSWORD, Browser(address, "test", None, known))
                for address in ("192.0.2.1", "192.0.2.2")
            ]

        assert [WrongCredentials] * 2 * PAIR_FAILURES_MAX + [TooManyAttempts] == outcomes
        assert [TooManyAttempts, None] == again


@pytest.mark.parametrize(
    "mark", [None, "", "x", "{name}.{ada}-0", "{name}.{ada}-{bobs}", "{name}", "é.{ada}-"]
)
async def test_a_mark_is_only_good_for_whom_it_was_made(mark, autojump_clock):
    """Neither is one made up, nor does one of another person let its browser try this account."""
    async with at_home() as here, here.live_system() as system:
        hashed = HASHER.hash(PASSWORD)
        await here.store.write(a_member, here.organization.id, "bob@example.com", password_hash=hashed)
        bobs = (await sign_in.with_password(system, "bob@example.com", PASSWORD, BROWSER)).mark
        name, _, rest = bobs.partition(".")
        shown = mark and mark.format(name=name, ada=here.ada.id, bobs=rest.partition("-")[2])
        for _ in range(PAIR_FAILURES_MAX):
            await attempt(system, "ada@example.com", "wrong")

        browsers = [Browser("192.0.2.1", "test", None, one) for one in (shown, bobs)]
        assert [TooManyAttempts] * 2 == [
            await attempt(system, "ada@example.com", PASSWORD, one) for one in browsers
        ]


async def test_a_browser_known_by_an_account_of_the_same_address_tries_only_that(autojump_clock):
    """An account of one's own with the same address gives no attempts at the other."""
    async with at_home() as here, here.live_system() as system:
        other = await here.store.write(provisioning.create, NewOrganization(name="Mallory Ltd"))
        mallorys = HASHER.hash("the password of Mallory")
        await here.store.write(a_member, other.id, "ada@example.com", password_hash=mallorys)
        own = await sign_in.with_password(system, "ada@example.com", "the password of Mallory", BROWSER)
        known = Browser("192.0.2.1", "test", None, own.mark)
        for _ in range(PAIR_FAILURES_MAX):
            await attempt(system, "ada@example.com", "wrong")

        assert WrongCredentials is await attempt(system, "ada@example.com", PASSWORD, known)
        assert await attempt(system, "ada@example.com", "the password of Mallory", known) is None
        assert await attempt(system, "ada@example.com", PASSWORD, ELSEWHERE) is None


async def test_what_was_not_even_checked_is_no_failure(autojump_clock):
    """A system that is too busy to hash forgets the try, so a flood of those fills no memory."""
    async with at_home() as here, here.live_system() as system:
        system.identity.passwords = cast("PasswordHashing", Busy())
        for number in range(500):
            assert Unavailable is await attempt(system, f"p{number}@example.com", "wrong")
        for _ in range(2 * PAIR_FAILURES_MAX):
            assert Unavailable is await attempt(system, "ada@example.com", PASSWORD)
        system.identity.passwords = PASSWORDS

        assert await attempt(system, "ada@example.com", PASSWORD) is None
        assert 0 == await here.count(tables.sign_in_failures)


class Busy:
    """Passwords that have too much to do already."""

    async def matching(self, *_args: Any) -> frozenset[str]:
        raise Unavailable("too many sign-ins at once")


async def test_many_at_once_do_not_get_past_the_pace(autojump_clock):
    """An attempt counts from its beginning."""
    async with at_home() as here, here.live_system() as system:
        outcomes: list[Any] = []

        async def one() -> None:
            outcomes.append(await attempt(system, "ada@example.com", "wrong"))

        async with trio.open_nursery() as nursery:
            for _ in range(30):
                nursery.start_soon(one)

        assert PAIR_FAILURES_MAX == outcomes.count(WrongCredentials)
        assert 30 - PAIR_FAILURES_MAX == outcomes.count(TooManyAttempts)


async def test_sign_ins_that_succeed_are_not_counted(autojump_clock):
    """However often the right password is used."""
    async with at_home() as here, here.live_system() as system:
        outcomes = [await attempt(system, "ada@example.com", PASSWORD) for _ in range(20)]

        assert [None] * 20 == outcomes


async def test_the_pace_survives_a_restart(autojump_clock):
    """Failures are rows, without the address or the account in plain words; the old ones go."""
    async with at_home() as here:
        async with here.live_system() as system:
            for _ in range(PAIR_FAILURES_MAX):
                await attempt(system, "ada@example.com", "wrong")
        async with here.live_system() as system:
            again = await attempt(system, "ada@example.com", PASSWORD)
            rows = str(await here.rows(tables.sign_in_failures))
            await trio.sleep(17 * 60)
            await attempt(system, "ada@example.com", "wrong")

        assert TooManyAttempts is again
        assert "ada" not in rows
        assert "192.0.2" not in rows
        assert 1 == await here.count(tables.sign_in_failures)


async def test_a_link_signs_in_once(autojump_clock):
    """Even two at the same moment; and not after its day."""
    async with at_home() as here, here.live_system() as system:
        used = await here.store.write(stored.make_link, here.ada.id)
        late = await here.store.write(stored.make_link, here.ada.id)
        outcomes: list[Any] = []

        async def one(token: str) -> None:
            try:
                outcomes.append((await sign_in.with_link(system, token, BROWSER)).profile.person)
            except WrongCredentials:
                outcomes.append(None)

        async with trio.open_nursery() as nursery:
            for _ in range(2):
                nursery.start_soon(one, used.token)
        here.clock.jump(SIGN_IN_LINK_LIFE_MS)
        await one(late.token)
        await one("no link")

        assert {here.ada, None} == set(outcomes[:2])
        assert [None, None] == outcomes[2:]


async def test_a_refused_link_is_not_used_up(autojump_clock):
    """A person that may not sign in now can use it when they may again."""
    async with at_home() as here, here.live_system() as system:
        link = await here.store.write(stored.make_link, here.ada.id)
        await here.store.write(organizations.close, here.organization.id)

        with pytest.raises(WrongCredentials):
            await sign_in.with_link(system, link.token, BROWSER)

        assert 1 == await here.count(tables.sign_in_links, used_at=None)


async def test_a_sign_in_rotates_the_session(autojump_clock):
    """The one that the browser brought along ends; those of other browsers stay, and are listed."""
    async with at_home() as here, here.live_system() as system:
        first = await sign_in.with_password(system, "ada@example.com", PASSWORD, Browser("::1", "One"))
        other = await sign_in.with_password(system, "ada@example.com", PASSWORD, Browser("::1", "Two"))
        again = Browser("::1", "One again", first.token)
        second = await sign_in.with_password(system, "ada@example.com", PASSWORD, again)

        with pytest.raises(Unauthenticated):
            await sign_in.session_of(system, first.token)
        assert here.ada.id == (await sign_in.session_of(system, other.token)).person_id
        assert here.ada.id == (await sign_in.session_of(system, second.token)).person_id
        listed = await here.store.read(sessions.of_person, here.ada.id, here.clock.now())
        assert ["One again", "Two"] == [one.user_agent for one in listed]


async def test_a_session_is_revoked_at_once(autojump_clock):
    """By signing out, from the list of one's own sessions, and with a new password."""
    async with at_home() as here, here.live_system() as system:
        opened = [await sign_in.with_password(system, "ada@example.com", PASSWORD, BROWSER) for _ in range(4)]
        for one in opened:
            await sign_in.session_of(system, one.token)
        listed = await here.store.read(sessions.of_person, here.ada.id, here.clock.now())

        await sign_in.sign_out(system, opened[3].token)
        await here.store.write(sessions.revoke, here.ada.id, listed[1].id)
        await sign_in.set_password(system, opened[0].token, "another good password")

        alive = []
        for one in opened:
            try:
                await sign_in.session_of(system, one.token)
            except Unauthenticated:
                alive.append(False)
            else:
                alive.append(True)
        assert [True, False, False, False] == alive
        assert await attempt(system, "ada@example.com", "another good password") is None
        assert WrongCredentials is await attempt(system, "ada@example.com", PASSWORD)


async def test_a_session_that_is_used_lives_on(autojump_clock):
    """It is over after twelve hours without a request, and not as long as there are some."""
    async with at_home() as here, here.live_system() as system:
        done = await sign_in.with_password(system, "ada@example.com", PASSWORD, BROWSER)
        for _ in range(5):
            here.clock.jump(11 * HOUR_MS)
            await sign_in.session_of(system, done.token)

        here.clock.jump(12 * HOUR_MS)
        with pytest.raises(Unauthenticated):
            await sign_in.session_of(system, done.token)


async def test_that_a_session_is_used_is_noted_once_a_minute(autojump_clock):
    """With the first request that comes a minute after the last note, and with none before."""
    async with at_home() as here, here.live_system() as system:
        done = await sign_in.with_password(system, "ada@example.com", PASSWORD, BROWSER)
        noted = []
        for ms in (SESSION_SEEN_NOTED_MS - 1, 1):
            here.clock.jump(ms)
            await sign_in.session_of(system, done.token)
            [row] = await here.rows(tables.sessions)
            noted.append(row.seen_at - START)

        assert [0, SESSION_SEEN_NOTED_MS] == noted


async def test_a_confirmation_makes_a_session_fresh(autojump_clock):
    """For two hours from then; wrong passwords are paced by session."""
    async with at_home() as here, here.live_system() as system:
        done = await sign_in.with_password(system, "ada@example.com", PASSWORD, BROWSER)
        other = await sign_in.with_password(system, "ada@example.com", PASSWORD, BROWSER)
        here.clock.jump(3 * HOUR_MS)
        with pytest.raises(ConfirmationRequired):
            await sign_in.set_password(system, done.token, "another good password")
        with pytest.raises(WrongCredentials):
            await sign_in.confirm(system, done.token, "wrong")
        await sign_in.confirm(system, done.token, PASSWORD)
        confirmed = await sign_in.session_of(system, done.token)
        for _ in range(PAIR_FAILURES_MAX - 1):
            with pytest.raises(WrongCredentials):
                await sign_in.confirm(system, done.token, "wrong")
        with pytest.raises(TooManyAttempts):
            await sign_in.confirm(system, done.token, PASSWORD)
        await sign_in.confirm(system, other.token, PASSWORD)

        assert START + 3 * HOUR_MS == confirmed.confirmed_at
        assert await attempt(system, "ada@example.com", PASSWORD) is None


async def test_strangers_hold_up_no_confirmation(autojump_clock):
    """A signed-in person confirms, however often others failed at the account, from the same address too."""
    async with at_home() as here, here.live_system() as system:
        done = await sign_in.with_password(system, "ada@example.com", PASSWORD, BROWSER)
        for number in range(ACCOUNT_FAILURES_MAX):
            await attempt(system, "ada@example.com", "wrong", Browser(f"192.0.2.{number}", "test"))
        for _ in range(PAIR_FAILURES_MAX):
            await attempt(system, "ada@example.com", "wrong")

        assert TooManyAttempts is await attempt(system, "ada@example.com", PASSWORD)
        await sign_in.confirm(system, done.token, PASSWORD)


async def test_a_hash_of_old_parameters_is_replaced(autojump_clock):
    """At the next sign-in, which is when the password is there."""
    async with at_home() as here, here.live_system() as system:
        old = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1).hash(PASSWORD)
        await here.store.write(accounts.replace_hash, here.ada.id, old)

        assert await attempt(system, "ada@example.com", PASSWORD) is None
        new = await here.store.read(accounts.password_hash, here.ada.id)
        assert new is not None
        assert not PASSWORDS.are_outdated(new)
        assert await attempt(system, "ada@example.com", PASSWORD) is None


async def test_passwords_are_checked_beside_the_event_loop():
    """A few at once; others wait, and what would be too many is refused."""
    passwords = PasswordHashing(REAL_HASHER)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await trio.sleep(0.001)
            ticks += 1

    async with trio.open_nursery() as nursery:
        nursery.start_soon(tick)
        hashed = await passwords.hash(PASSWORD, b"s" * 16)
        assert await passwords.matching([hashed], PASSWORD, b"s" * 16)
        nursery.cancel_scope.cancel()

    assert ticks > 0
    with pytest.raises(InvalidValue):
        await passwords.hash("short", b"s" * 16)


async def test_too_many_checks_are_refused():
    """Beyond those that run and those that may wait."""
    release = trio.Event()

    async def hold(fn: Any, *args: Any, limiter: trio.CapacityLimiter) -> Any:
        async with limiter:
            await release.wait()
        return frozenset()

    passwords = PasswordHashing(HASHER, hold)
    async with trio.open_nursery() as nursery:
        for _ in range(PASSWORD_CHECKS_AT_ONCE + PASSWORD_CHECKS_WAITING_MAX):
            nursery.start_soon(passwords.matching, [], PASSWORD, b"s" * 16)
        await trio.testing.wait_all_tasks_blocked()

        with pytest.raises(Unavailable):
            await passwords.matching([], PASSWORD, b"s" * 16)
        release.set()
