"""What is checked of an embed when it is saved."""

from typing import Any

import msgspec
import pytest

from svc.domain.embeds.blocks import AnyBlock, FormBlock, HeroBlock, RecordsBlock, TextBlock
from svc.domain.embeds.limits import (
    EMBED_BLOCKS_MAX,
    EMBED_BODY_CHARS_MAX,
    EMBED_FIELDS_MAX,
    EMBED_ROWS_MAX,
    EMBED_TITLE_CHARS_MAX,
)
from svc.domain.embeds.rules import block_faults, hidden_condition, name_faults, public_fields
from svc.domain.records.objects import is_public
from svc.domain.records.properties import Property
from svc.domain.records.queries import Filter, PlainFilter, Sort

PRICE = Property(slug="price", label="Price", type="amount")
NAME = Property(slug="name", label="Name", type="text")
OWNER = Property(slug="owner", label="Owner", type="member")
EMAIL = Property(slug="email", label="E-mail", type="email", personal=True)
AGE = Property(slug="age", label="Age", type="number", personal=True)
BUYER = Property(slug="buyer", label="Buyer", type="relation", options=("contact",))
MAKER = Property(slug="maker", label="Maker", type="relation", options=("company",))


class Lamp(msgspec.Struct):
    properties: dict[str, Property]
    publishable: bool = True


class Known(msgspec.Struct):
    objects: dict[str, Lamp]
    form_ids: frozenset[str] = frozenset({"frm_1"})
    country: str = "GB"


LAMP = Lamp({prop.slug: prop for prop in (NAME, PRICE, OWNER, EMAIL, AGE, BUYER, MAKER)})
KNOWN = Known({"lamp": LAMP})


def lamps(**changes: Any) -> RecordsBlock:
    return RecordsBlock(**({"object_type": "lamp", "fields": ("name", "price")} | changes))


def faults(*blocks: AnyBlock) -> list[tuple[str, str]]:
    return [(fault.pointer, fault.code) for fault in block_faults(blocks, KNOWN, EMBED_BLOCKS_MAX)]


def test_what_is_right_is_let_through() -> None:
    """One of each kind, with all that it may have."""
    blocks = (
        HeroBlock(title="A", subtitle="B", image="/a.png", cta_label="C", cta_href="mailto:a@example.com"),
        TextBlock(body="**a**", heading="B"),
        lamps(heading="A", limit=EMBED_ROWS_MAX, filters=(Filter("price", "gt", 5),), sort=(Sort("name"),)),
        FormBlock(form_id="frm_1", heading="A"),
    )

    assert [] == faults(*blocks)


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (HeroBlock(title=""), ("/title", "invalid_value")),
        (HeroBlock(title=" "), ("/title", "invalid_value")),
        (HeroBlock(title="a" * (EMBED_TITLE_CHARS_MAX + 1)), ("/title", "invalid_value")),
        (HeroBlock(title="a\0"), ("/title", "invalid_value")),
        (HeroBlock(title="\ud83d"), ("/title", "invalid_value")),
        (HeroBlock(title="a", image="data:image/png,1"), ("/image", "invalid_value")),
        (HeroBlock(title="a", cta_href="javascript:alert(1)"), ("/ctaHref", "invalid_value")),
        (HeroBlock(title="a", cta_href="//evil.example"), ("/ctaHref", "invalid_value")),
        (TextBlock(body=""), ("/body", "invalid_value")),
        (TextBlock(body="a" * (EMBED_BODY_CHARS_MAX + 1)), ("/body", "invalid_value")),
        (TextBlock(body="a", heading=""), ("/heading", "invalid_value")),
        (FormBlock(form_id="frm_2"), ("/formId", "not_found")),
        (lamps(object_type="chair"), ("/objectType", "not_found")),
        (lamps(fields=("name", "colour")), ("/fields/1", "unknown_property")),
        (lamps(fields=("name", "price_currency")), ("/fields/1", "unknown_property")),
        (lamps(fields=("name", "name")), ("/fields/1", "invalid_value")),
        (lamps(limit=0), ("/limit", "invalid_value")),
        (lamps(limit=EMBED_ROWS_MAX + 1), ("/limit", "invalid_value")),
        (lamps(filters=(Filter("colour", "eq", 1),)), ("/filters/0/property", "unknown_property")),
        (lamps(filters=(Filter("price", "gt", "x"),)), ("/filters/0/value", "invalid_value")),
        (lamps(sort=(Sort("colour"),)), ("/sort/0/property", "unknown_property")),
    ],
)
def test_what_is_wrong_is_pointed_at(block: AnyBlock, expected: tuple[str, str]) -> None:
    """The fault names the block and what is wrong in it."""
    pointer, code = expected

    assert [(f"/blocks/1{pointer}", code)] == faults(TextBlock(body="a"), block)


@pytest.mark.parametrize("slug", ["email", "age", "owner", "buyer"])
def test_nothing_is_inferred_from_what_is_personal(slug: str) -> None:
    """Neither a filter nor a sort may be on a personal property, a member, or a relation to a contact."""
    filtered = lamps(filters=(Filter("name", "is_not_empty"), Filter(slug, "is_empty")))
    sorted_by = lamps(sort=(Sort("name"), Sort(slug)))

    grouped = lamps(filters=(Filter(any=(PlainFilter("name", "is_empty"), PlainFilter(slug, "is_empty"))),))

    assert [("/blocks/0/filters/1/property", "personal_property")] == faults(filtered)
    assert [("/blocks/0/filters/0/any/1/property", "personal_property")] == faults(grouped)
    assert [("/blocks/0/sort/1/property", "personal_property")] == faults(sorted_by)


def test_times_are_not_personal() -> None:
    """When a record was made or changed may decide about what is shown."""
    block = lamps(filters=(Filter("createdAt", "gt", "2026-01-01T00:00:00Z"),), sort=(Sort("updatedAt"),))

    assert [] == faults(block)
    assert hidden_condition(block, LAMP) is None


def test_personal_fields_are_left_out() -> None:
    """A block may name a personal property, and shows the others."""
    block = lamps(fields=("email", "price", "owner", "maker", "buyer", "gone", "name"))

    assert [PRICE, MAKER, NAME] == public_fields(block, LAMP)
    assert [True, False] == [is_public(MAKER), is_public(BUYER)]


def test_there_are_only_so_many() -> None:
    """Blocks and fields are counted."""
    many = tuple(f"field_{number}" for number in range(EMBED_FIELDS_MAX + 1))

    assert [] == faults(*[TextBlock(body="a")] * EMBED_BLOCKS_MAX)
    assert [("/blocks", "too_many")] == faults(*[TextBlock(body="a")] * (EMBED_BLOCKS_MAX + 1))
    assert ("/blocks/0/fields", "too_many") in faults(lamps(fields=many))


def test_all_faults_are_reported_at_once() -> None:
    """One correction of an embed is enough."""
    assert [
        ("/blocks/0/title", "invalid_value"),
        ("/blocks/0/image", "invalid_value"),
        ("/blocks/1/limit", "invalid_value"),
    ] == faults(HeroBlock(title="", image="x"), lamps(limit=99))


@pytest.mark.parametrize("name", ["", " ", "a" * 201, "a\0"])
def test_an_embed_has_a_name(name: str) -> None:
    """Its name is text that people can read."""
    assert ["/name"] == [fault.pointer for fault in name_faults(name)]
    assert [] == name_faults("Price list")
