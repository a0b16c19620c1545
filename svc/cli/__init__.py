"""The command line. It exits with a hint if only the client kit is installed."""

try:
    from svc.cli.program import main
except ModuleNotFoundError as error:
    if str(error.name).partition(".")[0] == "svc":
        raise
    raise SystemExit(
        f"svc: the server is not installed ({error.name} is missing): pip install 'svc-platform[server]'"
    ) from None

__all__ = ["main"]
