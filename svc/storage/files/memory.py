"""Contents in memory, for systems without a data directory: tests, and benches of other parts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from svc.domain.files.contents import ContentFacts, ContentReader
from svc.storage.files.contents import ContentMissing
from svc.storage.files.names import ContentLocks


class MemoryFiles:
    """A `FileStore` that ends with its process."""

    def __init__(self) -> None:
        self.contents: dict[tuple[str, str], bytes] = {}
        self._locks = ContentLocks()

    @asynccontextmanager
    async def receive(self) -> "AsyncIterator[_Incoming]":
        yield _Incoming(self)

    @asynccontextmanager
    async def of(self, organization_id: str, digest: str) -> AsyncIterator[None]:
        async with self._locks.of(f"{organization_id}/{digest}"):
            yield

    @asynccontextmanager
    async def open(self, organization_id: str, digest: str) -> "AsyncIterator[_Open]":
        content = self.contents.get((organization_id, digest))
        if content is None:
            raise ContentMissing("the content of this file is missing")
        yield _Open(content)

    async def delete(self, organization_id: str, digest: str) -> bool:
        self.contents.pop((organization_id, digest), None)
        return True

    async def organizations(self) -> list[str]:
        return sorted({organization_id for organization_id, _ in self.contents})

    async def digests(self, organization_id: str) -> list[str]:
        return sorted(digest for of, digest in self.contents if of == organization_id)

    async def delete_broken_off(self) -> int:
        return 0


class _Incoming:
    def __init__(self, files: MemoryFiles) -> None:
        self._files = files
        self._reader = ContentReader()
        self._content = bytearray()

    async def write(self, piece: bytes) -> None:
        self._reader.feed(piece)
        self._content += piece

    async def finish(self) -> ContentFacts:
        return self._reader.facts()

    async def keep(self, organization_id: str) -> None:
        self._files.contents[organization_id, self._reader.facts().digest] = bytes(self._content)


class _Open:
    def __init__(self, content: bytes) -> None:
        self._content = content

    async def read(self, offset: int, size: int) -> bytes:
        return self._content[offset : offset + size]
