"""A kill at any boundary of an undo: each record is taken back once."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.actors.imports.crashing import NEW
from tests.actors.workflows.crashing import Life

BOUNDARIES = ("UPDATE records", "DELETE FROM import_records", "UPDATE imports", "COMMIT")
"""A record is taken back; that is noted; the undo moves on; a unit ends."""
UNDONE = {
    "records": 1 + NEW,
    # The import's own change of the record that was there, the one that takes it back, and each deletion.
    "record_changes": 2 + NEW,
    "events": 1 + NEW + 2 + NEW,
}


@pytest.mark.fuzz
def test_what_is_undone_is_undone_once_whenever_the_program_is_killed(tmp_path: Path) -> None:
    """After a kill at each boundary, the next life leaves what one that was not killed leaves."""
    command = [sys.executable, "-W", "error", "-m", "tests.actors.imports.crashing", str(tmp_path)]
    ran = subprocess.run([*command, *BOUNDARIES], capture_output=True, timeout=300, check=False)
    assert 0 == ran.returncode, ran.stderr.decode()
    lives = [msgspec.json.decode(line, type=Life) for line in ran.stdout.splitlines()]

    assert len(lives) > 3 * len(BOUNDARIES)
    assert [True] * (len(lives) - 1) + [False] == [one.killed for one in lives]
    assert {*BOUNDARIES} == {what for what in BOUNDARIES for said in lives[-1].statements if what in said}
    for one in lives:
        rows = {name: count for name, count in one.after.rows.items() if name in UNDONE}
        assert (UNDONE, []) == (rows, one.after.broken), one.statements
