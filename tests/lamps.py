"""A town with a published price list of lamps, and embeds that show it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from svc.domain.embeds.blocks import AnyBlock, Embed, RecordsBlock
from svc.domain.records.properties import Property
from svc.domain.records.queries import Sort
from svc.storage.embeds import embeds
from svc.storage.embeds import views as embed_views
from svc.storage.embeds.views import BlockViews
from svc.storage.records import objects, properties, records
from svc.storage.store import Tx
from tests.town import Town, town

LAMP: Final = "lamp"
PROPERTIES: Final = (
    Property(slug="price", label="Price", type="amount"),
    Property(slug="in_stock", label="In stock", type="boolean"),
    Property(slug="photo", label="Photo", type="picture"),
    Property(slug="maker", label="Maker", type="relation", options=("company",)),
    Property(slug="buyer", label="Buyer", type="relation", options=("contact",)),
    Property(slug="keeper", label="Keeper", type="member"),
    Property(slug="phone", label="Maker's phone", type="phone", personal=True),
    Property(slug="secret", label="Secret", type="text", personal=True),
)
SECRETS: Final = {"phone": "+447700900119", "secret": "the-secret-of-a-person"}
PRICES: Final = RecordsBlock(object_type=LAMP, fields=("name", "price"), sort=(Sort("price"),))


class LampTown(Town):
    """The town, with what tests do to its lamps and embeds."""

    async def lamp(self, name: str, price: float | None, **values: Any) -> str:
        """A new lamp's id. It has secrets, which must be seen nowhere."""
        given = {"name": name, "price": price} | SECRETS | values
        made = await self.store.write(
            records.create, self.organization, LAMP, given, source={"kind": "person"}
        )
        return made.id

    async def reprice(self, lamp_id: str, price: float) -> None:
        await self.store.write(
            records.update, self.organization, LAMP, lamp_id, {"price": price}, source={"kind": "person"}
        )

    async def embed(self, *blocks: AnyBlock, **asked: Any) -> Embed:
        given = {"name": "Prices", "blocks": blocks or (PRICES,)} | asked
        return await self.store.write(embeds.create, self.organization.id, **given)

    async def publish(self, slug: str = LAMP, *, publishable: bool = True) -> None:
        await self.store.write(objects.publish, self.organization.id, slug, publishable=publishable)

    async def shown(self, blocks: Sequence[AnyBlock]) -> BlockViews:
        return await self.store.read(embed_views.of_blocks, self.organization, blocks, self.clock.now())


def make_lamps(tx: Tx, organization_id: str) -> None:
    """The object, published."""
    objects.create(tx, organization_id, LAMP, "Lamp", "Lamps")
    for prop in PROPERTIES:
        properties.create(tx, organization_id, LAMP, prop)
    objects.publish(tx, organization_id, LAMP, publishable=True)


@asynccontextmanager
async def lamp_town() -> AsyncIterator[LampTown]:
    """A German town that sells lamps: two of them, which are published."""
    async with town() as here:
        lamps = LampTown(here.store, here.clock, here.organization)
        await lamps.store.write(make_lamps, lamps.organization.id)
        await lamps.lamp("Skerry", 95)
        await lamps.lamp("Anchor", 79.5)
        yield lamps
