"""Imports: a file is chosen, mapped, tried and read; what was refused is mended and given again."""

import re
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, Route, expect

from tests.browser.places import Service
from tests.browser.screens.conftest import Watch
from tests.browser.screens.test_every_screen import faults

_LONG: Final = "Very" * 500
_LINES: Final = (
    f"Name;E-mail;Lieblingsfarbe;\u202eevil;{_LONG}",
    "Ola Berg;ola@example.com;blau;x;y",
    "Pia Holm;pia@example.com;rot;x;y",
    "Nobody;no address;grün;x;y",
)
_PART_BYTES: Final = 1024 * 1024


def _file(name: str, *lines: str) -> Any:
    return {"name": name, "mimeType": "text/csv", "buffer": ("\n".join(lines) + "\n").encode()}


def _contacts(service: Service, *emails: str) -> int:
    """How many contacts have one of *emails*."""
    marks = ", ".join("?" * len(emails))
    sql = f"SELECT count(DISTINCT record_id) FROM identities WHERE value IN ({marks})"  # noqa: S608
    [(found,)] = service.rows(sql, *emails)
    return int(found)


def _count(page: Page, name: str) -> Any:
    term = page.get_by_role("term").filter(has_text=re.compile(f"^{name}$"))
    return term.locator("xpath=following-sibling::dd")


def _check_both(desk: Page, phone: Page) -> None:
    assert 390 >= phone.evaluate("document.documentElement.scrollWidth")
    assert [] == faults(desk) + faults(phone)


def _import_corrected(page: Page, name: str, text: str) -> None:
    """Import a corrected file without trying it, from the end of an import: its columns are as before."""
    page.get_by_role("link", name="Import the corrected rows").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Choose a file")).to_be_visible()
    page.get_by_label("Choose a file").set_input_files(_file(name, text))
    expect(page.get_by_label("Find records by")).to_have_value("email")
    expect(page.get_by_label("What “Lieblingsfarbe” is for")).to_have_value("job_title")
    page.get_by_role("button", name="Import", exact=True).click()
    dialog = page.get_by_role("dialog", name="Import without trying?")
    dialog.get_by_role("button", name="Import").click()


