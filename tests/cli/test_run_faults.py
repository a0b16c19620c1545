"""`svc run` when a part breaks that it cannot do without: the process ends, says why, and never hangs."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.cli.running import END_SECONDS, Service

PROGRAM: Final = str(Path(__file__).with_name("faulty.py"))

Start = Callable[[str], Service]


@pytest.fixture
def start(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts the service with a fault that it does to itself at SIGUSR2."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SVC_SERVER__GRACEFUL_SECONDS", "0.1")
    monkeypatch.setenv("SVC_ACTORS__DRAIN_SECONDS", "0.1")
    started: list[Service] = []

    def start_one(fault: str) -> Service:
        started.append(Service(data, program=(PROGRAM, fault)))
        started[-1].ready()
        return started[-1]

    yield start_one
    for one in started:
        one.close()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("crash_actor", "infrastructure actor crashed; the system ends"),
        ("crash_trio", "ended by a fault of the program"),
        ("end_thread", "a thread of the store has ended by itself; the store closes"),
        ("break_listener", "has failed: Bad file descriptor"),
        ("hold_writer_and_crash_actor", "the service did not end in time, and is ended now"),
    ],
)
def test_a_fault_of_the_infrastructure_ends_the_process(start: Start, fault: str, said: str) -> None:
    """It ends by itself with exit code 1, and the log says what it was."""
    service = start(fault)

    service.process.send_signal(signal.SIGUSR2)

    assert 1 == service.process.wait(END_SECONDS)
    assert said in service.errors()


def test_a_stop_that_hangs_is_ended(start: Start) -> None:
    """A disk that does not answer holds up the writer for ever, and a stop not; the log says what waits."""
    service = start("hold_writer")
    service.process.send_signal(signal.SIGUSR2)
    assert "done\n" in iter(service.stdout.readline, "")  # behind what to do next

    assert 1 == service.end()

    last = service.records()[-1]
    assert "the service did not end in time, and is ended now" == last["event"]
    assert any(place.endswith("in hold") for place in last["threads"]["svc writer"])
