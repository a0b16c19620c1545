"""The data directory itself, while no service has it open."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, get_args

import msgspec

from svc.cli.data_directory import DataDirectory
from svc.cli.data_store import command_store
from svc.cli.failures import Failure
from svc.cli.operator_calls import Operator
from svc.clock import WallClock
from svc.domain.crypto.sealing import Sealer
from svc.domain.identity.callers import Call
from svc.domain.imports.limits import IMPORT_BATCH_LINES
from svc.storage.clock import marks as clock_marks
from svc.storage.imports import outputs, steps, uploads
from svc.storage.imports.outputs import OutputKind
from svc.storage.records.listing import index_builds
from svc.storage.store import Store, StoreInUse, Tx
from svc.tools import execution
from svc.tools.catalogue import REGISTRY

_PIECES: Final = 16


class LocalInstallation:
    """An open data directory, in which the command does what a service would do."""

    def __init__(self, store: Store, call: Call) -> None:
        self._store = store
        self._call = call
        self._organization_id = call.caller.organization_id
        self._units = store.of(self._organization_id)

    async def call(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        tool = REGISTRY[name]
        request = tool.read(msgspec.json.encode(body))
        if tool.effect == "reads":
            now = WallClock().now()
            result = await self._store.read_long(execution.read, now, tool, self._call, request, patient=True)
        else:
            result = await self._units.write(execution.write, tool, self._call, request)
        answer: dict[str, Any] = msgspec.json.decode(result.answered().body)
        return answer

    async def put_part(self, import_: dict[str, Any], number: int, data: bytes) -> None:
        await self._units.write(uploads.put_part, self._organization_id, import_["id"], number, data=data)

    async def go_on(self, import_: dict[str, Any]) -> dict[str, Any]:
        done = await self._units.write(steps.step, self._organization_id, IMPORT_BATCH_LINES)
        if done.waits:
            await self._units.write(index_builds.build, self._organization_id)
        return await self.call("import.get", {"id": import_["id"]})

    async def output(self, import_: dict[str, Any], kind: str) -> AsyncIterator[bytes]:
        kinds: tuple[OutputKind, ...] = get_args(OutputKind)
        [known] = [one for one in kinds if one == kind]
        found, head = await self._store.read(outputs.begin, self._organization_id, import_["id"], known)
        yield head.encode()
        after = -1
        while page := await self._store.read(outputs.page, found, known, after=after, limit=_PIECES):
            yield "".join(piece.text for piece in page).encode()
            after = page[-1].at_byte


class LocalReader:
    """A data directory that is only read, whether or not a service has it open."""

    def __init__(self, operator: Operator, organization_id: str) -> None:
        self._operator = operator
        self._organization_id = organization_id

    async def call(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        tool = REGISTRY[name]
        request = tool.read(msgspec.json.encode(body))
        now = WallClock().now()
        answer: dict[str, Any] = msgspec.json.decode(
            self._operator.look_json(tool, self._organization_id, request, now=now)
        )
        return answer


@asynccontextmanager
async def local(directory: DataDirectory, call: Call) -> AsyncIterator[LocalInstallation]:
    """The data in *directory*. Raises `Failure` if a service has it open."""
    sealer = Sealer(directory.open_key().derive("sealing"))
    try:
        async with command_store(directory, WallClock(), sealer=sealer) as store:
            yield LocalInstallation(store, call)
            await store.alone.write(_mark)
    except StoreInUse as error:
        raise Failure(f"{error}, or name the service with --server and give it a key in SVC_KEY") from error


def _mark(tx: Tx) -> None:
    clock_marks.mark(tx)
