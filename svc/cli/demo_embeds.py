"""The demo shop's price list: an object that is published, its records, and three embeds that show them."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from svc.domain.embeds import FormBlock, HeroBlock, RecordsBlock, TextBlock
from svc.domain.forms import Form
from svc.domain.organizations import Organization
from svc.domain.properties import Property
from svc.domain.queries import Filter, Sort
from svc.storage import embeds, objects, records
from svc.storage.sites import Site
from svc.storage.store import Tx

LAMP: Final = "lamp"

_PROPERTIES: Final = (
    Property(slug="price", label="Price", type="amount"),
    Property(slug="material", label="Material", type="select", options=("Steel", "Brass", "Oak", "Glass")),
    Property(slug="watts", label="Watts", type="number"),
    Property(slug="in_stock", label="In stock", type="boolean"),
    Property(slug="next_batch", label="Next batch", type="date"),
    # Of no concern to anybody outside; in no embed, whatever its blocks say.
    Property(slug="maker_phone", label="Maker's phone", type="phone", personal=True),
)
_LAMPS: Final[tuple[Mapping[str, Any], ...]] = (
    {"name": "Skerry wall light", "price": 95, "material": "Steel", "watts": 6, "in_stock": True},
    {"name": "Brass pendant", "price": 145, "material": "Brass", "watts": 9.5, "next_batch": "2026-10-05"},
    {"name": "Anchor reading lamp", "price": 79, "material": "Steel", "watts": 4, "in_stock": True},
    {"name": "Harbour lantern", "price": 1_250, "material": "Glass", "watts": 40, "next_batch": "2026-11-16"},
    {"name": "Oak night light", "price": 38.5, "material": "Oak", "watts": 1.5, "in_stock": True},
)
_MAKER: Final = "+447700900119"
_FIELDS: Final = ("name", "price", "material", "watts", "in_stock", "next_batch")


class ShopEmbeds(msgspec.Struct, frozen=True):
    """The public keys of the shop's embeds."""

    embed_key: str
    bound_embed_key: str
    paused_embed_key: str


def publish_lamps(tx: Tx, shop: Organization, site: Site, form: Form) -> ShopEmbeds:
    """Make the price list, and embeds: one for any site, one for the shop's own, and one that is paused."""
    objects.create(tx, shop.id, LAMP, "Lamp", "Lamps")
    for prop in _PROPERTIES:
        objects.create_property(tx, shop.id, LAMP, prop)
    objects.publish(tx, shop.id, LAMP, publishable=True)
    source = {"kind": "person"}
    records.create_many(tx, shop, LAMP, [{**lamp, "maker_phone": _MAKER} for lamp in _LAMPS], source=source)
    price_list = RecordsBlock(
        object_type=LAMP, heading="In the workshop now", fields=_FIELDS, sort=(Sort("price"),)
    )
    any_site = embeds.create(tx, shop.id, name="Price list", blocks=(price_list,))
    own_site = embeds.create(
        tx,
        shop.id,
        name="Ready to go",
        site_id=site.id,
        blocks=(
            HeroBlock(
                title="Ready to go",
                subtitle="What leaves the workshop tomorrow.",
                cta_label="See all lamps",
                cta_href="/lamps",
            ),
            RecordsBlock(
                object_type=LAMP,
                fields=("name", "price", "watts"),
                filters=(Filter("in_stock", "eq", True),),
                sort=(Sort("price", "desc"),),
            ),
            TextBlock(heading="Delivery", body="Two days **within Britain**, a week elsewhere."),
            FormBlock(form_id=form.id, heading="Ask about a lamp"),
        ),
    )
    sale = embeds.create(tx, shop.id, name="Summer sale", blocks=(HeroBlock(title="Summer sale"),))
    embeds.set_status(tx, shop.id, sale.id, "paused")
    return ShopEmbeds(any_site.embed_key, own_site.embed_key, sale.embed_key)
