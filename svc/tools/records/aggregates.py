"""`record.aggregate`: what the values of records come to, in groups."""

from typing import Annotated, Any

from svc.domain.errors import NotFound
from svc.domain.identity.callers import Call
from svc.domain.records.aggregates import Measure, Measured, parse_aggregation
from svc.domain.records.answers import ObjectType
from svc.domain.records.limits import GROUPED_BY_MAX, GROUPS_MAX, MEASURES_MAX
from svc.domain.records.queries import parse
from svc.storage.records import organization_objects
from svc.storage.records.listing import aggregates
from svc.storage.records.listing.search import word_search
from svc.storage.store import View
from svc.tools.records.lists import Filters, Search
from svc.tools.tool import ToolInput, ToolOutput, about, reads


class AggregateRecords(ToolInput, frozen=True, kw_only=True):
    """What to ask of which records."""

    object_type: ObjectType
    filters: Filters = ()
    search: Search | None = None
    group_by: Annotated[
        tuple[str, ...],
        about(
            description="Slugs of the properties that a group has in common, `createdAt` or `updatedAt`: "
            "times by their day in the organization's time zone. Without any, all records are one group.",
            max_length=GROUPED_BY_MAX,
            examples=[["stage"]],
        ),
    ] = ()
    measures: Annotated[
        tuple[Measure, ...],
        about(description="What to say of each group.", min_length=1, max_length=MEASURES_MAX),
    ]


class RecordGroup(ToolOutput, frozen=True, kw_only=True):
    """Records with the same values."""

    key: Annotated[
        dict[str, Any], about(description="Their values by the slugs of `groupBy`; null for none.")
    ]
    values: Annotated[
        tuple[Measured, ...],
        about(
            description="What the measures come to, in their order. Of an amount it is an object, with a "
            "value for each currency. The average, least or greatest of nothing is null."
        ),
    ]


class RecordGroups(ToolOutput, frozen=True, kw_only=True):
    """Groups of records."""

    groups: Annotated[
        tuple[RecordGroup, ...],
        about(description="Those with the most records first.", max_length=GROUPS_MAX),
    ]
    more: Annotated[
        bool, about(description=f"Whether there are further groups: {GROUPS_MAX:,} are answered at most.")
    ]


@reads(
    "record.aggregate",
    needs="records.read",
    raises=(NotFound,),
    example=AggregateRecords(
        object_type="deal", group_by=("stage",), measures=(Measure("count"), Measure("sum", "amount"))
    ),
    answer=RecordGroups(
        groups=(
            RecordGroup(key={"stage": "New"}, values=(3, {"EUR": 4_250.5})),
            RecordGroup(key={"stage": "Won"}, values=(1, {"EUR": 900, "GBP": 120})),
        ),
        more=False,
    ),
)
def aggregate(view: View, call: Call, request: AggregateRecords) -> RecordGroups:
    """Add up records in groups: how many, the sum, the average, the least and the greatest.

    The filters and `search` are those of `record.list`. Texts are grouped as they are written. Amounts are
    added up for each currency apart.
    """
    organization, object_ = organization_objects.find(
        view.conn, call.caller.organization_id, request.object_type
    )
    query = parse(object_.properties, request.filters, (), organization.country)
    query = query._replace(search=word_search(object_, request.search))
    aggregation = parse_aggregation(object_.properties, request.group_by, request.measures)
    result = aggregates.aggregate(
        view.conn,
        object_,
        query,
        aggregation,
        time_zone=organization.time_zone,
        expect_long=view.expect_long,
    )
    view.unindexed = result.unindexed
    return RecordGroups(
        groups=tuple(
            RecordGroup(
                key=dict(zip(request.group_by, group.key, strict=True)),
                values=tuple(group.values(aggregation)),
            )
            for group in result.groups
        ),
        more=result.more,
    )
