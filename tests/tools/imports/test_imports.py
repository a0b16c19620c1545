"""`import.*`: from a file to records."""

from typing import Any

import pytest
import trio

from svc.actors.imports import importer
from svc.domain.imports.limits import IMPORT_LIFE_MS, IMPORT_LINE_BYTES_MAX, IMPORT_WAIT_MS
from svc.domain.records.properties import Property
from svc.storage import provisioning
from svc.storage.identity import members
from svc.storage.identity.members import MemberChanges
from svc.storage.identity.organizations import NewOrganization
from svc.storage.identity.tables import api_keys
from svc.storage.imports import steps, tables
from svc.storage.provisioning import close
from svc.storage.records import properties
from svc.storage.records import tables as records_tables
from svc.storage.store import Tx
from tests.importing import CONTACTS, file_of, records_of, run, upload
from tests.people import call_of
from tests.pruning import prune
from tests.tooling import ToolTown, tool_town


def csv(*lines: str) -> bytes:
    return "".join(f"{line}\r\n" for line in lines).encode()


def counts(import_: Any) -> dict[str, int]:
    return {name: count for name, count in import_["counts"].items() if count}


async def imported(here: ToolTown, data: bytes, object_type: str = "contact", **asked: Any) -> Any:
    return await run(here, await upload(here, data, object_type), **asked)


async def names(here: ToolTown) -> list[str]:
    return [record["name"] for record in await records_of(here)]


async def test_a_file_becomes_records(autojump_clock):
    """Columns are proposed by their headings; each line makes a record, whose event names the import."""
    async with tool_town() as here:
        uploaded = await upload(here, CONTACTS)
        done = await run(here, uploaded)
        events = await here.answer("event.list", {"types": ["record.created"]})

        assert {"Name": "name", "E-Mail": "email", "Phone": "phone"} == uploaded["columns"]
        assert ("uploaded", None, ",", "utf-8") == tuple(
            uploaded[name] for name in ("state", "nextPart", "separator", "encoding")
        )
        assert ("done", {"created": 2}) == (done["state"], counts(done))
        assert [
            {"name": "Ada", "email": "ada@example.com", "phone": "+4930901820"},
            {"name": "Grace", "email": "grace@example.com"},
        ] == await records_of(here)
        assert {done["id"]} == {event["data"]["source"]["importId"] for event in events["events"]}
        assert 0 == await here.count(tables.import_chunks)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", "utf-16"])
async def test_spreadsheets_encodings_are_read(autojump_clock, encoding):
    """With the separator and the decimals of their language."""
    async with tool_town() as here:
        data = "Name;Amount;Close date\r\nGroße Leuchte;1.234,5 EUR;18.9.26\r\n".encode(encoding)
        done = await imported(here, data, "deal")

        assert ({"created": 1}, ",") == (counts(done), done["decimal"])
        assert [
            {
                "name": "Große Leuchte",
                "amount": 1234.5,
                "amount_currency": "EUR",
                "close_date": "2026-09-18",
            }
        ] == await records_of(here, "deal")


async def test_a_dry_run_writes_nothing_and_tells_each_line(autojump_clock, monkeypatch):
    """Two lines for one person count once as new, however far apart; then it may be started for good."""
    monkeypatch.setattr(importer, "IMPORT_BATCH_LINES", 1)
    async with tool_town() as here:
        data = csv(
            "name,email",
            "Ada,ada@example.com",
            "Grace,grace@",
            "Ada L,ADA@example.com",
            "Hedy,hedy@example.com",
        )
        uploaded = await upload(here, data)
        checked = await run(here, uploaded, by="email", dryRun=True)
        report = await file_of(here, checked["reportPath"])
        before = await records_of(here)
        done = await run(here, uploaded, by="email")

        assert ("checked", {"created": 2, "updated": 1, "refused": 1}) == (checked["state"], counts(checked))
        assert b"line,outcome,id,reasons\r\n2,created,,\r\n3,refused,," == report[:49]
        assert [] == before
        assert counts(checked) == counts(done)
        assert ["Ada L", "Hedy"] == await names(here)


