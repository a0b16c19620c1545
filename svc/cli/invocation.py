"""How this program was started, so that what it tells people to type works as it stands."""

import shlex
import sys
from pathlib import Path


def program() -> str:
    """The beginning of a command line: `svc` need not be in the PATH."""
    by_module = Path(sys.argv[0]).name == "__main__.py"
    return f"{shlex.quote(sys.executable)} -m svc" if by_module else shlex.quote(sys.argv[0])
