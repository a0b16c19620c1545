"""Exported CSV, read back: the same values, whatever they are."""

from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from svc.domain.imports.columns import proposals, usable
from svc.domain.imports.csv_records import read_slice
from svc.domain.imports.encodings import decode
from svc.domain.imports.exported import CsvWriter
from svc.domain.imports.imports import ReadingSettings
from svc.domain.imports.layouts import layout_of
from svc.domain.imports.lines import CsvLineReader
from svc.domain.records.cells.formats import CellFormats
from svc.domain.records.properties import Property
from svc.domain.records.values import changed

CHOICES = ("Brass", "a;b", "=x", "Zoë")
PROPERTIES = {
    prop.slug: prop
    for prop in (
        Property(slug="name", label="Name", type="text"),
        Property(slug="story", label="Story", type="long_text"),
        Property(slug="price", label="Price", type="amount"),
        Property(slug="serial", label="Serial", type="number"),
        Property(slug="made", label="Made", type="date"),
        Property(slug="seen", label="Seen", type="datetime"),
        Property(slug="sold", label="Sold", type="boolean"),
        Property(slug="finish", label="Finish", type="select", options=CHOICES),
        Property(slug="parts", label="Parts", type="multi_select", options=CHOICES),
        Property(slug="owner", label="Owner", type="email"),
        Property(slug="shop", label="Shop", type="relation", options=("company",)),
    )
}
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
NUMBERS = st.one_of(
    st.integers(-(10**15), 10**15), st.floats(-1e15, 1e15, allow_nan=False, allow_infinity=False)
)
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "name": TEXTS,
        "story": TEXTS,
        "price": NUMBERS,
        "serial": NUMBERS,
        "made": st.dates().map(lambda day: day.isoformat()),
        "seen": st.sampled_from(["2026-09-18T12:00:00Z", "1999-12-31T23:59:59.999+02:00"]),
        "sold": st.booleans(),
        "finish": st.sampled_from(CHOICES),
        "parts": st.lists(st.sampled_from(CHOICES), min_size=1, unique=True),
        "owner": st.just("ada@example.com"),
        "shop": st.just("rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"),
    },
)
FORMATS = CellFormats(decimal=".", order="dmy", zone=ZoneInfo("Europe/Berlin"))


def stored(given_values: dict[str, Any]) -> dict[str, Any]:
    """The values as a record would have them."""
    values, faults = changed(PROPERTIES, {}, given_values, country="DE", currency="EUR")
    assert [] == faults
    return values


@given(st.lists(RECORDS, min_size=1, max_size=4), st.booleans())
def test_what_is_exported_is_imported_as_it_was(given_values, has_mark):
    """By the columns that its headings propose."""
    records = [
        {"id": f"rec_{place}", "version": 1, "createdAt": "c", "updatedAt": "u", "properties": values}
        for place, values in enumerate(map(stored, given_values))
    ]
    csv = CsvWriter(PROPERTIES.values())
    data = ("\ufeff" if has_mark else "").encode() + (csv.head() + csv.lines(records)).encode()

    layout = layout_of(data, "csv", whole=True)
    reader = CsvLineReader(
        layout.headings,
        ReadingSettings(columns=usable(proposals(layout.headings, PROPERTIES), None)),
        PROPERTIES,
        FORMATS,
        encoding=layout.encoding,
        separator=layout.separator,
    )
    text = decode(data[layout.begins_at :], layout.encoding, final=True)
    found = read_slice(text, layout.separator, line=layout.first_line, final=True, records_max=99).records
    lines = [reader.read(record) for record in found]

    assert [[] for _ in records] == [line.reasons for line in lines]
    assert [record["properties"] for record in records] == [stored(line.values) for line in lines]
