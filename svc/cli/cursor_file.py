"""A small file that keeps how far a listener has come, from one run to the next."""

import re
from pathlib import Path
from typing import Final

from svc.cli.failures import Failure, as_failure
from svc.storage.private_files import replace_private

_CURSOR: Final = re.compile(r"[!-~]{1,1000}")
"""What the service calls a cursor: opaque, without spaces, and short."""


class CursorFile:
    """The cursor in the file at *path*, which need not be there yet."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> str | None:
        """The cursor; None if there is no file. Raises `Failure` if it cannot be read, or has no cursor."""
        try:
            with self._path.open(encoding="ascii") as file:
                text = file.read(_READ_CHARS).strip()
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise Failure(f"{self._path} cannot be read: {error}") from error
        if not _CURSOR.fullmatch(text):
            raise Failure(f"{self._path} has no cursor: delete it, or name another file")
        return text

    def write(self, cursor: str) -> None:
        """Replace the file as a whole. Raises `Failure`."""
        with as_failure(OSError):
            replace_private(self._path, f"{cursor}\n".encode())


_READ_CHARS: Final = 1_002
"""More than the longest cursor, so that a file of another kind is not read whole."""
