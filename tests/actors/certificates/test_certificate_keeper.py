"""The CertificateKeeper: when it orders, how it backs off, and what it says."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs

from svc.actors.certificates.certificate_keeper import CERTIFICATE_KEEPER, CertificateKeeper
from svc.actors.certificates.issuer import OrderFailed
from svc.actors.system import System
from svc.domain.certificates.outlook import Outlook
from svc.domain.certificates.renewal import Failures, Validity
from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS
from tests.town import SECRETS, START, Town, town

LIFE_MS = 90 * DAY_MS
NAMES = ("crm.example.com",)


class Directory:
    """An issuer of the test's own: it issues, or fails with what is next in `refusals`."""

    def __init__(self, clock: Any, *refusals: OrderFailed, names: tuple[str, ...] = NAMES) -> None:
        self.names = names
        self.directory = "https://acme.example/directory"
        self.refusals = list(refusals)
        self.stored: Validity | None = None
        self.noted: Failures | None = None
        self.full = False
        self.orders: list[int] = []
        self.seen: list[Outlook] = []
        self.announce = self.seen.append
        self._clock = clock

    async def validity(self) -> Validity | None:
        return self.stored

    async def failures(self) -> Failures | None:
        return self.noted

    async def keep_failures(self, failures: Failures | None) -> None:
        if self.full:
            raise OSError(28, "No space left on device")
        self.noted = failures

    async def look(self) -> Outlook:
        return Outlook(names=(), machine=())

    async def issue(self) -> Validity:
        now = self._clock.now()
        self.orders.append(now - START)
        if self.refusals:
            raise self.refusals.pop(0)
        self.stored = Validity(now, now + LIFE_MS, self.names)
        return self.stored


@asynccontextmanager
async def keeping(here: Town, directory: Directory) -> AsyncIterator[System]:
    """A system with the keeper at work. It ends as in a crash."""
    system = System((CertificateKeeper,), here.store, here.clock, SECRETS, certificates=directory)
    async with system.live():
        await CertificateKeeper(system, CERTIFICATE_KEEPER).start()
        yield system


async def test_a_certificate_is_ordered_at_once_and_renewed_at_two_thirds(autojump_clock):
    async with town() as here:
        directory = Directory(here.clock)
        async with keeping(here, directory):
            await trio.sleep(130 * DAY_MS / 1000)

    assert directory.orders == [0, 60 * DAY_MS, 120 * DAY_MS]
    assert directory.noted is None
    assert len(directory.seen) == 1


async def test_a_stored_certificate_is_kept_over_a_restart(autojump_clock):
    """Also one that has expired, until another is there; one for other names is replaced at once."""
    async with town() as here:
        directory = Directory(here.clock)
        directory.stored = Validity(START - LIFE_MS // 2, START + LIFE_MS // 2, NAMES)
        async with keeping(here, directory):
            await trio.sleep(HOUR_MS / 1000)
            assert directory.orders == []
        other = Directory(here.clock, names=(*NAMES, "www.example.com"))
        other.stored = directory.stored
        async with keeping(here, other):
            await trio.sleep(1)

    assert len(other.orders) == 1


async def test_refusals_are_backed_off_and_said_once(autojump_clock):
    """The pauses grow; another cause is another line, and the end of them is one too."""
    async with town() as here:
        same = [OrderFailed("port 80 cannot be reached") for _ in range(4)]
        directory = Directory(here.clock, *same, OrderFailed("the name cannot be looked up"))
        with capture_logs() as logs:
            async with keeping(here, directory):
                await trio.sleep(3 * HOUR_MS / 1000)

    minutes = [at // MINUTE_MS for at in directory.orders]
    assert minutes == [0, 1, 6, 21, 51, 111]
    assert [(line["event"], line.get("why"), line["log_level"]) for line in logs] == [
        ("no certificate was issued", "port 80 cannot be reached", "error"),
        ("no certificate was issued", "the name cannot be looked up", "error"),
        ("a certificate was issued", None, "info"),
    ]
    assert directory.noted is None


async def test_the_directory_says_how_long_to_wait(autojump_clock):
    """Over a restart too."""
    async with town() as here:
        directory = Directory(here.clock, OrderFailed("too many orders", START + DAY_MS))
        async with keeping(here, directory):
            await trio.sleep(60)
        async with keeping(here, directory):
            await trio.sleep(2 * DAY_MS / 1000)

    assert directory.orders == [0, DAY_MS]


async def test_a_restart_tries_again_sooner_but_not_at_once(autojump_clock):
    """An operator restarts once the cause is mended; a service that restarts all the time must not ask."""
    async with town() as here:
        directory = Directory(here.clock, *[OrderFailed("refused") for _ in range(100)])
        directory.noted = Failures(NAMES, directory.directory, 9, START, 0, "refused")
        for _ in range(120):
            async with keeping(here, directory):
                await trio.sleep(60)

    assert len(directory.orders) <= 10
    assert directory.orders[0] == 12 * MINUTE_MS


async def test_what_failed_for_other_names_does_not_count(autojump_clock):
    """A corrected name is ordered at once."""
    async with town() as here:
        directory = Directory(here.clock)
        directory.noted = Failures(
            ("crn.example.com",), directory.directory, 9, START, START + DAY_MS, "refused"
        )
        async with keeping(here, directory):
            await trio.sleep(1)

    assert directory.orders == [0]


async def test_nothing_is_ordered_where_nothing_can_be_stored(autojump_clock):
    """A certificate that cannot be stored would be ordered again and again, until the directory refuses."""
    async with town() as here:
        directory = Directory(here.clock)
        directory.full = True
        with capture_logs() as logs:
            async with keeping(here, directory):
                await trio.sleep(30)
                assert directory.orders == []
                directory.full = False
                await trio.sleep(60)

    assert len(directory.orders) == 1
    assert "nothing can be stored: No space left on device" in [line.get("why") for line in logs]


async def test_a_crash_within_an_order_counts_as_a_failure(autojump_clock):
    """So that a fault of the program does not place one order after the other."""

    class Faulty(Directory):
        async def issue(self) -> Validity:
            await super().issue()
            raise RuntimeError("a fault")

    async with town() as here:
        directory = Faulty(here.clock)
        async with keeping(here, directory):
            await trio.sleep(HOUR_MS / 1000)

    assert len(directory.orders) <= 5


@pytest.mark.parametrize(
    ("left", "level", "present"),
    [
        (20 * DAY_MS, "warning", "holds for 20 more days"),
        (3 * DAY_MS, "error", "holds for 3 more days"),
        (-DAY_MS, "error", "has expired, and is served all the same"),
    ],
)
async def test_what_is_left_of_the_present_one_is_said(left, level, present, autojump_clock):
    async with town() as here:
        directory = Directory(here.clock, OrderFailed("refused"))
        directory.stored = Validity(START + left - LIFE_MS, START + left, NAMES)
        with capture_logs() as logs:
            async with keeping(here, directory):
                await trio.sleep(1)

    assert [(line["log_level"], line["present_one"]) for line in logs] == [(level, present)]
