"""The program with its interpreter, as a directory that runs wherever it is put.

```
svc               the start: a shell script
bin/python3       the interpreter that builds this
bin/python        what starts it with the libraries below: a shell script
lib/*.so.*        the shared libraries that it and the packages need, but not those of the C library
lib/python3.N/    the standard library, and in site-packages the program and what it needs at run time
```

Nothing is looked for by analysing imports: every module of every pinned package is taken, so a module that
is imported by name at run time, a template or a migration cannot be missing. Other's modules are compiled
and come without their source, which halves the size.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from importlib.util import MAGIC_NUMBER
from marshal import dumps
from pathlib import Path, PurePosixPath
from typing import Final

from packaging.requirements import Requirement

ROOT: Final = Path(__file__).parents[1]
HERE: Final = Path(__file__).parent
PYTHON: Final = f"python{sys.version_info.major}.{sys.version_info.minor}"
_OWN: Final = "svc-platform"

_STANDARD_LIBRARY_WITHOUT: Final = frozenset({
    *("test", "tests", "idlelib", "tkinter", "turtledemo", "turtle.py", "lib2to3", "ensurepip", "venv"),
    *("site-packages", "dist-packages", "__pycache__", "lib-dynload", "distutils", "pydoc_data"),
})  # fmt: skip
_EXTENSIONS_WITHOUT: Final = re.compile(
    r"_test|_ctypes_test|_xxtest|xxlimited|_tkinter|ossaudiodev|nis\.|readline|_curses"
)
_PACKAGES_WITHOUT: Final = re.compile(
    r"(^|/)(tests?|__pycache__)/|\.(pyi|pyx|pxd|c|h|rst|typed)$"
    # Names of places and carriers: more than half of the package, and nothing here imports them.
    r"|^phonenumbers/(geodata|carrierdata|tzdata)/"
    r"|\.dist-info/(RECORD|INSTALLER|REQUESTED|direct_url\.json)$"
)
_C_LIBRARY: Final = re.compile(
    r"^(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libutil|libresolv|libnsl)\.so|^ld-"
)
_UNCHECKED: Final = (0b01).to_bytes(4, "little")
"""In a compiled module: it is keyed by a hash of its source (PEP 552) that is never looked at."""


def build(tree: Path) -> None:
    """Make the tree at *tree*, which must not exist. The same inputs make the same files."""
    library = tree / "lib" / PYTHON
    _copy_standard_library(library)
    packages = library / "site-packages"
    for needed in run_time_distributions():
        _copy_distribution(needed, packages)
    _copy_program(packages)
    (tree / "bin").mkdir()
    shutil.copyfile(Path(sys.executable).resolve(), tree / "bin" / "python3")
    shutil.copyfile(HERE / "python.sh", tree / "bin" / "python")
    for source in _shared_libraries(tree):
        shutil.copyfile(source, tree / "lib" / source.name)
    shutil.copyfile(HERE / "start.py", tree / "start.py")
    shutil.copyfile(HERE / "start.sh", tree / "svc")
    for program in (tree / "bin" / "python3", tree / "bin" / "python", tree / "svc"):
        program.chmod(0o755)
    _strip(tree)


def c_library_needed(tree: Path) -> str:
    """The oldest version of the GNU C library with which everything in *tree* loads, such as `2.36`."""
    versions = {
        int(minor)
        for path in _elf_files(tree)
        for minor in re.findall(rb"GLIBC_2\.(\d{1,3})\b", path.read_bytes())
    }
    return f"2.{max(versions)}"


def run_time_distributions() -> list[Distribution]:
    """What the server and `svc top` need, by name, and nothing that only builds or tests."""
    found: dict[str, Distribution] = {}
    waiting = [(_OWN, frozenset({"server", "top"}))]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        found[name] = distribution(name)
        for line in found[name].requires or ():
            requirement = Requirement(line)
            environments = [{"extra": extra} for extra in extras or {""}]
            if requirement.marker is None or any(map(requirement.marker.evaluate, environments)):
                canonical = re.sub(r"[-_.]+", "-", requirement.name).lower()
                waiting.append((canonical, frozenset(requirement.extras)))
    del found[_OWN]
    return [found[name] for name in sorted(found)]


def _copy_standard_library(library: Path) -> None:
    source = Path(sysconfig.get_path("stdlib"))
    for path in _files(source, without=_STANDARD_LIBRARY_WITHOUT):
        name = path.relative_to(source)
        if not name.parts[0].startswith("config-"):
            _copy(path, library, PurePosixPath(name))
    extensions = Path(sysconfig.get_config_var("DESTSHARED"))
    for path in sorted(extensions.glob("*.so")):
        if not _EXTENSIONS_WITHOUT.match(path.name):
            _copy(path, library, PurePosixPath("lib-dynload", path.name))


def _copy_distribution(needed: Distribution, packages: Path) -> None:
    for file in sorted(needed.files or (), key=str):
        name = PurePosixPath(file)
        if ".." not in name.parts and not _PACKAGES_WITHOUT.search(str(name)):
            _copy(Path(str(needed.locate_file(file))), packages, name)


def _copy_program(packages: Path) -> None:
    """The wheel's files, compiled and with their source, since Alembic reads that of migrations."""
    with tempfile.TemporaryDirectory() as built:
        build_wheel = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", built]
        subprocess.run(build_wheel, cwd=ROOT, check=True, capture_output=True)
        [wheel] = Path(built).glob("*.whl")
        with zipfile.ZipFile(wheel) as files:
            for name in sorted(files.namelist()):
                path = PurePosixPath(name)
                if _PACKAGES_WITHOUT.search(name):
                    continue
                content = files.read(name)
                _write(packages / path, content)
                if path.suffix == ".py":
                    cached = path.parent / "__pycache__" / f"{path.stem}.{sys.implementation.cache_tag}.pyc"
                    _write(packages / cached, _compiled(content, path))


