"""The digests of a backup: the last member of its archive, as `sha256sum --check` reads it.

It has the SHA-256 of each file, and in a comment that of every byte before it, headers included. What comes
after it in the archive follows from it. So no byte of a backup changes without being noticed.
"""

import hashlib
import io
import os
import re
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, Final, NamedTuple

from svc.storage.backups.failures import BackupFailed
from svc.storage.store import StoreError

SUMS: Final = "SHA256SUMS"
_TEXT: Final = re.compile(r"# ([0-9a-f]{64}) of all before this\n((?:[0-9a-f]{64}  [^\n]+\n)*)")
PIECE_BYTES: Final = 1024 * 1024
"""What of a file is read and hashed at once."""
_PRIVATE: Final = 0o600


class Members:
    """Adds files to an archive, without what they say of this machine, and keeps their digests."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._digests: dict[str, str] = {}

    def add(self, path: Path, name: str) -> str:
        """Add the file at *path*; its digest is returned."""
        with path.open("rb") as file:
            return self._add(self._tar.gettarinfo(arcname=name, fileobj=file), file)

    def add_bytes(self, name: str, content: bytes) -> None:
        """Add a file with that *content*."""
        member = tarfile.TarInfo(name)
        member.size = len(content)
        self._add(member, io.BytesIO(content))

    def end(self, before: str) -> None:
        """Add the digests, and that of all that is written *before* them."""
        member, body = _Sums(before, self._digests).member()
        self._tar.addfile(member, io.BytesIO(body))

    def _add(self, member: tarfile.TarInfo, content: IO[bytes]) -> str:
        hashed = _Hashed(content)
        anonymous = member.replace(mode=_PRIVATE, uid=0, gid=0, uname="", gname="", deep=False)
        self._tar.addfile(anonymous, hashed)
        self._digests[member.name] = digest = hashed.found.hexdigest()
        return digest


class _Hashed:
    """Reads a file, and hashes what was read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.found = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        piece = self._file.read(size)
        self.found.update(piece)
        return piece


class _Sums(NamedTuple):
    """What the last member says."""

    before: str
    """The digest of all that is before it."""
    files: Mapping[str, str]

    def member(self) -> tuple[tarfile.TarInfo, bytes]:
        lines = [f"# {self.before} of all before this\n"]
        lines += [f"{digest}  {name}\n" for name, digest in self.files.items()]
        body = "".join(lines).encode()
        member = tarfile.TarInfo(SUMS)
        member.mode, member.size = _PRIVATE, len(body)
        return member, body

    def archived(self, offset: int) -> bytes:
        """The archive from *offset* on, where this begins."""
        member, body = self.member()
        whole = member.tobuf() + body
        blocks = -(-len(whole) // tarfile.BLOCKSIZE) + 2  # two that are empty end an archive
        end = offset + blocks * tarfile.BLOCKSIZE
        return whole.ljust(-(-end // tarfile.RECORDSIZE) * tarfile.RECORDSIZE - offset, b"\0")


def check(file: Path) -> bool:
    """Compare every byte of the backup *file* with its digests.

    False if it has none, as an earlier version made it. Raises `BackupFailed` for one that is damaged or cut
    off, or is no backup, and `OSError`.
    """
    with file.open("rb") as archive, reading(file):
        found = _digests(archive)
        if found is None:
            return False
        files, offset, sums = found
        archive.seek(0)
        is_whole = _digest(archive, offset) == sums.before and archive.read() == sums.archived(offset)
        if is_whole and files == sums.files:
            return True
    damaged = next((name for name, digest in files.items() if sums.files.get(name) != digest), "it")
    raise BackupFailed(f"{file} is damaged: {damaged} is not as it was written")


def check_written(file: Path) -> None:
    """Check a backup that was written and synced, by what is on the disk where the system permits it."""
    if hasattr(os, "posix_fadvise"):
        with file.open("rb") as archive:
            os.posix_fadvise(archive.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    check(file)


@contextmanager
def reading(file: Path) -> Iterator[None]:
    """Raise `BackupFailed` for whatever a damaged archive makes of its reader."""
    try:
        yield
    except (BackupFailed, StoreError, OSError):
        raise
    except Exception as error:  # an archive that is damaged anywhere makes its reader fail in many ways
        raise BackupFailed(f"{file} is no backup of this program, or not all of one") from error


def opened(archive: BinaryIO) -> tarfile.TarFile:
    """*archive* for reading: backups are not compressed, and no damaged one is taken for it."""
    return tarfile.open(fileobj=archive, mode="r:")


def _digests(archive: BinaryIO) -> tuple[dict[str, str], int, _Sums] | None:
    """The digest of each file, and where the last member begins, and what it says."""
    files: dict[str, str] = {}
    with opened(archive) as tar:
        for member in tar:
            content = tar.extractfile(member)
            if content is None:
                raise KeyError(member.name)
            if member.name == SUMS:
                return files, member.offset, _read(content.read())
            files[member.name] = _digest(content, member.size)
        archive.seek(tar.offset)
    if archive.read().strip(b"\0"):
        raise EOFError  # a header that cannot be read looks like the end
    return None


def _read(body: bytes) -> _Sums:
    matched = _TEXT.fullmatch(body.decode())
    if matched is None:
        raise ValueError(SUMS)
    lines = (line.partition("  ") for line in matched[2].splitlines())
    return _Sums(matched[1], {name: digest for digest, _, name in lines})


def _digest(content: IO[bytes], size: int) -> str:
    """The digest of the next *size* bytes. Raises `EOFError` if there are fewer."""
    found = hashlib.sha256()
    while size:
        piece = content.read(min(size, PIECE_BYTES))
        if not piece:
            raise EOFError
        found.update(piece)
        size -= len(piece)
    return found.hexdigest()
