"""An app that is allowed, exchanges a code or refreshes, and is killed at whichever step."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.http.grants.crashing import Kill, Left, Moment


def kills(directory: Path, moment: Moment) -> list[Kill]:
    """Each life that was killed, and the last, which was not."""
    command = [sys.executable, "-W", "error", "-m", "tests.http.grants.crashing", str(directory), moment]
    ran = subprocess.run(command, capture_output=True, timeout=480, check=False)
    assert 0 == ran.returncode, ran.stderr.decode()
    found = [msgspec.json.decode(line, type=Kill) for line in ran.stdout.splitlines()]
    assert [True] * (len(found) - 1) + [False] == [one.killed for one in found]
    assert {"COMMIT", "http.response.start"} < {one.steps[-1] for one in found}
    assert [[]] * len(found) == [one.broken for one in found]
    return found


@pytest.mark.fuzz
def test_a_code_is_exchanged_once_over_a_kill(tmp_path: Path) -> None:
    """Before the commit it is as if never asked; after it the code is used, and a second ends its grant."""
    for one in kills(tmp_path, "exchange"):
        if one.found.codes:
            assert Left(grants=1, codes=1, access=0, refresh=0) == one.found
            assert (200, True) == (one.again, one.works), one.steps
            assert Left(grants=1, codes=0, access=1, refresh=1) == one.left
            assert not one.said
        else:
            assert Left(grants=1, codes=0, access=1, refresh=1) == one.found
            assert (400, False) == (one.again, one.works), one.steps
            assert (0, 0) == (one.left.grants, one.left.access)


@pytest.mark.fuzz
def test_a_refresh_is_answered_the_same_over_a_kill(tmp_path: Path) -> None:
    """Whether its answer was lost or it was never done, the same token gives the one successor there is."""
    for one in kills(tmp_path, "refresh"):
        assert (200, True) == (one.again, one.works), one.steps
        assert (1, 1) == (one.found.grants, one.found.refresh)
        assert (1, 1) == (one.left.grants, one.left.refresh)


@pytest.mark.fuzz
def test_an_app_is_allowed_once_over_a_kill(tmp_path: Path) -> None:
    """The request is used up by then, or not; there is never a second grant, nor one without its code."""
    for one in kills(tmp_path, "allow"):
        assert one.found.grants == one.found.codes <= 1
        assert one.again in {200, 404}
        assert one.left.grants == one.left.codes == max(one.found.grants, int(one.again == 200))
        assert not (one.found.grants and one.again == 200)
