"""The embeds of the demo's shop: its price list, one for its own site, and a paused one."""

from typing import Final

from svc.domain.embeds.blocks import Embed, FormBlock, HeroBlock, RecordsBlock, TextBlock
from svc.domain.forms.forms import Form
from svc.domain.records.queries import Filter, Sort
from svc.storage.embeds import embeds
from svc.storage.sites.sites import Site
from svc.storage.store import Tx

_PRICE_LIST: Final = RecordsBlock(
    object_type="lamp",
    heading="In the workshop now",
    fields=("name", "price", "material", "rooms", "in_stock", "made_to_order"),
    sort=(Sort("price"),),
)
_READY: Final = RecordsBlock(
    object_type="lamp",
    fields=("name", "price", "in_stock"),
    filters=(Filter("made_to_order", "eq", False), Filter("in_stock", "gt", 10)),  # a value
    sort=(Sort("price", "desc"),),
)


def show(tx: Tx, organization_id: str, site: Site, form: Form) -> tuple[Embed, Embed, Embed]:
    """Create the embeds: one for any site, one for *site*, and a paused one."""
    any_site = embeds.create(tx, organization_id, name="Price list", blocks=(_PRICE_LIST,))
    own_site = embeds.create(
        tx,
        organization_id,
        name="Ready to go",
        site_id=site.id,
        blocks=(
            HeroBlock(
                title="Ready to go",
                subtitle="What leaves the workshop tomorrow.",
                cta_label="See all lamps",
                cta_href="/lamps",
            ),
            _READY,
            TextBlock(heading="Delivery", body="Two days **within Britain**, a week elsewhere."),
            FormBlock(form_id=form.id, heading="Ask about a lamp"),
        ),
    )
    sale = embeds.create(tx, organization_id, name="Summer sale", blocks=(HeroBlock(title="Summer sale"),))
    return any_site, own_site, embeds.set_status(tx, organization_id, sale.id, "paused")
