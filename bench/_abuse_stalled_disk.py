"""A disk that stalls for longer than a turn, while a form's queue is filed: filings within a minute.

The real program over a real file; `fdatasync` and `fsync` take 12 seconds each for a while, by a small
library that is loaded before libc. It is compiled here, so it needs `cc`; without it this ends with 2.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec
import trio

from bench._machine import free_port, is_ready, program, running
from bench._report import print_table
from bench._world import DATABASE, workspace
from svc.cli.data_directory import DataDirectory
from svc.clock import VirtualClock
from svc.domain.forms.forms import NewForm
from svc.domain.forms.limits import PACE_FILINGS_MAX, PACE_WINDOW_MS, QUEUE_PASS_MS
from svc.domain.locale.times import SECOND_MS
from svc.storage import provisioning
from svc.storage.forms import forms, submissions
from svc.storage.forms.submissions import NewSubmission
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx

QUEUED: Final = 300
STALL_SECONDS: Final = 12
"""Of one `fdatasync`; a turn has 10."""
PASS_IN_SECONDS: Final = 8
"""From the making of the data to the pass of the queue: the program starts meanwhile."""
STALLS_FOR_SECONDS: Final = 45
WATCHED_SECONDS: Final = 75
NO_COMPILER: Final = 2

_LIBRARY: Final = f"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
static void stall(void) {{
    if (access(getenv("STALL_FILE"), F_OK) == 0) sleep({STALL_SECONDS});
}}
int fdatasync(int fd) {{ stall(); return ((int (*)(int)) dlsym(RTLD_NEXT, "fdatasync"))(fd); }}
int fsync(int fd) {{ stall(); return ((int (*)(int)) dlsym(RTLD_NEXT, "fsync"))(fd); }}
"""


def _fill(tx: Tx) -> None:
    organization = provisioning.create(tx, NewOrganization(name="Bench", country="DE", plan="pro"))
    form = forms.create(tx, organization, NewForm(name="Contact us"))
    new = NewSubmission(
        organization_id=organization.id,
        form_id=form.id,
        queued=True,
        sender="0" * 32,
        visitors=(),
        email=None,
        phone=None,
        name=None,
        fields={},
        recognised=("email",),
        mapped={},
        dropped=0,
        spam=False,
    )
    for number in range(QUEUED):
        email = f"p{number}@bench.example"
        submissions.create(tx, msgspec.structs.replace(new, email=email, fields={"email": email}))


def _make(data: Path) -> None:
    """A form whose queue is nearly as old as its pass."""
    directory = DataDirectory(data)
    directory.make()
    directory.open_key()
    then = round(time.time() * SECOND_MS) - QUEUE_PASS_MS + PASS_IN_SECONDS * SECOND_MS

    async def make() -> None:
        clock = VirtualClock(then - round(trio.current_time() * SECOND_MS))
        async with inline_store(clock, directory.database, prepare=migrate_to_head) as store:
            await store.write(_fill)

    trio.run(make)


@contextmanager
def _stalling(space: Path) -> Iterator[Path]:
    """A file during whose life the disk of the programs that are started here stalls."""
    source, library, stall = space / "stall.c", space / "stall.so", space / "stall"
    source.write_text(_LIBRARY)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    os.environ |= {"LD_PRELOAD": str(library), "STALL_FILE": str(stall)}
    try:
        yield stall
    finally:
        del os.environ["LD_PRELOAD"], os.environ["STALL_FILE"]


def run() -> None:
    """Have the queue filed over a disk that stalls, and print how fast that was."""
    if shutil.which("cc") is None:
        sys.exit(NO_COMPILER)
    with workspace() as space, _stalling(space) as stall:
        data = space / "data"
        _make(data)
        port, operator_port = free_port(), free_port()
        command, log = program(data, port, operator_port), data.with_suffix(".log")
        with running(command, port, log=log, ready=lambda: is_ready(operator_port, data)):
            stall.touch()
            time.sleep(STALLS_FOR_SECONDS)
            stall.unlink()
            time.sleep(WATCHED_SECONDS - STALLS_FOR_SECONDS)
        crashes = log.read_text().count("actor crashed")
        _show(data, crashes)


def _show(data: Path, crashes: int) -> None:
    with closing(sqlite3.connect(data / DATABASE)) as database:
        rows = database.execute("SELECT filed_at FROM submissions WHERE filed_at IS NOT NULL")
        times = sorted(row[0] for row in rows)
    most = max(
        (place + 1 - bisect_left(times, at - PACE_WINDOW_MS + 1) for place, at in enumerate(times)),
        default=0,
    )
    print_table(
        f"a queue of {QUEUED} and an fsync of {STALL_SECONDS} s",
        ("", "seen", "bound"),
        [
            ("filed within a minute, at most", str(most), str(PACE_FILINGS_MAX)),
            ("crashes", str(crashes), "0"),
        ],
    )


if __name__ == "__main__":
    run()
