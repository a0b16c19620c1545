"""`svc` as a process of its own, forked from one that has imported all of it: that is most of a start's work.

For tests of what a running service does. Those of a start itself, of its end and of its streams (some of
tests/cli, tests/packaging) start theirs as anybody does.

Passwords are hashed as in `tests.town`: by the same algorithm, with less work. An owner signs in hundreds of
times in the examples of the reference alone.
"""

import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Final

from argon2 import PasswordHasher

import svc
from svc.domain.crypto import passwords

IMPORTED: Final = ("svc.cli.commands.run", "svc.cli.commands.demo_messenger", "alembic.command")
"""What the programs need, and whatever that needs."""
WAIT_SECONDS: Final = 20


class Forked:
    """`svc` with *args*; what it prints is in `stdout`. By these names it does what `Popen` does."""

    def __init__(self, *args: str, stderr: IO[str], env: Mapping[str, str] = os.environ) -> None:
        asked = {"args": args, "env": dict(env), "cwd": str(Path.cwd())}
        printed, prints = os.pipe()
        self._ended, ends = os.pipe()
        forker = _forker()
        socket.send_fds(forker, [json.dumps(asked).encode() + b"\n"], [prints, stderr.fileno(), ends])
        os.close(prints)
        os.close(ends)
        self.pid = int(forker.recv(32))
        self.stdout = os.fdopen(printed, encoding="utf-8")
        self.returncode: int | None = None

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def poll(self) -> int | None:
        """What it ended with; None while it runs."""
        is_over = self.returncode is not None or select.select([self._ended], [], [], 0)[0]
        return self.wait() if is_over else None

    def wait(self, timeout: float = WAIT_SECONDS) -> int:
        """What it ended with; less than nothing for the signal that ended it."""
        if self.returncode is None:
            if not select.select([self._ended], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("svc", timeout)
            self.returncode = int(os.read(self._ended, 32))
            os.close(self._ended)
            self.stdout.close()
        return self.returncode


@cache
def _forker() -> socket.socket:
    """What forks for this process, for as long as this process lives."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.forked", str(theirs.fileno())],
            cwd=Path(__file__).parents[1],
            pass_fds=[theirs.fileno()],
            stdout=subprocess.DEVNULL,
        )

    def end() -> None:
        ours.close()
        process.wait(WAIT_SECONDS)

    atexit.register(end)
    return ours


def _serve(asking: socket.socket) -> None:
    """Fork for each line that comes, with three files: for its output, its errors, and how it ended.

    Returns when nobody can ask any more, and in each process that it forked when there is `svc` to be run.
    """
    ends: dict[int, int] = {}

    def tell(_number: int, _frame: object) -> None:
        for pid in list(ends):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                os.write(ends[pid], b"%d" % os.waitstatus_to_exitcode(status))
                os.close(ends.pop(pid))

    signal.signal(signal.SIGCHLD, tell)
    vars(passwords).update(HASHER=PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    for name in IMPORTED:  # after that, since they take it from there
        import_module(name)
    # What migrates is imported here already, so no further process is started for it.
    here = import_module("svc.storage.sqlite.store").migrate_to_head
    vars(import_module("svc.cli.server_process")).update(migrate_apart=here)
    gc.collect()
    gc.freeze()
    while True:
        line, files, _, _ = socket.recv_fds(asking, 65_536, 3)
        while line and not line.endswith(b"\n"):
            line += asking.recv(65_536)
        if not line:
            sys.exit()
        # Until it is known whose it is, nothing may be told of an end.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        pid = os.fork()
        if not pid:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        else:
            ends[pid] = files.pop()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        if not pid:
            _become(files, **json.loads(line))
            return
        for file in files:
            os.close(file)
        asking.sendall(b"%d" % pid)


def _become(files: list[int], args: list[str], env: dict[str, str], cwd: str) -> None:
    """Have what a new process has: arguments, environment, place, and no file but the standard streams."""
    os.dup2(files[0], sys.stdout.fileno())
    os.dup2(files[1], sys.stderr.fileno())
    os.closerange(sys.stderr.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = [str(Path(svc.__file__).with_name("__main__.py")), *args]


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
    from svc.cli import main

    main()