def _refused_lines(page: Page, name: str) -> str:
    """The file of refused lines, which is called *name*."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Skipped rows as a file").click()
    assert name == download.value.suggested_filename
    return Path(download.value.path()).read_text()


def test_a_file_is_tried_imported_and_mended_by_keys_alone(
    desk: Page, phone: Page, service: Service, watch: Watch, tmp_path: Path
) -> None:
    """Columns are proposed; a dry run writes nothing; the refused line is taken once it is mended."""
    watch.expected = ["422"]
    people = tmp_path / "people.csv"
    people.write_text("\n".join(_LINES) + "\n")
    desk.on("filechooser", lambda chooser: chooser.set_files(people))
    desk.goto("/app/settings/objects/contact")
    expect(desk.get_by_role("link", name="Import", exact=True)).to_be_visible()
    desk.keyboard.press("i")
    expect(desk.get_by_role("heading", name="Choose a file")).to_be_visible()
    desk.keyboard.press("c")
    expect(desk.get_by_role("heading", name="What the columns of “people.csv” are for")).to_be_focused()
    expect(desk.get_by_label("What “E-mail” is for")).to_have_value("email")
    expect(desk.get_by_label("What “Lieblingsfarbe” is for")).to_have_value("")
    expect(desk.get_by_text("ola@example.com")).to_be_visible()
    expect(desk.get_by_label("Find records by")).to_have_value("email")
    assert desk.url.partition("?")[2].startswith("import=imp_")
    phone.goto(desk.url)
    expect(phone.get_by_label("What “E-mail” is for")).to_have_value("email")
    _check_both(desk, phone)

    desk.get_by_label("What “Lieblingsfarbe” is for").focus()
    desk.keyboard.type("E-mail")
    desk.get_by_role("button", name="Try", exact=True).focus()
    desk.keyboard.press("Enter")
    expect(desk.get_by_text("is mapped to email already")).to_be_visible()
    desk.get_by_label("What “Lieblingsfarbe” is for").focus()
    desk.keyboard.type("Job title")
    desk.get_by_role("button", name="Try", exact=True).focus()
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("heading", name="Preview of 3 rows")).to_be_focused()
    expect(_count(desk, "New")).to_have_text("2")
    expect(_count(desk, "Skipped")).to_have_text("1")
    expect(desk.get_by_role("row").filter(has_text="must be an e-mail address")).to_contain_text("4")
    expect(phone.get_by_role("heading", name="Preview of 3 rows")).to_be_visible()
    _check_both(desk, phone)
    assert 0 == _contacts(service, "ola@example.com", "pia@example.com")

    desk.get_by_role("button", name="Import 2 lines").focus()
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("heading", name="2 lines of “people.csv” are imported")).to_be_focused()
    expect(phone.get_by_role("heading", name="2 lines of “people.csv” are imported")).to_be_visible()
    assert 2 == _contacts(service, "ola@example.com", "pia@example.com")
    assert [] == faults(desk) + faults(phone)
    refused = _refused_lines(desk, "people.refused.csv")
    assert "no address" in refused
    assert "ola@" not in refused

    _import_corrected(desk, "mended.csv", refused.replace("no address", "nobody@example.com"))

    expect(desk.get_by_role("heading", name="1 line of “mended.csv” is imported")).to_be_visible()
    assert 1 == _contacts(service, "nobody@example.com")


def test_an_upload_goes_on_after_a_lost_connection_and_a_reload(
    desk: Page, service: Service, watch: Watch, tmp_path: Path
) -> None:
    """Stored parts are not sent again; meanwhile no second import begins; cancelling frees the way."""
    watch.expected = ["ERR_"]
    line = f"Big,big@example.com,{'x' * 1_000}"
    big = tmp_path / "big.csv"
    big.write_text("\n".join(["Name,E-mail,Note", *[line] * (3 * _PART_BYTES // len(line))]))
    sent: list[str] = []
    is_cut = True

    def part(route: Route) -> None:
        number = route.request.url.rpartition("/")[2]
        if is_cut and number == "1":
            route.abort("internetdisconnected")
        else:
            sent.append(number)
            route.continue_()

    desk.route("**/parts/*", part)
    desk.goto("/app/settings/objects/contact/import")
    desk.get_by_label("Choose a file").set_input_files(big)
    expect(desk.get_by_text("Cut off: it goes on by itself")).to_be_visible()
    url = desk.url
    desk.reload()
    expect(desk.get_by_role("heading", name="Uploading “big.csv”")).to_be_visible()
    expect(desk.get_by_text("choose the same file again")).to_be_visible()
    desk.goto("/app/settings/objects/company/import")
    desk.get_by_role("link", name="Show it").click()
    expect(desk).to_have_url(url)
    desk.get_by_label("Choose a file").set_input_files(_file("other.csv", "Name"))
    expect(desk.get_by_role("alert")).to_have_text("“other.csv” is another file than “big.csv”.")
    desk.get_by_label("Choose a file").set_input_files(big)
    expect(desk.get_by_text("Cut off: it goes on by itself")).to_be_visible()
    assert ["0"] == sent
    is_cut = False
    expect(desk.get_by_role("heading", name="What the columns of “big.csv” are for")).to_be_visible()
    assert ["0", "1", "2"] == sent[:3]
    desk.get_by_role("button", name="Cancel import").click()
    desk.get_by_role("dialog").get_by_role("button", name="Cancel it").click()

    expect(desk.get_by_role("heading", name="The import of “big.csv” was cancelled")).to_be_visible()
    assert 0 == _contacts(service, "big@example.com")


def test_what_is_no_table_is_refused_with_its_reason(desk: Page) -> None:
    """Nothing, ten thousand columns, and a spreadsheet's own format; another file may be chosen at once."""
    desk.goto("/app/settings/objects/contact/import")
    desk.get_by_label("Choose a file").set_input_files(
        {"name": "empty.csv", "mimeType": "text/csv", "buffer": b""}
    )
    expect(desk.get_by_role("alert")).to_have_text("“empty.csv” is empty.")
    for name, lines, why in (
        ("wide.csv", [",".join(map(str, range(10_000)))], "10,000 columns, and at most 500 are read"),
        ("book.csv", ["PK\x03\x04book"], "this is a spreadsheet or an archive"),
    ):
        desk.get_by_label("Choose a file").set_input_files(_file(name, *lines))
        expect(desk.get_by_role("heading", name=f"The import of “{name}” has failed")).to_be_visible()
        expect(desk.get_by_text(why)).to_be_visible()
        desk.get_by_role("link", name="Import another file").click()
        expect(desk.get_by_role("heading", name="Choose a file")).to_be_visible()


