"""`embed.*`: blocks of published records, texts and forms for pages that are served elsewhere."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.embeds.blocks import (
    Embed,
)
from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS
from svc.storage.embeds import embeds
from svc.storage.embeds.embeds import EmbedChange
from svc.storage.store import Tx, View
from svc.tools.embeds.blocks import (
    EXAMPLE,
    Blocks,
    EmbedAnswer,
    EmbedId,
    EmbedSummary,
    Name,
    SiteId,
    answer_of,
    blocks_max,
)
from svc.tools.projections import Projection
from svc.tools.tool import Cursor, IfVersion, Limit, NextCursor, ToolInput, ToolOutput, reads, writes

_summary: Final = Projection(Embed, EmbedSummary)


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
def list_(view: View, call: Call, request: ListEmbeds) -> EmbedPage:
    """List the embeds that are not removed, the oldest first, without their blocks."""
    page, next_cursor = embeds.list_page(
        view.conn, call.caller.organization_id, cursor=request.cursor, limit=request.limit
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
def get(view: View, call: Call, request: NamedEmbed) -> EmbedAnswer:
    """Show an embed with its blocks.

    `refused` names the blocks that show nothing as things are now, and says why.
    """
    return answer_of(view, embeds.get(view.conn, call.caller.organization_id, request.id))


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
def create(tx: Tx, call: Call, request: CreateEmbed) -> EmbedAnswer:
    """Make an embed: blocks that show published records, a catalogue say, live on another website.

    It is active at once, under a key of its own.

    Records are shown only of objects that an admin switched on for embeds (`object.publish`), and never the
    values of personal properties, of members, or of relations to contacts. Filters and sorts on those are
    refused, so that nothing can be inferred from what is shown. A block that shows nothing as things are now
    is saved all the same, and named in `refused` with the reason.
    """
    embed = embeds.create(
        tx,
        call.caller.organization_id,
        name=request.name,
        site_id=request.site_id,
        blocks=request.blocks,
        blocks_max=blocks_max(call),
    )
    return answer_of(tx, embed)


class UpdateEmbed(ToolInput, frozen=True, kw_only=True):
    """What to change of an embed; what is left out stays as it is."""

    id: EmbedId
    name: Name | UnsetType = UNSET
    site_id: SiteId | UnsetType = UNSET
    blocks: Blocks | UnsetType = UNSET
    if_version: IfVersion = None


@writes(
    "embed.update",
    needs="embeds",
    raises=(NotFound, Conflict),
    example=UpdateEmbed(id=EXAMPLE.id, name=EXAMPLE.name),
    answer=EXAMPLE,
)
def update(tx: Tx, call: Call, request: UpdateEmbed) -> EmbedAnswer:
    """Change an embed; pages show the change with their next request to the service.

    `blocks` replaces all of them. The rules are those of `embed.create`.
    """
    change = EmbedChange(name=request.name, site_id=request.site_id, blocks=request.blocks)
    changed = embeds.update(
        tx,
        call.caller.organization_id,
        request.id,
        change,
        blocks_max(call),
        if_version=request.if_version,
    )
    return answer_of(tx, changed)


@writes(
    "embed.pause",
    needs="embeds",
    raises=(NotFound,),
    example=NamedEmbed(id=EXAMPLE.id),
    answer=msgspec.structs.replace(EXAMPLE, status="paused"),
)
def pause(tx: Tx, call: Call, request: NamedEmbed) -> EmbedAnswer:
    """Pause an embed: from the next request on, it answers 404, and placeholders stay as they are."""
    return answer_of(tx, embeds.set_status(tx, call.caller.organization_id, request.id, "paused"))


@writes(
    "embed.resume",
    needs="embeds",
    raises=(NotFound,),
    example=NamedEmbed(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def resume(tx: Tx, call: Call, request: NamedEmbed) -> EmbedAnswer:
    """Show an embed again that was paused."""
    return answer_of(tx, embeds.set_status(tx, call.caller.organization_id, request.id, "active"))


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
def remove(tx: Tx, call: Call, request: NamedEmbed) -> RemovedEmbed:
    """Remove an embed for good: its key answers 404 from the next request on, and stays so."""
    return RemovedEmbed(id=embeds.set_status(tx, call.caller.organization_id, request.id, "removed").id)
