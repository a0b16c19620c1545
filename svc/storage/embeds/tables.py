"""The tables of embeds."""

from typing import Final

import sqlalchemy as sa

from svc.domain.embeds.blocks import AnyBlock
from svc.storage import schema

embeds: Final = schema.table(
    "embeds",
    schema.id_(),
    schema.of_organization(),
    schema.ref("site_id", "sites.id", null=True),
    schema.text("name", schema.SCRUBBED),
    schema.word("embed_key", unique=True),
    schema.word("status"),
    schema.json("blocks", tuple[AnyBlock, ...], schema.SCRUBBED),
    schema.past("created_at"),
    schema.past("updated_at"),
    schema.number("version", default="1"),
    sa.Index("ix_embeds_organization_id_id", "organization_id", "id"),
    leaves=schema.ExportFile("embeds", "An embed: blocks that are shown on other sites."),
    life=schema.KEPT,
)
