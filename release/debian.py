"""`python -m release.debian`: the program as a package of Debian's, with a system service.

It has the same tree as the one file, which is where it is taken from, so both are the same program. Only
`dpkg-deb` is needed, no tools for building packages of Debian's own.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from release.binary import DIST, MODIFIED_AT
from release.tree import ROOT, c_library_needed
from svc.version import VERSION

SCRIPTS: Final = Path(__file__).with_name("maintainer_scripts")
DEPLOY: Final = ROOT / "deploy"
CONTROL: Final = """\
Package: svc
Version: {version}
Architecture: {architecture}
Maintainer: The svc project <svc@localhost>
Installed-Size: {kilobytes}
Depends: libc6 (>= {c_library}), passwd
Section: web
Priority: optional
Description: self-hosted business platform in one process
 Records, forms, embeds, messengers, workflows and a gateway to language models,
 with screens for people and tools for programs. The interpreter is part of it.
"""


def unpacked(file: Path, place: Path) -> Path:
    """The tree that the one file *file* has, unpacked by itself below *place*."""
    subprocess.run([file, "--version"], env={"SVC_UNPACK_DIR": str(place)}, check=True, capture_output=True)
    [tree] = place.glob("unpacked-svc-*")
    return tree


def package(tree: Path, target: Path, *, level: int = 6) -> None:
    """Write the package *target* with *tree*, compressed at *level*."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary, "root")
        _lay_out(root, tree)
        control = root / "DEBIAN"
        control.mkdir()
        for script in sorted(SCRIPTS.iterdir()):
            shutil.copyfile(script, control / script.name)
            (control / script.name).chmod(0o755)
        (control / "conffiles").write_text("/etc/svc/svc.toml\n")
        fields = {
            "version": VERSION,
            "architecture": _output("dpkg", "--print-architecture"),
            "kilobytes": _output("du", "-sk", "--exclude=DEBIAN", root).split()[0],
            "c_library": c_library_needed(tree),
        }
        (control / "control").write_text(CONTROL.format(**fields))
        epoch = int(os.environ.get("SOURCE_DATE_EPOCH", MODIFIED_AT))
        for path in [root, *root.rglob("*")]:
            if path.is_dir():
                path.chmod(0o755)
            os.utime(path, (epoch, epoch), follow_symlinks=False)
        options = ["--root-owner-group", "-Zgzip", f"-z{level}"]
        subprocess.run(
            ["dpkg-deb", *options, "--build", root, target],
            check=True,
            capture_output=True,
            env=os.environ | {"SOURCE_DATE_EPOCH": str(epoch)},
        )


def _lay_out(root: Path, tree: Path) -> None:
    shutil.copytree(tree, root / "usr" / "lib" / "svc")
    (root / "usr" / "bin").mkdir()
    (root / "usr" / "bin" / "svc").symlink_to("../lib/svc/svc")
    documents = root / "usr" / "share" / "doc" / "svc"
    for source, directory, name in (
        (DEPLOY / "svc.service", root / "lib" / "systemd" / "system", "svc.service"),
        (ROOT / "config" / "svc.toml", root / "etc" / "svc", "svc.toml"),
        (ROOT / "LICENSE", documents, "copyright"),
        (ROOT / "CHANGELOG.md", documents, "CHANGELOG.md"),
        (ROOT / "docs" / "install.md", documents, "install.md"),
        (DEPLOY / "Caddyfile", documents / "examples", "Caddyfile"),
        (DEPLOY / "nginx.conf", documents / "examples", "nginx.conf"),
    ):
        directory.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, directory / name)
        (directory / name).chmod(0o644)


def _output(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    """Build the package beside the one file, and say how large it is."""
    target = DIST / f"svc_{VERSION}_{_output('dpkg', '--print-architecture')}.deb"
    with tempfile.TemporaryDirectory() as temporary:
        package(unpacked(DIST / "svc", Path(temporary, "place")), target)
    sys.stdout.write(f"{target}  {target.stat().st_size / 1e6:.1f} MB\n")


if __name__ == "__main__":
    main()
