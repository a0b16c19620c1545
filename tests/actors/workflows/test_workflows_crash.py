"""A kill at any boundary of dispatch and step: no effect is there twice, and no run is lost."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.actors.workflows.crashing import Life

BOUNDARIES = ("INSERT INTO workflow_runs", "RELEASE part", "COMMIT")
"""The start of a run, the end of each step within its unit, and the end of each unit."""
ONE_RUN = {
    "records": 2,
    "notes": 1,
    "workflow_runs": 1,
    "workflow_steps": 5,
    "record_changes": 1,
    "events": 3,
    "approvals": 0,
    "audit": 3,
    "approved": 0,
}


@pytest.mark.fuzz
def test_a_run_that_is_killed_does_each_step_once(tmp_path: Path) -> None:
    """After a kill at each boundary, the next life leaves what one that was not killed leaves."""
    command = [sys.executable, "-W", "error", "-m", "tests.actors.workflows.crashing", str(tmp_path)]
    ran = subprocess.run([*command, *BOUNDARIES], capture_output=True, timeout=300, check=False)
    assert 0 == ran.returncode, ran.stderr.decode()
    lives = [msgspec.json.decode(line, type=Life) for line in ran.stdout.splitlines()]

    assert [True] * (len(lives) - 1) + [False] == [one.killed for one in lives]
    assert {"INSERT INTO workflow_runs", "RELEASE part", "COMMIT"} == set(lives[-1].statements)
    assert 6 == lives[-1].statements.count("RELEASE part")
    for one in lives:
        assert (ONE_RUN, ["done"], []) == (one.after.rows, one.after.runs, one.after.broken), one.statements
