"""`record.duplicates` and `record.distinguish`: which records may be the same, and which are not."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from svc.domain.errors import NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS
from svc.domain.records.answers import EXAMPLE, ObjectType, RecordAnswer, RecordId
from svc.domain.records.duplicates import DuplicateKind
from svc.domain.records.limits import DISTINGUISHED_MAX, DUPLICATES_SHOWN
from svc.storage.records import objects
from svc.storage.records.duplicates import distinctions, groups
from svc.storage.store import Tx, View
from svc.tools.records.answers import answer_of
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes

_OTHER_ID = "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RK"


class ListDuplicates(ToolInput, frozen=True, kw_only=True):
    """Of which object to look for records that may be the same."""

    object_type: ObjectType
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str, Cursor] | None = None


class DuplicateGroup(ToolOutput, frozen=True, kw_only=True):
    """Records that may be the same."""

    by: Annotated[
        DuplicateKind,
        about(
            description="What they have in common: an e-mail, a phone, or a `name` of the same words, in any "
            "order, without case and accents."
        ),
    ]
    records: Annotated[
        tuple[RecordAnswer, ...],
        about(description=f"The first {DUPLICATES_SHOWN} that were made.", max_length=DUPLICATES_SHOWN),
    ]
    count: Annotated[int, about(description="How many it has in all.", ge=2)]


class DuplicateGroups(ToolOutput, frozen=True, kw_only=True):
    """A page of groups."""

    groups: Annotated[
        tuple[DuplicateGroup, ...], about(description="Those by e-mail first, then by phone, then by name.")
    ]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "record.duplicates",
    needs="records.read",
    raises=(NotFound,),
    example=ListDuplicates(object_type="contact", limit=20),
    answer=DuplicateGroups(
        groups=(
            DuplicateGroup(
                by="email",
                records=(
                    EXAMPLE,
                    msgspec.structs.replace(
                        EXAMPLE, id=_OTHER_ID, properties={"name": "A. Lovelace", "email": "ada@example.com"}
                    ),
                ),
                count=2,
            ),
        ),
        next_cursor=None,
    ),
)
def duplicates(view: View, call: Call, request: ListDuplicates) -> DuplicateGroups:
    """List groups of records that may be the same, to be merged with `record.merge`.

    Records are in a group if they have an e-mail, a phone or a name in common. A group that an earlier one
    has whole is left out, and so are records that `record.distinguish` has told apart from all others of
    theirs. A page may have fewer groups than `limit`, or none, and still have a `nextCursor`. The first call
    for an object of many records has an index built, and is answered 503 with `Retry-After` meanwhile.
    """
    page = groups.list_page(
        view.conn,
        objects.get(view.conn, call.caller.organization_id, request.object_type),
        cursor=request.cursor,
        limit=request.limit,
        expect_long=view.expect_long,
    )
    return DuplicateGroups(
        groups=tuple(
            DuplicateGroup(by=group.by, records=tuple(map(answer_of, group.records)), count=group.count)
            for group in page.groups
        ),
        next_cursor=page.next_cursor,
    )


class DistinguishRecords(ToolInput, frozen=True, kw_only=True):
    """Which records are not the same."""

    ids: Annotated[
        tuple[RecordId, ...],
        about(
            description="Records of one object, no two of which are the same.",
            min_length=2,
            max_length=DISTINGUISHED_MAX,
        ),
    ]
    different: Annotated[bool, about(description="False takes back that they are not the same.")] = True


class DistinguishedRecords(ToolOutput, frozen=True, kw_only=True):
    """Records that are told apart, or not any more."""

    ids: Annotated[tuple[RecordId, ...], about(description="As they were given.")]
    different: bool

    @property
    def targets(self) -> Sequence[str]:
        """The ids that the call is audited under."""
        return self.ids


@writes(
    "record.distinguish",
    needs="records.write",
    runs="person",
    example=DistinguishRecords(ids=(EXAMPLE.id, _OTHER_ID)),
    answer=DistinguishedRecords(ids=(EXAMPLE.id, _OTHER_ID), different=True),
)
def distinguish(tx: Tx, call: Call, request: DistinguishRecords) -> DistinguishedRecords:
    """Say that records which look alike are not the same: `record.duplicates` leaves them out then.

    With `different: false` that is taken back.
    """
    caller = call.caller
    distinctions.distinguish(
        tx,
        caller.organization_id,
        request.ids,
        person_id=caller.person_id,
        different=request.different,
    )
    return DistinguishedRecords(ids=request.ids, different=request.different)
