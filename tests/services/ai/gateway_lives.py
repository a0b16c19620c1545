"""Lives of a process that completes chats: several calls at once, each cut where the test says.

A life begins with what the last one has left in its database, as bytes, and ends with what it leaves itself:
at a crash, with what was on the disk at that very moment.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Literal, NamedTuple, TypeVar, get_args

import msgspec
import trio
from sqlalchemy import Connection

from svc.actors._core import ActorError
from svc.actors.ai.completion_calls import StreamCut
from svc.actors.ai.completion_streams import Sink
from svc.actors.change_dispatch import ChangeDispatcher
from svc.actors.kinds import KINDS
from svc.actors.system import System
from svc.clock import VirtualClock
from svc.domain.ai.models import ModelCatalogue, ServiceModel, ServiceProvider
from svc.domain.ai.requests import CompletionRequest
from svc.domain.crypto.sealing import Sealer
from svc.domain.errors import DomainError, NotFound
from svc.domain.identity.people import Person
from svc.domain.randomness import Randomness
from svc.services.ai import completions
from svc.services.tools import calls as tool_calls
from svc.storage.identity import api_keys
from svc.storage.identity.api_keys import MintedKey
from svc.storage.sqlite.engine import make_engine, raw
from svc.storage.sqlite.inline import create_tables, inline_store
from svc.storage.store import Sources, Store, Tx
from tests.http.ai.gateway import PRICES, PROMPT
from tests.people import call_of
from tests.replay import run_seeded
from tests.services.ai.provider_scripts import Attempt, ScriptedUpstreams
from tests.town import PASSWORDS, SECRETS

R = TypeVar("R")
Deed = Literal["the client leaves", "the key is revoked", "a stop", "a full disk", "a broken disk", "a crash"]
DEEDS: Final[tuple[Deed, ...]] = get_args(Deed)
FULL_SECONDS: Final = 3.0
"""How long a full disk stays so. A broken one does to the end of the life."""
STOP_SECONDS: Final = 0.2
MODELS: Final = tuple(f"m{number}" for number in range(4))
"""Each call of a life names a model of its own, so that its row can be found."""
BREAK: Final = (
    "CREATE TRIGGER IF NOT EXISTS full_disk BEFORE INSERT ON ai_ledger"
    " BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END"
)
MEND: Final = "DROP TRIGGER IF EXISTS full_disk"


class Cut(NamedTuple):
    """What happens after that many steps of a call's task: at whatever it then waits for."""

    steps: int
    deed: Deed


class AskedCall(NamedTuple):
    """One call, as a test wants it."""

    key: MintedKey
    said: tuple[str, str, str]
    """How the organization's own provider answers it, and each of the service's."""
    stream: bool = True
    starts_at: float = 0
    cut: Cut | None = None
    reads_seconds: float = 0
    """How long the client takes for each part."""


class MadeCall:
    """What became of a call, as its client and its providers saw it."""

    def __init__(self, asked: AskedCall, model: str) -> None:
        self.asked, self.model = asked, model
        self.outcome: str | None = None
        """`answered`, the code of an error, or None for a client that got no end."""
        self.attempts: Sequence[Attempt] = ()


class Life(NamedTuple):
    """A life that has ended."""

    image: bytes
    """The database that it leaves."""
    now: int
    process: str
    calls: list[MadeCall]
    lost: int
    """Calls of the life before that it settled at its start."""
    deeds: frozenset[Deed]
    """What has happened in it."""


class _Sink(Sink):
    def __init__(self, seconds: float) -> None:
        self.begun = self.client_left = False
        self._seconds = seconds

    async def send(self, part: bytes) -> None:
        assert part
        self.begun = True
        await trio.sleep(self._seconds)


class _Cuts(trio.abc.Instrument):
    """Does something once after so many steps of a task, when that waits."""

    def __init__(self) -> None:
        self.due: dict[trio.lowlevel.Task, tuple[int, Callable[[], None]]] = {}

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        steps, deed = self.due.pop(task, (0, None))
        if deed is None:
            return
        if steps > 1:
            self.due[task] = steps - 1, deed
        else:
            deed()


def live(image: bytes, now: int, owner: Person, calls: Sequence[AskedCall] = (), seed: int = 0) -> Life:
    """Run one life over the database *image*."""
    return run_seeded(seed, partial(_live, image, now, owner, calls))


def written(image: bytes, now: int, unit: Callable[[Tx], R]) -> tuple[bytes, R]:
    """The database *image* after a unit of work, and its result, while no process runs."""
    sources = Sources(sealer=Sealer(SECRETS.sealing))
    with make_engine(None).connect() as conn:
        restored(image)(conn)
        with conn.begin():
            conn.exec_driver_sql("BEGIN")
            result = unit(Tx(conn, now, sources))
        return raw(conn).serialize(), result


def empty() -> bytes:
    """An empty database with all tables."""
    with make_engine(None).connect() as conn:
        create_tables(conn)
        return raw(conn).serialize()


def restored(image: bytes) -> Callable[[Connection], None]:
    """What fills an empty database with *image*."""

    def restore(conn: Connection) -> None:
        raw(conn).deserialize(image)
        raw(conn).execute(MEND)

    return restore


