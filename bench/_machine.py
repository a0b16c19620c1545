"""The machine: its cores, a server process on one of them, and what that process used."""

import http.client
import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from http import HTTPStatus
from pathlib import Path
from statistics import median
from typing import Final

PROJECT: Final = Path(__file__).parent.parent
LOG_CHARS_MAX: Final = 2_000
_SYNCS: Final = 200
START_SECONDS_MAX: Final = 60
STOP_SECONDS_MAX: Final = 30
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_CORES: Final = sorted(os.sched_getaffinity(0))


def server_prefix() -> list[str]:
    """What pins a server to its core."""
    return ["taskset", "-c", str(_CORES[0])]


def load_prefix() -> list[str]:
    """What keeps the load off the server's core, where there is another one."""
    return ["taskset", "-c", ",".join(map(str, _CORES[1:] or _CORES))]


def stand_aside() -> None:
    """Keep this process, too, off the server's core, where there is another one."""
    os.sched_setaffinity(0, _CORES[1:] or _CORES)


def use_all_cores() -> None:
    """Take `stand_aside` back."""
    os.sched_setaffinity(0, _CORES)


def describe(directory: Path) -> dict[str, str | float]:
    """What the figures were made on; *directory* is on the disk that was written to."""
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": len(_CORES),
        "fdatasync_ms": fdatasync_ms(directory),
    }


def fdatasync_ms(directory: Path) -> float:
    """How long the disk takes to make 4 KiB durable, the median of many."""
    took: list[float] = []
    with tempfile.TemporaryFile(dir=directory) as file:
        for _ in range(_SYNCS):
            os.write(file.fileno(), bytes(4096))
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - began)
    return median(took) * 1e3


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def free_ports(count: int) -> list[int]:
    """Different ports that nothing listens at."""
    with ExitStack() as listeners:
        opened = [listeners.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [listener.getsockname()[1] for listener in opened]


class Server:
    """A server process on its core."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int) -> None:
        self.process = process
        self.port = port

    @property
    def url(self) -> str:
        """Where forms are posted."""
        return f"http://127.0.0.1:{self.port}/api/f/s"

    def cpu_seconds(self) -> float:
        """User and system time of all its threads so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def waited_seconds(self) -> float:
        """How long its main thread was ready to run so far, and had no core: others had it."""
        return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[1]) / 1e9

    def rss_mib(self) -> float:
        """Its resident memory."""
        return self._mib("status", "VmRSS:")

    def pss_mib(self) -> float:
        """Its resident memory, of which what it shares with other processes counts in part."""
        return self._mib("smaps_rollup", "Pss:")

    def _mib(self, file: str, name: str) -> float:
        for line in Path(f"/proc/{self.process.pid}/{file}").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) / 1024
        raise ProcessLookupError(self.process.pid)

    def kill(self) -> None:
        """SIGKILL, and nothing else."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """SIGTERM, and wait until it is gone."""
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.kill()
            raise


def start(command: Sequence[str], port: int, *, log: Path, ready: Callable[[], bool] | None = None) -> Server:
    """Start *command* on the server's core and wait until it is *ready*, or else answers at *port*."""
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [*server_prefix(), *command],
            stdout=sink,
            stderr=sink,
            cwd=log.parent,  # where there is no configuration of this checkout
            env=os.environ | {"PYTHONPATH": str(PROJECT)},
        )
    server = Server(process, port)
    started = ready or (lambda: answers(port))
    deadline = time.monotonic() + START_SECONDS_MAX
    while not started():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise SystemExit(
                f"the server did not start: {' '.join(command)}\n{log.read_text()[-LOG_CHARS_MAX:]}"
            )
        time.sleep(0.002)
    return server


@contextmanager
def running(
    command: Sequence[str], port: int, *, log: Path, ready: Callable[[], bool] | None = None
) -> Iterator[Server]:
    """`start`, and stop on leaving."""
    server = start(command, port, log=log, ready=ready)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


def answers(port: int) -> bool:
    """Whether a server answers at *port*, whatever it is: one may listen before it accepts connections."""
    try:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
            connection.request("GET", "/")
            connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return False
    return True


def is_ready(operator_port: int, data: Path) -> bool:
    """Whether the program over *data* says that it is ready."""
    try:
        return _ask(operator_port, data, "/readyz")[0] == HTTPStatus.OK
    except OSError:
        return False


def actors_live(operator_port: int, data: Path, kind: str) -> int:
    """How many actors of *kind* the program over *data* has awake."""
    total: int = json.loads(_ask(operator_port, data, f"/debug/actors?kind={kind}&limit=1")[1])["total"]
    return total


def turns_taken(operator_port: int, data: Path, kind: str) -> int:
    """How many turns the actors of *kind* have taken since the start."""
    kinds = json.loads(_ask(operator_port, data, "/debug/actors?limit=1")[1])["kinds"]
    total: int = next(one["turns"] for one in kinds if one["kind"] == kind)
    return total


def _ask(operator_port: int, data: Path, path: str) -> tuple[int, bytes]:
    token = data / "operator.token"
    headers = {"authorization": f"Bearer {token.read_text().strip()}"} if token.exists() else {}
    with closing(http.client.HTTPConnection("127.0.0.1", operator_port, timeout=10)) as connection:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()


def program(data: Path, port: int, operator_port: int) -> list[str]:
    """The command line of the real program."""
    return [
        str(Path(sys.executable).with_name("svc")),
        "run",
        f"--data={data}",
        f"--bind=127.0.0.1:{port}",
        f"--operator-bind=127.0.0.1:{operator_port}",
    ]
