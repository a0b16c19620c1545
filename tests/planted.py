"""A running service in which three things are wrong, for those who have to find them: see `Planted`."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import msgspec
import trio

from svc.actors._core import Actor, Policy, turn
from svc.actors.change_dispatch import ChangeDispatcher
from svc.actors.kinds import KINDS
from svc.actors.system import System
from svc.http.operator.app import operator_app
from tests.channels import Receiver, a_connection, a_reply
from tests.http.serving import listening
from tests.town import PASSWORDS, SECRETS, Town, town

TOKEN: Final = "a-token-of-the-operator"
LETTERS: Final = 40


class DeskState(msgspec.Struct):
    """Nothing."""


class Archive(Actor[System, DeskState]):
    """Takes turns that never end, in one place of the code."""

    policy = Policy(turn_seconds=float("inf"))

    async def load(self) -> DeskState:
        return DeskState()

    @turn
    async def file_papers(self) -> None:
        await wait_for_the_key()


async def wait_for_the_key() -> None:
    """Where the turn is stuck."""
    await trio.sleep_forever()


class Postbox(Actor[System, DeskState]):
    """Gets more letters than it can sort."""

    policy = Policy(turn_seconds=float("inf"))

    async def load(self) -> DeskState:
        return DeskState()

    @turn
    async def sort_letter(self) -> None:
        await trio.sleep(30)


class Planted:
    """The service: a turn is stuck, a mailbox fills, and a bridge takes a push and never answers."""

    def __init__(self) -> None:
        self.url = ""
        self.organization_id = ""
        self.connection_id = ""
        """Of the bridge."""
        self.ready = threading.Event()
        self.stop: Any = None
        self.fault: BaseException | None = None

    def run(self) -> None:
        try:
            trio.run(self._run)
        except BaseException as error:  # noqa: BLE001  # told to the thread that waits
            self.fault = error
        finally:
            self.ready.set()

    async def _run(self) -> None:
        async with town() as here:
            receiver = Receiver()
            receiver.takes_seconds = 3_600
            system = System(
                (*KINDS, Archive, Postbox), here.store, here.clock, SECRETS, PASSWORDS, outbound_http=receiver
            )
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._serve, here, system)
                token, stopped = trio.lowlevel.current_trio_token(), trio.Event()
                self.stop = lambda: token.run_sync_soon(stopped.set)
                await stopped.wait()
                nursery.cancel_scope.cancel()

    async def _serve(self, here: Town, system: System) -> None:
        async with system.live(), listening(operator_app(system, TOKEN)) as server:
            here.store.listen(ChangeDispatcher(system))
            Archive(system, "cellar").file_papers.tell()
            for _ in range(LETTERS):
                Postbox(system, "front-door").sort_letter.tell()
            bridge = {"delivery": "push", "url": "https://bridge.example/hook"}
            connection = await here.store.write(a_connection, here.organization.id, **bridge)
            await here.store.write(a_reply, connection)
            self.organization_id, self.connection_id = here.organization.id, connection.id
            self.url = f"http://{server.bind.host}:{server.bind.port}"
            self.ready.set()
            await trio.sleep_forever()


@contextmanager
def planted() -> Iterator[Planted]:
    """The service, in a thread of its own."""
    service = Planted()
    thread = threading.Thread(target=service.run)
    thread.start()
    service.ready.wait()
    try:
        if service.fault is not None:
            raise service.fault
        yield service
    finally:
        if service.stop is not None:
            service.stop()
        thread.join()
    if service.fault is not None:
        raise service.fault
