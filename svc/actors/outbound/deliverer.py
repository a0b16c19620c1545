"""The base of the actors that deliver what is stored: Outbox, Webhook and Mailer.

A deliverer has one loop, that of a `BatchWorker`::

    due rows ──► one unit loads as many as have room ──► attempts ──► outcomes stored ──► next time
       ▲                                                                                    │
       └──────────── `check_by`, the one timer; a message; the end of an attempt ◄──────────┘

Room are the places and the pace that attempts share. What is missing there is no attempt: the row stays due.
When an attempt that failed is made again, the unit that stores its outcome decides, by a `RetryPlan`; after a
rejection by the store the loop rests. Once the system is quiesced nothing begins, and outcomes are stored.
"""

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import Concatenate, ParamSpec, TypeVar

import structlog
import trio

from svc.actors.batch_worker import RETRY_MS, BatchDone, BatchWorker, BatchWorkerState
from svc.domain.errors import Unavailable
from svc.domain.locale.times import SECOND_MS
from svc.storage.store import Tx, Units

log = structlog.get_logger("svc.actors.outbound.deliverer")

S = TypeVar("S", bound=BatchWorkerState)
P = ParamSpec("P")


class Deliverer(BatchWorker[S]):
    """Delivers due rows: what is sent, how, and in which order is for the class that is derived from it."""

    @abstractmethod
    def room(self) -> int:
        """How many attempts may begin now.

        Where none may, `check_by` has to say when to look again, unless an attempt that ends does.
        """

    @abstractmethod
    def load_due(self, room: int) -> Callable[[], Awaitable[BatchDone]]:
        """Return what loads at most *room* due rows, in a task. It raises `Unavailable`."""

    def next_batch(self) -> Callable[[], Awaitable[BatchDone]] | None:
        room = self.room()
        return self.load_due(room) if room > 0 else None

    async def store_outcome(
        self,
        units: Units,
        given_up: Callable[[], bool],
        unit: Callable[Concatenate[Tx, P], object],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Store an outcome by *unit*, in a task; again while the store rejects it, until it is *given_up*.

        What is not stored is sent again. Raises `Unavailable` once it is given up.
        """
        while True:
            try:
                await units.write(unit, *args, **kwargs)
            except Unavailable as error:
                log.warning("an outcome cannot be stored yet", actor=repr(self), why=error)
                if given_up():
                    raise
                await trio.sleep(RETRY_MS / SECOND_MS)
            else:
                return
