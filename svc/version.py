"""The name and the version of the installed distribution."""

from importlib.metadata import version
from typing import Final

DISTRIBUTION: Final = "svc-platform"
"""The name on PyPI, where `svc` is taken. The command and the package are called `svc` all the same."""
VERSION: Final = version(DISTRIBUTION)
