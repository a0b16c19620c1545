"""Files that come in and go out: uploads of people and keys, attachments of bridges, and downloads."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Final

import msgspec
import trio
from sqlalchemy import Connection

from svc.actors.concurrency_limits import KeyedLimiter
from svc.actors.identity.organization import Admission
from svc.actors.system import System
from svc.domain.errors import Fault, Forbidden, InvalidInput, NotFound, Unavailable
from svc.domain.files.contents import ContentFacts
from svc.domain.files.files import READ, UPLOAD, StoredFile, check_may_upload, may_see
from svc.domain.identity.callers import Call, permit
from svc.domain.tool_results import ToolResult
from svc.services.tools import calls as tool_calls
from svc.services.tools import in_flight
from svc.storage import audit, idempotency
from svc.storage.files import files
from svc.storage.files.contents import Incoming, OpenContent
from svc.storage.files.files import NewFile
from svc.storage.identity import organizations
from svc.storage.store import StoreError, Tx

Pieces = Callable[[], Awaitable[bytes | None]]
"""Gives the next piece of a body; None at its end."""

_BUSY_SECONDS: Final = 5


class FileUploaded(msgspec.Struct, frozen=True, rename="camel"):
    """The answer to an upload."""

    file_id: str


class _UploadIdentity(msgspec.Struct, frozen=True):
    """What a repeated upload is compared by."""

    name: str
    digest: str


async def check_upload(system: System, call: Call, length: int | None) -> None:
    """Check, before its body is read, whether an upload of *length* bytes may come.

    Raises `Forbidden`, which is audited, and `Conflict` where there is no room for it.
    """
    try:
        check_may_upload(call.caller)
    except Forbidden as error:
        await tool_calls.note_refusal(system, call, UPLOAD, error)
        raise
    units = system.store.of(call.caller.organization_id)
    await units.read(files.check_room, call.caller.organization_id, length or 0)


async def upload(system: System, call: Call, name: str, pieces: Pieces, key: str | None) -> ToolResult:
    """Keep what *pieces* gives as a file called *name*; it is on the disk when this returns.

    A repeat with the same *key*, name and content is answered as the first was.

    Raises:
        InvalidInput: it is empty, or *key* is no idempotency key.
        Conflict: there is no room for it.
        Unauthenticated, Forbidden: the caller's access has changed meanwhile.
        IdempotencyInProgress, IdempotencyMismatch: the *key* is in use, or was used for another upload.
        Unavailable: too many uploads are under way, or it cannot be kept now.
    """
    caller = call.caller
    async with AsyncExitStack() as held:
        _take(held, system.files.uploads, caller.organization_id, "the organization has")
        _take(held, system.files.uploads_of_senders, f"{caller.organization_id} {caller.id}", "you have")
        held.enter_context(system.stream_places.files.hold(caller.organization_id))
        if key is not None:
            idempotency.check_key(key)
            held.enter_context(in_flight.exclusive(system, caller.organization_id, caller.id, UPLOAD, key))
        incoming = await held.enter_async_context(system.files.contents.receive())
        facts = await _receive(incoming, pieces)
        new = NewFile(name=name, facts=facts, creator_kind=caller.kind, creator_id=caller.id)
        repeatable = None
        if key is not None:
            repeatable = idempotency.repeatable(
                caller.organization_id, caller.id, UPLOAD, key, _UploadIdentity(name, facts.digest)
            )

        def write(tx: Tx) -> ToolResult:
            current = tool_calls.as_of_now(system, tx.conn, tx.now, call)
            check_may_upload(current.caller)

            def add() -> FileUploaded:
                added = files.add(tx, caller.organization_id, new)
                audit.note(tx, current, UPLOAD, added.id)
                return FileUploaded(added.id)

            return idempotency.once(tx, repeatable, add)

        async with (
            kept(system, caller.organization_id, [(incoming, facts)]),
            system.calls.writes.of(caller.organization_id),
        ):
            return await system.store.of(caller.organization_id).write(write)


async def _receive(incoming: Incoming, pieces: Pieces) -> ContentFacts:
    while (piece := await pieces()) is not None:
        await incoming.write(piece)
    facts = await incoming.finish()
    if not facts.size:
        raise InvalidInput([Fault("", "missing", "the body is empty: send the file's bytes")])
    return facts


@asynccontextmanager
async def kept(
    system: System, organization_id: str, arrived: Iterable[tuple[Incoming, ContentFacts]]
) -> AsyncIterator[None]:
    """Have contents on the disk for the unit of work in this block, which stores the rows of them.

    Their names are held until the unit has ended, and nothing cancels it before: else a content could be
    taken for left over while a row of it is being committed. Contents that get no row are deleted again.
    """
    by_digest = {facts.digest: incoming for incoming, facts in arrived}
    with trio.CancelScope(shield=True):
        async with AsyncExitStack() as held:
            for digest in sorted(by_digest):  # in one order, so that no two wait for each other
                await held.enter_async_context(system.files.contents.of(organization_id, digest))
            try:
                for incoming in by_digest.values():
                    await incoming.keep(organization_id)
                yield
            finally:
                await _delete_unneeded(system, organization_id, by_digest)


async def _delete_unneeded(system: System, organization_id: str, digests: Iterable[str]) -> None:
    """Delete contents without a row; what cannot be deleted now, the next sweep finds."""
    units = system.store.of(organization_id)
    with suppress(Unavailable, StoreError):
        for digest in digests:
            if not await units.read(files.has_content, organization_id, digest):
                await system.files.contents.delete(organization_id, digest)


async def find(system: System, admission: Admission, call: Call, file_id: str) -> StoredFile:
    """The file, if the caller may fetch it.

    Raises `NotFound` for one that the caller may not see as well, and `Forbidden` for a key that is not for
    fetching files, which is audited.
    """
    tool_calls.check_budget(admission)
    try:
        permit(call.caller, READ, needs=None, runs="open", reads=True)
    except Forbidden as error:
        await tool_calls.note_refusal(system, call, READ, error)
        raise

    def read(conn: Connection) -> StoredFile:
        file = files.get(conn, call.caller.organization_id, file_id)
        if not may_see(call.caller, file, files.nouns_of(conn, file_id)):
            raise NotFound("there is no such file")
        return file

    async with system.calls.reads.of(call.caller.organization_id):
        return await system.store.of(call.caller.organization_id).read(read)


async def find_signed(system: System, file_id: str, ends: str, signature: str) -> StoredFile:
    """The file of a signed address.

    Raises `Forbidden` for an address that was changed or has ended, and `NotFound` for a file that is gone,
    or whose organization is closed.
    """
    if not system.files.addresses.holds(file_id, ends, signature, system.clock.now()):
        raise Forbidden("this address was changed, or its time is over")

    def read(conn: Connection) -> StoredFile:
        file = files.find_anywhere(conn, file_id)
        if file is None or organizations.get(conn, file.organization_id).closed_at is not None:
            raise NotFound("there is no such file")
        return file

    return await system.store.read(read)


@asynccontextmanager
async def opened(system: System, file: StoredFile) -> AsyncIterator[OpenContent]:
    """The content of a file. Raises `NotFound`, and `Unavailable` where too many are fetched at once."""
    with system.stream_places.files.hold(file.organization_id):
        async with system.files.contents.open(file.organization_id, file.digest) as content:
            yield content


def _take(held: AsyncExitStack, limiter: KeyedLimiter, key: str, whose: str) -> None:
    if not limiter.try_acquire(key):
        raise Unavailable(
            f"{whose} as many uploads under way as may be: try again when one has ended",
            retry_after_seconds=_BUSY_SECONDS,
        )
    held.callback(limiter.release, key)
