"""SIGKILL of the service, and of PostgreSQL below it, under load: what was answered is there, and once.

Programs post forms and create records; one whose call was cut off repeats it with the same idempotency key.
"""

import asyncio
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import trio

from bench import _machine as machine
from bench import _owners as owners
from bench._machine import free_port, is_ready, program
from bench._report import print_table, save
from bench._world import workspace
from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.forms.forms import NewForm
from svc.storage import provisioning
from svc.storage.forms import forms
from svc.storage.identity.organizations import NewOrganization
from svc.storage.postgresql.store import open_store
from svc.storage.store import Tx
from tests.postgresql_server import Server, running_server

ROUNDS: Final = 20
"""Of each kind."""
ORGANIZATIONS: Final = 8
"""So that several lanes are in use."""
FORMS_OF_EACH: Final = 10
CLIENTS_OF_EACH: Final = 2
"""Of an organization: so many programs post forms, and as many create records."""
LOAD_SECONDS: Final = (0.3, 2.0)
"""Between the first call and the kill, at random."""
REFUSED_PAUSE_SECONDS: Final = 0.05
SEED: Final = 20_260_901
PATIENCE_SECONDS: Final = 120
BUDGET: Final = 100_000
_DONE: Final = 200
_MAYBE: Final = 500
"""What is answered where it is unknown whether it was done; the door of forms says so of any failure."""


class Party(NamedTuple):
    """An organization: its forms, and a key of an Owner."""

    forms: list[str]
    key: str


class Sent(msgspec.Struct):
    """What became of what one kind of programs sent, by e-mail address."""

    answered: set[str] = msgspec.field(default_factory=set)
    """Answered 200: must be there."""
    refused: set[str] = msgspec.field(default_factory=set)
    """Answered otherwise: must not be there."""
    unknown: set[str] = msgspec.field(default_factory=set)
    """Cut off, or answered 500: may be there, once."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What was found after the last restart, of submissions and records together."""

    kills_of_service: int
    kills_of_server: int
    seed: int
    answered: int
    refused: int
    unknown: int
    unknown_stored: int
    repeated: int
    """Records whose creation was cut off, and answered when it was repeated."""
    lost: int
    """Answered 200 and not there."""
    doubled: int
    unasked: int
    """There, and refused or never sent."""
    restart_seconds_max: float
    """Of the service, until it is ready."""
    back_seconds_max: float
    """From the start of a killed PostgreSQL until every program was answered 200 again."""

    @property
    def is_whole(self) -> bool:
        return not (self.lost or self.doubled or self.unasked)


