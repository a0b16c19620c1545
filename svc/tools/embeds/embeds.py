"""`embed.*`: blocks of published records, texts and forms for pages that are served elsewhere."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.embeds import html_fragment as embed_fragment
from svc.domain.embeds.blocks import (
    AnyBlock,
    Embed,
    EmbedStatus,
    FormBlock,
    HeroBlock,
    RecordsBlock,
    Refused,
    TextBlock,
)
from svc.domain.embeds.views import ShownRecords, shown
from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import (
    EMBED_BLOCKS_MAX,
    EMBED_BLOCKS_ON_SCREEN_MAX,
    LIST_ROWS,
    NAME_CHARS_MAX,
)
from svc.domain.records.queries import Filter, Sort
from svc.storage.embeds import embeds
from svc.storage.embeds import views as embed_views
from svc.storage.embeds.embeds import EmbedChange
from svc.storage.identity import organizations
from svc.storage.store import Tx, View
from svc.tools.projections import Projection
from svc.tools.tool import Cursor, Limit, NextCursor, Timestamp, ToolInput, ToolOutput, about, reads, writes

EmbedId = Annotated[str, about(description="The embed's id.", examples=["emb_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
Name = Annotated[
    str, about(description="What it is called; nobody outside sees that.", max_length=NAME_CHARS_MAX)
]
SiteId = Annotated[
    str | None, about(description="The tracked site that it is bound to; null: any site may embed it.")
]
Blocks = Annotated[
    tuple[AnyBlock, ...],
    about(
        description=(
            f"What it shows, in this order: at most {EMBED_BLOCKS_MAX} blocks, and"
            f" {EMBED_BLOCKS_ON_SCREEN_MAX} when it is saved on the screen."
        ),
        max_length=EMBED_BLOCKS_MAX,
    ),
]


class RefusedBlock(ToolOutput, frozen=True, kw_only=True):
    """A block that shows nothing as things are now."""

    block: Annotated[int, about(description="Its place among the blocks, from 0.")]
    reason: Annotated[
        Refused,
        about(
            description=(
                "`not_publishable`: its object may not appear in embeds; `no_fields`: none of its fields may"
                " be shown; `error`: its records cannot be read."
            )
        ),
    ]


class EmbedSummary(ToolOutput, frozen=True, kw_only=True):
    """An embed without its blocks."""

    id: EmbedId
    name: Name
    embed_key: Annotated[
        str, about(description="Names it on pages: `/api/e/<embedKey>`, `data-svc-embed`. It is no secret.")
    ]
    status: EmbedStatus
    site_id: SiteId
    domain: Annotated[str | None, about(description="The domain of that site.")]
    created_at: Timestamp
    updated_at: Timestamp


class EmbedAnswer(EmbedSummary, frozen=True, kw_only=True):
    """An embed."""

    blocks: Blocks
    refused: Annotated[
        tuple[RefusedBlock, ...], about(description="Blocks of records that show nothing as things are now.")
    ]


_PRICES: Final = RecordsBlock(
    object_type="lamp",
    heading="In the workshop now",
    fields=("name", "price"),
    limit=12,
    filters=(Filter("in_stock", "gt", 0),),
    sort=(Sort("price"),),
)
EXAMPLE: Final = EmbedAnswer(
    id="emb_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    name="Price list",
    embed_key="svce_4fJ8sLq2ZxN6vB1mT9kR3wY7cH5dG0pA2kQ9xZ",
    status="active",
    site_id=None,
    domain=None,
    blocks=(HeroBlock(title="Light for long evenings"), _PRICES),
    refused=(),
    created_at="2026-09-18T09:30:00.000Z",
    updated_at="2026-09-18T09:30:00.000Z",
)


_summary: Final = Projection(Embed, EmbedSummary)
_with_blocks: Final = Projection(Embed, EmbedAnswer, given=("refused",))


def _answer(view: View, embed: Embed) -> EmbedAnswer:
    organization = organizations.get(view.conn, embed.organization_id)
    refused = embed_views.refusals(view.conn, organization, embed.blocks)
    return _with_blocks(
        embed,
        refused=tuple(RefusedBlock(block=place, reason=why) for place, why in refused.items()),
    )


def _blocks_max(call: Call) -> int:
    return EMBED_BLOCKS_ON_SCREEN_MAX if call.door == "app" else EMBED_BLOCKS_MAX


class ListEmbeds(ToolInput, frozen=True, kw_only=True):
    """Which embeds to list."""

    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class EmbedPage(ToolOutput, frozen=True, kw_only=True):
    """Some embeds, the oldest first."""

    embeds: tuple[EmbedSummary, ...]
    next_cursor: Annotated[str | None, NextCursor]


_EXAMPLE_SUMMARY: Final = EmbedSummary(
    **{name: getattr(EXAMPLE, name) for name in EmbedSummary.__struct_fields__}
)


@reads(
    "embed.list",
    needs="embeds",
    example=ListEmbeds(),
    answer=EmbedPage(embeds=(_EXAMPLE_SUMMARY,), next_cursor=None),
)
def list_(view: View, call: Call, asked: ListEmbeds) -> EmbedPage:
    """List the embeds that are not removed, the oldest first, without their blocks."""
    page, next_cursor = embeds.list_page(
        view.conn, call.caller.organization_id, cursor=asked.cursor, limit=asked.limit
    )
    return EmbedPage(embeds=tuple(_summary(one) for one in page), next_cursor=next_cursor)


class NamedEmbed(ToolInput, frozen=True, kw_only=True):
    """Which embed."""

    id: EmbedId


@reads(
    "embed.get",
    needs="embeds",
    raises=(NotFound,),
    example=NamedEmbed(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def get(view: View, call: Call, asked: NamedEmbed) -> EmbedAnswer:
    """Show an embed with its blocks.

    `refused` names the blocks that show nothing as things are now, and says why.
    """
    return _answer(view, embeds.get(view.conn, call.caller.organization_id, asked.id))


class CreateEmbed(ToolInput, frozen=True, kw_only=True):
    """An embed to be made."""

    name: Name
    site_id: SiteId = None
    blocks: Blocks = ()


@writes(
    "embed.create",
    needs="embeds",
    raises=(Conflict,),
    example=CreateEmbed(name=EXAMPLE.name, blocks=EXAMPLE.blocks),
    answer=EXAMPLE,
)
def create(tx: Tx, call: Call, asked: CreateEmbed) -> EmbedAnswer:
    """Make an embed: blocks that show published records, a catalogue say, live on another website.

    It is active at once, under a key of its own.

    Records are shown only of objects that an admin switched on for embeds (`object.publish`), and never the
    values of personal properties, of members, or of relations to contacts. Filters and sorts on those are
    refused, so that nothing can be inferred from what is shown. A block that shows nothing as things are now
    is saved all the same, and named in `refused` with the reason.
    """
    made = embeds.create(
        tx,
        call.caller.organization_id,
        name=asked.name,
        site_id=asked.site_id,
        blocks=asked.blocks,
        blocks_max=_blocks_max(call),
    )
    return _answer(tx, made)


class UpdateEmbed(ToolInput, frozen=True, kw_only=True):
    """What to change of an embed; what is left out stays as it is."""

    id: EmbedId
    name: Name | UnsetType = UNSET
    site_id: SiteId | UnsetType = UNSET
    blocks: Blocks | UnsetType = UNSET


@writes(
    "embed.update",
    needs="embeds",
    raises=(NotFound,),
    example=UpdateEmbed(id=EXAMPLE.id, name=EXAMPLE.name),
    answer=EXAMPLE,
)
def update(tx: Tx, call: Call, asked: UpdateEmbed) -> EmbedAnswer:
    """Change an embed; pages show the change with their next request to the service.

    `blocks` replaces all of them. The rules are those of `embed.create`.
    """
    change = EmbedChange(name=asked.name, site_id=asked.site_id, blocks=asked.blocks)
    changed = embeds.update(tx, call.caller.organization_id, asked.id, change, _blocks_max(call))
    return _answer(tx, changed)


class PreviewEmbed(ToolInput, frozen=True, kw_only=True):
    """What to show: an embed that is saved, or blocks that are not. Give one of the two."""

    id: EmbedId | None = None
    blocks: Blocks | None = None


class PreviewAnswer(ToolOutput, frozen=True, kw_only=True):
    """What pages would show."""

    blocks: Annotated[
        list[HeroBlock | TextBlock | ShownRecords | FormBlock],
        about(description="The blocks as `GET /api/e/<embedKey>` answers them."),
    ]
    form_keys: Annotated[dict[str, str], about(description="Public keys of the forms, by their ids.")]
    html: Annotated[str, about(description="The same as an HTML fragment.")]


@reads(
    "embed.preview",
    needs="embeds",
    raises=(NotFound,),
    example=PreviewEmbed(id=EXAMPLE.id),
    answer=PreviewAnswer(
        blocks=[HeroBlock(title="Light for long evenings")], form_keys={}, html="<div>…</div>"
    ),
)
def preview(view: View, call: Call, asked: PreviewEmbed) -> PreviewAnswer:
    """Show what pages would show now: of an embed whatever its status, or of blocks before they are saved.

    The rules are those of `embed.create`.
    """
    organization_id = call.caller.organization_id
    if (asked.id is None) == (asked.blocks is None):
        raise InvalidInput([Fault("", "invalid_value", "give either id or blocks")])
    view.expect_long()  # long texts take the time of many quick reads, and so do many blocks of records
    if asked.id is not None:
        blocks = embeds.get(view.conn, organization_id, asked.id).blocks
    else:
        blocks = asked.blocks or ()
        embeds.check_blocks(view.conn, organization_id, blocks, _blocks_max(call))
    found = embed_views.of_blocks(view.conn, organizations.get(view.conn, organization_id), blocks)
    view.unindexed += found.unindexed
    told = shown(found.views)
    return PreviewAnswer(
        blocks=told.blocks, form_keys=told.form_keys, html=embed_fragment.to_html(found.views, base_url="")
    )


@writes(
    "embed.pause",
    needs="embeds",
    raises=(NotFound,),
    example=NamedEmbed(id=EXAMPLE.id),
    answer=msgspec.structs.replace(EXAMPLE, status="paused"),
)
def pause(tx: Tx, call: Call, asked: NamedEmbed) -> EmbedAnswer:
    """Pause an embed: from the next request on, it answers 404, and placeholders stay as they are."""
    return _answer(tx, embeds.set_status(tx, call.caller.organization_id, asked.id, "paused"))


@writes(
    "embed.resume",
    needs="embeds",
    raises=(NotFound,),
    example=NamedEmbed(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def resume(tx: Tx, call: Call, asked: NamedEmbed) -> EmbedAnswer:
    """Show an embed again that was paused."""
    return _answer(tx, embeds.set_status(tx, call.caller.organization_id, asked.id, "active"))


class RemovedEmbed(ToolOutput, frozen=True, kw_only=True):
    """The embed is removed."""

    id: EmbedId


@writes(
    "embed.remove",
    needs="embeds",
    runs="approval",
    raises=(NotFound,),
    example=NamedEmbed(id=EXAMPLE.id),
    answer=RemovedEmbed(id=EXAMPLE.id),
)
def remove(tx: Tx, call: Call, asked: NamedEmbed) -> RemovedEmbed:
    """Remove an embed for good: its key answers 404 from the next request on, and stays so."""
    return RemovedEmbed(id=embeds.set_status(tx, call.caller.organization_id, asked.id, "removed").id)
