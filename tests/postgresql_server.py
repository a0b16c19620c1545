"""A PostgreSQL server of the tests' own, on a socket in a directory of its own."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

import psycopg

from svc.storage.postgresql.engine import Address

PORT = 5432
"""A part of the socket's name alone: nothing listens to the network."""

STARTS_MAX: Final = 100
"""How often it is tried to start a server that was killed: each try takes a tenth of a second at least."""


class NoServer(Exception):
    """Raised where PostgreSQL is not installed."""


def programs() -> Path:
    """The directory of `initdb` and `postgres`. Raises `NoServer`."""
    config = shutil.which("pg_config")
    found = [] if config is None else [Path(subprocess.check_output([config, "--bindir"], text=True).strip())]
    installed = Path("/usr/lib/postgresql")
    if installed.is_dir():
        found += sorted((place / "bin" for place in installed.iterdir()), reverse=True)
    for place in found:
        if (place / "initdb").exists():
            return place
    raise NoServer("PostgreSQL is not installed: on Debian, apt install postgresql")


class Server:
    """A server in *directory*, with one superuser, `svc`, whom it trusts."""

    def __init__(self, directory: Path, *, fsync: bool) -> None:
        self.directory = directory
        self.data = directory / "data"
        self._programs = programs()
        self._fsync = "on" if fsync else "off"
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str = "postgres", *, user: str = "svc", **parameters: str) -> str:
        """The address of one of its databases."""
        more = "".join(f"&{name}={quote(value, safe='')}" for name, value in parameters.items())
        return f"postgresql://{user}@/{database}?host={quote(str(self.directory), safe='')}&port={PORT}{more}"

    def make(self, settings: Mapping[str, str]) -> None:
        """Make its data, as another user where the tests are root."""
        if os.getuid() == 0:
            shutil.chown(self.directory, "postgres", "postgres")
        self._run(
            "initdb", "-D", str(self.data), "-U", "svc", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"
        )
        lines = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.directory),
            "port": str(PORT),
            "fsync": self._fsync,
            "max_connections": "200",
            "shared_buffers": "64MB",
            **settings,
        }
        with (self.data / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in lines.items())

    def start(self) -> None:
        """Start it, and wait until it answers."""
        log = str(self.directory / "log")
        self._run("pg_ctl", "-D", str(self.data), "-l", log, "-w", "-t", "60", "start")

    def stop(self, how: str = "fast") -> None:
        """Stop it: `smart`, `fast`, or `immediate`, as if it had crashed."""
        self._run("pg_ctl", "-D", str(self.data), "-m", how, "-w", "-t", "60", "stop")

    def kill(self) -> None:
        """Kill its first process by SIGKILL; its others then end by themselves. `start` starts it again."""
        os.kill(int((self.data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def start_again(self) -> None:
        """Start it after `kill`, as soon as the last of its processes has let go of its memory."""
        for _ in range(STARTS_MAX):
            with suppress(subprocess.CalledProcessError):
                self.start()
                return
        self.start()

    def promote(self) -> None:
        """Become a copy of itself that has replaced it: the same data, on another timeline."""
        self.stop()
        (self.data / "standby.signal").touch()
        self.start()
        self._run("pg_ctl", "-D", str(self.data), "-w", "-t", "60", "promote")

    def execute(self, command: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Execute a command as the superuser; its rows."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(command.encode())
            return [] if cursor.description is None else cursor.fetchall()

    def end_sessions(self, database: str) -> None:
        """End all sessions with a database, as if their programs could not be heard any more."""
        self.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'")  # noqa: S608

    def dump(self, database: str) -> Path:
        """What `pg_dump` makes of a database."""
        file = self.directory / f"{database}.dump"
        self._run("pg_dump", "--format=custom", f"--file={file}", self.url(database))
        return file

    def restore(self, dump: Path, database: str) -> None:
        """Bring a dump back into an empty database, by `pg_restore`."""
        self._run("pg_restore", "--no-owner", "--exit-on-error", f"--dbname={self.url(database)}", str(dump))

    def create_database(self, name: str, options: str = "") -> str:
        """Make an empty database; its address."""
        self.execute(f"CREATE DATABASE {name} {options}")
        return self.url(name)

    def address(self, database: str = "postgres") -> Address:
        return Address(self.url(database))

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        if os.getuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


@contextmanager
def running_server(*, fsync: bool = False, **settings: str) -> Iterator[Server]:
    """A server that has started, stopped at the end; *settings* are lines of its configuration.

    Raises `NoServer`.
    """
    # The path of a socket has at most 107 bytes, so it is not in pytest's directories.
    directory = Path(tempfile.mkdtemp(prefix="svc-pg-"))
    server = Server(directory, fsync=fsync)
    try:
        server.make(settings)
        server.start()
        try:
            yield server
        finally:
            if (server.data / "postmaster.pid").exists():
                server.stop("immediate")
    finally:
        shutil.rmtree(directory, ignore_errors=True)
