"""Files that only their owner may read, and that are written whole or not at all."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

_OWNER_ONLY: Final = 0o600


def open_private(path: Path, buffering: int = -1) -> BinaryIO:
    """Create a file that only its owner can read, and open it for writing. Raises `OSError` if there is one.

    It is private from its first moment, whatever the umask, and a link at *path* is not followed.
    """
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _OWNER_ONLY)
    return os.fdopen(handle, "wb", buffering)


def create_private(path: Path, content: bytes) -> None:
    """Write a new file that only its owner can read, and sync it to the disk. An `OSError` names it."""
    with errors_named(path), open_private(path) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    sync(path.parent)


@contextmanager
def replacing_private(path: Path) -> Iterator[BinaryIO]:
    """A private file that takes the place of *path* once all of it is written and on the disk."""
    draft = draft_of(path)
    draft.unlink(missing_ok=True)
    try:
        with open_private(draft) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        sync(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def replace_private(path: Path, content: bytes) -> None:
    """As `create_private`, atomically replacing a file at *path*, if there is one."""
    with errors_named(path), replacing_private(path) as file:
        file.write(content)


@contextmanager
def errors_named(path: Path) -> Iterator[None]:
    """Have each `OSError` name *path*: that of a descriptor names no file, that of a draft one that goes."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


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
