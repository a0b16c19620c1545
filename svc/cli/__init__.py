"""The command line."""

from svc.cli.program import main

__all__ = ["main"]