class Programs:
    """The programs of all organizations, as they go on over kills."""

    def __init__(self, parties: list[Party]) -> None:
        self.submissions = Sent()
        self.records = Sent()
        self.repeated = 0
        self.port = 0
        self.stopping = False
        self._awaited: set[str] = set()
        self._all_answered = asyncio.Event()
        self._numbers = count(1)
        self._loops = {
            f"{kind.__name__} {place}.{number}": (kind, party)
            for place, party in enumerate(parties)
            for number in range(CLIENTS_OF_EACH)
            for kind in (self._post_forms, self._create_records)
        }
        self._cut: dict[str, str] = {}
        """The e-mail address of the record whose creation a program has to repeat."""

    async def run(self) -> None:
        """Run until the service is gone, or `stopping` is set."""
        self.stopping = False
        async with asyncio.TaskGroup() as group:
            for name in self._loops:
                group.create_task(self._run_one(name))

    async def wait_answered(self) -> None:
        """Wait until each of them was answered 200 once more."""
        self._awaited, self._all_answered = {*self._loops}, asyncio.Event()
        await self._all_answered.wait()

    async def _run_one(self, name: str) -> None:
        loop, party = self._loops[name]
        with suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            with closing(writer):
                while not self.stopping:
                    status = await loop(name, party, reader, writer)
                    if status == _DONE:
                        self._note_answered(name)
                    else:
                        await asyncio.sleep(REFUSED_PAUSE_SECONDS)

    def _note_answered(self, name: str) -> None:
        self._awaited.discard(name)
        if not self._awaited:
            self._all_answered.set()

    async def _post_forms(
        self, _name: str, party: Party, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> int:
        number = next(self._numbers)
        email = f"visitor{number}@mail.example"
        form = party.forms[number % len(party.forms)]
        self.submissions.unknown.add(email)
        values = {"name": "Anna Petrova", "email": email, "message": "Hello"}
        status = await _post(reader, writer, "/api/f/s", {"f": form, "v": values})
        _note(self.submissions, email, status)
        return status

    async def _create_records(
        self, name: str, party: Party, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> int:
        again = self._cut.get(name)
        email = again or f"customer{next(self._numbers)}@mail.example"
        self._cut[name] = email
        self.records.unknown.add(email)
        values = {"name": "Anna Petrova", "email": email}
        body = {"objectType": "contact", "properties": values}
        headers = (f"authorization: Bearer {party.key}", f"idempotency-key: {email}")
        status = await _post(reader, writer, "/api/v1/tools/record.create", body, *headers)
        if status == _DONE or (status != _MAYBE and again is None):
            # A repeated call that is refused stays unknown, as the first may have been done.
            _note(self.records, email, status)
            del self._cut[name]
            self.repeated += again is not None
        return status


def _note(sent: Sent, email: str, status: int) -> None:
    if status != _MAYBE:
        sent.unknown.discard(email)
        (sent.answered if status == _DONE else sent.refused).add(email)


async def _post(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: object, *headers: str
) -> int:
    """The status of the answer."""
    encoded = msgspec.json.encode(body)
    lines = [f"POST {path} HTTP/1.1", "host: 127.0.0.1", "content-type: application/json", *headers]
    head = "".join(f"{line}\r\n" for line in [*lines, f"content-length: {len(encoded)}"])
    writer.write(head.encode() + b"\r\n" + encoded)
    answer = await reader.readuntil(b"\r\n\r\n")
    for line in answer.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            await reader.readexactly(int(line.partition(b":")[2]))
    return int(answer.split(b" ", 2)[1])


def run(
    space: Path, server: Server, *, kills_of_service: int = ROUNDS, kills_of_server: int = ROUNDS
) -> Found:
    """Kill the service and *server* so often, with the data directory in *space*, and look what is there."""
    url = server.create_database("killed", "TEMPLATE template0")
    data = space / "data"
    directory = DataDirectory(data)
    directory.make()
    directory.open_key()
    programs = Programs(trio.run(_make_parties, url))
    moments = random.Random(SEED)
    restarts, backs = [0.0], [0.0]
    for _ in range(kills_of_service):
        with _serving(data, url) as (service, seconds):
            restarts.append(seconds)
            programs.port = service.port
            asyncio.run(_kill(programs, service.process.kill, moments.uniform(*LOAD_SECONDS)))
            service.process.wait()
    with _serving(data, url) as (service, seconds):
        restarts.append(seconds)
        programs.port = service.port
        backs += [
            asyncio.run(_kill_below(programs, server, moments.uniform(*LOAD_SECONDS)))
            for _ in range(kills_of_server)
        ]
        asyncio.run(_end(programs))
        service.stop()
    submissions, records = _stored(server, "killed")
    found = [(programs.submissions, submissions), (programs.records, records)]
    return Found(
        kills_of_service=kills_of_service,
        kills_of_server=kills_of_server,
        seed=SEED,
        answered=sum(len(sent.answered) for sent, _ in found),
        refused=sum(len(sent.refused) for sent, _ in found),
        unknown=sum(len(sent.unknown) for sent, _ in found),
        unknown_stored=sum(len(sent.unknown & there.keys()) for sent, there in found),
        repeated=programs.repeated,
        lost=sum(len(sent.answered - there.keys()) for sent, there in found),
        doubled=sum(there.total() - len(there) for _, there in found),
        unasked=sum(len(there.keys() - sent.answered - sent.unknown) for sent, there in found),
        restart_seconds_max=max(restarts),
        back_seconds_max=max(backs),
    )


async def _kill(programs: Programs, kill: Callable[[], None], seconds: float) -> None:
    asyncio.get_running_loop().call_later(seconds, kill)
    async with asyncio.timeout(seconds + PATIENCE_SECONDS):
        await programs.run()


async def _kill_below(programs: Programs, server: Server, seconds: float) -> float:
    """Kill PostgreSQL and start it again; how long it took until all programs were answered."""
    async with asyncio.timeout(seconds + PATIENCE_SECONDS), asyncio.TaskGroup() as group:
        group.create_task(programs.run())
        await asyncio.sleep(seconds)
        server.kill()
        await asyncio.to_thread(server.start_again)
        began = time.monotonic()
        await programs.wait_answered()
        programs.stopping = True
        return time.monotonic() - began


async def _end(programs: Programs) -> None:
    """Have every program be answered once more, so that each call that was cut off has been repeated."""
    async with asyncio.timeout(PATIENCE_SECONDS), asyncio.TaskGroup() as group:
        group.create_task(programs.run())
        await programs.wait_answered()
        programs.stopping = True


async def _make_parties(url: str) -> list[Party]:
    async with open_store(url, WallClock()) as store:
        return [await store.alone.write(_make_party, number) for number in range(ORGANIZATIONS)]


def _make_party(tx: Tx, number: int) -> Party:
    asked = NewOrganization(name=f"Organization {number}", country="DE", plan="pro")
    organization = provisioning.create(tx, asked)
    made = [forms.create(tx, organization, NewForm(name=f"Form {n}")).form_key for n in range(FORMS_OF_EACH)]
    [key] = owners.mint(tx, owners.add(tx, organization.id), 1)
    return Party(made, key)


@contextmanager
def _serving(data: Path, url: str) -> Iterator[tuple[machine.Server, float]]:
    """The program over the database, and how long it took to be ready."""
    began = time.monotonic()
    port, operator_port = free_port(), free_port()
    settings = {"SVC_DATA__DATABASE": url, "SVC_TOOLS__CALLS_PER_MINUTE": str(BUDGET)}
    command = ["env", *(f"{name}={value}" for name, value in settings.items())]
    service = machine.start(
        [*command, *program(data, port, operator_port)],
        port,
        log=data.with_suffix(".log"),
        ready=lambda: is_ready(operator_port, data),
    )
    try:
        yield service, time.monotonic() - began
    finally:
        if service.process.poll() is None:
            service.kill()


def _stored(server: Server, database: str) -> tuple[Counter[str], Counter[str]]:
    """How often each e-mail address is in a submission, and in a record that a program created."""
    submissions = server.execute("SELECT email FROM submissions", database)
    records = server.execute(
        "SELECT properties::json ->> 'email' FROM records WHERE properties LIKE '%customer%'", database
    )
    return Counter(str(email) for (email,) in submissions), Counter(str(email) for (email,) in records)


def main() -> None:
    """Kill, restart and count; ends with 1 on any loss and any double."""
    with workspace() as space, running_server(fsync=True) as server:
        found = run(space, server)
    print_table(
        f"{found.kills_of_service} times SIGKILL of the service, {found.kills_of_server} of PostgreSQL"
        f" (seed {found.seed})",
        ["", ""],
        [
            ["answered 200", str(found.answered)],
            ["refused", str(found.refused)],
            ["cut off, or answered 500", str(found.unknown)],
            ["of these, stored", str(found.unknown_stored)],
            ["cut off, and answered when repeated", str(found.repeated)],
            ["answered 200 and lost", str(found.lost)],
            ["doubled", str(found.doubled)],
            ["stored without having been asked", str(found.unasked)],
            ["slowest restart of the service, seconds", f"{found.restart_seconds_max:.2f}"],
            ["slowest return after PostgreSQL's, seconds", f"{found.back_seconds_max:.2f}"],
        ],
    )
    save("postgres_kills", found)
    if not found.is_whole:
        sys.exit("something was lost or doubled")


if __name__ == "__main__":
    main()
