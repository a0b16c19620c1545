"""Embeds as they are stored, and what they show of what is published."""

import msgspec
import pytest
from msgspec.structs import replace

from svc.domain.changes import Change, EmbedsChanged, ObjectsChanged
from svc.domain.crypto.keys import EMBED_KEY, well_formed
from svc.domain.embeds.blocks import FormBlock, HeroBlock, RecordsBlock, TextBlock
from svc.domain.embeds.html_fragment import to_html
from svc.domain.embeds.limits import EMBEDS_MAX
from svc.domain.embeds.views import FormView, RecordsView, ShownRecords, shown
from svc.domain.errors import Conflict, InvalidInput, NotFound
from svc.domain.identity.limits import TRIAL_MS
from svc.domain.records.queries import Filter, Sort
from svc.storage import provisioning
from svc.storage.embeds import embeds
from svc.storage.embeds import views as embed_views
from svc.storage.embeds.embeds import EmbedChange
from svc.storage.forms import forms
from svc.storage.identity import organizations
from svc.storage.records import objects, properties, records
from svc.storage.sites import sites
from tests.files import a_file
from tests.lamps import LAMP, PRICES, SECRETS, LampTown, lamp_town


async def table(here: LampTown, block: RecordsBlock) -> ShownRecords:
    """What JSON says of *block*; nothing personal is in that, nor in the HTML."""
    found = await here.shown([block])
    [told] = shown(found.views).blocks
    assert isinstance(told, ShownRecords)
    for said in (msgspec.json.encode(told).decode(), to_html(found.views, "")):
        assert not any(secret in said for secret in SECRETS.values())
        assert "rec_" not in said
    return told


async def test_an_embed_is_kept_as_it_was_set_up(autojump_clock):
    """Blocks of each kind come back as they were, under a key of their own."""
    async with lamp_town() as here:
        form = await here.form()
        site = await here.store.write(sites.create, here.organization.id, "lamps.example")
        blocks = (
            HeroBlock(title="A", cta_label="B", cta_href="/b"),
            TextBlock(body="*a*"),
            replace(PRICES, filters=(Filter("in_stock", "eq", True),), limit=5),
            FormBlock(form_id=form.id),
        )

        made = await here.embed(*blocks, site_id=site.id)

        assert (blocks, "active", "lamps.example") == (made.blocks, made.status, made.domain)
        assert well_formed(made.embed_key, EMBED_KEY)
        assert made == await here.store.read(embeds.by_key, made.embed_key)
        assert ([made], None) == await here.store.read(embeds.list_page, here.organization.id)


async def test_all_faults_are_reported_together(autojump_clock):
    """Faults of the name, the site and the blocks come in one answer, and nothing is stored."""
    async with lamp_town() as here:
        with pytest.raises(InvalidInput) as refused:
            await here.embed(HeroBlock(title=""), name="", site_id="sit_elsewhere")

        assert ["/name", "/siteId", "/blocks/0/title"] == [fault.pointer for fault in refused.value.faults]
        assert ([], None) == await here.store.read(embeds.list_page, here.organization.id)


async def test_what_another_organization_has_is_not_there(autojump_clock):
    """Neither its embeds, nor its sites, forms and objects in one's own blocks."""
    async with lamp_town() as here:
        made = await here.embed()
        form = await here.form()
        other = await here.store.write(provisioning.create, organizations.NewOrganization(name="Other"))

        with pytest.raises(NotFound):
            await here.store.read(embeds.get, other.id, made.id)
        with pytest.raises(InvalidInput) as refused:
            await here.store.write(
                embeds.create, other.id, name="Ours", blocks=(PRICES, FormBlock(form_id=form.id))
            )

        assert ["/blocks/0/objectType", "/blocks/1/formId"] == [one.pointer for one in refused.value.faults]


async def test_what_is_left_out_of_a_change_stays(autojump_clock):
    """A change says what is another; a site can be taken away again."""
    async with lamp_town() as here:
        site = await here.store.write(sites.create, here.organization.id, "lamps.example")
        made = await here.embed(site_id=site.id)

        renamed = await here.store.write(
            embeds.update, here.organization.id, made.id, EmbedChange(name="New")
        )
        freed = await here.store.write(
            embeds.update, here.organization.id, made.id, EmbedChange(site_id=None)
        )

        assert ("New", "lamps.example", made.blocks) == (renamed.name, renamed.domain, renamed.blocks)
        assert ("New", None) == (freed.name, freed.domain)


async def test_a_change_does_not_stumble_over_what_stays(autojump_clock):
    """An embed whose site was removed and whose property was deleted can be renamed."""
    async with lamp_town() as here:
        site = await here.store.write(sites.create, here.organization.id, "lamps.example")
        made = await here.embed(site_id=site.id)
        await here.store.write(sites.remove, here.organization.id, site.id)
        await here.store.write(properties.delete, here.organization.id, LAMP, "price")

        renamed = await here.store.write(
            embeds.update, here.organization.id, made.id, EmbedChange(name="New")
        )

        assert ("New", "lamps.example") == (renamed.name, renamed.domain)


