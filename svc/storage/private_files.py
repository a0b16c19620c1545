"""Files that only their owner may read, and that are written whole or not at all."""

import os
import stat
from pathlib import Path
from typing import Final

_OWNER_ONLY: Final = 0o600


def create_private(path: Path, content: bytes) -> None:
    """Write a new file that only its owner can read, and sync it to the disk."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    sync(path.parent)


def replace_private(path: Path, content: bytes) -> None:
    """As `create_private`, atomically replacing a file at *path*, if there is one."""
    draft = draft_of(path)
    draft.unlink(missing_ok=True)
    create_private(draft, content)
    draft.replace(path)
    sync(path.parent)


def draft_of(path: Path) -> Path:
    """Where the new content of *path* is written, before it takes its place."""
    return path.with_name(f".{path.name}.new")


def is_private(path: Path) -> bool:
    """Whether no user but its owner may use *path*. Raises `OSError`."""
    return not path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)


def sync(directory: Path) -> None:
    """Sync the entries of *directory* to the disk."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