async def test_a_dry_run_finds_what_is_unique_twice(autojump_clock, monkeypatch):
    """A second new record with a unique value would be refused, and names the line of the first."""
    monkeypatch.setattr(importer, "IMPORT_BATCH_LINES", 1)
    async with tool_town() as here:
        number = Property(slug="number", label="Number", type="text", unique=True)
        await here.store.write(properties.create, here.organization.id, "company", number)
        data = csv("name,number", "Acme,7", "Acme & Sons,7")
        checked = await imported(here, data, "company", dryRun=True)

        assert {"created": 1, "refused": 1} == counts(checked)
        assert ["line 2 has this number, which is unique"] == checked["refusals"][0]["reasons"]


async def test_lines_find_their_records(autojump_clock):
    """By e-mail: changed, or as they were; an empty cell keeps what there is, or clears it."""
    async with tool_town() as here:
        await imported(here, csv("name,email,city", "Ada,ada@example.com,London", "Grace,g@example.com,"))
        kept = await imported(
            here, csv("email,name,city", "ada@example.com,,Paris", "g@example.com,Grace,"), by="email"
        )
        cleared = await imported(here, csv("email,city", "ada@example.com,"), by="email", emptyCells="clear")

        assert {"updated": 1, "unchanged": 1} == counts(kept)
        assert {"updated": 1} == counts(cleared)
        assert {"name": "Ada", "email": "ada@example.com"} == (await records_of(here))[0]


async def test_contacts_are_matched_as_forms_do(autojump_clock):
    """What is empty is filled, what differs is suggested, and what is unclear is left to a person."""
    async with tool_town() as here:
        await imported(here, csv("name,phone", "Ada,030 901820", "Ida,030 901821", "Eva,030 901821"))
        done = await imported(
            here,
            csv(
                "name,email,phone",
                "Ada,ada@example.com,030 901820",
                "Augusta,ada@example.com,",
                "X,,030 901821",
            ),
            by="match",
        )
        suggested = await here.answer("suggestion.list", {})

        assert {"updated": 1, "suggested": 1, "refused": 1} == counts(done)
        assert ["Augusta"] == [one["value"] for one in suggested["suggestions"]]
        assert "a person has to decide" in done["refusals"][0]["reasons"][0]


async def test_what_was_changed_since_is_refused(autojump_clock):
    """By the version of each line, as an export has it."""
    async with tool_town() as here:
        await imported(here, csv("name,city", "Ada,London", "Grace,Paris"))
        listed = (await here.answer("record.list", {"objectType": "contact"}))["records"]
        ada, grace = sorted(listed, key=lambda record: str(record["properties"]["name"]))
        await here.answer("record.update", {"id": ada["id"], "properties": {"city": "Rome"}})
        data = csv(
            "id,name,city,version",
            f"{ada['id']},Ada,Oslo,1",
            f"{grace['id']},Grace,Oslo,1",
            "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA,X,,",
        )
        done = await imported(here, data, by="id")

        assert {"updated": 1, "refused": 2} == counts(done)
        assert ["Rome", "Oslo"] == [record["city"] for record in await records_of(here)]


async def test_refused_lines_are_mended_and_given_again(autojump_clock):
    """Their file has the cells as they were, and the reasons in a column that is left out."""
    async with tool_town() as here:
        data = csv("Name;Mail;Note", "Ada;ada@;first", '"Grace;;', "Hedy;;last")
        done = await imported(here, data)
        refused = (await file_of(here, done["refusedPath"])).decode()
        mended = refused.replace("ada@", "ada@example.com").encode()
        again = await imported(here, mended)

        assert (["Hedy"], {"created": 1, "refused": 2}) == ((await names(here))[:1], counts(done))
        assert [
            "Name;Mail;Note;refused",
            "Ada;ada@;first;email: not a host name",
            '"""Grace;;";;;a quotation mark is opened and not closed',
        ] == refused.splitlines()
        assert ({"created": 2}, {"Name": "name", "Mail": "email"}) == (counts(again), again["columns"])


