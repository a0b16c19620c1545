"""Checks of the data directory, the disk below it, and the clock."""

import os
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import NamedTemporaryFile
from typing import Final

from svc.cli import offline
from svc.cli.doctor.findings import Finding, Install, State
from svc.cli.failures import Failure
from svc.domain.locale.times import MINUTE_MS, SECOND_MS, rfc3339
from svc.storage.clock import marks

SYNCS: Final = 9
SLOW_SYNC_MS: Final = 30
"""A disk that takes longer makes every write wait: usual SSDs take 1 to 5 ms, disks that turn about 10."""
VERY_SLOW_SYNC_MS: Final = 250
MIB: Final = 1024 * 1024
ROOM_MIB: Final = 1024
LITTLE_ROOM_MIB: Final = 100
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def permissions(install: Install) -> Iterator[Finding]:
    """Whether this user may use the data directory, and no other may."""
    directory = install.directory
    path = directory.path
    if not path.exists():
        parent = next(folder for folder in path.absolute().parents if folder.exists())
        if not os.access(parent, os.W_OK | os.X_OK):
            yield _problem("permissions", f"{path} is not there, and this user may not make it in {parent}.")
        else:
            yield Finding("permissions", "ok", f"{path} is not there yet; the first start makes it.")
        return
    if not path.is_dir():
        yield _problem("permissions", f"{path} is not a directory: name another with --data.")
        return
    found = list(_wrong_modes(install))
    yield from found
    if directory.database.exists() and not directory.secret_key.exists():
        yield _problem(
            "permissions",
            f"{directory.secret_key} is missing, and there is data: put it back, or restore a backup.",
        )
    elif not found:
        yield Finding("permissions", "ok", f"{path} is this user's, and no other's.")


def _wrong_modes(install: Install) -> Iterator[Finding]:
    directory = install.directory
    private = (directory.secret_key, directory.operator_token, directory.database, directory.tls)
    for path in (directory.path, *private, *_within(directory.tls)):
        try:
            status = path.stat()
        except FileNotFoundError:
            continue
        except OSError as error:
            yield _problem("permissions", f"{path} cannot be looked at: {error.strerror}.")
            continue
        if status.st_uid != os.geteuid() and os.geteuid() != 0:
            yield _problem(
                "permissions", f"{path} belongs to another user: run `chown` as root, or be that user."
            )
        elif status.st_mode & _OTHERS:
            yield _problem("permissions", f"{path} is open to other users: run `chmod go= {path}`.")
        elif path.is_dir() and not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            yield _problem("permissions", f"{path} is not writable for this user: run `chmod u+rwx {path}`.")


def _within(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def disk(install: Install) -> Iterator[Finding]:
    """Whether there is room, and how long the disk takes to sync, which every write waits for."""
    path = install.directory.path
    folder = path if path.is_dir() else next(one for one in path.absolute().parents if one.is_dir())
    room = shutil.disk_usage(folder).free // MIB
    if room < ROOM_MIB:
        little: State = "problem" if room < LITTLE_ROOM_MIB else "warning"
        yield Finding("disk", little, f"{room} MiB are left on the disk of {folder}: make room.")
    try:
        took = sync_ms(folder)
    except OSError as error:
        yield _problem("disk", f"Nothing can be written in {folder}: {error.strerror}.")
        return
    says = f"The disk of {folder} takes {took:.1f} ms to sync"
    if took > SLOW_SYNC_MS:
        slow: State = "problem" if took > VERY_SLOW_SYNC_MS else "warning"
        yield Finding("disk", slow, f"{says}, for which every write waits: use a local SSD, no network disk.")
    elif room >= ROOM_MIB:
        yield Finding("disk", "ok", f"{says}, and {room // 1024} GiB are left.")


def sync_ms(folder: Path) -> float:
    """The median time of a small synced write in *folder*, in ms."""
    took = []
    with NamedTemporaryFile(dir=folder, prefix=".svc-doctor-") as file:
        for _ in range(SYNCS):
            file.write(b" " * 4_096)
            file.flush()
            began = time.perf_counter()
            os.fsync(file.fileno())
            took.append((time.perf_counter() - began) * SECOND_MS)
    return median(took)


def clock(install: Install) -> Iterator[Finding]:
    """Whether the machine's clock is behind what is stored."""
    now = int(time.time() * SECOND_MS)
    if install.directory.database_url is None and not install.directory.has_data():
        yield Finding("clock", "ok", f"It is {rfc3339(now)}; there is no data yet to compare it with.")
        return
    try:
        stored = offline.read(install.directory, marks.traces).latest
    except Failure as error:
        yield _problem("clock", f"The data cannot be read: {error.message}.")
        return
    if stored > now + MINUTE_MS:
        minutes = (stored - now) // MINUTE_MS
        yield _problem(
            "clock", f"The machine's clock is {minutes} minutes behind what is stored: set it, best by NTP."
        )
    else:
        yield Finding("clock", "ok", f"It is {rfc3339(now)}, and nothing that is stored is later.")


def _problem(about: str, says: str) -> Finding:
    return Finding(about, "problem", says)
