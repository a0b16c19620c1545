"""A write under an idempotency key that is killed, at whichever step, is done once and answered as once."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.http.tools.crashing import Step

NOTHING = {"records": 0, "record_changes": 0, "events": 0, "idempotency": 0, "audit": 0}
ONE_OF_EACH = {"records": 1, "record_changes": 0, "events": 1, "idempotency": 1, "audit": 1}


def lives(directory: Path) -> list[Step]:
    """What came of a life that was killed before its first step, before its second, and so on to the end."""
    command = [sys.executable, "-W", "error", "-m", "tests.http.tools.crashing", str(directory)]
    ran = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert 0 == ran.returncode, ran.stderr.decode()
    return [msgspec.json.decode(line, type=Step) for line in ran.stdout.splitlines()]


@pytest.mark.fuzz
def test_a_call_that_is_repeated_after_a_kill_does_one_thing(tmp_path: Path) -> None:
    """After a kill at every step of a write, the same call again leaves one of each, and the same bytes."""
    found = lives(tmp_path)
    seen = {one.steps[-1] for one in found}

    assert [True] * (len(found) - 1) + [False] == [one.killed for one in found]
    assert {
        "INSERT INTO records",
        "INSERT INTO events",
        "INSERT INTO audit",
        "INSERT INTO idempotency",
    } < seen
    assert {"BEGIN IMMEDIATE", "COMMIT", "http.response.start", "http.response.body"} < seen
    for one in found:
        committed = "http.response.start" in one.steps
        first, second = one.after.answers
        assert (ONE_OF_EACH if committed else NOTHING) == one.after.found, one.steps
        assert ONE_OF_EACH == one.after.left, one.steps
        assert (200, 200) == (first.status, second.status)
        assert (committed, True) == (first.replayed, second.replayed), one.steps
        assert first.body == second.body
        assert one.said in {"", first.body}
        assert [] == one.after.broken
    assert all(one.said for one in found if "http.response.body" in one.steps)
