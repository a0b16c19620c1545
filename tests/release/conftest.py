"""The one file that `make binary` builds."""

import os
from pathlib import Path
from typing import Final

import pytest

FILE: Final = Path(__file__).parents[2] / "dist" / "svc"


@pytest.fixture(scope="session")
def binary() -> Path:
    """`dist/svc`, which `make test` builds anew where its inputs changed."""
    if not FILE.exists():
        why = f"{FILE} is not there: `make binary` builds it"
        if os.environ.get("CI") == "true":
            pytest.fail(why)
        pytest.skip(why)
    return FILE


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where it is unpacked, once for all tests of a worker."""
    place = tmp_path_factory.mktemp("unpacked") / "here"
    place.mkdir(mode=0o700)
    return place