async def test_relations_and_members_are_found_by_name(autojump_clock):
    """By what is unique of the other record, else by its name, unless several have that."""
    async with tool_town() as here:
        member = Property(slug="keeper", label="Keeper", type="member")
        await here.store.write(properties.create, here.organization.id, "contact", member)
        await imported(here, csv("name", "Acme", "Twice", "Twice"), "company")
        done = await imported(
            here,
            csv(
                "name,company,keeper",
                "Ada,ACME,owner@example.com",
                "Grace,Twice,",
                "Hedy,Nowhere,nobody@example.com",
            ),
        )
        [ada] = await records_of(here)

        assert {"created": 1, "refused": 2} == counts(done)
        assert here.owner.id == ada["keeper"]
        assert [
            ["company: several records of `company` are called `Twice`: tell the id of one"],
            [
                (
                    "company: there is no company `Nowhere`: make it, or give `makeMissing`"
                    " (--make-missing company)"
                ),
                "keeper: there is no member `nobody@example.com`",
            ],
        ] == [refusal["reasons"] for refusal in done["refusals"]]


async def test_lines_of_json_are_items_or_properties(autojump_clock):
    """With the rules of the tools; a line that is none is refused alone."""
    async with tool_town() as here:
        data = b"\n".join(
            [
                b'{"properties": {"name": "Ada"}, "id": "x", "createdAt": "y"}',
                b'{"name": "Grace"}',
                b"",
                b'{"name": "Hedy", "name": "Hedy"}',
                b'{"nmae": "Lise"}',
                b"[1]",
                b'{"name": "Emmy"}',
            ]
        )
        uploaded = await upload(here, data, format="ndjson")
        done = await run(here, uploaded)

        assert ["Ada", "Grace", "Emmy"] == await names(here)
        assert [4, 5, 6] == [refusal["line"] for refusal in done["refusals"]]
        assert 3 == len((await file_of(here, done["refusedPath"])).splitlines())


async def test_a_refused_line_may_end_it(autojump_clock):
    """With `onError: stop`, the lines before it stay, and none behind it is written."""
    async with tool_town() as here:
        data = csv("name,email", "Ada,ada@example.com", "Grace,grace@", "Hedy,hedy@example.com")
        done = await imported(here, data, onError="stop")

        assert ("failed", ["Ada"]) == (done["state"], await names(here))
        assert "line 3 was refused: email: not a host name" == done["failure"]


async def test_a_line_may_be_too_long(autojump_clock):
    """It is refused, what is left of it is passed over, and the next one is read."""
    async with tool_town() as here:
        long = b"x" * (3 * IMPORT_LINE_BYTES_MAX)
        data = b"name,city\r\nAda,\r\n" + long + b",\r\n" + b"Grace,\r\n"
        done = await imported(here, data)

        assert (["Ada", "Grace"], {"created": 2, "refused": 1}) == (await names(here), counts(done))
        assert (3, ["a line has more than 1,048,576 bytes"]) == (
            done["refusals"][0]["line"],
            done["refusals"][0]["reasons"],
        )


@pytest.mark.parametrize("loss", ["key", "person", "role", "organization"])
async def test_who_lost_the_right_imports_no_more(autojump_clock, monkeypatch, loss):
    """It is judged at each batch: the lines before stay, and it says why it failed."""
    monkeypatch.setattr(importer, "IMPORT_BATCH_LINES", 1)
    monkeypatch.setattr(importer, "BURST_UNITS", 1)
    async with tool_town() as here:
        eve = await here.member("eve@example.com", "admin")
        key = await here.mint(eve)
        uploaded = await upload(here, csv("name", *map(str, range(50))))
        seen: list[str] = []
        step = steps.step

        def lose_at_third(tx: Any, organization_id: str, lines_max: int) -> Any:
            done = step(tx, organization_id, lines_max)
            seen.append(organization_id)
            if len(seen) == 3:
                owner = call_of(here.owner, organization_id, confirmed_at=here.clock.now())
                if loss == "organization":
                    close(tx, organization_id, source={})
                elif loss == "role":
                    members.update(tx, owner, eve.id, MemberChanges(role_id="viewer"))
                elif loss == "person":
                    members.deactivate(tx, owner, eve.id)
                else:
                    of_eve = api_keys.c.creator_id == eve.id
                    tx.conn.execute(api_keys.update().where(of_eve).values(revoked_at=1))
            return done

        monkeypatch.setattr(steps, "step", lose_at_third)
        started = await here.answer("import.start", {"id": uploaded["id"]}, key=key)
        await trio.sleep(10)
        [row] = await here.rows(tables.imports, id=started["id"])

        assert ("failed", 3) == (row.state, await here.count(records_tables.records))
        assert {
            "key": "the key that started it has no access to the organization any more",
            "person": "the key that started it has no access to the organization any more",
            "role": "what started it may not go on: import.start needs the permission records.write",
            "organization": "the organization was closed",
        }[loss] == row.failure


