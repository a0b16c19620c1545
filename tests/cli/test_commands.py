"""What an operator does from the command line, and what it says when that cannot be done."""

import json
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from svc.cli import main
from svc.domain.crypto.keys import FORM_KEY, SERVER_KEY, SIGN_IN_LINK, well_formed
from svc.domain.crypto.passwords import HASHER
from svc.http.tools.contract import Contract
from svc.storage.sqlite.offline import sole_use
from svc.tools.catalogue import REGISTRY
from tests.cli.conftest import Svc


def change(data: Path, statement: str) -> None:
    """Break something, as a disk or a person with a shell may."""
    with sqlite3.connect(data / "svc.db") as conn:
        conn.execute("PRAGMA foreign_keys = OFF")
        conn.execute(statement)
    conn.close()


def test_a_newcomer_gets_from_nothing_to_a_form(svc: Svc) -> None:
    """Organization, site, form and server key are made one after the other, and listed."""
    organization = svc("org", "create", "Harbour Lamps", "--country", "gb")
    site = svc("site", "create", "https://www.harbourlamps.example/shop")
    form = svc(
        *("form", "create", "Ask about a lamp", "--site", "harbourlamps.example"),
        *("--map", "town=city", "--deal", "{{lamp}} for {{name}}", "--honeypot", "fax"),
    )
    key = svc("serverkey", "mint", "Shop server")

    assert organization.stdout.startswith("org_")
    assert site.stdout.startswith("sit_")
    assert well_formed(form.stdout.strip(), FORM_KEY)
    assert well_formed(key.stdout.strip(), SERVER_KEY)
    assert "Harbour Lamps" in svc("org", "list").stdout
    assert "harbourlamps.example" in svc("site", "list").stdout
    assert ["KEY", "NAME", "STATUS", "SITE"] == svc("form", "list").stdout.splitlines()[0].split()
    assert (
        f"{form.stdout.strip()}  Ask about a lamp  active  harbourlamps.example" in svc("form", "list").stdout
    )
    assert key.stdout.strip() not in svc("serverkey", "list").stdout
    assert ["ID", "RECEIVED"] == svc("submission", "list", "--form", form.stdout.strip()).stdout.split()[:2]


def test_a_form_is_paused_resumed_and_removed(svc: Svc, shop: Path) -> None:
    """Its status is what was asked for last, and a removed form is gone from the list."""
    key = svc("form", "create", "Contact us").stdout.strip()

    statuses = []
    for verb in ("pause", "resume"):
        assert svc("form", verb, key).exit_code == 0
        statuses.append(svc("form", "list").stdout.split()[-2])
    svc("form", "remove", key)

    assert ["paused", "active"] == statuses
    assert key not in svc("form", "list").stdout


def test_a_held_submission_is_attached(svc: Svc, demo: Path) -> None:
    """The list leads to it, its candidates are shown, and attaching it prints the contact's id."""
    head, *held = svc("submission", "list", "--state", "held").stdout.splitlines()
    submission = next(line.split()[0] for line in held if "similar" in line)
    shown = json.loads(svc("submission", "show", submission).stdout)
    [candidate] = shown["candidates"]

    attached = svc("submission", "attach", submission, "--contact", candidate["id"])
    again = svc("submission", "attach", submission, "--new")

    assert ["ID", "RECEIVED", "STATE"] == head.split()[:3]
    assert ("Held", "Ines Duarte") == (shown["state"], candidate["name"])
    assert (0, candidate["id"]) == (attached.exit_code, attached.stdout.strip())
    assert (1, "Error: the submission is not Held, it is Filed\n") == (again.exit_code, again.stderr)
    assert submission in svc("submission", "list", "--state", "Filed").stdout
    assert 0 == svc("check").exit_code


def test_the_audit_trail_has_what_an_operator_does(svc: Svc, shop: Path) -> None:
    """Each act that is a tool's is there under the tool's name, with the command line as its door."""
    svc("site", "create", "harbourlamps.example")
    key = svc("form", "create", "Contact us").stdout.strip()
    for verb in ("pause", "resume", "remove"):
        svc("form", verb, key)

    with closing(sqlite3.connect(shop / "svc.db")) as conn:
        rows = conn.execute("SELECT action, door, caller_kind FROM audit ORDER BY id").fetchall()
    assert [
        (action, "cli", "operator")
        for action in ("site.create", "form.create", "form.pause", "form.resume", "form.remove")
    ] == rows