def test_how_a_file_is_written_may_be_chosen(desk: Page, phone: Page, service: Service) -> None:
    """The columns and first lines of another separator or encoding follow at once, and are read so."""
    content = "Name;Größe|E-mail\r\nZoë;1|zoe@example.com\r\n".encode("windows-1252")
    desk.goto("/app/settings/objects/contact/import")
    desk.get_by_label("Choose a file").set_input_files(
        {"name": "bars.csv", "mimeType": "text/csv", "buffer": content}
    )
    separator, encoding = desk.get_by_label("Separator"), desk.get_by_label("Encoding")
    expect(separator).to_have_value(";")
    expect(encoding).to_have_value("windows-1252")
    expect(desk.get_by_label("What “Name” is for")).to_have_value("name")
    separator.focus()
    desk.keyboard.type("Bar")
    expect(desk.get_by_label("What “E-mail” is for")).to_have_value("email")
    expect(desk.get_by_text("Zoë;1")).to_be_visible()
    expect(separator).to_be_focused()
    encoding.select_option("utf-16-le")
    expect(desk.get_by_label("What “E-mail” is for")).to_have_count(0)
    encoding.select_option("windows-1252")
    desk.get_by_label("What “Name;Größe” is for").select_option("name")
    desk.get_by_role("button", name="Try", exact=True).click()
    expect(desk.get_by_role("heading", name="Preview of 1 row", exact=True)).to_be_focused()
    expect(separator).to_have_value("|")
    phone.goto(desk.url)
    expect(phone.get_by_label("Separator")).to_have_value("|")
    _check_both(desk, phone)
    desk.get_by_role("button", name="Import 1 line").click()
    expect(desk.get_by_role("heading", name="1 line of “bars.csv” is imported")).to_be_visible()

    assert 1 == _contacts(service, "zoe@example.com")


_PEOPLE: Final = (
    "First Name,Last Name,Organization Name,E-mail,Phone,Birthday",
    "Uma,Stone,Undo Works,uma@undo.example,+44 20 7946 0958,03/04/1985",
    "Ben,Stone,UNDO WORKS,ben@undo.example,ask him,05/06/1986",
    "Kim,,,kim@,,",
)


def _named(service: Service, name: str) -> int:
    """How many records that are there have that name."""
    sql = "SELECT count(*) FROM records WHERE deleted_at IS NULL AND json_extract(properties, '$.name') = ?"
    [(found,)] = service.rows(sql, name)
    return int(found)


