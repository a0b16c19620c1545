"""A column is its table and its struct: two files, and everything else follows.

What is left out of a column does not start: `test_schema.py`; what does not fit its struct: `test_rows.py`.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

import svc

pytestmark = pytest.mark.sqlite

ROOT: Final = Path(svc.__file__).parent
TABLES: Final = Path("svc/storage/views/tables.py")
STRUCT: Final = Path("svc/domain/views/views.py")
AFTER: Final = '    schema.flag("shared"),\n'
REMARK: Final = '    schema.text("remark", schema.SCRUBBED, null=True),\n'
COLUMNS: Final = f"""\
{REMARK}    schema.time("pinned_until", schema.Ahead(86_400_000), null=True),
"""
MEMBERS: Final = """\
    remark: str | None = None
    pinned_until: int | None = None
"""
PROBE: Final = """
import json
import sqlalchemy as sa
from svc.domain.views.views import SavedView
from svc.storage.clock.future_times import _put_right
from svc.storage.erasure.treatments import BY_TABLE
from svc.storage.metadata import metadata
from svc.storage.organization_export.files import FILES
from svc.storage.organization_export.lines import members_of
from svc.storage.sqlite.engine import make_engine
from svc.storage.store import Tx
from svc.storage.views.views import VIEWS

view = SavedView(
    id="viw_1", organization_id="org_1", person_id="usr_1", name="Mine", tool="record.list", input={},
    board_by=None, shared=False, version=1, created_at=1, updated_at=1,
    remark="ask Tom Reid", pinned_until=10**15,
)
with make_engine(None).connect() as conn:
    metadata.create_all(conn)
    conn.exec_driver_sql("PRAGMA foreign_keys = OFF")
    VIEWS.insert(conn, view)
    read = VIEWS.prepared(VIEWS.select())
    [back] = read.all(conn)
    class At:
        pass
    At.conn, At.now = conn, 1_000
    _put_right(At, metadata.tables["views"])
    [righted] = read.all(conn)
[file] = [file for file in FILES if file.table.name == "views"]
print(json.dumps({
    "back": back == view,
    "pinned_until": righted.pinned_until,
    "erased": BY_TABLE["views"].texts,
    "exported": [member.name for member in members_of(file)],
}))
"""


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program in which views have two columns more, each in two files."""
    copy = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT, copy / "svc", ignore=shutil.ignore_patterns("__pycache__", "static", "docs"))
    for path, before, more in ((TABLES, AFTER, COLUMNS), (STRUCT, "    updated_at: int\n", MEMBERS)):
        source = (copy / path).read_text()
        assert 1 == source.count(before)
        (copy / path).write_text(source.replace(before, before + more))
    return copy


def run(program: str, at: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=at,
        env={**os.environ, "PYTHONPATH": str(at)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_column_is_two_files(changed: Path) -> None:
    """It is stored, read, erased, exported, and put right after a wrong clock."""
    probed = run(PROBE, changed)

    assert 0 == probed.returncode, probed.stderr
    told: dict[str, Any] = json.loads(probed.stdout)
    assert told["back"]
    assert 1_000 + 86_400_000 == told["pinned_until"]
    assert "remark" in told["erased"]
    assert {"remark", "pinnedUntil"} <= set(told["exported"])


@pytest.mark.parametrize(
    ("path", "said", "left_out"),
    [
        pytest.param(TABLES, "schema.SCRUBBED, null=True", "null=True", id="whether it can name a person"),
        pytest.param(TABLES, "schema.Ahead(86_400_000), ", "", id="how far ahead it can lie"),
        pytest.param(TABLES, REMARK, "", id="the column of a member"),
        pytest.param(STRUCT, "remark: str | None = None", 'remark: str = ""', id="that it may be None"),
    ],
)
def test_what_a_column_leaves_out_does_not_start(changed: Path, path: Path, said: str, left_out: str) -> None:
    """It is an error when the module is imported, not at the first row."""
    source = (changed / path).read_text()
    assert said in source
    (changed / path).write_text(source.replace(said, left_out))
    try:
        started = run("import svc.storage.views.views", changed)
    finally:
        (changed / path).write_text(source)

    assert started.returncode
    assert "TypeError" in started.stderr.splitlines()[-1]
