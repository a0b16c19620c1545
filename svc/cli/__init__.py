"""The command line."""

import sys
from importlib import import_module


def main() -> None:
    """Run the program `svc`; where only the client kit is installed, say what is missing."""
    try:
        program = import_module("svc.cli.program")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "svc":
            raise
        sys.exit(
            f"svc: the server is not installed here ({error.name} is missing): pip install 'svc[server]'"
        )
    program.main()