async def test_a_fault_of_the_program_ends_it(autojump_clock, monkeypatch):
    """After some attempts, instead of being tried for ever."""

    def broken(*_args: object) -> None:
        raise RuntimeError("a fault")

    async with tool_town() as here:
        uploaded = await upload(here, CONTACTS)
        monkeypatch.setattr(steps, "step", broken)
        await here.answer("import.start", {"id": uploaded["id"]})
        await trio.sleep(300)
        failed = await here.answer("import.get")

        assert ("failed", "a fault of the service") == (failed["state"], failed["failure"][:22])


async def test_imports_are_listed_the_newest_first(autojump_clock):
    """None at first; a page at a time; those of other organizations are not among them."""
    async with tool_town() as here:
        empty = await here.answer("import.list")
        first = await upload(here, CONTACTS, name="first.csv")
        ended = await run(here, first)
        second = await upload(here, CONTACTS, name="second.csv")
        newest = await here.answer("import.list", {"limit": 1})
        older = await here.answer("import.list", {"cursor": newest["nextCursor"]})
        [stored] = await here.rows(tables.imports, id=second["id"])
        await here.store.write(_move_to_another, stored.id)
        left = await here.answer("import.list")

        assert {"imports": [], "nextCursor": None} == empty
        assert ["second.csv"] == [one["name"] for one in newest["imports"]]
        assert None is older["nextCursor"]
        assert (
            [first["id"]] == [one["id"] for one in older["imports"]] == [one["id"] for one in left["imports"]]
        )
        assert [{name: ended[name] for name in line} for line in left["imports"]] == left["imports"]
        assert 2 == left["imports"][0]["counts"]["created"]


def _move_to_another(tx: Tx, import_id: str) -> None:
    other = provisioning.create(tx, NewOrganization(name="Other"))
    tx.conn.execute(
        tables.imports.update().where(tables.imports.c.id == import_id).values(organization_id=other.id)
    )


async def test_a_file_is_shown_as_it_would_be_read(autojump_clock):
    """With another separator or encoding than was found out, which changes nothing until it is started so."""
    data = "Name;Größe|Note\r\nZoë;1|a\r\n".encode("windows-1252")
    async with tool_town() as here:
        uploaded = await upload(here, data)
        asked = {"id": uploaded["id"], "separator": "|", "encoding": "windows-1252"}
        shown = await here.answer("import.get", asked)
        misread = await here.answer("import.get", {"id": uploaded["id"], "encoding": "utf-8"})
        again = await here.answer("import.get", {"id": uploaded["id"]})
        columns = {"Name;Größe": "name"}
        tried = await run(here, uploaded, **{**asked, "columns": columns, "dryRun": True})
        back = await here.answer("import.get", {"id": uploaded["id"], "separator": ";"})
        done = await run(here, uploaded, columns=columns)
        over = await here.answer("import.get", asked)

        assert (";", "windows-1252") == (uploaded["separator"], uploaded["encoding"])
        assert ["Name", "Größe|Note"] == uploaded["headings"]
        assert ["Name;Größe", "Note"] == shown["headings"]
        assert [["Zoë;1", "a"]] == shown["sample"]
        assert ("|", "windows-1252", {}) == (shown["separator"], shown["encoding"], shown["columns"])
        assert ["Name", "Gr��e|Note"] == [one.replace("?", "�") for one in misread["headings"]]
        assert uploaded == again
        assert ("|", columns) == (tried["separator"], tried["columns"])
        assert (["Name", "Größe|Note"], {"Name": "name"}) == (back["headings"], back["columns"])
        assert ("done", 1) == (done["state"], done["counts"]["created"])
        assert [{"name": "Zoë;1"}] == await records_of(here)
        assert done == over


