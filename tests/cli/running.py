"""`svc run` as a process of its own, and websites that post to it all the time."""

import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import IO, Any, Final

import httpx
import pytest

from svc.cli.data_directory import DataDirectory
from tests.forked import Forked

END_SECONDS: Final = 15
ANEW: Final = ("-m", "svc")
"""The program as anybody starts it, for tests of its start, its end and its streams."""
TRIES: Final = 10_000
"""Of what is soon so: each takes the time of a system call at least."""


class Service:
    """A running `svc run`, on ports of the system's choice unless *binds* are others."""

    def __init__(
        self,
        data: Path,
        *args: str,
        binds: Sequence[str] = ("--bind", "127.0.0.1:0", "--operator-bind", "127.0.0.1:0"),
        names_data: bool = True,
        program: Sequence[str] | None = None,
        stdout: int = subprocess.PIPE,
        stderr: int | IO[str] | None = None,
        environment: dict[str, str] | None = None,
        inside: Sequence[str] = (),
    ) -> None:
        """Run *program* with Python; what it logs is in `errors` unless *stderr* is something else.

        Without one it is forked from a process that has imported `svc`: see `tests.forked`.

        *data* is given by a flag if *names_data*. *environment* goes over that of the tests. *inside* is a
        command that runs the program.
        """
        self.data = DataDirectory(data)
        self.printed: list[str] = []
        """The lines of its standard output that `ready` has read."""
        self._errors = (data.parent / "stderr").open("a+")
        named = ("--data", str(data)) if names_data else ()
        command = ("run", *named, *binds, *args)
        env = os.environ | {"SVC_LOG__FORMAT": "json"} | (environment or {})
        self.process: subprocess.Popen[str] | Forked
        if program is None and not inside and stdout == subprocess.PIPE and stderr is None:
            self.process = Forked(*command, stderr=self._errors, env=env)
        else:
            self.process = subprocess.Popen(
                [*inside, sys.executable, *(program or ANEW), *command],
                stdout=stdout,
                stderr=self._errors if stderr is None else stderr,
                text=True,
                env=env,
            )

    @property
    def stdout(self) -> Any:
        return self.process.stdout

    @property
    def stderr(self) -> IO[str] | None:
        """Its standard error, where that is a pipe."""
        return self.process.stderr if isinstance(self.process, subprocess.Popen) else None

    def ready(self) -> dict[str, str]:
        """The addresses of both listeners, once they are printed."""
        urls: dict[str, str] = {}
        while "Operator" not in urls:
            line = self.stdout.readline()
            assert line, f"svc run ended with {self.process.wait(END_SECONDS)}: {self.errors()}"
            self.printed.append(line)
            if found := re.match(r"(Public|Open first|Operator) +(http\S+)", line):
                urls[found[1].replace("Open first", "Public")] = found[2].rstrip("/")
        return urls

    def errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read()

    def records(self) -> list[dict[str, Any]]:
        """What it logged, in order; what is printed beside that is none of it."""
        return [json.loads(line) for line in self.errors().splitlines() if line.startswith("{")]

    def events(self) -> list[str]:
        """What it logged, in order."""
        return [json.loads(line)["event"] for line in self.errors().splitlines()]

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """Meanwhile no file of the service can be written, as the system's limit has it."""
        pid = self.process.pid
        before = resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        yield
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)

    def resident_mib(self) -> float:
        """Memory in use now, as Linux reports it."""
        [kib] = re.findall(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{self.process.pid}/status").read_text())
        return int(kib) / 1024

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """What is in the database now, whether the service runs or not."""
        with closing(sqlite3.connect(f"file:{self.data.database}?mode=ro", uri=True)) as database:
            return database.execute(statement).fetchall()

    def wait_filed(self, url: str) -> None:
        """Return once no submission waits any more. Asking at *url* gives the service time for its turns."""
        with httpx.Client(base_url=url) as client:
            for _ in range(TRIES):
                if not self.rows("SELECT 1 FROM submissions WHERE state IN ('due', 'queued') LIMIT 1"):
                    return
                client.get("/t.js")
        pytest.fail("submissions are still not filed")

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(END_SECONDS)

    def close(self) -> None:
        self.process.kill()
        self.process.wait(END_SECONDS)
        if self.stdout is not None:
            self.stdout.close()
        self._errors.close()


class Poster(threading.Thread):
    """A website that posts a new person after the other, until it gets no answer.

    No form gets more than it files in a minute.
    """

    def __init__(
        self, url: str, form_keys: Sequence[str], server_key: str, answers: threading.Semaphore
    ) -> None:
        super().__init__()
        self.answered: list[str] = []
        """E-mails of submissions that were answered 200."""
        self.unanswered: str | None = None
        self._address = httpx.URL(url)
        self._form_keys = form_keys
        self._server_key = server_key
        self._answers = answers

    def run(self) -> None:
        with closing(HTTPConnection(self._address.host, self._address.port, timeout=END_SECONDS)) as client:
            for number in range(50 * len(self._form_keys)):
                form_key = self._form_keys[number % len(self._form_keys)]
                email = f"{form_key}-{number}@example.com".lower()
                try:
                    answer = self._post(client, form_key, email, f"10.1.{number // 250}.{number % 250 + 1}")
                except (OSError, HTTPException):
                    self.unanswered = email
                    return
                assert b'{"ok":true}' == answer
                self.answered.append(email)
                self._answers.release()

    def _post(self, client: HTTPConnection, form_key: str, email: str, visitor: str) -> bytes:
        body = json.dumps({"f": form_key, "v": {"email": email, "message": "Hello"}})
        headers = {
            "content-type": "application/json",
            "authorization": f"Bearer {self._server_key}",
            "x-visitor-ip": visitor,
        }
        client.request("POST", "/api/f/s", body, headers)
        return client.getresponse().read()


class Load:
    """Posters at work."""

    def __init__(self, posters: list[Poster], answers: threading.Semaphore) -> None:
        self._posters = posters
        self._answers = answers

    def wait_answered(self, number: int) -> None:
        """Wait until *number* more submissions are answered."""
        for _ in range(number):
            assert self._answers.acquire(timeout=END_SECONDS)

    def wait_cut_off(self) -> tuple[list[str], list[str]]:
        """Which e-mails were answered, and which were not, once no poster gets an answer any more."""
        for poster in self._posters:
            poster.join(END_SECONDS)
        answered = [email for poster in self._posters for email in poster.answered]
        unanswered = [poster.unanswered for poster in self._posters if poster.unanswered]
        assert len(self._posters) == len(unanswered), "the load ended before the service did"
        return answered, unanswered


@contextmanager
def load(url: str, form_keys: Sequence[str], server_key: str, posters: int) -> Iterator[Load]:
    """Have *posters* post to forms of their own."""
    answers = threading.Semaphore(0)
    threads = [Poster(url, form_keys[one::posters], server_key, answers) for one in range(posters)]
    for thread in threads:
        thread.start()
    yield Load(threads, answers)
    for thread in threads:
        thread.join(END_SECONDS)
