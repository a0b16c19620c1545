"""A program that is killed, at whichever step on the way of events to their webhooks, loses none."""

import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import msgspec
import pytest

from tests.actors.webhooks.crashing import DELIVERIES, WEBHOOKS, Life


def lives(directory: Path) -> list[Life]:
    """What came of a life that was left alone, and then of one killed at each time of each of its steps."""
    command = [sys.executable, "-W", "error", "-m", "tests.actors.webhooks.crashing", str(directory)]
    ran = subprocess.run(command, capture_output=True, timeout=280, check=False)
    assert 0 == ran.returncode, ran.stderr.decode()
    return [msgspec.json.decode(line, type=Life) for line in ran.stdout.splitlines()]


@pytest.mark.fuzz
def test_a_kill_at_any_step_loses_no_event_and_no_order(tmp_path: Path) -> None:
    """Each event reaches each subscription, under one id and with the same bytes; each subject in its order.

    It arrives twice only if the kill came between the request and keeping its outcome.
    """
    found = lives(tmp_path)
    killed = {one.at for one in found[1:]}

    assert found[0].at is None
    assert {"INSERT INTO events", "INSERT INTO webhook_deliveries", "UPDATE events SET"} < killed
    assert {
        "a request",
        "an answer",
        "UPDATE webhook_deliveries SET",
        "INSERT INTO webhook_attempts",
    } < killed
    for one in found:
        assert [] == one.left.broken, one.at
        assert ["delivered"] * DELIVERIES == [state for _, state in one.left.states], one.at
        assert {WEBHOOKS} == {*Counter(event for event, _ in one.left.states).values()}, one.at
        by_id: dict[str, set[str]] = defaultdict(set)
        order: dict[tuple[str, str], list[int]] = defaultdict(list)
        for got in one.got:
            body = msgspec.json.decode(got.body)
            by_id[got.delivery_id].add(got.body)
            numbers = order[got.url, body["data"]["recordId"]]
            if body["data"]["number"] not in numbers:
                numbers.append(body["data"]["number"])
        assert {1} == {len(bodies) for bodies in by_id.values()}, one.at
        assert DELIVERIES == len(by_id), one.at
        assert [[0, 1], [2]] * WEBHOOKS == [numbers for _, numbers in sorted(order.items())], one.at
    assert any(len(one.got) > DELIVERIES for one in found)
    assert DELIVERIES == len(found[0].got)