async def test_an_organization_has_one_at_a_time(autojump_clock):
    """Another is refused until it is cancelled; the same file goes on where it was."""
    async with tool_town() as here:
        asked = {"objectType": "contact", "bytes": 10, "fingerprint": "f"}
        first = await here.answer("import.start", asked)
        same = await here.answer("import.start", asked)
        other = await here.call("import.start", asked | {"fingerprint": "g"})
        await here.answer("import.cancel", {"id": first["id"]})
        await here.answer("import.cancel", {"id": first["id"]})
        freed = await here.answer("import.start", asked | {"fingerprint": "g"})

        assert first["id"] == same["id"]
        assert (409, True) == (other.status_code, first["id"] in other.json()["detail"])
        assert "uploading" == freed["state"]


async def test_what_does_not_fit_is_refused_at_the_start(autojump_clock):
    """Columns and what records are looked up by; and a start before the upload is complete."""
    async with tool_town() as here:
        opened = await here.answer("import.start", {"objectType": "contact", "bytes": 10})
        early = await here.call("import.start", {"id": opened["id"]})
        await here.answer("import.cancel", {"id": opened["id"]})
        uploaded = await upload(here, CONTACTS)

        async def faults(**asked: Any) -> list[tuple[str, str]]:
            problem = (await here.call("import.start", {"id": uploaded["id"]} | asked)).json()
            return [(fault["pointer"], fault["detail"]) for fault in problem["errors"]]

        assert (409, "the part 0 of its upload comes next") == (early.status_code, early.json()["detail"])
        assert [("/by", "records are not looked up by `city`")] == [
            (pointer, detail[:35]) for pointer, detail in await faults(by="city")
        ]
        assert [("/columns", "no column is mapped to `id`, which `by` needs")] == await faults(by="id")
        assert [("/columns", "a column is mapped to ifVersion, which needs `by`")] == await faults(
            columns={"Name": "ifVersion"}
        )
        assert [
            ("/columns/X", "the file has no column `X`; there are `Name`, `E-Mail`, `Phone`")
        ] == await faults(columns={"X": "name"})


async def test_what_is_left_is_pruned(autojump_clock):
    """An upload that nothing follows is cancelled after a day, and its bytes go; the rest after a month."""
    async with tool_town() as here:
        uploaded = await upload(here, CONTACTS)
        await here.store.write(lambda tx: prune(tx.at(tx.now + IMPORT_WAIT_MS)))
        idle = await here.answer("import.get", {"id": uploaded["id"]})
        chunks = await here.count(tables.import_chunks)
        await here.store.write(lambda tx: prune(tx.at(tx.now + IMPORT_WAIT_MS + IMPORT_LIFE_MS)))

        assert ("cancelled", 0) == (idle["state"], chunks)
        assert 0 == await here.count(tables.imports)


async def test_a_file_given_again_is_told_as_done(autojump_clock):
    """Where it ended unseen, also failed or cancelled, it is not read again; asked for, it is."""
    async with tool_town() as here:
        asked = {"fingerprint": "f"}
        done = await run(here, await upload(here, CONTACTS, **asked))
        told = await here.answer("import.start", {"objectType": "contact", "bytes": len(CONTACTS)} | asked)
        again = await run(here, await upload(here, CONTACTS, again=True, **asked))
        newest = await here.answer("import.start", {"objectType": "contact", "bytes": len(CONTACTS)} | asked)
        other = await upload(here, CONTACTS, fingerprint="g")

        assert done == told
        assert ("done", 2, 4) == (told["state"], told["counts"]["created"], len(await records_of(here)))
        assert (again["id"], "uploaded") == (newest["id"], other["state"])


