"""What the embedded database does not pay for the other one."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.sqlite

_SERVE = """
import sys
import trio
from svc.clock import WallClock
from svc.cli import program
from svc.cli.commands import run
from svc.storage.clock import marks
from svc.storage.sqlite.inline import inline_store

async def write():
    async with inline_store(WallClock()) as store:
        await store.alone.write(marks.mark)
        assert await store.read(marks.marked)

trio.run(write)
print(*sorted(name for name in sys.modules if name.partition(".")[0] in {"psycopg", "psycopg_binary"}))
"""


def test_the_driver_of_postgresql_is_not_imported() -> None:
    """Nothing of it is in the memory of a service whose data is in the file."""
    found = subprocess.run(
        [sys.executable, "-c", _SERVE], check=True, capture_output=True, text=True
    ).stdout.strip()

    assert not found
