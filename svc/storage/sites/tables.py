"""The tables of sites and visits."""

from typing import Final

import sqlalchemy as sa

from svc.storage import schema

sites: Final = schema.table(
    "sites",
    schema.id_(),
    schema.of_organization(),
    schema.text(
        "domain", schema.kept("the address of a site of the organization's; `site.remove` removes it")
    ),
    schema.past("created_at"),
    schema.past("removed_at", null=True),
    schema.past("last_view_at", null=True),
    sa.Index("ix_sites_organization_id", "organization_id"),
    sa.Index("ix_sites_domain", "domain"),
    leaves=schema.ExportFile("sites", "A tracked site."),
    life=schema.KEPT,
)

visitor_keys: Final = schema.table(
    "visitor_keys",
    schema.number("day", autoincrement=False, primary=True),
    schema.blob("key", stays=schema.INTERNAL),
    leaves=schema.Stays("secrets of the installation, each for one day"),
    erasure=schema.Exempt("keys of digests, of a few days, for all visitors"),
    life=schema.PRUNED,
    rows_of="the installation",
)

visits: Final = schema.table(
    "visits",
    schema.id_(),
    schema.of_organization(),
    schema.ref("site_id", "sites.id"),
    schema.word("visitor", own="visitors", note="a name of the visitor for one day"),
    schema.text("url", schema.SCRUBBED),
    schema.text("referrer", schema.SCRUBBED, null=True),
    schema.text("title", schema.SCRUBBED, null=True),
    schema.past("at"),
    schema.of_record("record_id", own="records", note="the contact, where it is known"),
    sa.Index("ix_visits_organization_id_visitor", "organization_id", "visitor"),
    schema.PartialIndex(
        "ix_visits_record_id",
        "record_id",
        where="record_id IS NOT NULL",
    ),
    leaves=schema.ExportFile("visits", "A page view on a tracked site."),
    life=schema.KEPT,
)