async def test_what_has_written_no_line_may_be_given_again(autojump_clock):
    """Such as one whose lines were tried; what has written some is told, however it ended."""
    async with tool_town() as here:
        data = csv("name,email", "Ada,ada@example.com", "Grace,grace@", "Hedy,hedy@example.com")
        opening = {"objectType": "contact", "bytes": len(data), "fingerprint": "f"}
        dry = await run(here, await upload(here, data, fingerprint="f"), dryRun=True)
        await here.answer("import.cancel", {"id": dry["id"]})
        second = await upload(here, data, fingerprint="f")
        failed = await run(here, second, onError="stop")
        told = await here.answer("import.start", opening)

        assert dry["id"] != second["id"]
        assert (failed["id"], "failed", 1) == (told["id"], told["state"], told["counts"]["created"])
        assert "line 3 was refused" in told["failure"]


async def test_a_file_is_told_as_done_as_long_as_its_import_is_kept(autojump_clock):
    """30 days."""
    async with tool_town() as here:
        await run(here, await upload(here, CONTACTS, fingerprint="f"))
        await here.store.write(lambda tx: prune(tx.at(tx.now + IMPORT_LIFE_MS)))
        anew = await upload(here, CONTACTS, fingerprint="f")

        assert "uploaded" == anew["state"]


async def test_what_relations_name_and_is_not_there_is_made(autojump_clock, monkeypatch):
    """Once for equal names, in any batch and any case; and tried dry, it is told how many would be."""
    monkeypatch.setattr(importer, "IMPORT_BATCH_LINES", 2)
    data = csv("name,company", "Ada,Acme", "Grace,ACME", "Hedy,acme", "Lise,Borg", "Emmy,", "Ida,Twice")
    async with tool_town() as here:
        await imported(here, csv("name", "Twice", "Twice"), "company")
        uploaded = await upload(here, data)
        dry = await run(here, uploaded, makeMissing=["company"], dryRun=True)
        none = await records_of(here, "company")
        done = await run(here, uploaded, makeMissing=["company"])
        companies = (await here.answer("record.list", {"objectType": "company"}))["records"]
        contacts = await records_of(here)
        events = await here.answer("event.list", {"types": ["record.created"]})

        ids = {str(record["properties"]["name"]): record["id"] for record in companies}
        assert {"created": 5, "refused": 1, "made": 2} == counts(dry) == counts(done)
        assert (2, {"Acme", "Borg", "Twice"}) == (len(none), {*ids})
        assert 4 == len(companies)
        assert [ids["Acme"]] * 3 + [ids["Borg"], None] == [record.get("company") for record in contacts]
        assert {done["id"]} == {
            event["data"]["source"]["importId"]
            for event in events["events"]
            if event["data"]["recordId"] == ids["Acme"]
        }


@pytest.mark.parametrize("on_error", ["skip", "stop"])
async def test_what_a_refused_line_alone_names_is_not_made(autojump_clock, on_error):
    """It leaves no trace, nor do lines behind it where it ends the import."""
    data = csv("name,email,company", "Ada,ada@example.com,Acme", "Eve,eve@,Borg", "Eva,eva@example.com,Core")
    async with tool_town() as here:
        done = await imported(here, data, makeMissing=["company"], onError=on_error)

        made = ["Acme", "Core"] if on_error == "skip" else ["Acme"]
        assert made == [record["name"] for record in await records_of(here, "company")]
        assert len(made) == done["counts"]["made"] == done["counts"]["created"]
        assert ["Ada", "Eva"][: len(made)] == await names(here)


async def test_what_no_column_relates_to_is_not_to_be_made(autojump_clock):
    """Told at its place, with what was probably meant."""
    async with tool_town() as here:
        uploaded = await upload(here, csv("name,company", "Ada,Acme"))
        asked = {"id": uploaded["id"], "makeMissing": ["company", "compnay"]}
        problem = (await here.call("import.start", asked)).json()

        assert [
            (
                "/makeMissing/1",
                "no column is mapped to a relation with `compnay`; did you mean `company`?",
            )
        ] == [(fault["pointer"], fault["detail"]) for fault in problem["errors"]]
