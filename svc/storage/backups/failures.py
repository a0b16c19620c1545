"""Why a backup is not made."""

from collections.abc import Callable

Stopped = Callable[[], bool]
"""Whether the backup is to stop; asked in the thread that makes it."""


class BackupFailed(Exception):
    """Raised when no backup was made, or none could be read. The message is a sentence for operators."""


class BackupStopped(Exception):
    """Raised when a backup was stopped, since the service ends."""


def never() -> bool:
    """For backups that nothing stops."""
    return False


def stop_if(stopped: Stopped) -> None:
    """Raise `BackupStopped` if the backup is to stop."""
    if stopped():
        raise BackupStopped
