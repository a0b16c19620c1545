"""`svc logs`: files, rotated ones, and the standard input."""

import gzip
import json
import lzma
from pathlib import Path

from click.testing import CliRunner

from svc.cli import main
from tests.cli.conftest import Svc


def line(minute: int, event: str, request_id: str = "one") -> str:
    at = f"2026-11-23T08:{minute:02}:00.000000Z"
    return json.dumps({"event": event, "request_id": request_id, "level": "error", "timestamp": at}) + "\n"


def test_a_log_is_read_with_what_a_rotation_made_of_it(svc: Svc, tmp_path: Path) -> None:
    """By time, wherever a line is; files with other names are none of it, and none is read twice."""
    log = tmp_path / "svc.log"
    log.write_text(line(9, "last") + line(9, "of another", "two"))
    (tmp_path / "svc.log.1").write_text(line(5, "later"))
    (tmp_path / "svc.log.2.gz").write_bytes(gzip.compress(line(1, "first").encode()))
    (tmp_path / "svc.log-20261122.xz").write_bytes(lzma.compress(line(3, "second").encode()))
    (tmp_path / "svc.log.bak").write_text(line(0, "not rotated"))
    (tmp_path / "svc.logs.1").write_text(line(0, "of another log"))

    said = svc("logs", "--request", "one", str(log), str(tmp_path / "svc.log.1"))

    assert 0 == said.exit_code
    assert ["first", "second", "later", "last"] == [one.split()[-1] for one in said.stdout.splitlines()]


def test_the_standard_input_is_read_and_lines_are_passed_on_as_they_were() -> None:
    """`journalctl -u svc | svc logs --request ID --json`."""
    given = f"Nov 23 host svc[1]: {line(1, 'first')}Nov 23 host svc[1]: {line(2, 'second', 'two')}"

    for more in ((), ("-",)):
        said = CliRunner().invoke(main, ("logs", "--request", "one", "--json", *more), input=given)
        assert (0, json.loads(line(1, "first"))) == (said.exit_code, json.loads(said.stdout))


def test_what_cannot_be_is_said(svc: Svc, tmp_path: Path) -> None:
    """No such line, no such file, a damaged one, and an id that none has."""
    (tmp_path / "svc.log.gz").write_bytes(gzip.compress(line(1, "first").encode())[:-9])
    (tmp_path / "empty.log").touch()

    nothing = svc("logs", "--request", "one", "empty.log")
    missing = svc("logs", "--request", "one", "gone.log")
    damaged = svc("logs", "--request", "one", "svc.log.gz")

    assert (1, "Error: no line of the log belongs to the request one\n") == (
        nothing.exit_code,
        nothing.stderr,
    )
    assert (1, True) == (missing.exit_code, "gone.log: No such file" in missing.stderr)
    assert (1, True) == (damaged.exit_code, damaged.stderr.startswith("Error: "))
    for wrong in ("", "two words", "ö", "x" * 129):
        assert 2 == svc("logs", "--request", wrong, "empty.log").exit_code
    assert 2 == svc("logs", "empty.log").exit_code
