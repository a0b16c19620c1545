"""`python -m tests.release.booted`: the `.deb` on a Debian that systemd has booted.

It needs root, debootstrap, systemd-nspawn and the archive of Debian. It makes the tree, or takes the one that
is named, installs `dist/svc_*.deb` into it, boots it, and goes through every journey under the unit's
sandbox; then the service is killed, held still until the watchdog ends it, stopped, and booted once more.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

from tests.release.conftest import FILE
from tests.release.journeys import demo_in, walk_through

PACKAGES: Final = "systemd,systemd-sysv,dbus,passwd"
URL: Final = "http://127.0.0.1:21050"
WAIT_SECONDS: Final = 90
"""Longer than the unit's watchdog and a start."""
ENVIRONMENT: Final = """\
SVC_SERVER__BIND=127.0.0.1:21050
SVC_OPERATOR__BIND=127.0.0.1:21051
SVC_AI__STARTING_CREDITS=100
"""
DEMO: Final = """\
[Service]
ExecStart=
ExecStart=/usr/bin/svc run --config /etc/svc/svc.toml --data /var/lib/svc --demo
"""
SANDBOXED: Final = {"NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000400"}
"""What the kernel says of the process; the capability is that of binding ports below 1024."""


class Machine:
    """A booted tree; its network is this machine's."""

    def __init__(self, root: Path, nspawn: "subprocess.Popen[bytes]") -> None:
        self.root = root
        self._nspawn = nspawn

    def run(self, *command: str) -> str:
        """What *command* prints there; how it ends does not matter."""
        nspawn = Path("/proc", str(self._nspawn.pid))
        [first] = (nspawn / "task" / nspawn.name / "children").read_text().split()
        enter = ["nsenter", "--target", first, "--all", "--root", "--wd"]
        done = subprocess.run([*enter, "--", *command], capture_output=True, text=True, check=False)
        return done.stdout.strip()

    def state(self, name: str) -> str:
        return self.run("systemctl", "show", "svc", "--value", "--property", name)

    def wait_active(self, other_than: str = "") -> str:
        """The process of the service, once systemd calls it active and it is not *other_than*."""
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            try:
                process = self.state("MainPID")
                if process not in {"", "0", other_than} and self.state("SubState") == "running":
                    return process
            except (ValueError, OSError):
                pass  # it has not begun to boot
            time.sleep(0.2)
        raise SystemExit(f"booted: {self.run('systemctl', 'status', 'svc', '--no-pager', '--full')}")


@contextmanager
def booted(root: Path) -> Iterator[Machine]:
    """The machine, off again on exit."""
    command: list[str | Path] = [
        "systemd-nspawn",
        "--directory",
        root,
        "--register=no",
        "--keep-unit",
        "--boot",
    ]
    with (root.parent / "console").open("w") as console:
        nspawn = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=console, stderr=console)
        try:
            yield Machine(root, nspawn)
        finally:
            nspawn.terminate()  # which it takes for a button to switch the machine off
            nspawn.wait(WAIT_SECONDS)


def install(root: Path) -> None:
    """Debian with systemd at *root*, and the package on it, which is not started yet."""
    if not (root / "sbin" / "init").exists():
        debootstrap: list[str | Path] = [
            "debootstrap",
            "--variant=minbase",
            f"--include={PACKAGES}",
            "bookworm",
            root,
        ]
        subprocess.run(debootstrap, check=True)
    [package] = FILE.parent.glob("svc_*.deb")
    (root / "svc.deb").write_bytes(package.read_bytes())
    shutil.rmtree(root / "var/lib/svc", ignore_errors=True)
    chroot: list[str | Path] = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "chroot", root]
    subprocess.run([*chroot, "dpkg", "--purge", "svc"], check=False, capture_output=True)
    subprocess.run([*chroot, "dpkg", "--install", "/svc.deb"], check=True)
    (root / "etc/svc/environment").write_text(ENVIRONMENT)
    added = root / "etc/systemd/system/svc.service.d"
    added.mkdir(exist_ok=True)
    (added / "demo.conf").write_text(DEMO)


def walk(machine: Machine) -> None:
    with httpx.Client(base_url=URL, timeout=30) as client:
        walk_through(client, demo_in(machine.root / "var/lib/svc"))


def main(root: Path) -> None:
    """Run all of it, and print a line of each."""
    if os.geteuid() != 0:
        raise SystemExit("booted: it needs root")
    install(root)
    with booted(root) as machine:
        first = machine.wait_active()
        status = machine.run("cat", f"/proc/{first}/status").splitlines()
        lacking = SANDBOXED - set(status)
        assert not lacking, f"the sandbox lacks {lacking}"
        memory = next(line for line in status if line.startswith("VmRSS"))
        print(f"first start: {machine.state('StatusText')}, {memory.split()[1]} kB")  # noqa: T201  # a program
        walk(machine)
        for what, signal in (("killed", "-KILL"), ("held still", "-STOP")):
            began = time.monotonic()
            machine.run("kill", signal, first)
            first = machine.wait_active(first)
            print(f"{what}: it serves again after {time.monotonic() - began:.0f} s")  # noqa: T201  # same
            walk(machine)
        machine.run("systemctl", "stop", "svc")
        print(f"stopped: {machine.state('Result')}, exit {machine.state('ExecMainStatus')}")  # noqa: T201  # same
    with booted(root) as machine:
        machine.wait_active()
        walk(machine)
        print(f"booted again: restarts {machine.state('NRestarts')}, all journeys work")  # noqa: T201  # same


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="booted-")) / "root")