async def test_a_removed_embed_is_gone(autojump_clock):
    """It is in no list and cannot be changed; its key says that it is not open."""
    async with lamp_town() as here:
        made = await here.embed()

        await here.store.write(embeds.set_status, here.organization.id, made.id, "removed")

        assert ([], None) == await here.store.read(embeds.list_page, here.organization.id)
        with pytest.raises(NotFound):
            await here.store.write(embeds.set_status, here.organization.id, made.id, "active")
        _, found = await here.store.read(embed_views.by_key, made.embed_key, here.clock.now())
        assert found is None


async def test_there_are_only_so_many_embeds(autojump_clock, monkeypatch: pytest.MonkeyPatch):
    """The one over the limit is refused; a removed one makes room."""
    monkeypatch.setattr(embeds, "EMBEDS_MAX", 2)
    async with lamp_town() as here:
        first = await here.embed()
        await here.embed()

        with pytest.raises(Conflict):
            await here.embed()
        await here.store.write(embeds.set_status, here.organization.id, first.id, "removed")

        assert "active" == (await here.embed()).status
        assert 2 < EMBEDS_MAX


async def test_whatever_decides_is_announced(autojump_clock):
    """Changes of an embed name it; those of objects, properties and the organization name all embeds."""
    async with lamp_town() as here:
        told: list[Change] = []
        made = await here.embed()
        here.store.listen(told.append)
        organization_id = here.organization.id

        async def changes(fn, *args, **kwargs) -> list[Change]:
            told.clear()
            await here.store.write(fn, organization_id, *args, **kwargs)
            return [one for one in told if isinstance(one, EmbedsChanged | ObjectsChanged)]

        own = [EmbedsChanged(organization_id, made.embed_key)]
        objects_changed = [ObjectsChanged(organization_id)]
        assert own == await changes(embeds.update, made.id, EmbedChange(name="New"))
        assert own == await changes(embeds.set_status, made.id, "paused")
        assert objects_changed == await changes(objects.publish, LAMP, publishable=False)
        assert objects_changed == await changes(properties.update, LAMP, "price", personal=True)
        assert objects_changed == await changes(properties.delete, LAMP, "price")
        assert [EmbedsChanged(organization_id, None)] == await changes(organizations.close)


async def test_records_are_shown_raw_and_as_they_are_read(autojump_clock):
    """Amounts are numbers with their currency beside them; texts are in the organization's format."""
    async with lamp_town() as here:
        told = await table(here, PRICES)

        assert [("name", "Name"), ("price", "Price")] == [(one.slug, one.label) for one in told.columns]
        assert (
            {"name": "Anchor", "price": 79.5, "price_currency": "EUR"},
            {"name": "Skerry", "price": 95, "price_currency": "EUR"},
        ) == told.rows
        assert (
            {"name": "Anchor", "price": "79,50\xa0€"},
            {"name": "Skerry", "price": "95,00\xa0€"},
        ) == told.text


async def test_what_is_empty_is_null(autojump_clock):
    """Every row has every column, an amount's currency included."""
    async with lamp_town() as here:
        await here.lamp("Free", None)
        told = await table(here, replace(PRICES, fields=("price", "in_stock"), sort=()))

        assert {"price": None, "price_currency": None, "in_stock": None} == told.rows[0]
        assert {"price": "", "in_stock": ""} == told.text[0]


async def test_an_uploaded_picture_is_null(autojump_clock):
    """Its id is private; a picture elsewhere is its address."""
    async with lamp_town() as here:
        uploaded = await here.store.write(a_file, here.organization.id)
        await here.lamp("A", 1, photo=uploaded.id)
        await here.lamp("B", 2, photo="https://lamps.example/b.png")
        told = await table(here, replace(PRICES, fields=("photo",), limit=2))

        assert ({"photo": None}, {"photo": "https://lamps.example/b.png"}) == told.rows


async def test_a_relation_is_the_name_of_what_it_leads_to(autojump_clock):
    """If that object is published too, as it is now; one to a contact is never shown."""
    async with lamp_town() as here:
        source = {"kind": "person"}
        maker, gone = [
            await here.store.write(
                records.create, here.organization, "company", {"name": name}, source=source
            )
            for name in ("Nordlys", "Gone")
        ]
        buyer = await here.store.write(
            records.create, here.organization, "contact", {"name": "Ada Quill"}, source=source
        )
        await here.lamp("A", 1, maker=maker.id, buyer=buyer.id)
        await here.lamp("B", 2, maker=gone.id)
        await here.store.write(records.delete, here.organization.id, "company", gone.id, source=source)
        block = replace(PRICES, fields=("name", "maker", "buyer", "keeper"), limit=2)
        before = await table(here, block)
        await here.publish("company")
        await here.publish("contact")
        after = await table(here, block)

        assert ["name"] == [one.slug for one in before.columns]
        assert ({"name": "A", "maker": "Nordlys"}, {"name": "B", "maker": None}) == after.rows


