"""A kill at any boundary of asking, approving and going on: each effect is there once, and no run is lost."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.actors.workflows.crashing import Life

BOUNDARIES = ("INSERT INTO approvals", "UPDATE approvals", "RELEASE part", "COMMIT")
"""A card is made; it is decided, or collected; a part of a unit ends, such as the tool's; a unit ends."""
BOTH_APPROVED = {
    "records": 2,
    "notes": 1,
    "workflow_runs": 1,
    "workflow_steps": 2,
    "record_changes": 1,
    "events": 6,
    "approvals": 2,
    "audit": 2,
    "approved": 3,
}


@pytest.mark.fuzz
def test_what_is_approved_is_done_once_whenever_the_program_is_killed(tmp_path: Path) -> None:
    """After a kill at each boundary, the next life leaves what one that was not killed leaves."""
    command = [sys.executable, "-W", "error", "-m", "tests.actors.approvals.crashing", str(tmp_path)]
    ran = subprocess.run([*command, *BOUNDARIES], capture_output=True, timeout=300, check=False)
    assert 0 == ran.returncode, ran.stderr.decode()
    lives = [msgspec.json.decode(line, type=Life) for line in ran.stdout.splitlines()]

    assert [True] * (len(lives) - 1) + [False] == [one.killed for one in lives]
    assert {*BOUNDARIES} == {what for what in BOUNDARIES for said in lives[-1].statements if what in said}
    for one in lives:
        assert (BOTH_APPROVED, ["done"], []) == (one.after.rows, one.after.runs, one.after.broken), (
            one.statements
        )