def _copy(source: Path, directory: Path, name: PurePosixPath) -> None:
    content = source.read_bytes()
    if name.suffix == ".py":
        try:
            _write(directory / name.with_suffix(".pyc"), _compiled(content, name))
        except SyntaxError:  # a template of a module, which nobody can import
            _write(directory / name, content)
    else:
        _write(directory / name, content)


def _compiled(source: bytes, name: PurePosixPath) -> bytes:
    """*source* compiled, as a file whose content depends on nothing else."""
    code = compile(source, str(name), "exec", dont_inherit=True, optimize=0)
    return MAGIC_NUMBER + _UNCHECKED + bytes(8) + dumps(code)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _files(directory: Path, *, without: frozenset[str]) -> Iterator[Path]:
    for path in sorted(directory.iterdir()):
        if path.name in without:
            continue
        if path.is_dir():
            yield from _files(path, without=without)
        elif path.suffix != ".pyc":
            yield path


def _elf_files(tree: Path) -> list[Path]:
    return [path for path in sorted(tree.rglob("*")) if path.is_file() and _is_elf(path)]


def _strip(tree: Path) -> None:
    """Remove what only debuggers read, three quarters of the interpreter's library, if this machine can."""
    if shutil.which("strip"):
        for path in _elf_files(tree):
            subprocess.run(["strip", "--strip-debug", path], check=True, capture_output=True)


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _shared_libraries(tree: Path) -> Iterable[Path]:
    """The libraries of this machine that something in *tree* needs, under the names by which it asks."""
    needed: dict[str, Path] = {}
    for path in _elf_files(tree):
        # Where Python is not in a standard place, its own library is found as it is for this very process.
        found = subprocess.run(
            ["ldd", path], check=False, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"}
        ).stdout
        for name, place in re.findall(r"^\s*(\S+) => (\S+)", found, re.MULTILINE):
            if _C_LIBRARY.match(name) or Path(place).is_relative_to(tree) or "/site-packages/" in place:
                continue
            if place == "not":
                raise SystemExit(f"release: {path.name} needs {name}, which this machine does not have")
            needed[name] = Path(place)
    return [needed[name] for name in sorted(needed)]
