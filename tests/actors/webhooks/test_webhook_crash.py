"""A program that is killed, at whichever step on the way of events to their webhooks, loses none."""

import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import msgspec

from tests.actors.webhooks.crashing import DELIVERIES, WEBHOOKS, Step


def lives(directory: Path) -> list[Step]:
    """What came of a life that was killed at its first step, at its second, and so on to the end."""
    command = [sys.executable, "-W", "error", "-m", "tests.actors.webhooks.crashing", str(directory)]
    ran = subprocess.run(command, capture_output=True, timeout=280, check=False)
    assert 0 == ran.returncode, ran.stderr.decode()
    return [msgspec.json.decode(line, type=Step) for line in ran.stdout.splitlines()]


def test_a_kill_at_any_step_loses_no_event_and_no_order(tmp_path: Path) -> None:
    """Each event reaches each subscription, under one id and with the same bytes; each subject in its order.

    It arrives twice only if the kill came between the request and keeping its outcome.
    """
    found = lives(tmp_path)
    seen = {one.steps[-1] for one in found}

    assert [True] * (len(found) - 1) + [False] == [one.killed for one in found]
    assert {"INSERT INTO events", "INSERT INTO webhook_deliveries", "UPDATE events SET"} < seen
    assert {"a request", "an answer", "UPDATE webhook_deliveries SET", "INSERT INTO webhook_attempts"} < seen
    for one in found:
        assert [] == one.left.broken, one.steps
        assert ["delivered"] * DELIVERIES == [state for _, state in one.left.states], one.steps
        assert {WEBHOOKS} == {*Counter(event for event, _ in one.left.states).values()}, one.steps
        by_id: dict[str, set[str]] = defaultdict(set)
        order: dict[tuple[str, str], list[int]] = defaultdict(list)
        for got in one.got:
            body = msgspec.json.decode(got.body)
            by_id[got.delivery_id].add(got.body)
            numbers = order[got.url, body["data"]["recordId"]]
            if body["data"]["number"] not in numbers:
                numbers.append(body["data"]["number"])
        assert {1} == {len(bodies) for bodies in by_id.values()}, one.steps
        assert DELIVERIES == len(by_id), one.steps
        assert [[0, 1], [2]] * WEBHOOKS == [numbers for _, numbers in sorted(order.items())], one.steps
    assert any(len(one.got) > DELIVERIES for one in found)
    assert DELIVERIES == len(found[-1].got)
