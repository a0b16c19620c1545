"""What `make` shows while packages install: how far it is, all that goes wrong, and pip's exit status."""

import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

PROGRAM: Final = Path(__file__).parents[2] / "requirements" / "progress.py"
NAMES: Final = tuple("abcdefgh")
PIP: Final = f"""
import sys
print("asked", sys.argv[1:])
print("Ignoring windows: markers 'sys_platform == \\"win32\\"' don't match your environment")
for name in {NAMES!r}:
    print(f"Collecting {{name}}==1.0 (from -r some.lock)")
print("WARNING: Retrying after the connection was broken", file=sys.stderr)
print("Installing collected packages: {", ".join(NAMES)}")
print("ERROR: no space is left\\n  on this\\n  device", file=sys.stderr)
if sys.argv[-1] == "0":
    print("Successfully installed {" ".join(NAMES)}")
sys.exit(int(sys.argv[-1]))
"""
"""Says what pip says, and ends as it is asked to."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip" / "__init__.py").touch()
    (tmp_path / "pip" / "__main__.py").write_text(PIP)
    pins = "".join(f"{name}==1.0 \\\n    --hash=sha256:0\n    # via svc\n" for name in (*NAMES, "windows"))
    (tmp_path / "some.lock").write_text(f"# made by hand\n{pins}")
    return tmp_path


def command(status: int) -> list[str]:
    return [sys.executable, str(PROGRAM), "install", "-r", "some.lock", str(status)]


@pytest.mark.parametrize("status", [0, 3])
def test_a_log_has_a_few_lines_and_all_that_went_wrong(place: Path, status: int) -> None:
    """The first line comes before pip does anything; warnings come at once, and pip's status is the end."""
    ran = subprocess.run(
        command(status),
        cwd=place,
        env=os.environ | {"PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )

    first, *lines = ran.stdout.splitlines()
    assert status == ran.returncode
    assert "Installing the 9 packages of some.lock" in first
    assert "  found 8 of 8" == lines[3]
    assert ("  unpacked 8 of 8" in lines) == (status == 0)
    assert len(lines) <= 8
    assert "WARNING: Retrying after the connection was broken\n" in ran.stderr
    assert (status != 0) == ("ERROR: no space is left\n  on this\n  device\n" in ran.stderr)
    assert (status != 0) == ("'--require-hashes', '--no-deps'" in ran.stderr)


def test_a_terminal_has_one_line_that_is_written_over(place: Path) -> None:
    """The counter goes up in its place."""
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as screen, os.fdopen(theirs, "wb", buffering=0) as terminal:
        ran = subprocess.run(
            command(0),
            cwd=place,
            env=os.environ | {"PYTHONPATH": str(place)},
            stdout=terminal,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        shown = screen.read(10_000).decode()

    assert 0 == ran.returncode
    assert "\r  found 1 of 8\r  found 2 of 8" in shown
    assert shown.endswith("\r  found 8 of 8\r\n\r  unpacked 8 of 8\r\n")
    assert 3 == shown.count("\n")