def test_a_revoked_server_key_is_gone(svc: Svc, shop: Path) -> None:
    """It is not listed any more, and cannot be revoked twice."""
    svc("serverkey", "mint", "Shop server")
    key_id = svc("serverkey", "list").stdout.splitlines()[1].split()[0]

    assert svc("serverkey", "revoke", key_id).exit_code == 0
    again = svc("serverkey", "revoke", key_id)

    assert 1 == again.exit_code
    assert again.stderr.startswith("Error: there is no server key `key_")


def test_with_several_organizations_one_has_to_be_named(svc: Svc, shop: Path) -> None:
    """Nothing is guessed when it is not clear whose a thing shall be."""
    first = svc("org", "list").stdout.splitlines()[1].split()[0]
    svc("org", "create", "Another")

    unclear = svc("form", "create", "Contact us")
    named = svc("form", "create", "Contact us", "--organization", first)

    assert (1, 0) == (unclear.exit_code, named.exit_code)
    assert "several organizations" in unclear.stderr


def test_a_first_owner_gets_a_way_in(svc: Svc, shop: Path) -> None:
    """An account is made and listed, and a one-time link is all that is on the standard output."""
    made = svc("user", "create", "Ada@Example.com", "--name", "Ada")
    link = svc("user", "link", "ada@example.com")

    assert made.stdout.startswith("usr_")
    page, _, token = link.stdout.strip().partition("#")
    assert ("http://127.0.0.1:8000/app/welcome", True) == (page, well_formed(token, SIGN_IN_LINK))
    assert [made.stdout.strip(), "ada@example.com", "Ada", "owner", "active"] == svc(
        "user", "list"
    ).stdout.splitlines()[1].split()


def test_what_is_done_at_the_command_line_is_in_the_trail(svc: Svc, data: Path) -> None:
    """Each change once, as the operator's, to what it was done to; what only looks leaves nothing."""
    organization = svc("org", "create", "Harbour Lamps").stdout.strip()
    svc("org", "plan", "pro")
    person = svc("user", "create", "ada@example.com").stdout.strip()
    svc("user", "link", "ada@example.com")
    svc("serverkey", "mint", "Shop server")
    key_id = svc("serverkey", "list").stdout.splitlines()[1].split()[0]
    svc("serverkey", "revoke", key_id)

    with closing(sqlite3.connect(data / "svc.db")) as conn:
        done = conn.execute("SELECT action, target, caller_kind, door FROM audit ORDER BY id").fetchall()
    assert [
        ("organization.create", organization),
        ("organization.plan", organization),
        ("member.add", person),
        ("member.sign_in_link", person),
        ("serverkey.mint", key_id),
        ("serverkey.revoke", key_id),
    ] == [(action, target) for action, target, _, _ in done]
    assert {("operator", "cli")} == {(kind, door) for _, _, kind, door in done}


def test_a_password_is_read_and_not_shown(svc: Svc, shop: Path) -> None:
    """It comes by the standard input, so that no list of processes shows it, and is stored hashed."""
    result = CliRunner().invoke(
        main, ["user", "create", "ada@example.com", "--password-stdin"], input="correct horse\n"
    )

    with closing(sqlite3.connect(shop / "svc.db")) as conn:
        [(stored,)] = conn.execute("SELECT password_hash FROM people")
    assert 0 == result.exit_code
    assert stored.startswith("$argon2id$")
    assert HASHER.verify(stored, "correct horse")


