"""The digests of a release are those that `sha256sum` checks."""

import subprocess
from pathlib import Path

from release.checksums import NAME, lines


def test_sha256sum_accepts_them_and_notices_a_change(tmp_path: Path):
    """Each file is in them, once, and they themselves are not."""
    (tmp_path / "svc").write_bytes(b"a program")
    (tmp_path / "svc.whl").write_bytes(b"a wheel")
    (tmp_path / NAME).write_text(lines(tmp_path))
    check = ["sha256sum", "--check", "--strict", NAME]

    good = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=False)
    (tmp_path / "svc").write_bytes(b"another program")
    bad = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (0, "svc: OK\nsvc.whl: OK\n") == (good.returncode, good.stdout)
    assert 1 == bad.returncode
    assert lines(tmp_path) != (tmp_path / NAME).read_text()
