"""An embed as HTML: inert whatever is in it, and of use to everybody."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from svc.domain.embeds.blocks import FormBlock, HeroBlock, RecordsBlock, TextBlock
from svc.domain.embeds.embedded_forms import EmbeddedField, EmbeddedForm
from svc.domain.embeds.html_fragment import to_html
from svc.domain.embeds.views import Allowance, BlockView, FormView, RecordsView, fill
from svc.domain.records.formats import Formats
from svc.domain.records.properties import Property
from tests.fragments import HOSTILE, Fragment

BASE = "https://svc.example.com"
PROPERTIES = (
    Property(slug="name", label="Name", type="text"),
    Property(slug="about", label="About", type="long_text"),
    Property(slug="price", label="Price", type="amount"),
    Property(slug="page", label="Page", type="url"),
    Property(slug="photo", label="Photo", type="picture"),
    Property(slug="tags", label="Tags", type="multi_select", options=("a",)),
    Property(slug="maker", label="Maker", type="relation", options=("company",)),
)
FORMATS = Formats("en_GB", "Europe/London")


def records(values: list[dict[str, Any]], **changes: Any) -> RecordsView:
    block = RecordsBlock(object_type="lamp", fields=(), heading="Lamps")
    properties = changes.pop("properties", PROPERTIES)
    return fill(
        block, properties, values, names=changes.pop("names", {}), formats=FORMATS, allowance=Allowance()
    )


def everything(text: str) -> list[BlockView]:
    """Every place that a text can get to, with *text* in it."""
    named = [Property(slug=prop.slug, label=text, type=prop.type) for prop in PROPERTIES]
    values = {"name": text, "about": text, "price": 5, "price_currency": text, "page": text, "photo": text}
    field = {"name": text, "label": text, "options": (text,)}
    controls = ("text", "email", "tel", "url", "number", "date", "checkbox", "select", "choices", "area")
    form = EmbeddedForm(
        form_key="svcf_1",
        submit_path="/api/f/s?f=svcf_1",
        fields=tuple(EmbeddedField(control=control, **field) for control in controls),  # type: ignore[arg-type]
        honeypot=text,
    )
    return [
        HeroBlock(title=text, subtitle=text, image=text, cta_label=text, cta_href=text),
        TextBlock(heading=text, body=text),
        records([values | {"tags": [text], "maker": "rec_1"}], properties=named, names={"rec_1": text}),
        FormView(block=FormBlock(form_id="frm_1", heading=text), form=form),
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_hostile_is_inert(text: str) -> None:
    """Whatever stands in any place, the fragment has its few elements and attributes, and safe addresses."""
    html = to_html(everything(text), BASE)

    fragment = Fragment(html)
    assert 4 == len(fragment.named("section"))
    assert "\u202e" not in html
    assert "\x00" not in html


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=150)
@given(st.lists(st.one_of(st.text(max_size=20), st.sampled_from(HOSTILE[:24])), max_size=4).map("".join))
def test_whatever_is_written_is_inert(text: str) -> None:
    """So it is for any text, and for what is put together of hostile parts."""
    assert 4 == len(Fragment(to_html(everything(text), BASE)).named("section"))


def test_a_table_has_the_texts_of_its_cells() -> None:
    """Cells show what is read, with a link where the value is an address; nothing is shown as a dash."""
    html = to_html(
        [
            records(
                [
                    {
                        "name": "Skerry",
                        "price": 95,
                        "price_currency": "GBP",
                        "page": "https://lamps.example/",
                        "photo": "https://lamps.example/1.png",
                        "tags": ["a", "b"],
                        "maker": "rec_1",
                    },
                    {"name": "Anchor", "photo": "fil_01K5D3V7Q2M8Z4X6C9B1N0T5RA", "maker": "rec_2"},
                ],
                names={"rec_1": "Nordlys"},
            )
        ],
        BASE,
    )

    fragment = Fragment(html)
    seen = [text.strip() for text in fragment.text]
    assert "Lamps" == seen[0]
    assert {"Skerry", "£95.00", "a, b", "Nordlys", "Anchor", "–"} <= set(seen)
    assert [{"https://lamps.example/"}, {"https://lamps.example/1.png"}] == [
        {one["href"] for one in fragment.named("a") if "svc.example" not in one["href"]},
        {one["src"] for one in fragment.named("img")},
    ]
    assert "rec_" not in html
    assert "fil_" not in html


def test_a_table_reads_as_one() -> None:
    """Whatever it looks like, it has the roles of a table, and headers for its columns."""
    fragment = Fragment(to_html([records([{"name": "Skerry"}] * 3)], BASE))

    roles = [told.get("role") for _, told in fragment.elements]
    assert [1, 7, 4, 21] == [roles.count(one) for one in ("table", "columnheader", "row", "cell")]
    assert ["Lamps"] == [told["aria-label"] for told in fragment.named("table")]
    assert {"col"} == {told["scope"] for told in fragment.named("th")}


def test_every_control_has_a_label() -> None:
    """Every input has a label with words, except the honeypot, which is hidden from people."""
    fragment = Fragment(to_html(everything("Words"), BASE))

    controls = [
        told for tag, told in fragment.elements if tag in {"input", "select", "textarea"} and told.get("name")
    ]
    assert len(controls) == len(fragment.named("label")) == 11
    assert ["-1"] == [told["tabindex"] for told in controls if "tabindex" in told]
    assert [f"{BASE}/api/f/s?f=svcf_1"] == [told["action"] for told in fragment.named("form")]
    assert ["post"] == [told["method"] for told in fragment.named("form")]


def test_a_closed_form_and_empty_records_say_so() -> None:
    """What cannot be shown is said in words, instead of an empty box."""
    html = to_html(
        [
            FormView(block=FormBlock(form_id="frm_1"), form=None),
            records([]),
            RecordsView(block=RecordsBlock(object_type="lamp", fields=()), refused="not_publishable"),
        ],
        BASE,
    )

    words = " ".join(Fragment(html).text)
    assert "closed" in words
    assert "nothing here yet" in words
    assert "cannot be shown" in words
    assert "not_publishable" not in html


def test_it_ends_with_whose_it_is() -> None:
    """The last thing in it is the link of attribution."""
    fragment = Fragment(to_html([HeroBlock(title="A")], BASE))

    assert ("a", f"{BASE}/about/embeds") == (fragment.elements[-1][0], fragment.elements[-1][1]["href"])
    assert "Made with svc" == fragment.text[-1]


def test_a_button_needs_words_and_a_place() -> None:
    """A call to action is there when it has both."""
    neither = to_html([HeroBlock(title="A", cta_label="Go"), HeroBlock(title="A", cta_href="/a")], BASE)
    both = to_html([HeroBlock(title="A", cta_label="Go", cta_href="/a")], BASE)

    assert ["/a"] == [told["href"] for told in Fragment(both).named("a")[:-1]]
    assert [] == Fragment(neither).named("a")[:-1]


def test_rows_that_do_not_fit_are_left_out() -> None:
    """An embed has a limit of bytes; what is in it is whole."""
    allowance = Allowance(10_000)
    block = RecordsBlock(object_type="lamp", fields=())
    view = fill(
        block,
        PROPERTIES[:1],
        [{"name": "a" * 1_000}] * 40,
        names={},
        formats=FORMATS,
        allowance=allowance,
    )

    assert 0 < len(view.rows) < 10
    assert len(view.rows) == len(view.texts)
