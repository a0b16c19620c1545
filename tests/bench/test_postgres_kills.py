"""A few rounds of the bench that kills the service, and PostgreSQL below it."""

from pathlib import Path

import pytest

from bench import postgres_kills
from tests.postgresql_server import running_server

pytestmark = pytest.mark.postgres


def test_what_was_answered_is_there_once_whoever_is_killed(tmp_path: Path) -> None:
    """Under load, with SIGKILL of the service and of PostgreSQL: nothing is lost, and nothing doubled."""
    with running_server() as server:
        found = postgres_kills.run(tmp_path, server, kills_of_service=2, kills_of_server=2)

    assert found.is_whole, found
    assert found.answered > found.repeated > 0
