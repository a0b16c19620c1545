"""The one file: it unpacks once and serves, with nothing of this machine but its C library."""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import httpx
import pytest

from svc.version import VERSION
from tests.release.conftest import FILE
from tests.release.journeys import demo_in, walk_through

MIB: Final = 1 << 20
UNPACKED: Final = "unpacked-svc-*"
C_LIBRARY: Final = re.compile(
    r"/(ld-linux|libc|libm|libdl|libpthread|librt|libutil|libresolv|libnss_)[\w.-]*\.so"
)


def svc(binary: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run a command of *binary* with no variables but those, not even PATH and HOME."""
    return subprocess.run(
        [binary, *arguments], env=variables, cwd="/", capture_output=True, text=True, check=False, timeout=60
    )


@contextmanager
def running(
    binary: Path, data: Path, *arguments: str, **variables: str
) -> Iterator["tuple[subprocess.Popen[str], str]"]:
    """`svc run`, ready, and the address of its public listener; it is stopped on exit."""
    with (data.parent / "log").open("w") as log:
        command: list[str | Path] = [
            binary,
            "run",
            "--data",
            data,
            "--bind",
            "127.0.0.1:0",
            "--operator-bind",
            "127.0.0.1:0",
        ]
        process = subprocess.Popen(
            [*command, *arguments], env=variables, cwd="/", stdout=subprocess.PIPE, stderr=log, text=True
        )
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if found := re.match(r"(?:Public|Open first) +(http\S+?)/?\s", line):
                    break
            else:
                pytest.fail((data.parent / "log").read_text())
            yield process, found[1]
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)
            assert 0 == process.returncode
        finally:
            process.kill()
            process.communicate()


def test_it_serves_every_journey_and_uses_nothing_of_this_machine(
    binary: Path, place: Path, tmp_path: Path
) -> None:
    """Started by its name in another directory, without an environment; every library loaded is its own."""
    data = tmp_path / "data"
    with running(binary, data, "--demo", SVC_UNPACK_DIR=str(place)) as (process, url):
        with httpx.Client(base_url=url, timeout=30) as client:
            walk_through(client, demo_in(data))
        proc = Path("/proc", str(process.pid))
        maps = (proc / "maps").read_text()
        loaded = set(re.findall(r"\S+\.so\S*", maps))
        [resident] = re.findall(r"VmRSS:\s+(\d+) kB", (proc / "status").read_text())
        used = str((proc / "exe").readlink())
        called = svc(binary, "call", "form.list", "{}", "--data", str(data), SVC_UNPACK_DIR=str(place))
        variables = (proc / "environ").read_bytes()

    [tree] = place.glob(UNPACKED)
    foreign = {path for path in loaded if not Path(path).is_relative_to(tree) and not C_LIBRARY.search(path)}
    assert Path(used).is_relative_to(tree)
    assert set() == foreign
    assert " rwxp " not in maps, "the unit has MemoryDenyWriteExecute"
    assert int(resident) / 1024 < 160, "after all journeys; idle it is below 100 MiB"
    assert 0 == called.returncode, called.stderr
    assert b"PYTHON" not in variables
    assert 0 == svc(binary, "check", "--data", str(data), SVC_UNPACK_DIR=str(place)).returncode


def test_it_is_small_and_later_starts_unpack_nothing(binary: Path, place: Path) -> None:
    """Under 80 MB; a second start leaves the tree as it is, also when it is started through a link."""
    first = svc(binary, "--version", SVC_UNPACK_DIR=str(place))
    [tree] = place.glob(UNPACKED)
    made = tree.stat().st_mtime_ns
    link = place / "link"
    link.symlink_to(binary)
    second = svc(link, "--version", SVC_UNPACK_DIR=str(place))
    example = svc(binary, "config", "--example", SVC_UNPACK_DIR=str(place))

    assert f"svc {VERSION}\n" == first.stdout, first.stderr
    assert f"link {VERSION}\n" == second.stdout, second.stderr
    assert (FILE.parents[1] / "config" / "svc.toml").read_text("utf-8") == example.stdout
    assert made == tree.stat().st_mtime_ns
    assert [tree] == list(place.glob(UNPACKED))
    assert [] == list(place.glob(".unpacking-*"))
    assert binary.stat().st_size < 80 * MIB


def test_starts_at_the_same_time_unpack_into_one_tree(binary: Path, tmp_path: Path) -> None:
    """Both run, and nothing is left over."""
    place = tmp_path / "new"
    starts = [
        subprocess.Popen(
            [binary, "--version"], env={"SVC_UNPACK_DIR": str(place)}, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    printed = [start.communicate(timeout=120)[0] for start in starts]

    assert [f"svc {VERSION}\n"] * 2 == printed
    [tree] = place.iterdir()
    assert (tree / "complete").exists()
    shutil.rmtree(place)


@pytest.mark.parametrize("damage", ["truncated", "changed"])
def test_a_damaged_file_says_so_and_leaves_nothing(damage: str, binary: Path, tmp_path: Path) -> None:
    """A download that broke off, or in which bytes are wrong."""
    content = bytearray(binary.read_bytes())
    middle = len(content) // 2
    if damage == "truncated":
        del content[middle:]
    else:
        content[middle : middle + 64] = bytes(64)
    broken = tmp_path / "svc"
    broken.write_bytes(content)
    broken.chmod(0o755)
    place = tmp_path / "place"
    ran = svc(broken, "run", SVC_UNPACK_DIR=str(place))

    assert 1 == ran.returncode
    assert f"should have {binary.stat().st_size} bytes" in ran.stderr
    assert [] == list(place.iterdir())


def test_a_disk_without_room_is_told_before_and_while_unpacking(binary: Path, tmp_path: Path) -> None:
    """Where the file system says that too little is free, and where a limit ends it later."""
    mounted = tmp_path / "small"
    mounted.mkdir()
    limited = subprocess.run(
        ["sh", "-c", f"ulimit -f 2000; exec {binary} run"],
        env={"SVC_UNPACK_DIR": str(tmp_path / "limited")},
        capture_output=True,
        text=True,
        check=False,
    )
    script = f"mount -t tmpfs -o size=20m tmpfs {mounted} && SVC_UNPACK_DIR={mounted}/x exec {binary} run"
    namespace = ["unshare", "--mount", "--map-root-user", "sh", "-c", script]
    small = subprocess.run(namespace, capture_output=True, text=True, check=False)
    if "Operation not permitted" in small.stderr or "unshare failed" in small.stderr:
        pytest.skip(f"no small disk can be mounted here: {small.stderr.strip()}")

    assert 1 == limited.returncode
    assert "it became full while unpacking" in limited.stderr
    assert [] == list((tmp_path / "limited").iterdir())
    assert 1 == small.returncode
    assert re.search(rf"{mounted}/x: it needs \d+ MB, and (19|20) MB are free\n", small.stderr), small.stderr
    assert small.stderr.endswith(
        "Make room, or name a directory in the environment variable SVC_UNPACK_DIR.\n"
    )


def test_only_a_directory_that_others_cannot_write_to_is_used(binary: Path, tmp_path: Path) -> None:
    """Neither one that anybody can write to, nor a link, nor a file: its content would be run."""
    opened, linked, file = (tmp_path / name for name in ("opened", "linked", "file"))
    opened.mkdir()
    opened.chmod(0o777)
    linked.symlink_to(tmp_path)
    file.touch()
    for place in (opened, linked, file):
        ran = svc(binary, "--version", SVC_UNPACK_DIR=str(place))

        assert 1 == ran.returncode
        assert f"{place}: it cannot be made or written to, or others can write to it\n" in ran.stderr
    assert [] == list(opened.iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory to another user")
def test_nothing_is_unpacked_below_another_users_directory(binary: Path, tmp_path: Path) -> None:
    """Under `sudo -E` the home is another's, who could put their own program there; not even an own directory
    below it is used, as an older version made them.
    """
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    theirs.mkdir()
    ours.mkdir()
    cache = theirs / ".cache" / "svc"
    cache.mkdir(parents=True, mode=0o700)
    os.chown(theirs, 12_345, 12_345)
    ran = svc(binary, "--version", XDG_CACHE_HOME=str(cache.parent), HOME=str(ours))
    refused = svc(binary, "--version", SVC_UNPACK_DIR=str(theirs / "new"))

    assert 0 == ran.returncode, ran.stderr
    assert 1 == len(list((ours / ".cache" / "svc").glob(UNPACKED)))
    assert [] == list(cache.iterdir())
    assert f"{theirs / 'new'}: it is below a directory of another user\n" in refused.stderr
    assert not (theirs / "new").exists()


def test_a_new_version_removes_what_no_process_runs(binary: Path, place: Path, tmp_path: Path) -> None:
    """An older version's tree goes once it is not in use; what only has a similar name stays."""
    svc(binary, "--version", SVC_UNPACK_DIR=str(place))
    [tree] = place.glob(UNPACKED)
    new = tmp_path / "several"
    new.mkdir(mode=0o700)
    for name in ("unpacked-svc-0.0.1-a", "unpacked-svc-0.0.2-b", "unpacked-svc-of-mine"):
        (new / name).mkdir()
        (new / name / "start.py").touch()
    for name in ("unpacked-svc-0.0.1-a", "unpacked-svc-0.0.2-b"):
        (new / name / "complete").touch()
    in_use: list[str | Path] = ["flock", "-s", new / "unpacked-svc-0.0.1-a" / "start.py", "cat"]
    with subprocess.Popen(in_use, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as older:
        assert older.stdin is not None
        assert older.stdout is not None
        older.stdin.write(b"x")  # it comes back once the lock is held
        older.stdin.flush()
        older.stdout.read(1)
        ran = svc(binary, "--version", SVC_UNPACK_DIR=str(new))
        older.stdin.close()

    assert 0 == ran.returncode, ran.stderr
    assert {"unpacked-svc-0.0.1-a", "unpacked-svc-of-mine", tree.name} == {
        path.name for path in new.iterdir()
    }


def test_two_versions_do_not_share_a_data_directory(binary: Path, place: Path, tmp_path: Path) -> None:
    """While one runs the other is refused; and data of a newer version is, untouched."""
    data = tmp_path / "data"
    variables = {"SVC_UNPACK_DIR": str(place)}
    binds = ("--bind", "127.0.0.1:0", "--operator-bind", "127.0.0.1:0")
    with running(binary, data, **variables):
        second = svc(binary, "run", "--data", str(data), *binds, **variables)
    with closing(sqlite3.connect(data / "svc.db")) as database, database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    older = svc(binary, "run", "--data", str(data), *binds, **variables)

    assert 1 == second.returncode
    assert "svc.db is in use by process" in second.stderr
    assert 1 == older.returncode
    assert "the data is at schema revision 9999" in older.stderr
    assert "start the program that wrote it" in older.stderr


def test_a_later_start_is_ready_soon(binary: Path, place: Path, tmp_path: Path) -> None:
    """Two seconds where nothing else runs; five times that here, since tests run beside each other."""
    data = tmp_path / "data"
    with running(binary, data, SVC_UNPACK_DIR=str(place)):
        pass
    before = time.monotonic()
    with running(binary, data, SVC_UNPACK_DIR=str(place)) as (process, _):
        took = time.monotonic() - before
        status = Path("/proc", str(process.pid), "status").read_text()
    [resident] = re.findall(r"VmRSS:\s+(\d+) kB", status)

    assert took < 10
    assert int(resident) / 1024 < 100
