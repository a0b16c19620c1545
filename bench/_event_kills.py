"""SIGKILL while events are on their way to webhooks, again and again: each arrives, and in order."""

import os
import random
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from bench._event_receivers import Got, life, make, receiver, report
from bench._machine import PROJECT, START_SECONDS_MAX, free_port

KILLS: Final = 20
KILL_SECONDS: Final = (0.2, 1.2)
"""Between the first event of a life and its end, at random."""
EVENTS_A_SECOND: Final = 200
SUBSCRIPTIONS: Final = 5
SEED: Final = 20_261_122


class Killed(msgspec.Struct, frozen=True, kw_only=True):
    """What was found after the kills."""

    kills: int
    seed: int
    events: int
    deliveries: int
    lost: int
    """Deliveries that did not arrive, or that are not stored as delivered."""
    doubled: int
    """Rows more than one for an event and a subscription."""
    changed: int
    """Deliveries that came with other bytes, or events under another id."""
    disordered: int
    """Requests that came after a later one of their subscription and subject."""
    repeated: int
    """Requests that came again, since a kill cut them off."""


def kill_again_and_again(path: Path) -> Killed:
    """Kill the service `KILLS` times while things happen, let it go on to the end, and look."""
    moments = random.Random(SEED)
    port = free_port()
    make(path, [[f"http://127.0.0.1:{port}/take/{number}" for number in range(SUBSCRIPTIONS)]])
    with receiver([port]):
        for _ in range(KILLS):
            command = life(path, EVENTS_A_SECOND, 60)
            process = subprocess.Popen(command, cwd=PROJECT, stderr=subprocess.DEVNULL)
            _wait_for_more(path, process)
            time.sleep(moments.uniform(*KILL_SECONDS))
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        last = life(path, EVENTS_A_SECOND, 0.5)
        subprocess.run(last, cwd=PROJECT, capture_output=True, check=True, timeout=300)
        return _judge(path, report(port))


def _events(path: Path) -> int:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as db:
        found: int = db.execute("SELECT count(*) FROM events").fetchone()[0]
        return found


def _wait_for_more(path: Path, process: "subprocess.Popen[bytes]") -> None:
    """Wait until something has happened in this life."""
    before, deadline = _events(path), time.monotonic() + START_SECONDS_MAX
    while _events(path) == before:
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit("the service did not start")
        time.sleep(0.01)


def _judge(path: Path, came: dict[str, list[Got]]) -> Killed:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        stored = db.execute("SELECT id, state FROM webhook_deliveries").fetchall()
        pairs = db.execute(
            "SELECT count(DISTINCT event_id || webhook_id) FROM webhook_deliveries"
        ).fetchone()[0]
        happened = db.execute("SELECT count(*) FROM events").fetchone()[0]
    bodies: dict[str, set[str]] = {}
    ids: dict[tuple[str, int], set[str]] = {}
    newest: dict[tuple[str, str], int] = {}
    disordered = arrived = 0
    for name, requests in came.items():
        for delivery_id, digest, subject, number, _ in requests:
            arrived += 1
            bodies.setdefault(delivery_id, set()).add(digest)
            ids.setdefault((name, number), set()).add(delivery_id)
            disordered += number < newest.get((name, subject), -1)
            newest[name, subject] = max(number, newest.get((name, subject), -1))
    delivered = {delivery_id for delivery_id, state in stored if state == "delivered"}
    expected = happened * SUBSCRIPTIONS
    return Killed(
        kills=KILLS,
        seed=SEED,
        events=happened,
        deliveries=len(stored),
        lost=expected - len(delivered & bodies.keys()),
        doubled=len(stored) - pairs,
        changed=sum(len(one) > 1 for one in (*bodies.values(), *ids.values())),
        disordered=disordered,
        repeated=arrived - len(bodies),
    )