async def test_filters_sort_and_limit_decide_what_is_shown(autojump_clock):
    """As in any list of records."""
    async with lamp_town() as here:
        for number in range(6):
            await here.lamp(f"L{number}", 200 + number, in_stock=number % 2 == 0)
        block = RecordsBlock(
            object_type=LAMP,
            fields=("name",),
            filters=(Filter("in_stock", "eq", True),),
            sort=(Sort("price", "desc"),),
            limit=2,
        )

        assert ({"name": "L4"}, {"name": "L2"}) == (await table(here, block)).rows


async def test_an_object_that_is_not_published_shows_nothing(autojump_clock):
    """Objects are not published at first; the block says so, and its editor sees why."""
    async with lamp_town() as here:
        await here.publish(publishable=False)
        told = await table(here, PRICES)
        contacts = RecordsBlock(object_type="contact", fields=("city",))
        refused = await here.store.read(
            embed_views.refusals, here.organization, (PRICES, contacts), here.clock.now()
        )

        assert ("not_publishable", [], (), ()) == (told.refused, told.columns, told.rows, told.text)
        assert {0: "not_publishable", 1: "not_publishable"} == refused


async def test_a_block_of_personal_fields_alone_shows_nothing(autojump_clock):
    """What is personal is left out, and nothing is left then."""
    async with lamp_town() as here:
        block = RecordsBlock(object_type=LAMP, fields=("phone", "secret", "buyer", "keeper", "maker"))
        told = await table(here, block)

        assert ("no_fields", [], ()) == (told.refused, told.columns, told.rows)
        assert {0: "no_fields"} == await here.store.read(
            embed_views.refusals, here.organization, (block, TextBlock(body="a")), here.clock.now()
        )


async def test_a_filter_that_became_personal_shows_nothing(autojump_clock):
    """Without it, more would be shown than was meant; with it, one could infer from what is shown."""
    async with lamp_town() as here:
        block = replace(PRICES, filters=(Filter("in_stock", "eq", True),))
        await here.store.write(properties.update, here.organization.id, LAMP, "in_stock", personal=True)

        assert ("error", ()) == ((await table(here, block)).refused, (await table(here, block)).rows)


async def test_a_filter_whose_property_is_gone_shows_nothing(autojump_clock):
    """The block is in error, and the others are shown."""
    async with lamp_town() as here:
        block = replace(PRICES, filters=(Filter("in_stock", "eq", True),))
        await here.store.write(properties.delete, here.organization.id, LAMP, "in_stock")
        found = await here.shown([block, PRICES])

        assert {0: "error"} == await here.store.read(
            embed_views.refusals, here.organization, (block, PRICES), here.clock.now()
        )
        assert ["error", None] == [view.refused for view in found.views if isinstance(view, RecordsView)]


async def test_a_field_that_is_gone_is_left_out(autojump_clock):
    """A deleted property and one that became personal are no columns any more."""
    async with lamp_town() as here:
        await here.store.write(properties.delete, here.organization.id, LAMP, "price")

        assert ["name"] == [one.slug for one in (await table(here, replace(PRICES, sort=()))).columns]


async def test_a_form_is_shown_while_it_takes_submissions(autojump_clock):
    """A paused form is a block without a key."""
    async with lamp_town() as here:
        form = await here.form()
        block = FormBlock(form_id=form.id)
        before = await here.shown([block])
        await here.store.write(forms.pause, here.organization.id, form.id)
        after = await here.shown([block])

        assert {form.id: form.form_key} == shown(before.views).form_keys
        assert {} == shown(after.views).form_keys
        assert FormView(block=block, form=None) == after.views[0]


async def test_a_form_is_shown_while_the_plan_includes_it(autojump_clock):
    """After the trial of a free organization its forms take nothing, so no page shows one."""
    async with lamp_town() as here:
        form = await here.form()
        block = FormBlock(form_id=form.id)
        before = await here.shown([block])
        here.clock.jump(TRIAL_MS)
        after = await here.shown([block])

        assert {form.id: form.form_key} == shown(before.views).form_keys
        assert {} == shown(after.views).form_keys


async def test_a_missing_index_is_reported(autojump_clock):
    """A list that an index would have made quicker says so."""
    async with lamp_town() as here:
        found = await here.shown([PRICES])

        assert 1 == len(found.unindexed)
