"""A small disk of its own, in memory, that a test can fill to the last byte."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

MIB: Final = 1024 * 1024
_PIECE_BYTES: Final = 4_096


class SmallDisk:
    """A disk that is mounted at `place`, for programs that are started with `inside` before them."""

    def __init__(self, place: Path, holder: int) -> None:
        self.place = place
        self.inside = ("nsenter", "-t", str(holder), "-m", "-U", "--preserve-credentials")
        self._seen = Path(f"/proc/{holder}/root")
        self._filler = self.outside(place / "filler")

    def outside(self, path: Path) -> Path:
        """Where this process sees the file at *path* of the disk."""
        return self._seen / path.relative_to("/")

    def fill(self, *, but: int = 0) -> None:
        """Leave no byte, or as many as *but* says."""
        with self._filler.open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(_PIECE_BYTES))
            except OSError:
                pass
        os.truncate(self._filler, self._filler.stat().st_size - but)

    def make_room(self) -> None:
        """Remove what it was filled with."""
        self._filler.unlink(missing_ok=True)


@contextmanager
def small_disk(place: Path, mib: int) -> Iterator[SmallDisk]:
    """A disk of so many *mib* at *place*, in a namespace of its own; the test is skipped where that fails."""
    place.mkdir()
    mount = 'mount -t tmpfs -o size="$2" tmpfs "$1" && echo mounted && exec cat'
    with subprocess.Popen(
        ["unshare", "--mount", "--map-root-user", "sh", "-c", mount, "sh", place, f"{mib}m"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stderr is not None
        if holder.stdout.readline() != "mounted\n":
            pytest.skip(f"no small disk can be mounted here: {holder.stderr.read().strip()}")
        yield SmallDisk(place, holder.pid)
        holder.kill()
