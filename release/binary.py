"""`python -m release.binary`: the program as one executable file, `dist/svc`.

It is a shell script with a compressed tree behind it (`tree.py`). The first start unpacks the tree, later
ones run it from where it is; `docs/decisions/0028-one-file.md` has the figures and what else was tried.
"""

import gzip
import io
import os
import platform
import stat
import sys
import tarfile
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Final

from release import tree
from svc.version import VERSION

HEAD: Final = Path(__file__).with_name("head.sh")
DIST: Final = tree.ROOT / "dist"
MODIFIED_AT: Final = 1_580_601_600
"""Of every file: what hatchling gives those in a wheel, unless SOURCE_DATE_EPOCH says otherwise."""
LEVEL: Final = 6
"""9 makes the file one percent smaller, and takes three times as long."""
BLOCK_BYTES: Final = 4_096
COMPLETE: Final = "complete"
"""The last file that is unpacked. Where it is, all others are."""


def pack(directory: Path) -> bytes:
    """*directory* as a compressed archive that depends on names, contents and who may execute, alone."""
    modified_at = int(os.environ.get("SOURCE_DATE_EPOCH", MODIFIED_AT))
    archive = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=archive, mode="wb", compresslevel=LEVEL, mtime=0, filename="") as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.GNU_FORMAT) as files,
    ):
        for path in [*sorted(directory.rglob("*")), None]:
            entry = tarfile.TarInfo(COMPLETE if path is None else str(path.relative_to(directory)))
            entry.mtime = modified_at
            content = b""
            if path is not None and path.is_dir():
                entry.type = tarfile.DIRTYPE
                entry.mode = 0o755
            else:
                content = b"" if path is None else path.read_bytes()
                entry.mode = 0o755 if path is not None and path.stat().st_mode & stat.S_IXUSR else 0o644
            entry.size = len(content)
            files.addfile(entry, io.BytesIO(content))
    return archive.getvalue()


def unpacked_kb(directory: Path) -> int:
    """What *directory* takes on a disk of common blocks, and a twentieth more."""
    blocks = sum(1 + path.lstat().st_size // BLOCK_BYTES for path in directory.rglob("*"))
    return blocks * BLOCK_BYTES * 21 // 20 // 1024


def one_file(directory: Path) -> bytes:
    """The executable file that unpacks and runs the tree at *directory*."""
    archive = pack(directory)
    script = HEAD.read_text("utf-8")
    values = {
        "VERSION": VERSION,
        "DIGEST": sha256(archive).hexdigest()[:16],
        "NEEDED_KB": str(unpacked_kb(directory)),
        "LINES": str(script.count("\n") + 1),
        "MACHINE": platform.machine(),
        "GLIBC": tree.c_library_needed(directory),
    }
    for name, value in values.items():
        script = script.replace(f"@{name}@", value)
    # The size counts its own digits: as many as the placeholder has characters.
    size = len(script.encode()) + len(archive) - len("@BYTES@")
    size += len(str(size + len(str(size))))
    return script.replace("@BYTES@", str(size)).encode() + archive


def main(target: Path = DIST / "svc") -> None:
    """Build *target*, and say how large it is."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary, "tree")
        tree.build(directory)
        content = one_file(directory)
    draft = target.with_name(f".{target.name}.new")
    draft.write_bytes(content)
    draft.chmod(0o755)
    draft.replace(target)
    sys.stdout.write(f"{target}  {len(content) / 1e6:.1f} MB  {sha256(content).hexdigest()}\n")


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        # Compiled modules have sets of names, in an order that depends on it.
        again = [sys.executable, "-m", "release.binary", *sys.argv[1:]]
        os.execve(sys.executable, again, os.environ | {"PYTHONHASHSEED": "0"})
    main(*map(Path, sys.argv[1:]))
