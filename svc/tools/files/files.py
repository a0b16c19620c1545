"""`file.*`: uploaded pictures and documents, and what bridges sent beside messages."""

from typing import Annotated, Final

from svc.domain.errors import Conflict, Forbidden, NotFound
from svc.domain.files.addresses import FileAddresses
from svc.domain.files.files import (
    CreatorKind,
    Noun,
    StoredFile,
    check_may_discard,
    check_may_remove,
    may_see,
    nouns_seen,
)
from svc.domain.files.limits import FILE_USES_SHOWN_MAX
from svc.domain.identity.callers import Call
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import Timestamp, rfc3339
from svc.storage.files import files
from svc.storage.store import Tx, View
from svc.tools.projections import Projection
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes

FileId = Annotated[str, about(description="The file's id.", examples=["fil_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]


class FileUseAnswer(ToolOutput, frozen=True, kw_only=True):
    """One thing that uses a file."""

    noun: Noun
    id: str


class UploaderAnswer(ToolOutput, frozen=True, kw_only=True):
    """What uploaded a file."""

    kind: Annotated[CreatorKind, about(description="`bridge`: it came with a message from a messenger.")]
    id: Annotated[str, about(description="Of the person or key; of a bridge, its connection's.")]


class FileAnswer(ToolOutput, frozen=True, kw_only=True):
    """A file."""

    id: FileId
    name: Annotated[str, about(description="As it was uploaded; not unique.")]
    media_type: Annotated[
        str,
        about(
            description="By what is in it, whatever its sender said; `application/octet-stream` where that is"
            " not known, or is two things at once.",
            examples=["image/png"],
        ),
    ]
    size: Annotated[int, about(description="Bytes.")]
    created_at: Timestamp
    created_by: UploaderAnswer
    used_by: Annotated[
        tuple[FileUseAnswer, ...],
        about(
            description="The records and messages that use it. An unused file is removed by itself.",
            max_length=FILE_USES_SHOWN_MAX,
        ),
    ]
    address: Annotated[
        str | None,
        about(
            description="Where it can be fetched without a key until `addressEndsAt`. Treat it as a secret."
            " Null where the caller is an agent or a workflow."
        ),
    ]
    address_ends_at: Timestamp | None


EXAMPLE: Final = FileAnswer(
    id="fil_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    name="lamp.jpg",
    media_type="image/jpeg",
    size=48_211,
    created_at="2026-09-18T09:30:00.000Z",
    created_by=UploaderAnswer(kind="bridge", id="con_01K5D3V7Q2M8Z4X6C9B1N0T5RA"),
    used_by=(FileUseAnswer(noun="message", id="msg_01K5D3V7Q2M8Z4X6C9B1N0T5RA"),),
    address="https://svc.example/api/v1/files/fil_01K5D3V7Q2M8Z4X6C9B1N0T5RA"
    "?exp=1789727400&sig=Zm9yIGV4YW1wbGUsIG5vdCBhIHNpZ25hdHVyZSBvZiBvdXI",
    address_ends_at="2026-09-18T10:30:00.000Z",
)


class FileById(ToolInput, frozen=True, kw_only=True):
    """Which file."""

    id: FileId


@reads("file.get", raises=(NotFound,), example=FileById(id=EXAMPLE.id), answer=EXAMPLE)
def get(view: View, call: Call, request: FileById) -> FileAnswer:
    """Show a file, with an address at which it can be fetched for an hour.

    It takes the permission `records.read` for what records use, and `conversations` for what messages use. A
    file that nothing uses yet is shown to its uploader alone. The bytes are at `/api/v1/files/<id>`, too.
    """
    file = files.get(view.conn, call.caller.organization_id, request.id)
    if not may_see(call.caller, file, files.nouns_of(view.conn, file.id)):
        raise NotFound(f"there is no file {shown(request.id)}")
    return _answer(call, file, view.now)


class ListFiles(ToolInput, frozen=True, kw_only=True):
    """Which files, and which part of the list."""

    used_by: Annotated[
        str | None,
        about(description="The id of a record or a message: its files alone.", examples=["rec_01K5D3V7Q2M8"]),
    ] = None
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class FileList(ToolOutput, frozen=True, kw_only=True):
    """Files, the newest first."""

    files: tuple[FileAnswer, ...]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "file.list",
    example=ListFiles(used_by=EXAMPLE.used_by[0].id),
    answer=FileList(files=(EXAMPLE,), next_cursor=None),
)
def list_all(view: View, call: Call, request: ListFiles) -> FileList:
    """List the files that the caller may see, the newest first. Who may see one is as for `file.get`."""
    if request.used_by is None:
        view.expect_long()  # those that the caller may not see are read as well
    page, next_cursor = files.list_page(
        view.conn,
        call.caller,
        nouns_seen(call.caller),
        used_by=request.used_by,
        cursor=request.cursor,
        limit=request.limit,
    )
    return FileList(files=tuple(_answer(call, file, view.now) for file in page), next_cursor=next_cursor)


class RemovedFile(ToolOutput, frozen=True, kw_only=True):
    """A file that is gone."""

    id: FileId
    removed_at: Timestamp


@writes(
    "file.remove",
    runs="approval",
    raises=(NotFound,),
    example=FileById(id=EXAMPLE.id),
    answer=RemovedFile(id=EXAMPLE.id, removed_at="2026-09-18T09:45:00.000Z"),
)
def remove(tx: Tx, call: Call, request: FileById) -> RemovedFile:
    """Remove a file for good, whatever uses it.

    From then on nobody can fetch it, by an address that was made before neither; its bytes go from the disk
    within minutes. Records and messages that use it keep its id, which leads nowhere. It takes
    `records.write` where a record uses it, and `conversations` where a message does.
    """
    file = files.get(tx.conn, call.caller.organization_id, request.id)
    nouns = files.nouns_of(tx.conn, file.id)
    if not may_see(call.caller, file, nouns):
        raise NotFound(f"there is no file {shown(request.id)}")
    check_may_remove(call.caller, nouns)
    files.remove(tx, call.caller.organization_id, file.id)
    return RemovedFile(id=file.id, removed_at=rfc3339(tx.now))


@writes(
    "file.discard",
    raises=(NotFound, Forbidden, Conflict),
    example=FileById(id=EXAMPLE.id),
    answer=RemovedFile(id=EXAMPLE.id, removed_at="2026-09-18T09:45:00.000Z"),
)
def discard(tx: Tx, call: Call, request: FileById) -> RemovedFile:
    """Take back an upload that nothing uses, such as a mistaken one, without waiting for its removal.

    The key or person that uploaded it may, and callers with the permission `security`. A file that a record
    or a message uses stays: it is 409 `conflict`. Any other is gone as by `file.remove`.
    """
    file = files.get(tx.conn, call.caller.organization_id, request.id)
    check_may_discard(call.caller, file, files.nouns_of(tx.conn, file.id))
    files.remove(tx, call.caller.organization_id, file.id)
    return RemovedFile(id=file.id, removed_at=rfc3339(tx.now))


def _uploader(file: StoredFile) -> UploaderAnswer:
    return UploaderAnswer(kind=file.creator_kind, id=file.creator_id)


_shown: Final = Projection(
    StoredFile,
    FileAnswer,
    given=("address", "address_ends_at"),
    created_by=_uploader,
    used_by=lambda file: tuple(FileUseAnswer(noun=use.noun, id=use.id) for use in file.uses),
)


def _answer(call: Call, file: StoredFile, now: int) -> FileAnswer:
    if not isinstance(call.file_links, FileAddresses):
        return _shown(file, address=None, address_ends_at=None)
    address, ends_at = call.file_links.sign(call.base_url, file.id, now)
    return _shown(file, address=address, address_ends_at=rfc3339(ends_at))
