"""Runs the program in the interpreter that comes with it; the first argument is how it was called."""

import os
import sys
from pathlib import Path

# The loader has read it, for this interpreter alone. Another one is started by a script that sets it.
os.environ.pop("LD_LIBRARY_PATH", None)
sys.executable = str(Path(sys.executable).with_name("python"))
del sys.argv[0]

from svc.cli import main  # noqa: E402  # after the environment is as it was

main()
