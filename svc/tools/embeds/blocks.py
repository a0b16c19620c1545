"""What an embed shows: its blocks, how they are answered, and what pages would show of them."""

from typing import Annotated, Final

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
from svc.domain.embeds.limits import EMBED_BLOCKS_MAX, EMBED_BLOCKS_ON_SCREEN_MAX
from svc.domain.embeds.views import RecordsView, ShownRecords, shown
from svc.domain.errors import Fault, Forbidden, InvalidInput, NotFound
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import NAME_CHARS_MAX
from svc.domain.locale.times import Timestamp
from svc.domain.records.queries import Filter, Sort
from svc.domain.versions import Version
from svc.storage.embeds import embeds
from svc.storage.embeds import views as embed_views
from svc.storage.identity import organizations
from svc.storage.store import View
from svc.tools.projections import Projection
from svc.tools.tool import ToolInput, ToolOutput, about, reads

EmbedId = Annotated[str, about(description="The embed's id.", examples=["emb_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
Name = Annotated[str, about(description="Its name, which visitors do not see.", max_length=NAME_CHARS_MAX)]
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
    object_types: Annotated[
        tuple[str, ...],
        about(
            description="Objects that it has blocks of, whether these may appear or not.", examples=[["lamp"]]
        ),
    ]
    version: Version
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
    object_types=("lamp",),
    blocks=(HeroBlock(title="Light for long evenings"), _PRICES),
    refused=(),
    version=1,
    created_at="2026-09-18T09:30:00.000Z",
    updated_at="2026-09-18T09:30:00.000Z",
)
_with_blocks: Final = Projection(Embed, EmbedAnswer, given=("refused",))


def answer_of(view: View, embed: Embed) -> EmbedAnswer:
    organization = organizations.get(view.conn, embed.organization_id)
    refused = embed_views.refusals(view.conn, organization, embed.blocks, view.now)
    return _with_blocks(
        embed,
        refused=tuple(RefusedBlock(block=place, reason=why) for place, why in refused.items()),
    )


def blocks_max(call: Call) -> int:
    return EMBED_BLOCKS_ON_SCREEN_MAX if call.door == "app" else EMBED_BLOCKS_MAX


class PreviewEmbed(ToolInput, frozen=True, kw_only=True):
    """What to show: an embed that is saved, or blocks that are not. Give one of the two."""

    id: EmbedId | None = None
    blocks: Blocks | None = None
    as_if_published: (
        Annotated[
            tuple[str, ...],
            about(
                description="Objects to be shown as if they might appear in embeds, to see what"
                " `object.publish` would let be seen.",
                max_length=EMBED_BLOCKS_MAX,
                examples=[["deal"]],
            ),
        ]
        | None
    ) = None


class PreviewAnswer(ToolOutput, frozen=True, kw_only=True):
    """What pages would show."""

    blocks: Annotated[
        list[HeroBlock | TextBlock | ShownRecords | FormBlock],
        about(description="The blocks as `GET /api/e/<embedKey>` answers them."),
    ]
    form_keys: Annotated[dict[str, str], about(description="Public keys of the forms, by their ids.")]
    refused: Annotated[
        tuple[RefusedBlock, ...], about(description="Blocks of records that show nothing as things are now.")
    ]
    html: Annotated[str, about(description="The same as the HTML fragment of `GET /api/e/<embedKey>`.")]


@reads(
    "embed.preview",
    needs="embeds",
    raises=(NotFound,),
    example=PreviewEmbed(id=EXAMPLE.id),
    answer=PreviewAnswer(
        blocks=[HeroBlock(title="Light for long evenings")], form_keys={}, refused=(), html="<div>…</div>"
    ),
)
def preview(view: View, call: Call, request: PreviewEmbed) -> PreviewAnswer:
    """Show what pages would show now: of an embed whatever its status, or of blocks before they are saved.

    The rules are those of `embed.create`. An object that may not appear in embeds shows nothing, unless
    `asIfPublished` names it, which is for this preview alone.
    """
    organization_id = call.caller.organization_id
    if (request.id is None) == (request.blocks is None):
        raise InvalidInput([Fault("", "invalid_value", "give either id or blocks")])
    if request.as_if_published and "records.read" not in call.caller.permissions:
        raise Forbidden("embed.preview needs the permission records.read to show what is not published")
    view.expect_long()  # long texts take the time of many quick reads, and so do many blocks of records
    if request.id is not None:
        blocks = embeds.get(view.conn, organization_id, request.id).blocks
    else:
        blocks = request.blocks or ()
        embeds.check_blocks(view.conn, organization_id, blocks, blocks_max(call))
    organization = organizations.get(view.conn, organization_id)
    resolved = embed_views.of_blocks(
        view.conn, organization, blocks, view.now, as_if_published=request.as_if_published or ()
    )
    view.unindexed += resolved.unindexed
    output = shown(resolved.views)
    return PreviewAnswer(
        blocks=output.blocks,
        form_keys=output.form_keys,
        refused=tuple(
            RefusedBlock(block=place, reason=one.refused)
            for place, one in enumerate(resolved.views)
            if isinstance(one, RecordsView) and one.refused is not None
        ),
        html=embed_fragment.to_html(resolved.views, base_url=call.base_url),
    )