def test_an_address_book_comes_in_as_it_is_and_goes_again(
    desk: Page, phone: Page, service: Service, watch: Watch
) -> None:
    """Names are joined, companies made, bad cells left out, a property made; undone, all of it is gone."""
    watch.expected = ["422"]
    desk.goto("/app/settings/objects/contact/import")
    desk.get_by_label("Choose a file").set_input_files(_file("address-book.csv", *_PEOPLE))
    expect(desk.get_by_label("What “Last Name” is for")).to_have_value("name")
    expect(desk.get_by_label("What “Organization Name” is for")).to_have_value("company")
    expect(desk.get_by_label("Create missing companies")).to_be_checked()
    expect(desk.get_by_role("group", name="Dates are written")).to_have_count(0)
    desk.get_by_label("What “Birthday” is for").select_option("+")
    expect(desk.get_by_label("Type of the new property for “Birthday”")).to_have_value("date")
    expect(desk.get_by_role("group", name="Dates are written")).to_be_visible()
    desk.get_by_label("Name of the new property for “Birthday”").fill("Born on")
    desk.get_by_role("button", name="Try", exact=True).click()
    expect(desk.get_by_role("heading", name="Preview of 3 rows")).to_be_visible()
    expect(_count(desk, "Skipped")).to_have_text("2")
    expect(desk.get_by_role("row").filter(has_text="ask him")).to_contain_text("Line 3")
    expect(desk.get_by_label("Create 1 missing company")).to_be_checked()

    desk.get_by_label("Leave the cell empty").check(force=True)
    expect(desk.get_by_text("Before your last changes")).to_be_visible()
    desk.get_by_role("button", name="Try again").click()
    expect(_count(desk, "Skipped")).to_have_text("1")
    expect(desk.get_by_text("1 cell would be left empty.")).to_be_visible()
    expect(desk.get_by_text("Before your last changes")).to_have_count(0)
    desk.get_by_role("button", name="Import 2 lines").click()
    expect(desk.get_by_text("line 2, “03/04/1985”, is 1985-04-03 or 1985-03-04")).to_be_visible()
    expect(desk.get_by_label("Day first: 31/12/2026")).to_be_focused()
    desk.get_by_label("Day first: 31/12/2026").check(force=True)
    phone.goto(desk.url)
    expect(phone.get_by_label("Day first: 31/12/2026")).to_be_checked()
    _check_both(desk, phone)
    desk.get_by_role("button", name="Try again").click()
    expect(desk.get_by_text("Before your last changes")).to_have_count(0)
    desk.get_by_role("button", name="Import 2 lines").click()
    expect(desk.get_by_role("heading", name="2 lines of “address-book.csv” are imported")).to_be_visible()
    assert (1, 1, 1) == tuple(_named(service, name) for name in ("Uma Stone", "Ben Stone", "Undo Works"))
    born = "SELECT count(*) FROM records WHERE json_extract(properties, '$.born_on') = ?"
    assert [(1,)] == [tuple(row) for row in service.rows(born, "1985-04-03")]

    _undo_and_look(desk, phone)

    assert [0, 0, 0] == [_named(service, name) for name in ("Uma Stone", "Ben Stone", "Undo Works")]


def _undo_and_look(desk: Page, phone: Page) -> None:
    """Undo the import of the book, from the list of imports on."""
    desk.get_by_role("link", name="All imports").click()
    expect(desk.get_by_role("row").filter(has_text="address-book.csv")).to_contain_text("2 new and 1 skipped")
    desk.get_by_role("link", name="address-book.csv").first.click()
    expect(desk.get_by_role("heading", name="address-book.csv", exact=True)).to_be_visible()
    phone.goto(desk.url)
    desk.get_by_role("button", name="Undo import…").click()
    expect(desk.get_by_text("3 records that it created are deleted")).to_be_visible()
    expect(phone.get_by_text("3 records that it created are deleted")).to_be_visible()
    _check_both(desk, phone)
    desk.get_by_role("button", name="Undo 3 records").click()
    expect(desk.get_by_text("The import was undone")).to_be_visible()
    expect(phone.get_by_text("The import was undone")).to_be_visible()
    desk.get_by_role("link", name="Imports").last.click()
    expect(desk.get_by_role("row").filter(has_text="address-book.csv")).to_contain_text("Undone")
