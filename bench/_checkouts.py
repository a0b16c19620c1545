"""Another state of the project: a checkout that is there, or a revision, in a directory of its own."""

import io
import json
import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from bench._machine import PROJECT, Server, free_port, is_ready, server_prefix

CALLS_PER_MINUTE: Final = 100_000
"""The largest budget that the configuration takes. A burst that exceeds it counts for neither."""
POLL_SECONDS: Final = 0.05


class Demo(msgspec.Struct, frozen=True):
    """A checkout's service with its demo, and what is in its `demo.json`."""

    server: Server
    facts: dict[str, Any]


def checkout(name: str, space: Path) -> Path:
    """The checkout at the path *name*, or the revision *name*, which is unpacked in *space*.

    Raises `SystemExit` if it is neither.
    """
    if (Path(name) / "svc").is_dir():
        return Path(name).resolve()
    archive = subprocess.run(
        ["git", "archive", name],
        cwd=PROJECT,
        capture_output=True,
        check=False,
    )
    if archive.returncode:
        sys.exit(f"{name} is neither a checkout nor a revision: {archive.stderr.decode().strip()}")
    unpacked = space / "checkout"
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(unpacked, filter="data")
    return unpacked


@contextmanager
def demo(at: Path, space: Path) -> Iterator[Demo]:
    """The demo of the checkout *at* a directory, in the environment of this one. Its data are in *space*."""
    space.mkdir()
    port, operator_port, data = free_port(), free_port(), space / "data"
    binds = [f"--bind=127.0.0.1:{port}", f"--operator-bind=127.0.0.1:{operator_port}"]
    command = [sys.executable, "-m", "svc", "run", "--demo", f"--data={data}", *binds]
    environment = {"PYTHONPATH": str(at), "SVC_TOOLS__CALLS_PER_MINUTE": str(CALLS_PER_MINUTE)}
    with (space / "log").open("wb") as log:
        process = subprocess.Popen(
            [*server_prefix(), *command], cwd=space, env=os.environ | environment, stdout=log, stderr=log
        )
    server = Server(process, port)
    try:
        while not ((data / "demo.json").exists() and is_ready(operator_port, data)):
            if process.poll() is not None:
                sys.exit(f"the server of {at} did not start:\n{(space / 'log').read_text()}")
            time.sleep(POLL_SECONDS)
        yield Demo(server, json.loads((data / "demo.json").read_text()))
    finally:
        server.stop()
