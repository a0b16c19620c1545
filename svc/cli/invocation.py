"""How this program was started, so that the commands that it suggests can be pasted."""

import shlex
import sys
from pathlib import Path


def program() -> str:
    """The first words of a command line. They work even if `svc` is not in the PATH."""
    by_module = Path(sys.argv[0]).name == "__main__.py"
    return f"{shlex.quote(sys.executable)} -m svc" if by_module else shlex.quote(sys.argv[0])
