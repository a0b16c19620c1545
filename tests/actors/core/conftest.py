from collections.abc import Iterator
from typing import Any

import pytest
from structlog.testing import capture_logs


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[Any]]:
    """What the runtime logs, kept off the screen."""
    with capture_logs() as entries:
        yield entries