def test_accounts_of_one_address_are_distinguished_by_their_home(svc: Svc, shop: Path) -> None:
    """Each organization has its own; a link is for the one that is named; their passwords share a salt."""
    other = svc("org", "create", "Other").stdout.strip()
    first = next(
        line.split()[0]
        for line in svc("org", "list").stdout.splitlines()
        if other not in line and "org_" in line
    )
    for home in (first, other):
        CliRunner().invoke(
            main,
            ["user", "create", "ada@example.com", "--password-stdin", "--organization", home],
            input=f"the password of {home}\n",
        )
    again = CliRunner().invoke(main, ["user", "create", "Ada@example.com", "--organization", other])
    unclear = CliRunner().invoke(main, ["user", "link", "ada@example.com"])
    made = CliRunner().invoke(main, ["user", "link", "ada@example.com", "--organization", other])

    assert (1, 1, 0) == (again.exit_code, unclear.exit_code, made.exit_code)
    assert "has an account with this e-mail address already" in again.output
    assert first in unclear.output
    assert other in unclear.output
    with closing(sqlite3.connect(shop / "svc.db")) as conn:
        stored = [one for (one,) in conn.execute("SELECT password_hash FROM people")]
        [(home,)] = conn.execute(
            "SELECT home_organization_id FROM people JOIN sign_in_links ON person_id = id"
        )
    assert (2, 1) == (len(set(stored)), len({one.rpartition("$")[0] for one in stored}))
    assert other == home


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("nothing",), 2, "No such command 'nothing'"),
        (("rnu",), 2, "No such command 'rnu'. Did you mean 'run'?"),
        (("organization", "list"), 2, "Did you mean 'org'?"),
        (("org", "creat"), 2, "Did you mean 'create'?"),
        (("form", "li"), 2, "Did you mean 'list'?"),
        (("run", "--dem0"), 2, "No such option '--dem0'. Did you mean '--demo'?"),
        (("org", "create"), 2, "Missing argument 'NAME'"),
        (("org", "create", " "), 2, "a name has visible characters"),
        (("org", "create", "X", "--country", "Atlantis"), 2, "'Atlantis' is no country of ISO 3166"),
        (("org", "create", "X", "--currency", "€"), 2, "'€' is no currency of ISO 4217"),
        (("org", "create", "X", "--time-zone", "Mars/Olympus"), 2, "'Mars/Olympus' is no time zone"),
        (("org", "create", "X", "--plan", "gold"), 2, "'gold' is not one of"),
        (("site", "create", "no domain"), 1, "a site is named by its domain"),
        (("site", "create", "https://www.github.io"), 1, "public suffix"),
        (("form", "create", "X", "--map", "town"), 2, "'town' is not FIELD=PROPERTY"),
        (("form", "create", "X", "--honeypot", "phone"), 1, "Error: honeypot: 'phone' is a field"),
        (("form", "create", "X", "--map", "town=citty"), 1, "no property 'citty'; the nearest is city"),
        (("form", "create", "X", "--site", "other.example"), 1, "`svc site create other.example`"),
        (("form", "create", "X", "--organization", "org_0"), 1, "no such organization"),
        (("user", "create", "no address"), 1, "must be an e-mail address"),
        (("user", "create", "a@example.com", "--role", "king"), 1, "there is no role `king`"),
        (("user", "create", "a@example.com", "--password-stdin"), 1, "a password has 10 to 1000 characters"),
        (("user", "link", "nobody@example.com"), 1, "no account with this e-mail address"),
        (("form", "pause", "svcf_0"), 1, "no such form"),
        (("setup",), 2, "say --name and --email, or run it on a terminal"),
        (("setup", "--name", "X", "--email", "no address"), 1, "must be an e-mail address"),
        (("apikey", "mint", "X"), 2, "Missing option '--as'"),
        (("apikey", "mint", "X", "--as", "a@example.com"), 1, "`a@example.com` is no active member"),
        (("apikey", "revoke", "key_0"), 1, "there is no key `key_0`"),
        (("call", "record.creat"), 1, "did you mean `record.create`"),
        (("call", "record.create", "{"), 1, "not JSON"),
        (("call", "record.create"), 1, "Error: objectType: is required"),
        (("call", "record.create", "@missing.json"), 1, "missing.json cannot be read: No such file"),
        (("call", "apikey.mint", '{"name": "X"}'), 1, "sign in to make one"),
        (("embed", "pause", "emb_0"), 1, "there is no embed `emb_0`"),
        (("connection", "remove", "con_0"), 1, "there is no connection `con_0`"),
        (("connection", "create", "X", "--push", "http://127.0.0.1/"), 1, "Error: url: "),
        (("submission", "list", "--form", "svcf_0"), 1, "no such form"),
        (("submission", "attach", "sub_0"), 2, "say --contact ID or --new"),
        (("submission", "attach", "sub_0", "--new"), 1, "there is no submission `sub_0`"),
        (("config", "--config", "missing.toml"), 2, "missing.toml cannot be read: No such file"),
        (("restore", "missing.tar", "--force"), 1, "missing.tar: No such file or directory"),
    ],
)
def test_a_mistake_is_reported_in_one_line(
    svc: Svc, shop: Path, args: tuple[str, ...], code: int, message: str
) -> None:
    """The message says what is wrong; the exit code, whether it was the question or the doing."""
    result = svc(*args)

    *usage, error = result.stderr.splitlines()
    assert code == result.exit_code
    assert error.startswith("Error: ")
    assert message in error
    assert not usage or usage[0].startswith("Usage: ")


