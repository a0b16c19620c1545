"""A reply from a draft that is killed on its way, at whichever step, is sent once, and no draft is lost."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.http.inbox.crashing import Kill, Left


@pytest.mark.fuzz
def test_a_reply_and_its_draft_are_one_thing_over_a_kill(tmp_path: Path) -> None:
    """There is the draft or the reply, never both or neither; and a second try sends nothing twice."""
    command = [sys.executable, "-W", "error", "-m", "tests.http.inbox.crashing", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, timeout=240, check=False)
    assert 0 == ran.returncode, ran.stderr.decode()
    kills = [msgspec.json.decode(line, type=Kill) for line in ran.stdout.splitlines()]
    seen = {one.steps[-1] for one in kills}

    assert [True] * (len(kills) - 1) + [False] == [one.killed for one in kills]
    assert {"INSERT INTO replies", "DELETE FROM conversation_drafts", "COMMIT"} < seen
    for one in kills:
        committed = "http.response.start" in one.steps
        assert Left(replies=int(committed), drafts=int(not committed)) == one.found, one.steps
        assert Left(replies=1, drafts=0) == one.left, one.steps
        assert [200, 200] == one.statuses
        assert [] == one.broken
