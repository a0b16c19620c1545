"""`ai.usage` and `ai.statement`: what calls used, and what became of the credits."""

from collections.abc import Callable
from datetime import datetime
from operator import attrgetter
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.ai.models import Payer
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import DAY_MS, Timestamp, moment_ms
from svc.storage.ai import ledger, usage
from svc.storage.ai.ledger import Entry, EntryKind
from svc.storage.ai.usage import Dimension, UsageFilter, UsageSum
from svc.storage.store import View
from svc.tools.ai.answers import MicroCredits, ModelId
from svc.tools.projections import Projection
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads

DAYS: Final = 30
"""Days that a report is of, unless said otherwise."""

_KeyId = Annotated[
    str,
    about(
        description="The gateway key's id; `agent` for calls of agents, `trial` for models that people try.",
        examples=["key_01K5D3V7Q2M8Z4X6C9B1N0T5RA", "agent", "trial"],
    ),
]
_Count = Annotated[int, about(ge=0, examples=[12])]


class UsageTotal(ToolOutput, frozen=True, kw_only=True):
    """The sum of some calls that have ended."""

    calls: _Count
    failed_calls: Annotated[
        int, about(description="Of these, those that ended otherwise than by an answer.", examples=[1])
    ]
    estimated_calls: Annotated[
        int, about(description="Of these, those whose provider did not say what they used.", examples=[0])
    ]
    lost_calls: Annotated[
        int,
        about(
            description="Of these, those that the end of the service's process cut off; they cost nothing.",
            examples=[0],
        ),
    ]
    prompt_tokens: _Count
    cached_tokens: Annotated[int, about(description="Of the prompts', those that were cached.", examples=[0])]
    completion_tokens: _Count
    cost_micro_credits: Annotated[
        int, about(description="At list price, whoever pays. A million are a credit.", examples=[1_250])
    ]
    charged_micro_credits: Annotated[int, about(description="Taken from the credits.", examples=[1_250])]


class UsageRow(UsageTotal, frozen=True, kw_only=True):
    """The sum for one value of each dimension that was asked for; the others are left out."""

    day: Annotated[str, about(description="The day of UTC.", examples=["2026-09-18"])] | UnsetType = UNSET
    model: ModelId | UnsetType = UNSET
    key_id: _KeyId | UnsetType = UNSET
    payer: Payer | UnsetType = UNSET


class UsageReport(ToolOutput, frozen=True, kw_only=True):
    """What was used, and what is left."""

    rows: Annotated[tuple[UsageRow, ...], about(description="None without `by`.")]
    total: UsageTotal
    balance_micro_credits: Annotated[
        int, about(description="Credits that are free to spend, in micro-credits.", examples=[99_998_750])
    ]


class GetUsage(ToolInput, frozen=True, kw_only=True):
    """Which calls, by when they began; and what they are summed up by."""

    from_: (
        Annotated[
            datetime,
            about(
                tz=True,
                description="From this time on: RFC 3339; 30 days before `to`, unless said otherwise.",
            ),
        ]
        | None
    ) = msgspec.field(default=None, name="from")
    to: (
        Annotated[
            datetime, about(tz=True, description="Before this time: RFC 3339; now, unless said otherwise.")
        ]
        | None
    ) = None
    by: Annotated[tuple[Dimension, ...], about(max_length=4)] = ()
    key_id: _KeyId | None = None
    model: ModelId | None = None


def _given(name: str) -> Callable[[UsageSum], Any]:
    """The dimension called *name* of a sum; unset where it was not asked for."""

    def get(total: UsageSum) -> Any:
        value = getattr(total, name)
        return UNSET if value is None else value

    return get


_row_of: Final = Projection(
    UsageSum,
    UsageRow,
    day=_given("day"),
    model=_given("model"),
    key_id=_given("key_id"),
    payer=_given("payer"),
)
_total_of: Final = Projection(UsageSum, UsageTotal)

_SUMMED: Final[dict[str, Any]] = {
    "calls": 12,
    "failed_calls": 1,
    "estimated_calls": 0,
    "lost_calls": 0,
    "prompt_tokens": 6_400,
    "cached_tokens": 0,
    "completion_tokens": 483,
    "cost_micro_credits": 1_250,
    "charged_micro_credits": 1_250,
}


@reads(
    "ai.usage",
    needs="ai",
    example=GetUsage(by=("model",)),
    answer=UsageReport(
        rows=(UsageRow(model="small", **_SUMMED),),
        total=UsageTotal(**_SUMMED),
        balance_micro_credits=99_998_750,
    ),
)
def report(view: View, call: Call, request: GetUsage) -> UsageReport:
    """Sum up what AI calls used and cost: by day, model, key or payer, for at most 366 days.

    Calls that are under way are not in it yet.
    """
    until = view.now if request.to is None else moment_ms(request.to)
    since = until - DAYS * DAY_MS if request.from_ is None else moment_ms(request.from_)
    filter_ = UsageFilter(since=since, until=until, key_id=request.key_id, model=request.model)
    organization_id = call.caller.organization_id
    rows, total = usage.report(view, organization_id, filter_, request.by)
    return UsageReport(
        rows=tuple(map(_row_of, rows)),
        total=_total_of(total),
        balance_micro_credits=ledger.balance(view.conn, organization_id),
    )


class EntryAnswer(ToolOutput, frozen=True, kw_only=True):
    """One entry of the ledger."""

    id: Annotated[str, about(description="The entry's id.", examples=["led_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
    at: Timestamp
    kind: Annotated[
        EntryKind,
        about(
            description="`grant`: credits were given. `reserve`: what a call may cost at most, before it is"
            " sent. `settle`: what is given back of that when it has ended."
        ),
    ]
    amount_micro_credits: MicroCredits
    balance_after_micro_credits: Annotated[
        int, about(description="What was free to spend then.", examples=[100_000_000])
    ]
    call_id: Annotated[
        str | None, about(description="The call's.", examples=["aic_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
    ]
    note: Annotated[str | None, about(description="What the credits were given for.")]


class Statement(ToolOutput, frozen=True, kw_only=True):
    """Entries, the newest first."""

    entries: tuple[EntryAnswer, ...]
    next_cursor: Annotated[str | None, NextCursor]


class GetStatement(ToolInput, frozen=True, kw_only=True):
    """Which part of the ledger."""

    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


_entry_of: Final = Projection(
    Entry,
    EntryAnswer,
    amount_micro_credits=attrgetter("amount"),
    balance_after_micro_credits=attrgetter("balance_after"),
)


@reads(
    "ai.statement",
    needs="ai",
    example=GetStatement(),
    answer=Statement(
        entries=(
            EntryAnswer(
                id="led_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
                at="2026-09-18T09:30:00.000Z",
                kind="grant",
                amount_micro_credits=100_000_000,
                balance_after_micro_credits=100_000_000,
                call_id=None,
                note="Starting credits",
            ),
        ),
        next_cursor=None,
    ),
)
def statement(view: View, call: Call, request: GetStatement) -> Statement:
    """List the ledger of the credits, the newest entry first.

    Entries are never changed or deleted, and their sum is what is free to spend.
    """
    page = ledger.list_page(
        view.conn, call.caller.organization_id, limit=request.limit, cursor=request.cursor
    )
    return Statement(entries=tuple(map(_entry_of, page.entries)), next_cursor=page.next_cursor)
