"""What holds for all tests."""

import pytest
from hypothesis import settings

from svc.domain import ids

# The same examples in every run and on every machine, however busy it is.
settings.register_profile("svc", deadline=None, derandomize=True)
settings.load_profile("svc")


@pytest.fixture(autouse=True)
def _ids_of_a_new_process() -> None:
    """Begin each test without the ids that others made, perhaps years ahead of it."""
    forget_ids()


def forget_ids() -> None:
    """Leave the sequence of ids as a new process has it."""
    ids.SEQUENCE._latest_at = ids.SEQUENCE._last_ms = ids.SEQUENCE._last_random = 0
