"""The `.deb`: what is in it, and that it runs as its service would start it."""

import os
import re
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path
from typing import Final

import pytest

from release.debian import package, unpacked
from svc.version import VERSION

ROOT: Final = Path(__file__).parents[2]
UNIT: Final = ROOT / "deploy" / "svc.service"
EXPOSURE_MAX: Final = 1.6
"""What `docs/install.md` says."""


def needs(*programs: str) -> None:
    """Skip, and say what is missing."""
    if missing := [program for program in programs if shutil.which(program) is None]:
        pytest.skip(f"not on this machine: {', '.join(missing)}")


def unit() -> ConfigParser:
    """The service's unit; of settings that are given several times, the last."""
    parser = ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]  # as ConfigParser documents it
    parser.read_string(UNIT.read_text())
    return parser


@pytest.fixture(scope="module")
def deb(binary: Path, place: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    needs("dpkg", "dpkg-deb")
    target = tmp_path_factory.mktemp("deb") / "svc.deb"
    package(unpacked(binary, place), target, level=1)
    return target


def test_the_package_installs_to_where_its_unit_looks(deb: Path, tmp_path: Path) -> None:
    """Its command runs from where it is linked, and every path of the unit and of the conffiles is in it."""
    subprocess.run(["dpkg-deb", "--extract", deb, tmp_path], check=True)
    control = subprocess.run(["dpkg-deb", "--field", deb], check=True, capture_output=True, text=True).stdout
    subprocess.run(["dpkg-deb", "--control", deb, tmp_path / "control"], check=True)
    command = unit()["Service"]["ExecStart"].split()
    ran = subprocess.run(
        [tmp_path / command[0].lstrip("/"), "--version"], env={}, capture_output=True, text=True, check=False
    )

    assert f"svc {VERSION}\n" == ran.stdout, ran.stderr
    assert re.search(r"^Depends: libc6 \(>= 2\.\d+\)", control, re.MULTILINE)
    assert (tmp_path / command[command.index("--config") + 1].lstrip("/")).is_file()
    for line in (tmp_path / "control" / "conffiles").read_text().splitlines():
        assert (tmp_path / line.lstrip("/")).is_file()
    for script in ("postinst", "prerm", "postrm"):
        subprocess.run(["sh", "-n", tmp_path / "control" / script], check=True)
    assert UNIT.read_bytes() == (tmp_path / "lib/systemd/system/svc.service").read_bytes()


def test_nothing_in_the_package_may_be_changed_but_by_root(deb: Path) -> None:
    """All of it belongs to root, and no file has a bit that makes it writable for others, or setuid."""
    listed = subprocess.run(
        ["dpkg-deb", "--contents", deb], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    modes = {line.split()[0] for line in listed}
    owners = {line.split()[1] for line in listed}

    assert {"root/root"} == owners
    assert modes <= {"drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x", "lrwxrwxrwx"}


def test_the_unit_is_as_closed_as_its_guide_says() -> None:
    """`systemd-analyze security`, without a running systemd."""
    needs("systemd-analyze")
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(UNIT)]
    said = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": "C"}
    )
    found = re.search(r"exposure level for svc\.service: ([\d.]+)", said.stdout)

    assert found is not None, said.stderr
    assert float(found[1]) <= EXPOSURE_MAX
    assert f"**{EXPOSURE_MAX}**" in (ROOT / "docs" / "install.md").read_text()


def test_the_unit_waits_for_what_the_program_says_and_does() -> None:
    """It is told by messages, watches them, and gives a stop more time than the program's own watchdog."""
    from svc.cli.server_process import _stopping_seconds
    from svc.config.settings import Settings

    service = unit()["Service"]

    assert "notify" == service["Type"]
    assert int(service["WatchdogSec"]) > 0
    assert int(service["TimeoutStopSec"]) > _stopping_seconds(Settings())
    assert "always" == service["Restart"]
