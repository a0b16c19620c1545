"""`record.*`, what finds records: lists, counts and searches."""

from collections.abc import Sequence
from typing import Annotated, Any

from svc.domain.errors import NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import (
    FILTERS_MAX,
    LIST_ROWS,
    SEARCH_CHARS_MAX,
    SEARCH_ROWS,
    SEARCH_ROWS_MAX,
    SORTS_MAX,
)
from svc.domain.records.queries import Direction, Filter, Op, Sort
from svc.storage.identity import organizations
from svc.storage.records.listing import lists as record_lists
from svc.storage.records.listing import search as record_search
from svc.storage.store import View
from svc.tools.records import narrowing
from svc.tools.records.answers import EXAMPLE, ObjectType, RecordAnswer, answer_of
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads


class RecordFilter(ToolInput, frozen=True, kw_only=True):
    """A condition that records fulfil."""

    property: Annotated[
        str,
        about(description="A property's slug, `createdAt` or `updatedAt`.", examples=["city", "createdAt"]),
    ]
    op: Annotated[
        Op,
        about(
            description="Which of them there are depends on the property's type. "
            "What has no value is only found by `is_empty`, `neq` and `not_in`."
        ),
    ]
    value: Annotated[
        Any,
        about(
            description="In the property's own type; a list for `in` and `not_in`; "
            "absent for `is_empty` and `is_not_empty`."
        ),
    ] = None


class RecordSort(ToolInput, frozen=True, kw_only=True):
    """One key of an order."""

    property: Annotated[
        str,
        about(description="A property's slug, `createdAt` or `updatedAt`.", examples=["name", "updatedAt"]),
    ]
    direction: Annotated[Direction, about(description="What has no value comes last either way.")] = "asc"


Filters = Annotated[
    tuple[RecordFilter, ...],
    about(description="All of them hold for what is found.", max_length=FILTERS_MAX),
]


def _filters(filters: Sequence[RecordFilter]) -> list[Filter]:
    return [Filter(condition.property, condition.op, condition.value) for condition in filters]


class ListRecords(ToolInput, frozen=True, kw_only=True):
    """Which records to list, and in which order."""

    object_type: ObjectType
    filters: Filters = ()
    sort: Annotated[
        tuple[RecordSort, ...],
        about(description="Without any, the newest come first.", max_length=SORTS_MAX),
    ] = ()
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str, Cursor] | None = None


class RecordList(ToolOutput, frozen=True, kw_only=True):
    """A page of records."""

    records: Annotated[tuple[RecordAnswer, ...], about(description="In the order that was asked for.")]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "record.list",
    needs="records.read",
    narrows=True,
    raises=(NotFound,),
    example=ListRecords(
        object_type="contact",
        filters=(RecordFilter(property="city", op="eq", value="London"),),
        sort=(RecordSort(property="name"),),
        limit=50,
    ),
    answer=RecordList(records=(EXAMPLE,), next_cursor=None),
)
def list_(view: View, call: Call, request: ListRecords) -> RecordList:
    """List records of an object, filtered and sorted.

    A page may have fewer records than `limit`, or none, and still have a `nextCursor`. A record that nobody
    changes comes exactly once, whatever is written between two pages. The first list by a property may take
    long; from then on it has an index.

    The operators, by type: `eq`, `neq`, `is_empty` and `is_not_empty` always; `in` and `not_in` except for a
    `boolean` or a `picture`; `gt`, `gte`, `lt` and `lte` for numbers and times; `contains` and `starts_with`
    for texts, e-mails, phones and addresses; `contains` for a `multi_select`.
    """
    organization, object_ = narrowing.object_for(view.conn, call.caller, request.object_type)
    page = record_lists.page_of(
        view.conn,
        object_,
        country=organization.country,
        filters=_filters(request.filters),
        sort=[Sort(key.property, key.direction) for key in request.sort],
        cursor=request.cursor,
        limit=request.limit,
        expect_long=view.expect_long,
    )
    view.unindexed = page.unindexed
    return RecordList(records=tuple(map(answer_of, page.records)), next_cursor=page.next_cursor)


class CountRecords(ToolInput, frozen=True, kw_only=True):
    """Which records to count."""

    object_type: ObjectType
    filters: Filters = ()


class RecordCount(ToolOutput, frozen=True, kw_only=True):
    """How many records there are."""

    count: Annotated[int, about(description="Exact.", ge=0)]


@reads(
    "record.count",
    needs="records.read",
    raises=(NotFound,),
    example=CountRecords(
        object_type="contact", filters=(RecordFilter(property="city", op="eq", value="London"),)
    ),
    answer=RecordCount(count=42),
)
def count(view: View, call: Call, request: CountRecords) -> RecordCount:
    """Count the records of an object for which all filters hold.

    Without filters it counts all of them. The filters are those of `record.list`.
    """
    organization_id = call.caller.organization_id
    counted = record_lists.count(
        view.conn,
        organization_id,
        request.object_type,
        country=organizations.get(view.conn, organization_id).country,
        filters=_filters(request.filters),
        expect_long=view.expect_long,
    )
    view.unindexed = counted.unindexed
    return RecordCount(count=counted.many)


class SearchRecords(ToolInput, frozen=True, kw_only=True):
    """What to search for."""

    query: Annotated[
        str,
        about(
            description="Words that are all in a record, without regard to case and accents.",
            max_length=SEARCH_CHARS_MAX,
            examples=["ada lond"],
        ),
    ]
    object_type: Annotated[
        str | None, about(description="An object's slug; without it, every object is searched.")
    ] = None
    limit: Annotated[
        int,
        about(
            ge=1,
            le=SEARCH_ROWS_MAX,
            description=f"How many at most; {SEARCH_ROWS} unless said otherwise.",
        ),
    ] = SEARCH_ROWS


class FoundRecords(ToolOutput, frozen=True, kw_only=True):
    """What a search found."""

    records: Annotated[tuple[RecordAnswer, ...], about(description="Those that fit best come first.")]


@reads(
    "record.search",
    needs="records.read",
    raises=(NotFound,),
    example=SearchRecords(query="ada lond", object_type="contact"),
    answer=FoundRecords(records=(EXAMPLE,)),
)
def search(view: View, call: Call, request: SearchRecords) -> FoundRecords:
    """Search the texts of records for words.

    All words must be there; the last may be the beginning of a longer one. Whole words and those of an
    object's first property rank higher, and equally good records come newest first.
    """
    hits = record_search.search(
        view.conn,
        call.caller.organization_id,
        request.query,
        object_slug=request.object_type,
        limit=request.limit,
    )
    return FoundRecords(records=tuple(answer_of(hit.record) for hit in hits))
