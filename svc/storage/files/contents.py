"""The store of contents: where the bytes of files are, as an interface, so that several nodes may share one.

A content is named by its organization and its hash: the same bytes are stored once in an organization, and
no organization can tell what another one has. Rows and contents are kept together by this order:

- a content is on the disk, with its folder, before the row of its file is committed;
- it is deleted only after the commit that removed the last such row, while `of` is held for it.

So a crash may leave a content without a row, which the next sweep deletes, and no row without its content.
"""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from svc.domain.errors import NotFound, Unavailable
from svc.domain.files.contents import ContentFacts


class ContentsFailed(Unavailable):
    """Raised when a content cannot be written or read: the disk is full or fails. The cause is chained."""

    outward = "the file cannot be kept or read at the moment; nothing of this was kept"


class ContentMissing(NotFound):
    """Raised for a content that is not there, though a row has it: `svc check` names it."""


class Incoming(Protocol):
    """A content that arrives. Unless it is kept, it is gone at the end of its block."""

    async def write(self, piece: bytes) -> None:
        """Write the next piece. Raises `ContentsFailed`."""
        ...

    async def finish(self) -> ContentFacts:
        """Have all of it on the disk, under no name yet; what it is. Raises `ContentsFailed`."""
        ...

    async def keep(self, organization_id: str) -> None:
        """Give it its name in the organization, on the disk as well. Raises `ContentsFailed`.

        The caller holds its name (`FileStore.of`) until the unit of work that needs it has ended.
        """
        ...


class OpenContent(Protocol):
    """A content that is being read."""

    async def read(self, offset: int, size: int) -> bytes:
        """At most *size* bytes from *offset* on; empty at the end. Raises `ContentsFailed`."""
        ...


class FileStore(Protocol):
    """Keeps contents."""

    def receive(self) -> AbstractAsyncContextManager[Incoming]:
        """Begin to receive a content."""
        ...

    def of(self, organization_id: str, digest: str) -> AbstractAsyncContextManager[object]:
        """Hold the name of a content, alone: neither is it deleted meanwhile, nor do two decide about it."""
        ...

    def open(self, organization_id: str, digest: str) -> AbstractAsyncContextManager[OpenContent]:
        """Open a content. Raises `ContentMissing` and `ContentsFailed` as it is entered."""
        ...

    async def delete(self, organization_id: str, digest: str) -> bool:
        """Delete a content, whose name the caller holds; false while a backup needs all of them.

        Raises `ContentsFailed`.
        """
        ...

    async def organizations(self) -> list[str]:
        """The organizations that have contents. Raises `ContentsFailed`."""
        ...

    async def digests(self, organization_id: str) -> list[str]:
        """The contents of the organization. Raises `ContentsFailed`."""
        ...

    async def delete_broken_off(self) -> int:
        """Delete what an earlier process began to receive; how many there were. Raises `ContentsFailed`."""
        ...
