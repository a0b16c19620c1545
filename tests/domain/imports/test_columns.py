"""Columns: proposed by their headings, and checked."""

import pytest

from svc.domain.errors import InvalidInput, InvalidValue
from svc.domain.imports.columns import check_columns, headings_of, proposals, usable
from svc.domain.imports.layouts import layout_of
from svc.domain.records.objects import BUILTIN_OBJECTS

CONTACT = {prop.slug: prop for prop in BUILTIN_OBJECTS[0].properties}


def test_headings_are_told_apart():
    """Doubled and empty ones are numbered, so that each can be mapped."""
    assert ("Mail", "Mail (2)", "Column 3", "Two lines", "Mail (3)") == headings_of(
        ["Mail", " Mail ", "", "Two\nlines", "Mail"]
    )


def test_columns_are_proposed_once():
    """By slug or label, then by other words for them; what is proposed twice is for the first."""
    headings = ("E-Mail", "Mail", "Vor- und Nachname", "Telefon", "JOB_TITLE", "id", "Version", "Firma")

    assert {
        "E-Mail": "email",
        "Telefon": "phone",
        "JOB_TITLE": "job_title",
        "id": "id",
        "Version": "ifVersion",
        "Firma": "company",
    } == proposals(headings, CONTACT)


def test_ids_and_versions_are_used_where_they_mean_something():
    """A record is looked up by its id only where that is asked for."""
    proposed = {"id": "id", "version": "ifVersion", "Name": "name"}

    assert {"Name": "name"} == usable(proposed, None)
    assert {"Name": "name", "version": "ifVersion"} == usable(proposed, "email")
    assert proposed == usable(proposed, "id")


def test_every_fault_of_a_mapping_is_told():
    """Each at its heading, with what was probably meant."""
    with pytest.raises(InvalidInput) as refused:
        check_columns(
            {"Nam": "name", "Mail": "emial", "E-Mail": "email", "X": "email"},
            ["Name", "Mail", "E-Mail", "X"],
            CONTACT,
        )

    assert [
        ("/columns/Nam", "the file has no column `Nam`; did you mean `Name`?"),
        ("/columns/Mail", "there is no property `emial`; did you mean `email`?"),
        ("/columns/X", "the column `E-Mail` is mapped to email already"),
    ] == [(fault.pointer, fault.detail) for fault in refused.value.faults]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"  \r\n", "empty"),
        (b"PK\x03\x04...", "a spreadsheet or an archive"),
        (",".join(map(str, range(10_000))).encode(), "10,000 columns"),
        (b'"open', "a quotation mark is opened and not closed"),
    ],
)
def test_what_is_no_csv_is_refused_as_a_whole(data, why):
    """With the reason."""
    with pytest.raises(InvalidValue, match=why):
        layout_of(data, "csv", whole=True)


def test_a_line_that_names_the_separator_is_none_of_headings():
    """As some spreadsheets write it."""
    layout = layout_of(b"sep=;\r\nName;Mail\r\nAda,x;y\r\n", "csv", whole=True)

    assert (";", ("Name", "Mail"), 18, 3) == (
        layout.separator,
        layout.headings,
        layout.begins_at,
        layout.first_line,
    )
