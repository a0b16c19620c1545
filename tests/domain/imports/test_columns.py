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
    """Both are those of the very records that were exported: where records are looked up by id."""
    proposed = {"id": "id", "version": "ifVersion", "Name": "name"}

    assert {"Name": "name"} == usable(proposed, None)
    assert {"Name": "name"} == usable(proposed, "email")
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
        (
            "/columns/Nam",
            "the file has no column `Nam`; did you mean `Name`? There are `Name`, `Mail`, `E-Mail`, `X`",
        ),
        (
            "/columns/Mail",
            (
                "there is no property `emial`; did you mean `email`? There are `email`, `city`, `company`,"
                " `country`, `id`, `ifVersion`, `job_title`, `name`, `phone`, `website`"
            ),
        ),
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


@pytest.mark.parametrize(
    ("headings", "joined"),
    [
        ("First Name,Last Name,Email", ["First Name", "Last Name"]),
        ("Title,First Name,Middle Name,Last Name", ["First Name", "Middle Name", "Last Name"]),
        ("Nachname,Vorname,E-Mail", ["Nachname", "Vorname"]),
        ("Name,Vorname,Telefon", ["Name", "Vorname"]),
        ("Nom,Prénom,Courriel", ["Nom", "Prénom"]),
        ("Nombre,Apellidos", ["Nombre", "Apellidos"]),
        ("First Name,Email", ["First Name"]),
        ("Name,Given Name,Family Name", ["Name"]),
        ("Full Name,First Name,Last Name", ["Full Name"]),
        ("First Name,Last Name,Company name", ["First Name", "Last Name"]),
        ("Name,First Name", ["Name"]),
        ("Nom,Courriel", ["Nom"]),
    ],
)
def test_a_name_in_several_columns_is_proposed(headings, joined):
    """First and last names in the file's order, unless a column has the whole of it."""
    proposed = proposals(headings.split(","), CONTACT)

    assert joined == [heading for heading, slug in proposed.items() if slug == "name"]


def test_a_companys_name_is_not_that_of_its_person():
    """Where records are companies, the people in their columns are nobody's names."""
    company = {prop.slug: prop for prop in BUILTIN_OBJECTS[1].properties}

    assert {"Company name": "name"} == proposals(("First Name", "Last Name", "Company name"), company)


def test_several_columns_may_be_for_a_text():
    """And for nothing else."""
    headings = ("Street", "Town", "Mail", "Mail 2")
    check_columns({"Street": "city", "Town": "city"}, headings, CONTACT)

    with pytest.raises(InvalidInput) as refused:
        check_columns({"Mail": "email", "Mail 2": "email"}, headings, CONTACT)

    assert ["the column `Mail` is mapped to email already"] == [one.detail for one in refused.value.faults]


GOOGLE = (
    "First Name,Middle Name,Last Name,Phonetic First Name,Phonetic Middle Name,Phonetic Last Name,"
    "Name Prefix,Name Suffix,Nickname,File As,Organization Name,Organization Title,"
    "Organization Department,Birthday,Notes,Photo,Labels,"
    "E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Website 1 - Label,"
    "Website 1 - Value"
)
OUTLOOK = (
    "First Name,Middle Name,Last Name,Title,Suffix,Nickname,Given Yomi,Surname Yomi,E-mail Address,"
    "E-mail 2 Address,E-mail 3 Address,Home Phone,Home Phone 2,Business Phone,Business Phone 2,Mobile Phone,"
    "Car Phone,Other Phone,Primary Phone,Pager,Business Fax,Home Fax,Other Fax,Company Main Phone,Callback,"
    "Radio Phone,Telex,TTY/TDD Phone,IMAddress,Job Title,Department,Company,Office Location,Manager's Name,"
    "Assistant's Name,Assistant's Phone,Company Yomi,Business Street,Business City,Business State,"
    "Business Postal Code,Business Country/Region,Home Street,Home City,Home State,Home Postal Code,"
    "Home Country/Region,Other Street,Other City,Other State,Other Postal Code,Other Country/Region,"
    "Personal Web Page,Spouse,Schools,Hobby,Location,Web Page,Birthday,Anniversary,Notes"
)
HUBSPOT = (
    "Record ID,First Name,Last Name,Email,Phone Number,Contact owner,Last Activity Date (EST),Lead Status,"
    "Marketing contact status,Create Date (EST),Associated Company,Associated Company IDs (Primary)"
)
SALESFORCE = (
    "Salutation,First Name,Last Name,Title,Account Name,Mailing Street,Mailing City,Mailing State/Province,"
    "Mailing Zip/Postal Code,Mailing Country,Phone,Fax,Mobile,Email,Account Owner"
)


@pytest.mark.parametrize(
    ("head", "company", "more"),
    [
        (
            GOOGLE,
            "Organization Name",
            {
                "Middle Name": "name",
                "Organization Title": "job_title",
                "E-mail 1 - Value": "email",
                "Phone 1 - Value": "phone",
                "Website 1 - Value": "website",
            },
        ),
        (
            OUTLOOK,
            "Company",
            {
                "Middle Name": "name",
                "E-mail Address": "email",
                "Primary Phone": "phone",
                "Job Title": "job_title",
                "Business City": "city",
                "Business Country/Region": "country",
                "Web Page": "website",
            },
        ),
        (HUBSPOT, "Associated Company", {"Email": "email", "Phone Number": "phone", "Record ID": "id"}),
        (
            SALESFORCE,
            "Account Name",
            {
                "Title": "job_title",
                "Mailing City": "city",
                "Mailing Country": "country",
                "Phone": "phone",
                "Email": "email",
            },
        ),
    ],
    ids=["google", "outlook", "hubspot", "salesforce"],
)
def test_the_headings_of_address_books_are_known(head, company, more):
    """As they are exported: the parts of a name, the company, and where a person is reached."""
    proposed = proposals(headings_of(head.split(",")), CONTACT)
    properties = {slug: prop for slug, prop in CONTACT.items() if slug in {*proposed.values()}}

    expected = {"First Name": "name", "Last Name": "name", company: "company"} | more
    assert {
        heading: slug for heading, slug in expected.items() if slug == "id" or slug in CONTACT
    } == proposed
    assert {"name", "email", "phone", "company"} <= {*properties}
