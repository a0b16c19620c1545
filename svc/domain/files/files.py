"""A file: its facts, who may see it, and what its name may be."""

import re
import unicodedata
from collections.abc import Collection
from typing import Final, Literal

import msgspec

from svc.domain.errors import Conflict, Forbidden, InvalidValue, NotFound
from svc.domain.files.limits import FILE_NAME_CHARS_MAX
from svc.domain.identity.callers import Caller, CallerKind
from svc.domain.identity.roles import Permission
from svc.domain.identity.tool_names import lasting_name
from svc.domain.input.near_names import shown

Noun = Literal["record", "message"]
"""What uses a file."""
CreatorKind = CallerKind | Literal["bridge"]
"""What uploaded a file: a caller, or a bridge with a message."""

UPLOAD: Final = "file.upload"
"""The name of an upload in the audit trail, and of its idempotency keys. It is no tool: it takes no JSON."""
READ: Final = "file.get"
"""The tool that a key has to be for to fetch contents as well."""
UNNAMED: Final = "file"
"""The name of what was uploaded without one."""

NEEDED: Final[dict[Noun, tuple[Permission, Permission]]] = {
    "record": ("records.read", "records.write"),
    "message": ("conversations", "conversations"),
}
"""By what uses a file: the permissions to see it, and to remove it."""

_TAKERS: Final = frozenset(
    {
        "record.create",
        "record.create_many",
        "record.update",
        "record.update_many",
        "record.upsert",
        "record.upsert_many",
        "message.reply",
    }
)
"""The tools that take a file's id: a key that is for named tools may upload if it is for one of these."""
_ID: Final = re.compile("fil_[0-7][0-9A-HJKMNP-TV-Z]{25}")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that are not seen, or change how others are read, such as a right-to-left mark."""


class Use(msgspec.Struct, frozen=True):
    """One thing that uses a file."""

    noun: Noun
    id: str


class StoredFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file as it is stored. Times are ms since the epoch."""

    id: str
    organization_id: str
    name: str
    media_type: str
    """By its content, not by what its sender said."""
    size: int
    """Bytes."""
    digest: str
    """SHA-256 of the content, in hexadecimal."""
    created_at: int
    creator_kind: CreatorKind
    creator_id: str
    uses: tuple[Use, ...] = ()
    """What uses it, as far as a list reads them."""


def is_file_id(value: object) -> bool:
    """Whether *value* has the form of a file's id."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def nouns_seen(caller: Caller) -> list[Noun]:
    """The nouns whose files *caller* may see."""
    return [noun for noun, (seen, _) in NEEDED.items() if seen in caller.permissions]


def may_see(caller: Caller, file: StoredFile, nouns: Collection[Noun]) -> bool:
    """Whether *caller* may see a file that is used by *nouns*; an unused one is its uploader's alone."""
    if nouns:
        return any(NEEDED[noun][0] in caller.permissions for noun in nouns)
    return caller.kind == "operator" or _uploaded(caller, file)


def check_may_remove(caller: Caller, nouns: Collection[Noun]) -> None:
    """Raises `Forbidden` unless *caller* may change everything that uses the file, by *nouns*."""
    for noun in nouns:
        needed = NEEDED[noun][1]
        if needed not in caller.permissions:
            raise Forbidden(f"a {noun} uses this file: to remove it needs the permission {needed}")


def check_may_discard(caller: Caller, file: StoredFile, nouns: Collection[Noun]) -> None:
    """Check that *caller* may discard a file that is used by *nouns*: its uploader, or who has `security`.

    Raises:
        NotFound: the caller may not know of it.
        Forbidden: the caller only sees it.
        Conflict: something uses it.
    """
    if not (_uploaded(caller, file) or "security" in caller.permissions):
        if not may_see(caller, file, nouns):
            raise NotFound(f"there is no file {shown(file.id)}")
        raise Forbidden("a file is discarded by what uploaded it; others need the permission security")
    if nouns:
        raise Conflict(f"a {min(nouns)} uses this file, so it stays: `file.remove` removes it all the same")


def _uploaded(caller: Caller, file: StoredFile) -> bool:
    return (file.creator_kind, file.creator_id) == (caller.kind, caller.id)


def check_may_upload(caller: Caller) -> None:
    """Raises `Forbidden` unless *caller* may put a file to some use."""
    if caller.limited_to is not None:
        raise Forbidden(f"this key is limited to {caller.limited_to}")
    if caller.narrowed_to is not None:
        raise Forbidden("an agent uploads nothing")
    if caller.tools is not None and not _TAKERS & {lasting_name(name) for name in caller.tools}:
        raise Forbidden(f"this {caller.kind} is for no tool that takes a file")
    if not {needed for _, needed in NEEDED.values()} & caller.permissions:
        raise Forbidden("an upload needs the permission records.write, or conversations")


def clean_name(given: str | None) -> str:
    """A file's name without folders and hidden characters. Raises `InvalidValue` for one that is too long."""
    name = unicodedata.normalize("NFC", (given or "").replace("\\", "/").rpartition("/")[2])
    name = "".join(character for character in name if unicodedata.category(character) not in _HIDDEN)
    name = " ".join(name.split())
    if len(name) > FILE_NAME_CHARS_MAX:
        raise InvalidValue(f"a file's name has at most {FILE_NAME_CHARS_MAX} characters")
    return name if name.strip(".") else UNNAMED