class _Process:
    """The process of one life."""

    def __init__(self, store: Store, system: System, owner: Person, dump: Callable[[], bytes]) -> None:
        self.store, self.system, self.owner = store, system, owner
        self._dump = dump
        self.scope = trio.CancelScope()
        self.cuts = _Cuts()
        self.deeds: set[Deed] = set()
        self.at_crash: bytes | None = None

    async def call(self, nursery: trio.Nursery, made: MadeCall) -> None:
        asked = made.asked
        await trio.sleep(asked.starts_at)
        sink = _Sink(asked.reads_seconds)
        with trio.CancelScope() as scope:
            if asked.cut is not None:
                deed = partial(self._do, nursery, asked, sink, scope)
                self.cuts.due[trio.lowlevel.current_task()] = asked.cut.steps, deed
            outcome = await self._outcome(made, sink)
            self.cuts.due.pop(trio.lowlevel.current_task(), None)
            if self.at_crash is None:
                made.outcome = outcome

    async def _outcome(self, made: MadeCall, sink: _Sink) -> str:
        try:
            admission = await tool_calls.admit_key(self.system, made.asked.key.key)
            answer = await completions.complete(self.system, admission.caller, _request(made), sink)
        except DomainError as error:
            return str(getattr(error, "kind", error.code))
        except (ActorError, StreamCut) as error:
            return type(error).__name__
        return "answered" if answer is None else f"answered {answer.status}"

    def _do(self, nursery: trio.Nursery, asked: AskedCall, sink: _Sink, scope: trio.CancelScope) -> None:
        assert asked.cut is not None
        deed = asked.cut.deed
        self.deeds.add(deed)
        match deed:
            case "the client leaves":
                sink.client_left = True
                scope.cancel()
            case "the key is revoked":
                nursery.start_soon(self._revoke, asked.key)
            case "a stop":
                self.system.ai.open_calls.stop()
            case "a full disk":
                nursery.start_soon(self._break_disk, FULL_SECONDS)
            case "a broken disk":
                nursery.start_soon(self._break_disk, None)
            case "a crash":
                if self.at_crash is None:
                    self.at_crash = self._dump()
                self.scope.cancel()

    async def _revoke(self, key: MintedKey) -> None:
        with suppress(NotFound):  # revoked already, by another call's cut
            call = call_of(self.owner, confirmed_at=self.system.clock.now())
            await self.store.write(api_keys.revoke, call, key.id)

    async def _break_disk(self, seconds: float | None) -> None:
        await self.store.write(lambda tx: tx.conn.exec_driver_sql(BREAK))
        if seconds is not None and "a broken disk" not in self.deeds:
            await trio.sleep(seconds)
            await self.store.write(lambda tx: tx.conn.exec_driver_sql(MEND))


def _request(made: MadeCall) -> CompletionRequest:
    asked = {"model": made.model, "messages": [{"role": "user", "content": PROMPT}], "max_tokens": 20}
    return CompletionRequest(json.dumps(asked | {"stream": made.asked.stream}).encode())


def _catalogue() -> ModelCatalogue:
    model = ServiceModel(
        id="", providers=("p0", "p1"), upstream="", prices=PRICES, context_tokens=10_000, output_tokens_max=99
    )
    return ModelCatalogue(
        [msgspec.structs.replace(model, id=name, upstream=name) for name in MODELS],
        [ServiceProvider(name=name, base_url="http://p", key=f"sk-{name}") for name in ("p0", "p1")],
    )


async def _live(
    image: bytes, now: int, owner: Person, calls: Sequence[AskedCall], randomness: Randomness
) -> Life:
    clock, sealer = VirtualClock(now), Sealer(SECRETS.sealing, randomness)
    made = [MadeCall(asked, model) for asked, model in zip(calls, MODELS, strict=False)]
    script = {
        (one.model, whose): said
        for one in made
        for whose, said in zip(("own", "p0", "p1"), one.asked.said, strict=True)
    }
    upstreams = ScriptedUpstreams(script)
    kept: list[Connection] = []

    def prepare(conn: Connection) -> None:
        restored(image)(conn)
        kept.append(conn)

    def dump() -> bytes:
        return raw(kept[0]).serialize()

    async with inline_store(clock, prepare=prepare, sealer=sealer, random=randomness) as store:
        system = System(
            KINDS,
            store,
            clock,
            SECRETS,
            PASSWORDS,
            models=_catalogue(),
            upstreams=upstreams,
            ai_stop_seconds=STOP_SECONDS,
            random=randomness,
        )
        store.listen(ChangeDispatcher(system))
        process = _Process(store, system, owner, dump)
        lost = await system.ai.settlements.begin()
        trio.lowlevel.add_instrument(process.cuts)
        with process.scope:
            async with (
                system.ai.settlements.live(),
                system.ai.open_calls.live(),
                system.live(),
                trio.open_nursery() as nursery,
            ):
                for one in made:
                    nursery.start_soon(process.call, nursery, one)
        trio.lowlevel.remove_instrument(process.cuts)
        left = process.at_crash or dump()
        for one in made:
            one.attempts = upstreams.attempts.get(one.model, [])
        process_name = system.ai.settlements.process
    return Life(left, clock.now() + 1_000, process_name, made, lost, frozenset(process.deeds))
