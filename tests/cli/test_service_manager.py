"""What a service manager such as systemd is told, by a socket of the test's own."""

import json
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from svc.cli.supervision.service_manager import ALIVE, READY, STOPPING, ServiceManager
from tests.cli.running import ANEW, END_SECONDS, Service


@pytest.fixture
def told(tmp_path: Path) -> Iterator[socket.socket]:
    """The socket, as `NOTIFY_SOCKET` names it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(str(tmp_path / "notify"))
        receiver.settimeout(END_SECONDS)
        yield receiver


def message(told: socket.socket) -> list[str]:
    return told.recv(4096).decode().splitlines()


def pending(told: socket.socket) -> list[str]:
    """All that was sent and not read yet."""
    told.setblocking(False)
    found = []
    while True:
        try:
            found += message(told)
        except BlockingIOError:
            return found


def test_a_service_says_when_it_is_ready_alive_and_stopping(
    told: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """READY comes once it serves, WATCHDOG all the time, STOPPING with the signal."""
    monkeypatch.setenv("NOTIFY_SOCKET", told.getsockname())
    # A socket holds ten messages that nobody has read, so they may not come sooner than a service starts.
    monkeypatch.setenv("WATCHDOG_USEC", "2000000")
    service = Service(tmp_path / "data", program=ANEW)
    try:
        url = service.ready()["Public"]
        before = []
        while "READY=1" not in before:
            before += message(told)
        after = [message(told), message(told)]
        service.process.send_signal(signal.SIGTERM)
        assert 0 == service.process.wait(END_SECONDS)
        at_end = pending(told)
    finally:
        service.close()

    assert f"STATUS=Serving {url}" in before
    assert {"WATCHDOG=1"} == set(before) - {"READY=1", f"STATUS=Serving {url}"}
    assert [["WATCHDOG=1"]] * 2 == after
    assert "STOPPING=1" in at_end


async def test_the_watchdog_is_told_twice_in_its_time(told: socket.socket, autojump_clock: MockClock) -> None:
    """And only while the event loop runs: it is a task of it."""
    environment = {"NOTIFY_SOCKET": told.getsockname(), "WATCHDOG_USEC": "30000000"}
    async with ServiceManager.of_environment(environment).assured():
        await trio.sleep(44)

    assert ["WATCHDOG=1"] * 3 == pending(told)


async def test_a_manager_that_does_not_read_is_told_once_it_does(told: socket.socket) -> None:
    """Nothing waits for it meanwhile, and what matters is not lost among what it has not read."""
    manager = ServiceManager.of_environment({"NOTIFY_SOCKET": told.getsockname()})
    async with manager.assured():
        for _ in range(1_000):
            manager.tell(ALIVE)
        manager.tell(READY)
        found = pending(told)
        with trio.fail_after(END_SECONDS):
            while "READY=1" not in found:
                await trio.lowlevel.checkpoint()
                found += pending(told)

    assert ["WATCHDOG=1"] * 1_000 + ["READY=1"] == found


async def test_a_manager_that_never_reads_holds_up_no_end(told: socket.socket) -> None:
    """What it was not told is forgotten."""
    manager = ServiceManager.of_environment({"NOTIFY_SOCKET": told.getsockname()})
    async with manager.assured():
        while len(manager._unsent) < 2:
            manager.tell(READY)
        await trio.testing.wait_all_tasks_blocked()
        manager.tell(STOPPING)

    assert "STOPPING=1" not in pending(told)


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"NOTIFY_SOCKET": "", "WATCHDOG_USEC": "1000"},
        {"NOTIFY_SOCKET": "vsock:2:1"},
        {"NOTIFY_SOCKET": "/nowhere/notify"},
        {"WATCHDOG_USEC": "1000"},
    ],
    ids=json.dumps,
)
async def test_without_a_socket_nothing_is_sent_and_nothing_fails(
    environment: dict[str, str], autojump_clock: MockClock
) -> None:
    """Also where the socket has gone, or is of a kind that is not known."""
    manager = ServiceManager.of_environment(environment)
    async with manager.assured():
        manager.tell(READY)
        await trio.sleep(1)


@pytest.mark.parametrize(
    "watchdog",
    [{"WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"}, {"WATCHDOG_USEC": "0"}, {"WATCHDOG_USEC": "often"}],
    ids=json.dumps,
)
async def test_a_watchdog_that_is_not_ours_is_not_told(
    watchdog: dict[str, str], told: socket.socket, autojump_clock: MockClock
) -> None:
    """It is for another process, off, or unreadable."""
    manager = ServiceManager.of_environment({"NOTIFY_SOCKET": told.getsockname(), **watchdog})
    async with manager.assured():
        await trio.sleep(1)

    assert [] == pending(told)


def test_a_socket_may_have_an_abstract_name() -> None:
    """As containers of systemd have it: the name begins with `@`."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind("")  # the kernel chooses a name
        name = receiver.getsockname().decode()
        receiver.setblocking(False)
        ServiceManager.of_environment({"NOTIFY_SOCKET": f"@{name[1:]}"}).tell(READY)

        assert b"READY=1" == receiver.recv(100)
