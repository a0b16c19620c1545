"""Embeds: blocks of an organization's published data and forms, for pages that are served elsewhere."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from svc.domain.embeds.limits import (
    EMBED_BODY_CHARS_MAX,
    EMBED_FIELDS_MAX,
    EMBED_ROWS,
    EMBED_ROWS_MAX,
    EMBED_SUBTITLE_CHARS_MAX,
    EMBED_TITLE_CHARS_MAX,
)
from svc.domain.records.limits import FILTERS_MAX, SORTS_MAX, URL_CHARS_MAX
from svc.domain.records.queries import Filter, Sort

EmbedStatus = Literal["active", "paused", "removed"]

Refused = Literal["not_publishable", "no_fields", "error"]
"""Why a block of records shows nothing: its object may not appear in embeds; none of its fields may be shown;
they could not be read."""


def _text(characters_max: int, description: str) -> Meta:
    return Meta(min_length=1, max_length=characters_max, description=description)


_Heading = Annotated[str, _text(EMBED_TITLE_CHARS_MAX, "Stands above the block.")]


class Block(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    tag_field="type",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """One block of an embed. What its fields may hold is checked by `embed_rules`."""


class HeroBlock(Block, frozen=True, kw_only=True, tag="hero"):
    """A large title, with a picture and a call to action if they are given."""

    title: Annotated[str, _text(EMBED_TITLE_CHARS_MAX, "The title.")]
    subtitle: Annotated[str, _text(EMBED_SUBTITLE_CHARS_MAX, "Stands below the title.")] | None = None
    image: Annotated[str, _text(URL_CHARS_MAX, "Where the picture is: http, https, or a path.")] | None = None
    cta_label: (
        Annotated[str, _text(EMBED_TITLE_CHARS_MAX, "Text of the button; there is one with `ctaHref` too.")]
        | None
    ) = None
    cta_href: (
        Annotated[str, _text(URL_CHARS_MAX, "Where it leads: http, https, mailto, tel, or a path.")] | None
    ) = None


class TextBlock(Block, frozen=True, kw_only=True, tag="text"):
    """A text in Markdown, without raw HTML and pictures."""

    body: Annotated[str, _text(EMBED_BODY_CHARS_MAX, "The text, in Markdown.")]
    heading: _Heading | None = None


class RecordsBlock(Block, frozen=True, kw_only=True, tag="records"):
    """Records of a published object, as a table."""

    object_type: Annotated[str, Meta(description="Slug of the object.")]
    fields: Annotated[
        tuple[str, ...],
        Meta(
            max_length=EMBED_FIELDS_MAX,
            description="Slugs of the properties to show, in their order. Personal ones are never shown.",
        ),
    ]
    heading: _Heading | None = None
    limit: Annotated[int, Meta(ge=1, le=EMBED_ROWS_MAX, description="How many rows.")] = EMBED_ROWS
    filters: Annotated[
        tuple[Filter, ...],
        Meta(max_length=FILTERS_MAX, description="Must all hold. None may be on a personal property."),
    ] = ()
    sort: Annotated[
        tuple[Sort, ...],
        Meta(max_length=SORTS_MAX, description="The order; the newest first without. As `filters`."),
    ] = ()


class FormBlock(Block, frozen=True, kw_only=True, tag="form"):
    """A website form that can be filled in right there."""

    form_id: Annotated[str, Meta(description="`frm_…`: which form.")]
    heading: _Heading | None = None


AnyBlock = HeroBlock | TextBlock | RecordsBlock | FormBlock


class Embed(msgspec.Struct, frozen=True, kw_only=True):
    """One embed as its owner set it up. Times are ms since the epoch."""

    id: str
    organization_id: str
    name: str
    embed_key: str
    status: EmbedStatus
    site_id: str | None
    domain: str | None
    """The domain of the site that it is bound to; None for one that any origin may embed."""
    blocks: tuple[AnyBlock, ...]
    version: int
    created_at: int
    updated_at: int

    @property
    def form_ids(self) -> frozenset[str]:
        return frozenset(block.form_id for block in self.blocks if isinstance(block, FormBlock))

    @property
    def object_types(self) -> tuple[str, ...]:
        """Slugs of the objects that its blocks show, each once, in their order."""
        return tuple(
            dict.fromkeys(block.object_type for block in self.blocks if isinstance(block, RecordsBlock))
        )