def test_the_documented_file_is_printed_whatever_is_there(svc: Svc, tmp_path: Path) -> None:
    """Also beside one that cannot be read; what is printed is then one that can."""
    place = tmp_path / "config" / "svc.toml"
    place.parent.mkdir()
    place.write_text("[nonsense")
    printed = svc("config", "--example")
    place.write_text(printed.stdout)
    configured = svc("config")

    assert 0 == printed.exit_code
    assert 'bind = ["127.0.0.1:8000"]' in printed.stdout
    assert 0 == configured.exit_code, configured.stderr


@pytest.mark.parametrize("columns", ["50", "80"])
@pytest.mark.parametrize("args", [(), ("org",), ("form",), ("submission",)])
def test_what_commands_do_is_listed_whole(
    svc: Svc, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], columns: str
) -> None:
    """A narrow terminal makes more lines, and cuts none."""
    monkeypatch.setenv("COLUMNS", columns)
    listed = svc(*args, "--help").stdout.partition("Commands:\n")[2]
    lines = [line for line in listed.splitlines() if line[2] != " "]
    result = " ".join(listed.split())

    assert lines
    assert "..." not in result
    for line in lines:
        described = svc(*args, line.split()[0], "--help").stdout.split("\n\n")[1]
        assert " ".join(described.split()) in result


@pytest.mark.parametrize("args", [("form", "list"), ("check",), ("backup", "backup.tar")])
def test_where_there_is_no_data_nothing_is_made(svc: Svc, data: Path, args: tuple[str, ...]) -> None:
    """A mistyped directory is reported, and not filled with an empty database."""
    result = svc(*args)

    assert 1 == result.exit_code
    assert f"there is no data in {data}" in result.stderr
    assert not data.exists()


def test_while_the_data_is_in_use_it_is_read_and_not_written(svc: Svc, shop: Path) -> None:
    """Lists, checks and backups work beside the service; changes it would not hear of are refused."""
    with sole_use(shop / "svc.db"):
        read = [svc(*args).exit_code for args in (("org", "list"), ("check",), ("backup", "backup.tar"))]
        refused = [svc("org", "create", "Other"), svc("restore", "backup.tar", "--force")]

    assert [0, 0, 0] == read
    for one in refused:
        assert 1 == one.exit_code
        assert f"{shop / 'svc.db'} is in use by process {os.getpid()}: stop it first" in one.stderr


def test_everything_in_the_data_directory_is_its_owners(svc: Svc, shop: Path) -> None:
    """Other users can read neither the directory nor any file in it."""
    assert 0o700 == stat.S_IMODE(shop.stat().st_mode)
    assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in shop.iterdir()}


def test_a_healthy_database_keeps_every_promise(svc: Svc, shop: Path) -> None:
    """`svc check` names each promise, and exits with 0 when all are kept."""
    result = svc("check")

    assert 0 == result.exit_code
    assert all(line.startswith("        ok  ") for line in result.stdout.splitlines())


