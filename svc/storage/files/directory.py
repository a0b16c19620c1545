"""Contents in a directory: `<organization>/ab/cdef…`, the SHA-256 in hexadecimal as `sha256sum` prints it.

All work on the disk is done in a few threads of its own. What arrives is in `incoming/` until it is kept.
"""

import fcntl
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import trio

from svc.domain.files.contents import ContentFacts, ContentReader
from svc.storage.files.contents import ContentMissing, ContentsFailed
from svc.storage.files.names import ContentLocks
from svc.storage.private_files import replace_private, sync

T = TypeVar("T")

PIECE_BYTES: Final = 256 * 1024
"""What is written to the disk at once."""
THREADS: Final = 8
_INCOMING: Final = "incoming"
_LOCK: Final = "lock"
_FOLDER_CHARS: Final = 2
_ORGANIZATION: Final = re.compile(r"org_[0-9A-Z]{26}")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_PRIVATE: Final = 0o600


Run = Callable[..., Awaitable[Any]]
"""As `trio.to_thread.run_sync`: a blocking function, and a `limiter`."""


def path_of(root: Path, organization_id: str, digest: str) -> Path:
    """Where a content is below *root*."""
    return root / organization_id / digest[:_FOLDER_CHARS] / digest[_FOLDER_CHARS:]


def organizations_in(root: Path) -> list[str]:
    """The organizations that have contents below *root*, in order."""
    return sorted(name for name in _names(root) if _ORGANIZATION.fullmatch(name))


def digests_in(root: Path, organization_id: str) -> list[str]:
    """The contents of the organization below *root*, in order."""
    own = root / organization_id
    found = (folder + name for folder in _names(own) for name in _names(own / folder))
    return sorted(digest for digest in found if _DIGEST.fullmatch(digest))


def put(root: Path, organization_id: str, content: bytes) -> ContentFacts:
    """Keep a whole *content* below *root* at once: for commands that have the data to themselves."""
    reader = ContentReader()
    reader.feed(content)
    facts = reader.facts()
    target = path_of(root, organization_id, facts.digest)
    _make(target.parent)
    replace_private(target, content)
    return facts


@contextmanager
def all_kept(root: Path) -> Iterator[None]:
    """Have no content below *root* deleted, in no process, for a backup."""
    _make(root)
    with (root / _LOCK).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield


class DirectoryFiles:
    """A `FileStore` below *root*, which is created when it is needed. One process at a time has it open."""

    def __init__(self, root: Path, run: Run = trio.to_thread.run_sync) -> None:
        """*run* runs what blocks."""
        self._root = root
        self._run = run
        self._limiter = trio.CapacityLimiter(THREADS)
        self._locks = ContentLocks()
        self._arriving: set[str] = set()
        self._number = 0

    @asynccontextmanager
    async def receive(self) -> "AsyncIterator[_Incoming]":
        self._number += 1
        path = self._root / _INCOMING / f"{os.getpid()}-{self._number}"
        self._arriving.add(path.name)
        incoming = _Incoming(self, path)
        try:
            yield incoming
        finally:
            with trio.CancelScope(shield=True), suppress(ContentsFailed):
                await self.work(incoming.close)
            self._arriving.discard(path.name)

    @asynccontextmanager
    async def of(self, organization_id: str, digest: str) -> AsyncIterator[None]:
        async with self._locks.of(f"{organization_id}/{digest}"):
            yield

    @asynccontextmanager
    async def open(self, organization_id: str, digest: str) -> "AsyncIterator[_Open]":
        try:
            handle = await self.work(partial(os.open, self.path(organization_id, digest), os.O_RDONLY))
        except ContentsFailed as error:
            if isinstance(error.__cause__, FileNotFoundError):
                raise ContentMissing("the content of this file is missing") from None
            raise
        try:
            yield _Open(self, handle)
        finally:
            os.close(handle)

    async def delete(self, organization_id: str, digest: str) -> bool:
        return await self.work(partial(self._delete, self.path(organization_id, digest)))

    async def organizations(self) -> list[str]:
        return await self.work(partial(organizations_in, self._root))

    async def digests(self, organization_id: str) -> list[str]:
        return await self.work(partial(digests_in, self._root, organization_id))

    async def delete_broken_off(self) -> int:
        left = await self.work(partial(_names, self._root / _INCOMING))
        broken_off = [name for name in left if name not in self._arriving]
        for name in broken_off:
            await self.work(partial((self._root / _INCOMING / name).unlink, missing_ok=True))
        return len(broken_off)

    def path(self, organization_id: str, digest: str) -> Path:
        """Where a content is."""
        return path_of(self._root, organization_id, digest)

    async def work(self, fn: Callable[[], T]) -> T:
        """Run what blocks. Raises `ContentsFailed`."""
        try:
            result: T = await self._run(fn, limiter=self._limiter)
        except OSError as error:
            raise ContentsFailed(f"a file cannot be kept or read: {error}") from error
        return result

    def _delete(self, path: Path) -> bool:
        _make(self._root)
        with (self._root / _LOCK).open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            path.unlink(missing_ok=True)
        return True


class _Incoming:
    """A content that arrives in a file without a name of its own."""

    def __init__(self, files: DirectoryFiles, path: Path) -> None:
        self._files = files
        self._path = path
        self._reader = ContentReader()
        self._buffer = bytearray()
        self._handle: int | None = None
        self._facts: ContentFacts | None = None

    async def write(self, piece: bytes) -> None:
        self._buffer += piece
        if len(self._buffer) >= PIECE_BYTES:
            await self._files.work(self._flush)

    async def finish(self) -> ContentFacts:
        return await self._files.work(self._finish)

    async def keep(self, organization_id: str) -> None:
        if self._facts is None:
            raise RuntimeError("it is not finished")
        target = self._files.path(organization_id, self._facts.digest)
        await self._files.work(partial(self._move, target))

    def close(self) -> None:
        """Delete it, unless it was kept."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
            self._path.unlink(missing_ok=True)

    def _flush(self) -> None:
        if self._handle is None:
            _make(self._path.parent)
            self._handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
        piece = bytes(self._buffer)
        self._buffer.clear()
        self._reader.feed(piece)
        with memoryview(piece) as rest:
            written = 0
            while written < len(rest):
                written += os.write(self._handle, rest[written:])

    def _finish(self) -> ContentFacts:
        self._flush()
        if self._handle is not None:
            os.fsync(self._handle)
        self._facts = self._reader.facts()
        return self._facts

    def _move(self, target: Path) -> None:
        _make(target.parent)
        self._path.replace(target)
        sync(target.parent)


class _Open:
    """A content that is being read."""

    def __init__(self, files: DirectoryFiles, handle: int) -> None:
        self._files = files
        self._handle = handle

    async def read(self, offset: int, size: int) -> bytes:
        return await self._files.work(partial(os.pread, self._handle, size, offset))


def _make(folder: Path) -> None:
    """Create *folder* and what is above it, each on the disk before what is in it."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        sync(folder.parent)


def _names(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
