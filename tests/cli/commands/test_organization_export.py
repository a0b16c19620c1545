"""`svc export --all`: a whole organization out, in files that need no program."""

import hashlib
import json
import re
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from svc.storage.metadata import metadata
from svc.storage.organization_export.files import FILES, LEFT_OUT
from svc.storage.organization_export.lines import members_of
from tests.cli.conftest import Svc

SECRETS = re.compile(rb"argon2|svck_\w{20}|sk_live_\w{20}|ck_live_\w{20}|whsec_\w{20}")


def exported(svc: Svc, to: Path, *more: str) -> dict[str, Any]:
    result = svc("export", "--all", str(to), *more)
    assert 0 == result.exit_code, result.output
    manifest: dict[str, Any] = json.loads((to / "manifest.json").read_bytes())
    return manifest


def lines_of(to: Path, path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (to / path).read_bytes().splitlines()]


def contents(to: Path) -> dict[str, bytes]:
    return {str(path.relative_to(to)): path.read_bytes() for path in to.rglob("*") if path.is_file()}


def test_every_table_is_exported_or_has_a_reason() -> None:
    """A new table breaks this test until it is decided what becomes of it."""
    decided = [file.table.name for file in FILES] + list(LEFT_OUT)

    assert sorted(metadata.tables) == sorted(decided)


def test_every_column_is_exported_or_has_a_reason() -> None:
    """No column with bytes goes out, since those are secrets and digests; no reason is for nothing."""
    for file in FILES:
        members = members_of(file)
        out = {member.column.name for member in members if member.column.table is file.table}
        assert {column.name for column in file.table.columns} == out | set(file.left_out) | (
            {"organization_id"} & set(file.table.columns.keys())
        )
        assert not out & set(file.left_out)
        assert not [one.name for one in members if isinstance(one.column.type, sa.LargeBinary)]
        assert len({member.name for member in members}) == len(members)
        # Records are written by a function of their own, whose members are described, too.
        if file.name != "records":
            assert set(file.notes) <= {member.name for member in members}


def test_the_demo_goes_out_whole(svc: Svc, demo: Path, tmp_path: Path) -> None:
    """Each table has as many lines as rows; the manifest has the digest of each file; no secret is in it."""
    out = tmp_path / "out"
    manifest = exported(svc, out)

    files = {file["path"]: file for file in manifest["files"]}
    written = contents(out)
    contents_ = {path for path in written if path.startswith("contents/")}
    assert {*files, *contents_, "manifest.json", "README.md"} == set(written)
    assert manifest["contents"] == {
        "count": len(contents_),
        "bytes": sum(len(written[path]) for path in contents_),
        "missing": [
            one["id"]
            for one in lines_of(out, "files.ndjson")
            if one["digest"] not in {path.partition("/")[2] for path in contents_}
        ],
    }
    for path in contents_:
        assert path.partition("/")[2] == hashlib.sha256(written[path]).hexdigest()
    for path, file in files.items():
        assert file["sha256"] == hashlib.sha256(written[path]).hexdigest()
        assert (file["rows"], file["bytes"]) == (written[path].count(b"\n"), len(written[path]))
    with closing(sqlite3.connect(demo / "svc.db")) as conn:
        for file in FILES:
            [(rows,)] = conn.execute(f"SELECT count(*) FROM {file.table.name}")  # noqa: S608  # our names
            if file.name == "records":
                of_file = [one for path, one in files.items() if "records" in path]
            else:
                of_file = [files[f"{file.name}.ndjson"]]
            assert rows == sum(one["rows"] for one in of_file), file.name
    assert not [path for path, content in written.items() if SECRETS.search(content)]
    assert {"left_out", "unreadable"} & set(manifest) == {"unreadable"}
    assert 0 == manifest["unreadable"]["count"]
    assert 0o700 == stat.S_IMODE(out.stat().st_mode)
    assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in out.rglob("*") if path.is_file()}


