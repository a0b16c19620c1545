"""`python -m tests.release.bare`: the one file in a bare Debian, which has no Python.

It needs root, debootstrap and the archive of Debian. It makes the tree, or takes the one that is named,
copies `dist/svc` into it, and goes through every journey from outside, since the network is the same. The
root file system is read-only but for the data, /tmp and one directory to unpack into; there is no
environment, and the user is nobody.
"""

# ruff: noqa: S108  # /tmp is the tree's own

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import httpx

from tests.release.conftest import FILE
from tests.release.journeys import demo_in, walk_through

NOBODY: Final = 65_534
PLACE: Final = f"var/tmp/svc-{NOBODY}"
"""Where it unpacks without an environment, and without the right to write to /var/cache."""


def start(root: Path, data: Path) -> tuple["subprocess.Popen[str]", str, float]:
    """`svc run --demo` within *root*, ready: its process, its address, and the seconds that it took."""
    inside = f"""
        mount --bind {root} {root} && mount --bind {data} {root}/srv && mount -t proc proc {root}/proc &&
        mount --bind {root}/{PLACE} {root}/{PLACE} && mount -t tmpfs tmpfs {root}/tmp &&
        mount -o remount,ro,bind {root} &&
        exec env -i "$(command -v chroot)" --userspec={NOBODY}:{NOBODY} {root} \\
            /opt/svc run --demo --data /srv/data --bind 127.0.0.1:9172 --operator-bind 127.0.0.1:9173
    """
    began = time.monotonic()
    process = subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", inside], stdout=subprocess.PIPE, stderr=sys.stderr, text=True
    )
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.match(r"Open first +(http\S+?)/?\s", line):
            return process, found[1], time.monotonic() - began
    raise SystemExit(f"bare: it ended with {process.wait()}")


def main(root: Path) -> None:
    """Run all journeys at a first start and at a second one."""
    if not (root / "bin" / "sh").exists():
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", root], check=True)
    found = [path for path in root.glob("usr/**/bin/*") if path.name.startswith("python")]
    assert not found, f"this tree is not bare: {found}"
    target = root / "opt" / "svc"
    target.write_bytes(FILE.read_bytes())
    target.chmod(0o755)
    with tempfile.TemporaryDirectory() as temporary:
        data = Path(temporary)
        os.chown(data, NOBODY, NOBODY)
        places = root / PLACE
        places.mkdir(mode=0o700, exist_ok=True)
        os.chown(places, NOBODY, NOBODY)
        for what in ("first", "second"):
            print(run_once(root, data, what))  # noqa: T201  # a program


def run_once(root: Path, data: Path, what: str) -> str:
    """One start, its journeys and its stop, in a line."""
    process, url, took = start(root, data)
    with httpx.Client(base_url=url, timeout=30) as client:
        walk_through(client, demo_in(data / "data"))
    status = Path("/proc", str(process.pid), "status").read_text()
    [resident] = re.findall(r"VmRSS:\s+(\d+) kB", status)
    process.terminate()
    process.communicate(timeout=60)
    return (
        f"{what} start: ready after {took:.1f} s, all journeys work, {int(resident) // 1024} MiB after them,"
        f" exit {process.returncode}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="bare-")))
