"""Runs pip, and tells how far it is: `python progress.py install|download … -r FILE.lock`.

Fetching and unpacking what is pinned takes a minute or so, in which pip by itself shows either nothing or a
wall of text. On a terminal a counter stands in one line; in a log there is a line at every quarter. What
goes wrong is shown in full, and the exit status is pip's. It runs before anything is installed, so it needs
Python alone.
"""

import os
import re
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

_OPTIONS: Final = (
    *("--disable-pip-version-check", "--no-input", "--progress-bar", "off"),
    *("--require-hashes", "--no-deps"),
)
_PINNED: Final = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*(\[[^]]*\])?==", re.MULTILINE)
_FOUND: Final = ("Collecting ", "Processing ", "Requirement already satisfied: ")
_LEFT_OUT: Final = "Ignoring "
"""For another system, or another Python."""
_UNPACKING: Final = "Installing collected packages: "
_UNPACKED: Final = "Successfully installed "
_AT_ONCE: Final = ("WARNING: ", "ERROR: ")
"""Such as that the index cannot be reached, which pip tries again and again."""
_LOOK_SECONDS: Final = 0.5
_LOGGED: Final = 4
"""Lines that a log gets of one counter."""


class Counter:
    """How many packages are *done*, in one line of a terminal that is written over, or in a few of a log."""

    def __init__(self, done: str, total: int, out: TextIO) -> None:
        self.total = total
        self.count = 0
        self._done = done
        self._out = out
        self._open = False

    def reach(self, count: int) -> None:
        """Show *count*, unless more are known to be done."""
        before, self.count = self.count, max(count, self.count)
        count = self.count
        text = f"  {self._done} {count} of {self.total}"
        if count == before:
            return
        if self._out.isatty():
            self._out.write(f"\r{text}")
            self._open = True
        elif count * _LOGGED // self.total > before * _LOGGED // self.total:
            self._out.write(f"{text}\n")
        self._out.flush()

    def end(self) -> None:
        """Leave the line, if one is open, so that another can be written."""
        if self._open:
            self._out.write("\n")
            self._out.flush()
        self._open = False


def run(command: str, arguments: list[str]) -> int:
    """Run `pip command arguments`, and return its exit status."""
    lock = Path(arguments[arguments.index("-r") + 1])
    total = len(_PINNED.findall(lock.read_text("utf-8")))
    doing = "Fetching" if command == "download" else "Installing"
    print(f"{doing} the {total} packages of {lock}: the first time, a minute or so", flush=True)
    pip = subprocess.Popen(
        [sys.executable, "-m", "pip", command, *_OPTIONS, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert pip.stdout is not None
    with pip:
        said = _follow(pip.stdout, total)
    if pip.returncode != 0:
        sys.stdout.flush()
        sys.stderr.write(f"pip has failed. All that it said:\n{''.join(said)}")
    return pip.returncode


def _follow(lines: Iterable[str], total: int) -> list[str]:
    """Tell how far pip is from the *lines* that it says, and return them."""
    said: list[str] = []
    found = Counter("found", total, sys.stdout)
    for line in lines:
        said.append(line)
        if line.startswith(_LEFT_OUT):
            found.total -= 1
        elif line.startswith(_FOUND):
            found.reach(min(found.count + 1, found.total))
        elif line.startswith(_AT_ONCE):
            found.end()
            print(line, end="", file=sys.stderr, flush=True)
        elif line.startswith(_UNPACKING):
            found.end()
            with _unpacking_counted(line.count(",") + 1) as unpacked:
                for last in lines:
                    said.append(last)
                    if last.startswith(_UNPACKED):
                        unpacked.reach(unpacked.total)
    found.end()
    return said


@contextmanager
def _unpacking_counted(total: int) -> Iterator[Counter]:
    """Meanwhile, tell how much is unpacked, of which pip says nothing until the end."""
    places = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    counter, over = Counter("unpacked", total, sys.stdout), threading.Event()

    def installed() -> int:
        return sum(len(list(Path(place).glob("*.dist-info"))) for place in places)

    before = installed()

    def watch() -> None:
        is_over = False
        while not is_over:
            is_over = over.wait(_LOOK_SECONDS)
            counter.reach(max(0, min(total, installed() - before)))

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield counter
    finally:
        over.set()
        watching.join()
        counter.end()


if __name__ == "__main__":
    try:
        sys.exit(run(sys.argv[1], sys.argv[2:]))
    except KeyboardInterrupt:
        sys.exit(130)  # as shells have it; pip was interrupted as well
