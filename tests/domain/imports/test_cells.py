"""Cells, as people and spreadsheets write them."""

from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.errors import InvalidValue
from svc.domain.records.cells.formats import CellFormats, Money, NameReference
from svc.domain.records.cells.guards import guarded, unguarded
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.properties import Property, PropertyType

GERMAN = CellFormats(decimal=",", order="dmy", zone=ZoneInfo("Europe/Berlin"))
AMERICAN = CellFormats(decimal=".", order="mdy", zone=ZoneInfo("America/New_York"), currency="USD")


def read(kind: PropertyType, cell: str, formats: CellFormats = GERMAN, *options: str) -> object:
    prop = Property(slug="p", label="P", type=kind, options=options)
    return KINDS[kind].read_cell(prop, formats)(cell)


@pytest.mark.parametrize(
    ("kind", "cell", "formats", "value"),
    [
        ("number", "1.234,5", GERMAN, 1234.5),
        ("number", "1.234", GERMAN, 1234),
        ("number", "1 234 567", GERMAN, 1234567),
        ("number", "-0,5", GERMAN, -0.5),
        ("number", "−3", GERMAN, -3),
        ("number", "1,234.5", AMERICAN, 1234.5),
        ("number", "1.234", AMERICAN, 1.234),
        ("number", "1e-07", AMERICAN, 1e-07),
        ("amount", "12,50 EUR", GERMAN, Money(12.5, "EUR")),
        ("amount", "£1.000", GERMAN, Money(1000, "GBP")),
        ("amount", "usd 5", AMERICAN, Money(5, "USD")),
        ("amount", "5", AMERICAN, Money(5, None)),
        ("amount", "$1,234.50", AMERICAN, Money(1234.5, "USD")),
        ("amount", "-$5", AMERICAN, Money(-5, "USD")),
        ("date", "18.9.26", GERMAN, "2026-09-18"),
        ("date", "9/18/2026", AMERICAN, "2026-09-18"),
        ("date", "2026-09-18", AMERICAN, "2026-09-18"),
        ("date", "2026/9/18", GERMAN, "2026-09-18"),
        ("date", "2026-09-18 00:00:00", GERMAN, "2026-09-18"),
        ("date", "1.1.70", GERMAN, "1970-01-01"),
        ("datetime", "2026-09-18T12:00:00Z", GERMAN, "2026-09-18T12:00:00.000Z"),
        ("datetime", "18.09.2026 14:30", GERMAN, "2026-09-18T12:30:00.000Z"),
        ("datetime", "9/18/2026, 2:30 PM", AMERICAN, "2026-09-18T18:30:00.000Z"),
        ("datetime", "2026-09-18 12:00", GERMAN, "2026-09-18T10:00:00.000Z"),
        ("duration", "1:30", GERMAN, "PT1H30M"),
        ("duration", "0:00:05", GERMAN, "PT5S"),
        ("duration", "pt90m", GERMAN, "PT90M"),
        ("boolean", "WAHR", GERMAN, True),
        ("boolean", "no", GERMAN, False),
        ("relation", "Acme", GERMAN, NameReference("Acme")),
        ("relation", "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA", GERMAN, "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"),
        ("member", "ada@example.com", GERMAN, NameReference("ada@example.com")),
        ("text", "'=SUM(A1)", GERMAN, "=SUM(A1)"),
        ("url", "www.example.com", GERMAN, "https://www.example.com"),
        ("url", "example.com/a?b", GERMAN, "https://example.com/a?b"),
        ("url", "http://example.com", GERMAN, "http://example.com"),
        ("url", "mailto:a@example.com", GERMAN, "mailto:a@example.com"),
        ("url", "none", GERMAN, "none"),
    ],
)
def test_a_cell_becomes_a_value(kind, cell, formats, value):
    """By the type of its property, and the formats of the file and the organization."""
    assert value == read(kind, cell, formats)


@pytest.mark.parametrize(
    ("kind", "cell", "formats"),
    [
        ("number", "1.5", GERMAN),
        ("number", "1,5", AMERICAN),
        ("number", "12.34.5", AMERICAN),
        ("number", "1 EUR", GERMAN),
        ("number", "٣", AMERICAN),
        ("amount", "$5", GERMAN),
        ("amount", "EUR 5 USD", GERMAN),
        ("amount", "5 XYZ", GERMAN),
        ("date", "18/9/2026", AMERICAN),
        ("date", "31.2.2026", GERMAN),
        ("date", "2026-09-18 12:00", GERMAN),
        ("datetime", "tomorrow", GERMAN),
        ("boolean", "maybe", GERMAN),
    ],
)
def test_what_would_be_a_guess_is_refused(kind, cell, formats):
    """With what it should be."""
    with pytest.raises(InvalidValue, match="must"):
        read(kind, cell, formats)


def test_choices_stand_behind_semicolons_or_commas():
    """In any case of letters; a choice may have a semicolon in it, and is then found as a whole."""
    assert ["A", "b"] == read("multi_select", "a; B", GERMAN, "A", "b")
    assert ["A", "b"] == read("multi_select", "a, b", GERMAN, "A", "b")
    assert ["a;b"] == read("multi_select", "a;b", GERMAN, "a;b", "a", "b")
    assert "A" == read("select", "a", GERMAN, "A")


@given(st.text(st.sampled_from("'=+-@\t15.a＝"), max_size=6))
def test_a_guarded_text_runs_nowhere_and_is_read_as_it_was(text):
    """For every text, one that looks guarded too."""
    cell = guarded(text)

    assert text == unguarded(cell)
    assert cell[:1] not in {"=", "@", "\t", "＝"}
    if cell[:1] in {"+", "-"}:
        float(cell.replace(",", "."))


@pytest.mark.parametrize("kind", ["date", "datetime"])
def test_a_spreadsheets_number_of_a_day_is_told_as_that(kind):
    """With the day that it probably stands for: spreadsheets count from two days."""
    for cell in ("45123", "45123.75"):
        with pytest.raises(InvalidValue, match="is a spreadsheet's number for 2023-07-16"):
            read(kind, cell)
