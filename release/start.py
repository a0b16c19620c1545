"""Runs the program in the interpreter that comes with it; the first argument is how it was called."""

import os
import sys

# The loader has read it, for this interpreter alone.
os.environ.pop("LD_LIBRARY_PATH", None)
del sys.argv[0]

from svc.cli import main  # noqa: E402  # after the environment is as it was

main()
