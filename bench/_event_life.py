"""A service to which things happen: `python -m bench._event_life DATA RATE SECONDS`.

RATE events a second are recorded in the first organization, and one a second in each other one. When the time
is over it waits until all is delivered to the receivers that are well, and prints what that took.
"""

import resource
import sys
import time
from ipaddress import ip_network
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sa
import trio

from svc.actors.change_dispatch import ChangeDispatcher
from svc.actors.kinds import KINDS
from svc.actors.outbound.client import OutboundHttp
from svc.actors.reconciler import Reconciler
from svc.actors.system import Secrets, System
from svc.clock import WallClock
from svc.domain.crypto.sealing import Sealer
from svc.domain.locale.times import rfc3339
from svc.domain.records.answers import RecordAnswer
from svc.domain.records.events import RecordUpdated, changes, record_event
from svc.storage import tables as root_tables
from svc.storage.events import events
from svc.storage.identity import organizations
from svc.storage.sqlite.store import open_store
from svc.storage.store import Store, Tx
from svc.storage.webhooks import tables

SECRETS = Secrets(sender=b"s" * 32, sealing=b"k" * 32)
SOURCE = {"kind": "api", "id": "key_1", "personId": "usr_1"}
SUBJECTS = 50
"""Records that things happen to, in turn."""
TICK_SECONDS = 0.05
TICKS_A_SECOND = 20


class Lived(msgspec.Struct, frozen=True):
    """What a life came to."""

    events: int
    cpu_seconds: float
    """From the first event on."""
    rss_mib: tuple[float, float]
    """Resident memory a third into the time, and at the end."""
    requests_waiting: int
    """Requests that waited for a place, at most."""


def happen(tx: Tx, organization_id: str, numbers: range) -> None:
    """Things happen to records, as large as a contact's event is."""
    properties = {"name": "Anna Petrova", "email": "anna@example.com", "phone": "+44 20 7946 0123"}
    changed = changes({"city": ["London", "Hampton"]})
    at = rfc3339(tx.now)
    events.record(
        tx,
        organization_id,
        [
            record_event(
                RecordUpdated,
                RecordAnswer(
                    id=f"rec_{number % SUBJECTS}",
                    object_type="contact",
                    version=3,
                    properties=properties,
                    created_at=at,
                    updated_at=at,
                ),
                SOURCE,
                changed=changed,
            )
            for number in numbers
        ],
    )


async def live(path: Path, rate: float, seconds: float) -> Lived:
    sealer = Sealer(SECRETS.sealing)
    async with open_store(path, WallClock(), sealer=sealer) as store:
        http = OutboundHttp([ip_network("127.0.0.0/8")])
        system = System(KINDS, store, WallClock(), SECRETS, outbound_http=http)
        store.listen(ChangeDispatcher(system))
        async with http.live(), system.live():
            for _ in range(3):
                await Reconciler(system, "main").start()
            first_id, *others = [one.id for one in await store.read(organizations.list_all)]
            first = await store.read(_count)
            began = time.process_time()
            memory: list[float] = []
            waiting = 0
            made = 0
            start = trio.current_time()
            for tick in count(1):
                due = min(round(tick * TICK_SECONDS * rate), round(seconds * rate))
                if due > made:
                    await store.write(happen, first_id, range(first + made, first + due))
                    made = due
                if tick % TICKS_A_SECOND == 0:
                    for organization_id in others:
                        await store.write(happen, organization_id, range(tick, tick + 1))
                memory.append(rss_mib())
                waiting = max(waiting, http.statistics().waiting)
                if tick * TICK_SECONDS >= seconds:
                    break
                await trio.sleep_until(start + tick * TICK_SECONDS)
            await _wait_idle(store, first_id)
            cpu = time.process_time() - began
            await system.drain(15)
    return Lived(made, cpu, (memory[len(memory) // 3], memory[-1]), waiting)


async def _wait_idle(store: Store, organization_id: str) -> None:
    """Wait until all is delivered to the receivers that are well."""
    while await store.read(_due, organization_id):  # noqa: ASYNC110  # the store tells of no delivery
        await trio.sleep(0.05)


def _due(conn: sa.Connection, organization_id: str) -> bool:
    undispatched = sa.select(root_tables.events.c.id).where(root_tables.events.c.position.is_(None))
    column = tables.webhook_deliveries.c
    well = sa.select(tables.webhooks.c.id).where(
        tables.webhooks.c.url.contains("/take/"), tables.webhooks.c.organization_id == organization_id
    )
    waiting = sa.select(column.id).where(tables.IS_WAITING, column.webhook_id.in_(well))
    return any(conn.execute(found.limit(1)).first() is not None for found in (undispatched, waiting))


def _count(conn: sa.Connection) -> int:
    newest: Any = conn.scalar(sa.select(sa.func.max(root_tables.event_positions.c.newest)))
    return newest or 0


def rss_mib() -> float:
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * resource.getpagesize() / 2**20


if __name__ == "__main__":
    lived = trio.run(live, Path(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
    sys.stdout.write(msgspec.json.encode(lived).decode())
