"""The command line. It exits with a hint if only the client kit is installed."""

import sys
from contextlib import suppress

try:
    if "rich" not in sys.modules:
        # structlog imports rich where that is installed, for coloured tracebacks, which nothing here prints:
        # 5 MiB in every service where `svc top` can be used.
        sys.modules["rich"] = None  # type: ignore[assignment]  # an import of it fails
        try:
            with suppress(ModuleNotFoundError):
                import structlog  # noqa: F401
        finally:
            del sys.modules["rich"]
    from svc.cli.program import main
except ModuleNotFoundError as error:
    if str(error.name).partition(".")[0] == "svc":
        raise
    raise SystemExit(
        f"svc: the server is not installed ({error.name} is missing): pip install 'svc-platform[server]'"
    ) from None

__all__ = ["main"]
