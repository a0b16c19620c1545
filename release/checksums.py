"""`python -m release.checksums`: the digests of what `dist/` has, as `sha256sum --check` reads them."""

from hashlib import sha256
from pathlib import Path
from typing import Final

from release.binary import DIST

NAME: Final = "SHA256SUMS"


def lines(directory: Path) -> str:
    """A line for each file of *directory*, by name; its own file aside."""
    files = sorted(path for path in directory.iterdir() if path.is_file() and path.name != NAME)
    return "".join(f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)


if __name__ == "__main__":
    (DIST / NAME).write_text(lines(DIST))
