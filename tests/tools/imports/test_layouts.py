"""Files as address books, spreadsheets and other systems write them, of made-up people: imported whole."""

from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from svc.storage.store import Tx
from tests import tables
from tests.importing import file_of, records_of, run, upload
from tests.tooling import tool_town

FILES: Final = Path(__file__).parent / "layouts"


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """A file, and what becomes of it."""

    file: str
    object_type: str = "contact"
    locale: str = "en_US"
    columns: dict[str, str]
    """Those that are proposed; all others are left out."""
    records: list[dict[str, Any]]
    """With the names of the companies."""
    refused: dict[int, str] = {}
    """By line, why."""


LAYOUTS: Final = [
    Layout(
        file="excel_american_deals.csv",
        object_type="deal",
        columns={
            "Deal name": "name",
            "Amount": "amount",
            "Close date": "close_date",
            "Account Name": "company",
            "Stage": "stage",
        },
        records=[
            {
                "name": "Lobby lights",
                "amount": 1234.5,
                "amount_currency": "USD",
                "close_date": "2026-03-15",
                "company": "Harbour Lights",
                "stage": "Won",
            },
            {
                "name": "Stair lamps",
                "amount": -12,
                "amount_currency": "USD",
                "close_date": "2025-12-01",
                "company": "Harbour Lights",
                "stage": "New",
            },
        ],
        refused={
            4: "Close date: `45123` is a spreadsheet's number for 2023-07-16:"
            " show the column as dates there, save again"
        },
    ),
    Layout(
        file="excel_german.csv",
        locale="de_DE",
        columns={
            "Vorname": "name",
            "Nachname": "name",
            "Firma": "company",
            "Telefon": "phone",
            "E-Mail": "email",
            "Ort": "city",
        },
        records=[
            {
                "name": "Jürgen Müller",
                "company": "Müller & Söhne KG",
                "phone": "+497111234511",
                "email": "juergen@mueller.example",
                "city": "Stuttgart",
            }
        ],
        refused={3: "Telefon: is a spreadsheet's formula for the text `0711 1234512`: save the text itself"},
    ),
    Layout(
        file="google_contacts.csv",
        columns={
            "First Name": "name",
            "Middle Name": "name",
            "Last Name": "name",
            "Organization Name": "company",
            "Organization Title": "job_title",
            "E-mail 1 - Value": "email",
            "Phone 1 - Value": "phone",
            "Address 1 - City": "city",
            "Address 1 - Country": "country",
            "Website 1 - Value": "website",
        },
        records=[
            {
                "name": "Mira Sandoval",
                "company": "Harbour Lights",
                "job_title": "Head of Sales",
                "email": "mira.sandoval@harbour.example",
                "phone": "+494031901820",
                "city": "Hamburg",
                "country": "DE",
                "website": "https://harbour.example/mira",
            },
            {"name": "Tobias J. Ekström", "email": "tobias@ekstrom.example", "phone": "+46701740605"},
            {"company": "Lantern Works", "email": "office@lantern.example"},
        ],
    ),
    Layout(
        file="google_contacts_2019.csv",
        locale="de_DE",
        columns={
            "Name": "name",
            "E-mail 1 - Value": "email",
            "Phone 1 - Value": "phone",
            "Organization 1 - Name": "company",
            "Organization 1 - Title": "job_title",
        },
        records=[
            {
                "name": "Ines Okafor",
                "email": "ines.okafor@brass.example",
                "phone": "+494031901823",
                "company": "Brass & Sons",
                "job_title": "Buyer",
            },
            {"name": "Ravi Lindqvist", "email": "ravi@lindqvist.example"},
        ],
    ),
    Layout(
        file="hubspot_contacts.csv",
        columns={
            "Record ID": "id",
            "First Name": "name",
            "Last Name": "name",
            "Email": "email",
            "Phone Number": "phone",
            "Associated Company": "company",
            "Job Title": "job_title",
            "City": "city",
            "Country/Region": "country",
            "Website URL": "website",
        },
        records=[
            {
                "name": "Nadia Benoit",
                "email": "nadia.benoit@lumiere.example",
                "phone": "+33142685300",
                "company": "Lumière SARL",
                "job_title": "Directrice",
                "city": "Paris",
                "country": "France",
                "website": "https://lumiere.example",
            },
            {"name": "Yusuf", "email": "yusuf@kaya.example"},
        ],
    ),
    Layout(
        file="mailchimp_audience.csv",
        columns={
            "Email Address": "email",
            "First Name": "name",
            "Last Name": "name",
            "Phone Number": "phone",
        },
        records=[
            {"email": "lea@perrin.example", "name": "Léa Perrin", "phone": "+33472100108"},
            {"email": "nobody@perrin.example"},
        ],
    ),
    Layout(
        file="outlook.csv",
        columns={
            "First Name": "name",
            "Middle Name": "name",
            "Last Name": "name",
            "Company": "company",
            "Job Title": "job_title",
            "Business City": "city",
            "Business Country/Region": "country",
            "Business Phone": "phone",
            "E-mail Address": "email",
            "Web Page": "website",
        },
        records=[
            {
                "name": "Clara M. Whitfield",
                "company": "Whitfield Lamps Ltd",
                "job_title": "Buyer",
                "city": "Leeds",
                "country": "United Kingdom",
                "phone": "+441134960101",
                "email": "clara@whitfield.example",
                "website": "http://whitfield.example",
            },
            {"name": "Owen Pryce", "email": "owen.pryce@mail.example"},
        ],
    ),
    Layout(
        file="outlook_german.csv",
        locale="de_DE",
        columns={
            "Vorname": "name",
            "Weitere Vornamen": "name",
            "Nachname": "name",
            "Firma": "company",
            "Position": "job_title",
            "Ort geschäftlich": "city",
            "Land/Region geschäftlich": "country",
            "Telefon geschäftlich": "phone",
            "E-Mail-Adresse": "email",
            "Webseite": "website",
        },
        records=[
            {
                "name": "Jörg Weiß",
                "company": "Weiß Möbel GmbH",
                "job_title": "Geschäftsführer",
                "city": "Köln",
                "country": "Deutschland",
                "phone": "+4922199880104",
                "email": "joerg@weiss.example",
                "website": "https://www.weiss.example",
            },
            {"name": "Änne Marie Groß", "email": "aenne@gross.example"},
        ],
    ),
    Layout(
        file="pipedrive_people.csv",
        columns={
            "Person - Name": "name",
            "Person - Organization": "company",
            "Person - Email - Work": "email",
            "Person - Phone - Work": "phone",
        },
        records=[
            {
                "name": "Katja Novak",
                "company": "Svetla d.o.o.",
                "email": "katja@svetla.example",
                "phone": "+38614750106",
            },
            {"name": "Marko Zupan", "company": "Svetla d.o.o.", "email": "marko@svetla.example"},
        ],
    ),
    Layout(
        file="salesforce_report.csv",
        columns={
            "First Name": "name",
            "Last Name": "name",
            "Title": "job_title",
            "Account Name": "company",
            "Mailing City": "city",
            "Mailing Country": "country",
            "Phone": "phone",
            "Email": "email",
        },
        records=[
            {
                "name": "Andre Fontaine",
                "job_title": "VP Operations",
                "company": "Northwind Lighting",
                "city": "Toronto",
                "country": "Canada",
                "phone": "+14165550105",
                "email": "a.fontaine@northwind.example",
            },
            {
                "name": "Bea Castell",
                "job_title": "Engineer",
                "company": "Northwind Lighting",
                "email": "bea@northwind.example",
            },
        ],
    ),
    Layout(
        file="shopify_customers.csv",
        columns={
            "First Name": "name",
            "Last Name": "name",
            "Email": "email",
            "Default Address Company": "company",
            "Default Address City": "city",
            "Phone": "phone",
        },
        records=[
            {
                "name": "Hana Ito",
                "email": "hana@ito.example",
                "company": "Ito Design",
                "city": "Tokyo",
                "phone": "+81345710109",
            },
            {"name": "Luis Prado", "email": "luis@prado.example", "city": "Porto"},
        ],
    ),
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.file)
async def test_files_of_others_come_in_whole(autojump_clock, layout):
    """Columns are recognized, names are joined, companies are made, and what cannot be read is told."""
    async with tool_town() as here:
        await here.store.write(_move, here.organization.id, layout.locale)
        uploaded = await upload(here, (FILES / layout.file).read_bytes(), layout.object_type)
        making = {"makeMissing": ["company"]} if "company" in layout.columns.values() else {}
        done = await run(here, uploaded, **making)
        companies = (await here.answer("record.list", {"objectType": "company"}))["records"]
        found = await records_of(here, layout.object_type)

        names = {record["id"]: record["properties"]["name"] for record in companies}
        assert layout.columns == uploaded["columns"]
        assert layout.records == [
            record | ({"company": names[record["company"]]} if "company" in record else {})
            for record in found
        ]
        assert layout.refused == {one["line"]: one["reasons"][0] for one in done["refusals"]}


async def test_of_several_values_in_a_cell_the_first_is_taken(autojump_clock):
    """As an address book writes them; the report of a dry run says so."""
    async with tool_town() as here:
        uploaded = await upload(here, (FILES / "google_contacts.csv").read_bytes())
        dry = await run(here, uploaded, makeMissing=["company"], dryRun=True)
        report = (await file_of(here, dry["reportPath"])).decode()

        assert [
            "2,created,,E-mail 1 - Value: the first of 2 values was taken",
            "6,created,,Phone 1 - Value: the first of 2 values was taken",
            "7,created,,",
        ] == report.splitlines()[1:]


def _move(tx: Tx, organization_id: str, locale: str) -> None:
    """Have the organization where *locale* is spoken."""
    country = locale.partition("_")[2]
    tx.conn.execute(
        tables.organizations.update()
        .where(tables.organizations.c.id == organization_id)
        .values(country=country, currency="EUR" if country == "DE" else "USD", locale=locale)
    )