@pytest.mark.parametrize(
    ("broken", "promise"),
    [
        ("DELETE FROM objects WHERE slug = 'deal'", "every organization has its built-in objects"),
        ("UPDATE submissions SET fields = 'x'", "everything that is stored can be read"),
        ("UPDATE records SET properties = CAST(x'ff' AS TEXT)", "everything that is stored can be read"),
        ("UPDATE embeds SET blocks = '[{}]'", "everything that is stored can be read"),
        ("UPDATE forms SET field_map = '[]'", "everything that is stored can be read"),
        ("UPDATE forms SET site_id = 'sit_gone'", "nothing refers to what is not there"),
        (
            "UPDATE submissions SET state = 'lost'",
            "every submission is due, queued, filed, held, discarded or erased",
        ),
        (
            "UPDATE submissions SET state = 'due', paced_at = NULL",
            "every due submission has its place in the form's pace",
        ),
        (
            "UPDATE submissions SET state = 'queued'",
            "every queued submission waits since a time, and has no place in the pace",
        ),
        (
            "UPDATE submissions SET contact_id = NULL",
            "every filed submission has its contact and its time",
        ),
        ("DELETE FROM notes", "every filed submission left a note on its contact"),
        (
            "UPDATE submissions SET held_reason = NULL WHERE state = 'held'",
            "every held submission says why, and is filed nowhere",
        ),
        ("DELETE FROM identities WHERE kind = 'phone'", "every contact is known by its own e-mail and phone"),
        (
            "UPDATE identities SET value = 'x@example.com' WHERE kind = 'email'",
            "every contact is known by its own e-mail and phone",
        ),
        (
            (
                "INSERT INTO submission_blocks"
                " SELECT organization_id, id, 'sub_~', x'78', CAST(id AS BLOB) FROM submissions LIMIT 1"
            ),
            "every block of submissions has what they are searched by",
        ),
        ("UPDATE suggestions SET decided_at = 1", "every suggestion is open, or was decided"),
        (
            (
                "INSERT INTO invitations"
                " SELECT 'i', id, '', 'rol_x', '[]', '', '', 1, 2, 3, NULL FROM organizations"
            ),
            "every member, key and invitation has a role that is there",
        ),
        (
            "UPDATE members SET role_id = 'viewer'",
            "every organization that has members has an Owner",
        ),
        (
            "UPDATE notes SET organization_id = 'org_other'",
            "nothing refers to another organization's",
        ),
    ],
)
def test_a_broken_promise_is_found(svc: Svc, demo: Path, broken: str, promise: str) -> None:
    """`svc check` counts what breaks a promise, with examples, and exits with 1."""
    change(demo, broken)

    result = svc("check")

    assert 1 == result.exit_code
    [line] = [line for line in result.stdout.splitlines() if line.endswith(promise)]
    assert " broken  " in line
    assert "promises are broken" in result.stderr


def test_a_damaged_file_is_found(svc: Svc, demo: Path) -> None:
    """Pages that no longer make sense are reported as such, in one line."""
    with (demo / "svc.db").open("r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\xff" * 4096 * 4)

    result = svc("check")

    assert 1 == result.exit_code
    assert "Traceback" not in result.output


def test_a_file_that_is_no_database_is_reported(svc: Svc, shop: Path) -> None:
    """What stands in the place of the database is named."""
    (shop / "svc.db").write_bytes(b"no database at all, whatever its name may say" * 100)

    for command in (("check",), ("org", "create", "X")):
        result = svc(*command)
        assert 1 == result.exit_code
        assert f"Error: {shop / 'svc.db'} cannot be" in result.stderr


def test_data_of_a_newer_version_is_refused(svc: Svc, shop: Path, tmp_path: Path) -> None:
    """Neither read nor written, and not restored over what is there."""
    change(shop, "UPDATE alembic_version SET version_num = '9999'")

    for command in (("form", "list"), ("org", "create", "X"), ("backup", str(tmp_path / "new.tar"))):
        result = svc(*command)
        assert 1 == result.exit_code
        assert "the data is at schema revision 9999" in result.stderr
    assert not (tmp_path / "new.tar").exists()


def test_the_contract_is_printed(svc: Svc) -> None:
    """As OpenAPI, the same as the service answers, for generators and for reading."""
    printed = svc("openapi").stdout

    assert Contract(REGISTRY).document == json.loads(printed)
    assert '\n  "openapi": "3.1.0"' in printed
