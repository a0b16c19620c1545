"""`record.*`, what finds records: lists, counts and searches."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from svc.domain.errors import NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS
from svc.domain.records.answers import EXAMPLE, ObjectType, RecordAnswer
from svc.domain.records.limits import FILTERS_MAX, SEARCH_CHARS_MAX, SEARCH_ROWS, SEARCH_ROWS_MAX, SORTS_MAX
from svc.domain.records.queries import Filter, Sort
from svc.storage.identity import organizations
from svc.storage.records.listing import counts
from svc.storage.records.listing import lists as record_lists
from svc.storage.records.listing import search as record_search
from svc.storage.store import View
from svc.tools.records import narrowing
from svc.tools.records.answers import answer_of
from svc.tools.records.presentation import LISTED, ListedRecord, Presentation, ShownMembers
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads
from svc.tools.totals import ListTotal, WantsTotal, total_of

Filters = Annotated[
    tuple[Filter, ...],
    about(
        description="All of them hold for what is found. Of `{any: [filter, …]}` one holds at least.",
        max_length=FILTERS_MAX,
    ),
]


Search = Annotated[
    str,
    about(
        description="Words that are all in a record, as for `record.search`: without regard to case and "
        "accents, the last may be the beginning of a longer one.",
        min_length=1,
        max_length=SEARCH_CHARS_MAX,
        examples=["ada lond"],
    ),
]


class ListRecords(ShownMembers, frozen=True, kw_only=True):
    """Which records to list, and in which order."""

    object_type: ObjectType
    filters: Filters = ()
    sort: Annotated[
        tuple[Sort, ...],
        about(description="Without any, the newest come first.", max_length=SORTS_MAX),
    ] = ()
    search: Search | None = None
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str, Cursor] | None = None
    total: WantsTotal = False


class RecordList(ToolOutput, frozen=True, kw_only=True):
    """A page of records."""

    records: Annotated[tuple[ListedRecord, ...], about(description="In the order that was asked for.")]
    next_cursor: Annotated[str | None, NextCursor]
    total: ListTotal | UnsetType = UNSET


@reads(
    "record.list",
    needs="records.read",
    narrows=True,
    raises=(NotFound,),
    example=ListRecords(
        object_type="contact",
        filters=(Filter("city", "eq", "London"),),
        sort=(Sort("name"),),
        limit=50,
    ),
    answer=RecordList(records=(LISTED,), next_cursor=None),
)
def list_(view: View, call: Call, request: ListRecords) -> RecordList:
    """List records of an object, filtered and sorted.

    A page may have fewer records than `limit`, or none, and still have a `nextCursor`. A record that nobody
    changes comes exactly once, whatever is written between two pages. The first list by a property has
    an index built; where that takes long, lists by it are answered 503 with `Retry-After` meanwhile.

    With `expand`, a relation has in the place of its id the record that it leads to, with its values; what
    is deleted, or may not be seen, stays an id. With `texts`, values come as people read them, too.

    The operators, by type: `eq`, `neq`, `is_empty` and `is_not_empty` always; `in` and `not_in` except for a
    `boolean` or a `picture`; `gt`, `gte`, `lt` and `lte` for numbers, times and durations; `contains` and
    `starts_with` for texts, e-mails, phones and addresses; `contains` for a `multi_select`.
    """
    if request.search is not None:
        narrowing.check_not_narrowed(call.caller, "`search`")
    organization, object_ = narrowing.object_for(view.conn, call.caller, request.object_type)
    presentation = Presentation(view.conn, call.caller, organization, object_, request)
    page = record_lists.list_page(
        view.conn,
        object_,
        country=organization.country,
        filters=request.filters,
        sort=request.sort,
        cursor=request.cursor,
        limit=request.limit,
        search=request.search,
        total=request.total,
        expect_long=view.expect_long,
        is_late=view.is_late,
    )
    view.unindexed = page.unindexed
    return RecordList(
        records=presentation.of(page.records),
        next_cursor=page.next_cursor,
        total=total_of(page.total),
    )


class CountRecords(ToolInput, frozen=True, kw_only=True):
    """Which records to count."""

    object_type: ObjectType
    filters: Filters = ()
    search: Search | None = None


class RecordCount(ToolOutput, frozen=True, kw_only=True):
    """How many records there are."""

    count: Annotated[int, about(description="Exact.", ge=0)]


@reads(
    "record.count",
    needs="records.read",
    raises=(NotFound,),
    example=CountRecords(object_type="contact", filters=(Filter("city", "eq", "London"),)),
    answer=RecordCount(count=42),
)
def count(view: View, call: Call, request: CountRecords) -> RecordCount:
    """Count the records of an object for which all filters hold.

    Without filters it counts all of them. The filters and `search` are those of `record.list`.
    """
    organization_id = call.caller.organization_id
    counted = counts.count(
        view.conn,
        organization_id,
        request.object_type,
        country=organizations.get(view.conn, organization_id).country,
        filters=request.filters,
        search=request.search,
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


class SearchResults(ToolOutput, frozen=True, kw_only=True):
    """What a search found."""

    records: Annotated[tuple[RecordAnswer, ...], about(description="Those that fit best come first.")]


@reads(
    "record.search",
    needs="records.read",
    raises=(NotFound,),
    example=SearchRecords(query="ada lond", object_type="contact"),
    answer=SearchResults(records=(EXAMPLE,)),
)
def search(view: View, call: Call, request: SearchRecords) -> SearchResults:
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
    return SearchResults(records=tuple(answer_of(hit.record) for hit in hits))