def test_the_lines_are_as_the_tools_show_them(svc: Svc, demo: Path, tmp_path: Path) -> None:
    """A record has the members that `record.get` answers, with the same values."""
    exported(svc, tmp_path / "out")
    [first, *_] = contacts = lines_of(tmp_path / "out", "records/contact.ndjson")
    [member, *_] = lines_of(tmp_path / "out", "members.ndjson")

    shown = json.loads(svc("call", "record.get", json.dumps({"id": first["id"]})).stdout)

    assert {name: shown[name] for name in first} == first
    assert len({contact["id"] for contact in contacts}) == len(contacts) > 1
    assert "maren@harbour-lamps.example" == member["email"]
    assert "password_hash" not in json.dumps(member)


def test_two_exports_of_the_same_data_are_the_same(svc: Svc, demo: Path, tmp_path: Path) -> None:
    """To the byte, but for the time that the manifest and the README say."""
    exported(svc, tmp_path / "one")
    exported(svc, tmp_path / "two")
    first, second = contents(tmp_path / "one"), contents(tmp_path / "two")

    assert set(first) == set(second)
    assert {"manifest.json", "README.md"} >= {path for path in first if first[path] != second[path]}


def test_nothing_is_written_over(svc: Svc, demo: Path, tmp_path: Path) -> None:
    """A directory with something in it stays as it is; an empty one is taken."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    (tmp_path / "empty").mkdir()

    refused = svc("export", "--all", str(tmp_path / "full"))

    assert 1 == refused.exit_code
    assert "is not empty" in refused.stderr
    assert ["mine"] == [path.name for path in (tmp_path / "full").iterdir()]
    exported(svc, tmp_path / "empty")


def test_a_failure_leaves_nothing(
    svc: Svc, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full in the middle leaves neither the directory nor a part of it beside."""

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    before = sorted(path.name for path in tmp_path.iterdir())
    monkeypatch.setattr("svc.cli.transfers.organization_export.os.fsync", full)

    result = svc("export", "--all", str(tmp_path / "out"))

    assert 1 == result.exit_code
    assert "No space left" in result.stderr
    assert before == sorted(path.name for path in tmp_path.iterdir())


def test_only_its_own_goes_out(svc: Svc, demo: Path, tmp_path: Path) -> None:
    """Of two organizations, an export has the rows of one, and no id of the other's."""
    other = svc("org", "create", "Other Lamps").stdout.strip()
    svc(
        "call",
        "record.create",
        '{"objectType":"contact","properties":{"name":"Zo"}}',
        "--organization",
        other,
    )
    manifest = exported(svc, tmp_path / "out", "--organization", other)

    [contact] = lines_of(tmp_path / "out", "records/contact.ndjson")
    assert ("Zo", other) == (contact["properties"]["name"], manifest["organizationId"])
    assert not [path for path, content in contents(tmp_path / "out").items() if b"maren@" in content]


def test_what_cannot_be_read_is_named(svc: Svc, demo: Path, tmp_path: Path) -> None:
    """A damaged value is null in its line and named in the manifest, and all the rest goes out."""
    with closing(sqlite3.connect(demo / "svc.db")) as conn, conn:
        [(record_id,)] = conn.execute("SELECT id FROM records LIMIT 1")
        conn.execute("UPDATE records SET properties = '{\"name\":' WHERE id = ?", (record_id,))
        [(message_id,)] = conn.execute("SELECT id FROM messages LIMIT 1")
        conn.execute("UPDATE messages SET text = CAST(x'ff' AS TEXT) WHERE id = ?", (message_id,))

    manifest = exported(svc, tmp_path / "out")

    assert 2 == manifest["unreadable"]["count"]
    assert {(record_id, "properties"), (message_id, "text")} == {
        (key, member) for _, key, member in manifest["unreadable"]["examples"]
    }
    [message] = [one for one in lines_of(tmp_path / "out", "messages.ndjson") if one["id"] == message_id]
    assert message["text"] is None


def test_the_readme_describes_every_file_and_member(svc: Svc, demo: Path, tmp_path: Path) -> None:
    """In words: each file with its number of lines, each member with its type, all that is left out."""
    manifest = exported(svc, tmp_path / "out")
    readme = (tmp_path / "out" / "README.md").read_text()

    for file in manifest["files"]:
        assert f"| `{file['path']}` | {file['rows']:,} | {file['about']} |" in readme
        for member in file["members"]:
            assert f"| `{member['name']}` | {member['type']} |" in readme
    for left_out in manifest["leftOut"]:
        assert f"| {left_out['what']} | {left_out['why']} |" in readme
