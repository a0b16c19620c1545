"""What is installed, by the name and the version that packages know it by."""

from importlib.metadata import version
from typing import Final

DISTRIBUTION: Final = "svc-platform"
"""Of the package; `svc` on PyPI is somebody else's. The command and the import are `svc` all the same."""
VERSION: Final = version(DISTRIBUTION)
